import { beforeEach, describe, expect, it } from 'vitest';
import { type Doc, MemoryClient } from '../../test/apiserver/memory-client.js';
import { FakeDisk } from '../../test/support/fake-disk.js';
import { TempFolder } from '../../test/support/temp-folder.js';
import { FakeClock } from '../time/fake-clock.js';
import { seededRandom } from '../time/seeded-random.js';
import { type ApiServer, type ApiServerOptions, startApiServer } from './index.js';
import { startServer } from './server.js';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const SERVICES = '/api/v1/namespaces/default/services';
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const WIDGETS = '/apis/example.com/v1/namespaces/default/widgets';

let disk: FakeDisk;
let clock: FakeClock;
let api: ApiServer;
let client: MemoryClient;
let warnings: string[];

beforeEach(async () => {
  disk = new FakeDisk(seededRandom(1));
  clock = new FakeClock();
  await start();
});

async function start(options: ApiServerOptions = {}): Promise<void> {
  warnings = [];
  const onWarning = (message: string): void => void warnings.push(message);
  const onError = (error: unknown): void => expect.fail(String(error));
  api = await startServer({ clock, listen: false, data: 'unused', onWarning, onError, ...options }, disk);
  client = new MemoryClient(api);
}

/** Kills the server, and starts it again on what the disk has. */
async function killAndStart(options?: ApiServerOptions): Promise<void> {
  disk = disk.kill();
  await start(options);
}

const define = (name: string, versions: readonly object[], rest: object = {}): Promise<Doc> =>
  client.post(DEFINITIONS, {
    metadata: { name: `${name}s.example.com`, ...rest },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: `${name}s`, kind: `${name[0]!.toUpperCase()}${name.slice(1)}`, shortNames: ['w'] },
      versions,
    },
  });
const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
const v1 = { name: 'v1', served: true, storage: true, schema };
const widget = (name: string, rest: object = {}): Doc => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name, ...rest },
});

describe('a server that was killed and started again', () => {
  it('has the same objects, with the same uids and resourceVersions', async () => {
    const { json: made } = await client.post(CONFIG_MAPS, { metadata: { name: 'a' }, data: { text: 'zażółć' } });
    await client.post(CONFIG_MAPS, { metadata: { name: 'b' } });
    await client.delete(`${CONFIG_MAPS}/b`);
    const list = (await client.get('/api/v1/namespaces')).json;
    await killAndStart();
    expect((await client.get(`${CONFIG_MAPS}/a`)).json).toEqual(made);
    expect((await client.get(`${CONFIG_MAPS}/b`)).status).toBe(404);
    expect((await client.get('/api/v1/namespaces')).json).toEqual(list);
    const { json: next } = await client.post(CONFIG_MAPS, { metadata: { name: 'c' } });
    expect(Number(next.metadata.resourceVersion)).toBe(Number(list.metadata.resourceVersion) + 1);
  });

  it('resumes watches from versions that it still has, lists them, and answers 410 to older ones', async () => {
    const options = { historyLimit: 5 };
    await killAndStart(options);
    const versions: string[] = [];
    for (let n = 0; n < 10; n++) {
      const { json } = await client.post(CONFIG_MAPS, { metadata: { name: `c-${n}`, labels: { n: `${n}` } } });
      versions.push(json.metadata.resourceVersion);
    }
    await client.patch(`${CONFIG_MAPS}/c-9`, { metadata: { labels: { n: null } } });
    await client.delete(`${CONFIG_MAPS}/c-8`);
    const paths = [
      `${CONFIG_MAPS}?watch=1&resourceVersion=${versions[6]}`,
      `${CONFIG_MAPS}?watch=1&resourceVersion=${versions[8]}&labelSelector=n`,
      `${CONFIG_MAPS}?watch=1&resourceVersion=${versions[1]}`,
    ];
    const watchAll = async (): Promise<unknown[]> => {
      const watches = paths.map((path) => client.watch(path));
      await clock.runUntilIdle();
      return watches.map((watch) => {
        watch.abort();
        return watch.events;
      });
    };
    const page = (await client.get(`${CONFIG_MAPS}?limit=3`)).json.metadata.continue;
    const before = await watchAll();
    const rest = (await client.get(`${CONFIG_MAPS}?limit=3&continue=${page}`)).json;
    await killAndStart(options);
    const after = await watchAll();
    expect(after).toEqual(before);
    expect((after[0] as Doc[]).map(({ type }) => type)).toEqual(['ADDED', 'ADDED', 'ADDED', 'MODIFIED', 'DELETED']);
    expect(after[2]).toEqual([expect.objectContaining({ type: 'ERROR', object: expect.objectContaining({ code: 410 }) })]);
    expect((await client.get(`${CONFIG_MAPS}?limit=3&continue=${page}`)).json).toEqual(rest);
  });

  it('resumes watches of resources that never had an object', async () => {
    const { resourceVersion } = (await client.get('/apis/networking.k8s.io/v1/ingresses')).json.metadata;
    await client.post(CONFIG_MAPS, { metadata: { name: 'a' } });
    await killAndStart();
    const watch = client.watch(`/apis/networking.k8s.io/v1/ingresses?watch=1&resourceVersion=${resourceVersion}`);
    await clock.runUntilIdle();
    expect([watch.status, watch.events, watch.end]).toEqual([200, [], 'open']);
  });

  it('serves custom resources, with fields that became selectable later', async () => {
    const properties = { spec: { type: 'object', properties: { color: { type: 'string' } } } };
    const colored = { ...v1, schema: { openAPIV3Schema: { type: 'object', properties } } };
    await define('widget', [colored]);
    await clock.runUntilIdle();
    await client.post(WIDGETS, { ...widget('red'), spec: { color: 'red' } });
    await client.post(WIDGETS, { ...widget('blue'), spec: { color: 'blue' } });
    const versions = [{ ...colored, selectableFields: [{ jsonPath: '.spec.color' }] }];
    await client.patch(`${DEFINITIONS}/widgets.example.com`, { spec: { versions } });
    await clock.runUntilIdle();
    const definition = (await client.get(`${DEFINITIONS}/widgets.example.com`)).json;
    await killAndStart();
    expect((await client.get(`${WIDGETS}?fieldSelector=spec.color=red`)).json.items).toHaveLength(1);
    await clock.runUntilIdle();
    expect((await client.get(`${DEFINITIONS}/widgets.example.com`)).json).toEqual(definition);
    expect((await client.post(WIDGETS, { ...widget('green'), spec: { color: 'green' } })).status).toBe(201);
  });

  it('gives names of resources to the definition that had them, whatever the order of their names', async () => {
    await define('widget', [v1]);
    await clock.runUntilIdle();
    await define('anvil', [v1]);
    await clock.runUntilIdle();
    const accepted = async (name: string): Promise<string> => {
      const { conditions } = (await client.get(`${DEFINITIONS}/${name}.example.com`)).json.status;
      return conditions.find((condition: Doc) => condition.type === 'NamesAccepted').status;
    };
    expect([await accepted('widgets'), await accepted('anvils')]).toEqual(['True', 'False']);
    await killAndStart();
    await clock.runUntilIdle();
    expect([await accepted('widgets'), await accepted('anvils')]).toEqual(['True', 'False']);
    expect((await client.get(WIDGETS)).status).toBe(200);
  });

  it('goes on with deletions: of namespaces, definitions, claims, and of objects without owners', async () => {
    await killAndStart({ controllers: 'none' });
    await define('widget', [v1]);
    await clock.runUntilIdle();
    await client.post(WIDGETS, widget('w', { finalizers: ['example.com/hold'] }));
    const { json: owner } = await client.post(CONFIG_MAPS, { metadata: { name: 'owner' } });
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: owner.metadata.uid }];
    await client.post(CONFIG_MAPS, { metadata: { name: 'child', ownerReferences } });
    await client.post('/api/v1/namespaces', { metadata: { name: 'web' } });
    await client.post('/api/v1/namespaces/web/configmaps', { metadata: { name: 'a' } });
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
    const claims = '/api/v1/namespaces/default/persistentvolumeclaims';
    await client.post(claims, { metadata: { name: 'data' }, spec });
    await client.delete('/api/v1/namespaces/web');
    await client.delete(`${DEFINITIONS}/widgets.example.com`);
    await client.delete(`${claims}/data`);
    await client.delete(`${CONFIG_MAPS}/owner`);
    await clock.runUntilIdle();
    await killAndStart();
    await client.patch(`${WIDGETS}/w`, { metadata: { finalizers: null } });
    await clock.runUntilIdle();
    for (const path of [
      '/api/v1/namespaces/web',
      `${CONFIG_MAPS}/child`,
      `${WIDGETS}/w`,
      `${DEFINITIONS}/widgets.example.com`,
      `${claims}/data`,
    ]) {
      expect([path, (await client.get(path)).status]).toEqual([path, 404]);
    }
  });

  it('does not give away addresses and node ports that are in use', async () => {
    const ports = [{ port: 80, nodePort: 30_080 }];
    const { json: made } = await client.post(SERVICES, { metadata: { name: 'a' }, spec: { type: 'NodePort', ports } });
    const { clusterIP } = made.spec;
    await killAndStart();
    const again = await client.post(SERVICES, { metadata: { name: 'b' }, spec: { type: 'NodePort', ports } });
    expect(again.json.details.causes[0].message).toContain('provided port is already allocated');
    const taken = await client.post(SERVICES, { metadata: { name: 'c' }, spec: { clusterIP, ports: [{ port: 80 }] } });
    expect(taken.json.details.causes[0].message).toContain('provided IP is already allocated');
  });

  it('ends Events an hour after their last write, however often it starts', async () => {
    const events = '/api/v1/namespaces/default/events';
    const involvedObject = { namespace: 'default', name: 'a', kind: 'Pod' };
    await client.post(events, { metadata: { name: 'a' }, involvedObject });
    for (let n = 0; n < 3; n++) {
      await clock.advance(19 * 60_000);
      await killAndStart();
      expect((await client.get(`${events}/a`)).status).toBe(200);
    }
    await clock.advance(3 * 60_000);
    expect((await client.get(`${events}/a`)).status).toBe(404);
  });

  it('accepts the tokens that it has given out, and its kubeconfig stays valid', async () => {
    const options: ApiServerOptions = { authorization: 'rbac', tls: true };
    await killAndStart(options);
    const { token, certificateAuthority } = api;
    const headers = { authorization: `Bearer ${token}` };
    const accounts = '/api/v1/namespaces/default/serviceaccounts';
    await client.request('POST', accounts, { metadata: { name: 'robot' } }, headers);
    const { json } = await client.request('POST', `${accounts}/robot/token`, { spec: {} }, headers);
    await killAndStart(options);
    expect([api.token, api.certificateAuthority]).toEqual([token, certificateAuthority]);
    const own = { authorization: `Bearer ${json.status.token}` };
    const answer = await client.request('GET', '/apis/authentication.k8s.io/v1/selfsubjectreviews', undefined, own);
    expect(answer.status).not.toBe(401);
    expect((await client.request('GET', '/api', undefined, { authorization: 'Bearer other' })).status).toBe(401);
  });

  it('leaves objects of its options that exist as they are, and never repeats uids of a seed', async () => {
    const objects = [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'given' }, data: { a: '1' } }];
    disk = new FakeDisk(seededRandom(2));
    await start({ objects, seed: 7 });
    const { json: first } = await client.get(`${CONFIG_MAPS}/given`);
    await client.patch(`${CONFIG_MAPS}/given`, { data: { a: '2' } });
    await killAndStart({ objects, seed: 7 });
    const { json: given } = await client.get(`${CONFIG_MAPS}/given`);
    expect([given.data, given.metadata.uid]).toEqual([{ a: '2' }, first.metadata.uid]);
    const { json: next } = await client.post(CONFIG_MAPS, { metadata: { name: 'next' } });
    const all = [...(await client.get('/api/v1/namespaces')).json.items, given];
    expect(all.map(({ metadata }: Doc) => metadata.uid)).not.toContain(next.metadata.uid);
  });
});

describe('a server whose disk is slow', () => {
  it('answers a write, and shows it to others, once it is durable', async () => {
    await client.post(CONFIG_MAPS, { metadata: { name: 'a' }, data: { n: '1' } });
    const { resourceVersion } = (await client.get(CONFIG_MAPS)).json.metadata;
    const watch = client.watch(`${CONFIG_MAPS}?watch=1&resourceVersion=${resourceVersion}`);
    await clock.runUntilIdle();
    const release: (() => void)[] = [];
    disk.delay = () => new Promise((resolve) => release.push(resolve));
    const answers: number[] = [];
    const note = ({ status }: Doc): void => void answers.push(status);
    const writes = [
      client.patch(`${CONFIG_MAPS}/a`, { data: { n: '2' } }).then(note),
      client.post(CONFIG_MAPS, { metadata: { name: 'b' } }).then(note),
      // It is refused because of a write that a crash could take back.
      client.post(CONFIG_MAPS, { metadata: { name: 'b' } }).then(note),
    ];
    await clock.runUntilIdle();
    expect([answers, watch.events]).toEqual([[], []]);
    expect((await client.get(`${CONFIG_MAPS}/a`)).json.data).toEqual({ n: '1' });
    const { items, metadata } = (await client.get(CONFIG_MAPS)).json;
    expect(items.map((item: Doc) => item.metadata.name)).toEqual(['a']);
    disk.delay = undefined;
    for (const resolve of release) resolve();
    await Promise.all(writes);
    await clock.runUntilIdle();
    expect(answers.sort()).toEqual([200, 201, 409]);
    expect(watch.events.map(({ type }) => type)).toEqual(['MODIFIED', 'ADDED']);
    expect(Number(watch.events[0]?.object.metadata.resourceVersion)).toBeGreaterThan(Number(metadata.resourceVersion));
  });

  it('sends all deletions to watches of a definition that is deleted', async () => {
    await define('widget', [v1]);
    await clock.runUntilIdle();
    for (let n = 0; n < 30; n++) await client.post(WIDGETS, widget(`w-${n}`));
    const watch = client.watch(`${WIDGETS}?watch=1`);
    await clock.runUntilIdle();
    disk.delay = () => clock.sleep(10);
    const deleted = client.delete(`${DEFINITIONS}/widgets.example.com`);
    await clock.advance(1000);
    await deleted;
    expect(watch.events.filter(({ type }) => type === 'DELETED')).toHaveLength(30);
    expect(watch.end).toBe('ended');
  });
});

describe('a server whose disk is full', () => {
  it('answers writes with 500 and the reason, reads go on, and its controllers catch up when there is space', async () => {
    const event = '/api/v1/namespaces/default/events/e';
    const involvedObject = { namespace: 'default', name: 'a', kind: 'Pod' };
    await client.post('/api/v1/namespaces/default/events', { metadata: { name: 'e' }, involvedObject });
    const { json: owner } = await client.post(CONFIG_MAPS, { metadata: { name: 'owner' } });
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: owner.metadata.uid }];
    for (let n = 0; n < 5; n++) await client.post(CONFIG_MAPS, { metadata: { name: `child-${n}`, ownerReferences } });
    // Enough for this deletion, but not for those that the garbage collector adds.
    disk.free = 150;
    expect((await client.delete(`${CONFIG_MAPS}/owner`)).status).toBe(200);
    await clock.runUntilIdle();
    const refused = await client.post(CONFIG_MAPS, { metadata: { name: 'late' } });
    expect(refused.json).toMatchObject({ code: 500, reason: 'InternalError' });
    expect(refused.json.message).toMatch(/\/data cannot be written \(ENOSPC.*free some space/);
    expect((await client.get(CONFIG_MAPS)).json.items).toHaveLength(5);
    expect((await client.get('/readyz')).status).toBe(200);
    // The Event ends meanwhile.
    await clock.advance(3_700_000);
    expect((await client.get(event)).status).toBe(200);
    disk.free = 1e6;
    await clock.advance(2000);
    expect((await client.get(event)).status).toBe(404);
    expect((await client.get(CONFIG_MAPS)).json.items).toEqual([]);
    expect((await client.post(CONFIG_MAPS, { metadata: { name: 'late' } })).status).toBe(201);
    expect(warnings).toEqual([expect.stringContaining('ENOSPC'), '/data can be written again']);
    await killAndStart();
    expect((await client.get(CONFIG_MAPS)).json.items.map((item: Doc) => item.metadata.name)).toEqual(['late']);
  });
});

describe('a data directory', () => {
  it('can be read by its owner only, and is used by one server at a time', async () => {
    const folder = new TempFolder();
    const data = folder.file('data');
    const first = await startApiServer({ data, listen: false });
    await expect(startApiServer({ data, listen: false })).rejects.toThrow(
      `${data} is in use by process ${process.pid}; stop it, or choose another directory`,
    );
    const { stat, readdir } = await import('node:fs/promises');
    expect(((await stat(data)).mode & 0o777).toString(8)).toBe('700');
    for (const name of await readdir(data)) {
      if (!name.startsWith('lock-')) expect([name, ((await stat(`${data}/${name}`)).mode & 0o777).toString(8)]).toEqual([name, '600']);
    }
    await first.stop();
    await using again = await startApiServer({ data, listen: false });
    expect((await new MemoryClient(again).get('/api/v1/namespaces/default')).status).toBe(200);
  });

  it('keeps the port of the server, unless another one has taken it', async () => {
    const data = new TempFolder().file('data');
    const first = await startApiServer({ data });
    const { url } = first;
    await first.stop();
    const second = await startApiServer({ data });
    expect(second.url).toBe(url);
    await second.stop();
    await using _taken = await startApiServer({ port: Number(new URL(url).port) });
    const messages: string[] = [];
    await using third = await startApiServer({ data, onWarning: (message) => messages.push(message) });
    expect(third.url).not.toBe(url);
    expect(messages).toEqual([expect.stringContaining('the last port could not be used again')]);
  });

  it('is refused if it holds other files, is a file, or has damaged credentials', async () => {
    const folder = new TempFolder();
    const file = await folder.write('notes.txt', 'mine');
    await expect(startApiServer({ data: folder.path, listen: false })).rejects.toThrow(
      `${folder.path} holds other files (notes.txt); choose an empty directory`,
    );
    await expect(startApiServer({ data: file, listen: false })).rejects.toThrow(/cannot be used as a data directory/);
    await expect(startApiServer({ data: '', listen: false })).rejects.toThrow(/data must be/);
    const data = folder.file('data');
    await (await startApiServer({ data, listen: false })).stop();
    await folder.write('data/credentials', 'x');
    await expect(startApiServer({ data, listen: false })).rejects.toThrow(
      `${data}/credentials is damaged; restore it from a copy, or remove it to get a new one`,
    );
  });
});
