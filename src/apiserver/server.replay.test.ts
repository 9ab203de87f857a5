import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type MadeRecording, makeRecording, recorded } from '../../test/support/recordings.js';
import type { Client } from '../client/client.js';
import { SharedInformerFactory } from '../informers/shared-informer-factory.js';
import { isExpired, isNotFound, isReason } from '../meta/errors/error-predicates.js';
import { expired, serviceUnavailable } from '../meta/errors/status.js';
import { FakeClock } from '../time/fake-clock.js';
import type { RecordedResource } from './replay/recording.js';
import { openRecording, recordingInMemory } from './replay/recording-file.js';
import { RecordingWriter } from './replay/recording-writer.js';
import { type ApiServer, startApiServer } from './server.js';
import type { ApiServerOptions } from './server-options.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kubeflect-'));
});
afterAll(() => rm(folder, { recursive: true }));

let files = 0;

/** A server that replays a recording in virtual time. */
async function replayed(
  bytes: Uint8Array,
  options: Partial<Extract<ApiServerOptions['replay'], { file: unknown }>> = {},
): Promise<{ clock: FakeClock; api: ApiServer; client: Client; [Symbol.asyncDispose](): Promise<void> }> {
  const file = join(folder, `${files++}.kfr`);
  await writeFile(file, bytes);
  const clock = new FakeClock({ seed: 2 });
  const api = await startApiServer({ clock, listen: false, replay: { file, ...options }, onWarning: () => {} });
  const client = api.client({ wire: 'json' });
  return {
    clock,
    api,
    client,
    async [Symbol.asyncDispose]() {
      await client.close();
      await api.stop();
    },
  };
}

/** All notifications of an informer, with the bytes of the objects and the time since the start. */
function notifications(client: Client): { log: string[]; factory: SharedInformerFactory; hasSynced(): boolean } {
  const log: string[] = [];
  const factory = new SharedInformerFactory(client, { onError: () => {} });
  const informer = factory.core.v1.pods();
  const textOf = (object: unknown): string => JSON.stringify(object);
  informer.addEventHandler({
    onAdd: (pod) => void log.push(`add ${textOf(pod)}`),
    onUpdate: (old, pod) => void log.push(`update ${textOf(old)} ${textOf(pod)}`),
    onDelete: (pod) => void log.push(`delete ${textOf(pod)}`),
  });
  factory.start();
  return { log, factory, hasSynced: () => informer.hasSynced };
}

const spec = { containers: [{ name: 'web', image: 'web:1' }] };

describe('a server that replays a recording', () => {
  let incident: MadeRecording;
  let original: string[];

  beforeAll(async () => {
    incident = await makeRecording([recorded('pods'), recorded('deployments')], async ({ clock, client }) => {
      const pods = client.core.v1.pods('default');
      const seen = notifications(client);
      await clock.until(() => seen.hasSynced());
      for (let i = 0; i < 5; i++) {
        await pods.create({ metadata: { name: `web-${i}`, labels: { app: i < 3 ? 'web' : 'cache' } }, spec });
        await clock.advance(1000);
      }
      for (let i = 0; i < 200; i++) {
        await pods.patchStatus(`web-${i % 5}`, { phase: i < 100 ? 'Pending' : 'Running', message: `change ${i}` });
        await clock.advance(20);
      }
      await pods.delete('web-4', { gracePeriodSeconds: 0 });
      await clock.advance(10_000);
      original = seen.log;
      await seen.factory.stop();
    });
  });

  it('notifies an informer of the same changes, byte for byte, at the same times', async () => {
    await using rig = await replayed(incident.bytes);
    const { clock, api, client } = rig;
    const { start, end } = api.replay!;
    const seen = notifications(client);
    await clock.until(() => seen.hasSynced());
    const at: number[] = [];
    const before = seen.log.length;
    await clock.until(
      () => {
        while (at.length < seen.log.length - before) at.push(clock.monotonicNow());
        return api.replay!.isAtEnd;
      },
      { withinMs: 60_000 },
    );
    await clock.advance(1000);
    expect(seen.log).toEqual(original);
    expect(original.length).toBe(5 + 200 + 2);
    expect(end - start).toBeGreaterThan(15_000);
    expect(api.replay!.position).toBe(end);
    const gaps = at.slice(6, 200).map((time, i) => time - at[i + 5]!);
    expect(new Set(gaps)).toEqual(new Set([20]));
    await seen.factory.stop();
  });

  it('is faster with a speed, and as fast as its clients at full speed', async () => {
    for (const speed of [10, 'max'] as const) {
      await using rig = await replayed(incident.bytes, { speed });
      const { clock, api, client } = rig;
      // At full speed no time passes before something is watched.
      if (speed === 'max') await clock.advance(60_000);
      const startedAt = clock.monotonicNow();
      const seen = notifications(client);
      await clock.until(() => api.replay!.isAtEnd, { withinMs: 60_000 });
      await clock.advance(100);
      expect(clock.monotonicNow() - startedAt).toBeLessThan(speed === 'max' ? 500 : 2500);
      expect(seen.log).toEqual(original);
      await seen.factory.stop();
    }
  });

  it('begins at any moment', async () => {
    const { start, end } = await openRecording(recordingInMemory(incident.bytes));
    for (const from of [8000, new Date(start + 8000)]) {
      await using rig = await replayed(incident.bytes, { from });
      const { client, api } = rig;
      expect(api.replay!.position).toBe(start + 8000);
      const { items } = await client.core.v1.pods('default').list();
      expect(items.map(({ metadata }) => metadata.name)).toEqual(['web-0', 'web-1', 'web-2', 'web-3', 'web-4']);
      expect(items.every(({ status }) => status?.phase === 'Running')).toBe(true);
    }
    for (const from of [new Date(start - 1), new Date(end + 1), new Date(Number.NaN), end - start + 1]) {
      await expect(replayed(incident.bytes, { from })).rejects.toThrow(
        'replay.from must be within the recording, which is from 2026-',
      );
    }
  });

  it('serves discovery, pages, selectors, single objects, tables and metadata of what was recorded', async () => {
    await using rig = await replayed(incident.bytes, { from: 12_000 });
    const { client } = rig;
    const known = await client.apis.resources();
    expect(known.map(({ resource, verbs }) => [resource, ...verbs])).toEqual([
      ['pods', 'get', 'list', 'watch'],
      ['deployments', 'get', 'list', 'watch'],
    ]);
    expect((await client.resolve('po')).resource).toBe('pods');
    const pods = client.core.v1.pods('default');
    const first = await pods.list({ limit: 2 });
    expect(first.metadata.remainingItemCount).toBe(2);
    const rest = await pods.list({ limit: 5, continue: first.metadata.continue! });
    expect([...first.items, ...rest.items].map(({ metadata }) => metadata.name)).toEqual([
      'web-0',
      'web-1',
      'web-2',
      'web-3',
    ]);
    const names = async (options: object): Promise<string[]> =>
      (await client.core.v1.pods().list(options)).items.map(({ metadata }) => metadata.name);
    expect(await names({ labelSelector: 'app=web' })).toEqual(['web-0', 'web-1', 'web-2']);
    expect(await names({ fieldSelector: 'status.phase=Running,metadata.name!=web-0' })).toEqual([
      'web-1',
      'web-2',
      'web-3',
    ]);
    const pod = await pods.get('web-0');
    expect(pod.metadata).toMatchObject({
      uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      resourceVersion: expect.any(String),
    });
    expect(original.at(-1)).toContain('"name":"web-4"');
    await expect(pods.get('web-4')).rejects.toSatisfy(isNotFound);
    await expect(client.core.v1.services('default').list()).rejects.toSatisfy(isNotFound);
    expect((await client.apps.v1.deployments('default').list()).items).toEqual([]);
    const table = await client.rest
      .get()
      .absPath('/api/v1/namespaces/default/pods')
      .header('accept', 'application/json;as=Table;v=v1;g=meta.k8s.io')
      .do<{ rows: { cells: unknown[] }[] }>();
    await expect(client.rest.get().absPath('/openapi/v3').do()).rejects.toSatisfy(isNotFound);
    // Ages are those of the replayed moment.
    expect(table.rows[0]!.cells[4]).toBe('12s');
  });

  it('watches by labels: an object that is no longer selected is deleted', async () => {
    const { bytes } = await makeRecording([recorded('pods')], async ({ clock, client }) => {
      const pods = client.core.v1.pods('default');
      await pods.create({ metadata: { name: 'web', labels: { app: 'web' } }, spec });
      await clock.advance(5000);
      await pods.patch('web', { metadata: { labels: { app: 'other' } } });
    });
    await using rig = await replayed(bytes, { from: 1000 });
    const { clock, client } = rig;
    const events: string[] = [];
    const stop = new AbortController();
    const watch = client.core.v1.pods().watch({ labelSelector: 'app=web', signal: stop.signal });
    const watching = (async () => {
      for await (const { type, object } of watch) {
        events.push(`${type} ${object.metadata.resourceVersion}`);
      }
    })().catch(() => {});
    await clock.advance(8000);
    stop.abort();
    await watching;
    const [added, deleted] = events;
    expect(added).toMatch(/^ADDED \d+$/);
    expect(deleted).toMatch(/^DELETED \d+$/);
    expect(Number(deleted!.split(' ')[1])).toBeGreaterThan(Number(added!.split(' ')[1]));
    expect(events.length).toBe(2);
  });

  it('refuses writes and says why', async () => {
    await using rig = await replayed(incident.bytes);
    const pods = rig.client.core.v1.pods('default');
    const message =
      /this server replays the recording .*\.kfr and cannot be written: \w+ of pods is refused; get, list and watch are served/;
    for (const write of [
      () => pods.create({ metadata: { name: 'new' }, spec }),
      () => pods.patch('web-0', { metadata: { labels: { a: 'b' } } }),
      () => pods.delete('web-0'),
      () => pods.deleteCollection(),
      () => pods.patchStatus('web-0', { phase: 'Failed' }),
    ]) {
      const error = await write().then(
        () => undefined,
        (reason: Error) => reason,
      );
      expect(isReason(error, 'MethodNotAllowed')).toBe(true);
      expect(error!.message).toMatch(message);
    }
  });

  it('is stopped while requests wait, without anything left', async () => {
    const writer = new RecordingWriter(0, [recorded('pods')]);
    writer.list(0, 0, 5, 0);
    writer.failure(1000, 0, { of: 'watch', status: expired('too old') });
    writer.bookmark(60_000, 0, 9);
    const bytes = Buffer.concat([writer.begin(), writer.cut()!, writer.end()]);
    const { clock, api, client } = await replayed(bytes);
    await clock.advance(2000);
    const waiting = client.core.v1
      .pods('default')
      .list()
      .catch((error: Error) => error);
    await clock.advance(10);
    await Promise.all([client.close(), api.stop()]);
    expect(await waiting).toBeInstanceOf(Error);
    await clock.runUntilIdle();
    expect(clock.pendingTimers).toEqual([]);
  });
});

describe('what went wrong while it was recorded', () => {
  const pods = recorded('pods');
  let version = 0;

  /** A pod as the server sends it. */
  function pod(name: string, part: object = {}): { key: string; version: number; bytes: Buffer } {
    const metadata = { name, namespace: 'default', uid: `uid-${name}`, resourceVersion: String(++version) };
    return {
      key: `default/${name}`,
      version,
      bytes: Buffer.from(JSON.stringify({ kind: 'Pod', apiVersion: 'v1', metadata, ...part })),
    };
  }

  /** A recording with these entries. */
  function made(fill: (writer: RecordingWriter) => void, resources: readonly RecordedResource[] = [pods]): Buffer {
    version = 10;
    const writer = new RecordingWriter(0, resources);
    const begin = writer.begin();
    fill(writer);
    return Buffer.concat([begin, writer.cut()!, writer.end()]);
  }

  it('410 Gone and the list after it: an informer relists, and misses what the recorder missed', async () => {
    const bytes = made((writer) => {
      const [a, b] = [pod('a'), pod('b')];
      writer.list(0, 0, 20, 2);
      writer.item(0, a);
      writer.item(0, b);
      version = 20;
      writer.change(1000, 0, 'MODIFIED', pod('a', { status: { phase: 'Running' } }));
      writer.failure(2000, 0, { of: 'watch', status: expired('too old resource version') });
      version = 50;
      // The recorder's next list came much later than that of the informer.
      writer.list(12_000, 0, 60, 2);
      writer.item(0, pod('b', { status: { phase: 'Failed' } }));
      writer.item(0, pod('c'));
      version = 60;
      writer.change(13_000, 0, 'ADDED', pod('d'));
    });
    await using rig = await replayed(bytes);
    const { clock, client } = rig;
    const seen = notifications(client);
    await clock.until(() => seen.hasSynced());
    const known = (): string[] =>
      seen.log.map((line) => line.replace(/"uid":"[^"]*",?/g, '').replace(/\{"kind".*?"name":"(\w)".*/, '$1'));
    await clock.advance(5000);
    expect(known()).toEqual(['add a', 'add b', 'update a']);
    await clock.advance(15_000);
    expect(known().slice(3).sort()).toEqual(['add c', 'add d', 'delete a', 'update b']);
    await seen.factory.stop();
  });

  it('a list that failed: requests fail in the same way, until one succeeded', async () => {
    const bytes = made((writer) => {
      writer.failure(0, 0, { of: 'list', status: serviceUnavailable('etcd has no leader') });
      writer.failure(4000, 0, { of: 'list', message: 'connect ECONNREFUSED 10.0.0.1:6443' });
      writer.list(8000, 0, 20, 1);
      writer.item(0, pod('a'));
    });
    await using rig = await replayed(bytes);
    const { clock, client } = rig;
    const raw = async (): Promise<string> => {
      let done: string | undefined;
      const asked = client.rest
        .get()
        .absPath('/api/v1/pods')
        .maxRetries(0)
        .do<{ items: unknown[] }>()
        .then(
          ({ items }) => (done = `${items.length} items`),
          (error: Error) => (done = error.message),
        );
      await clock.until(() => done !== undefined);
      await asked;
      return done!;
    };
    expect(await raw()).toContain('etcd has no leader');
    await clock.advance(5000);
    expect(await raw()).toContain('the recorder could not list it: connect ECONNREFUSED 10.0.0.1:6443');
    await clock.advance(5000);
    expect(await raw()).toBe('1 items');
  });

  it('a watch that broke ends the watches, and one that timed out does not', async () => {
    const bytes = made((writer) => {
      writer.list(0, 0, 20, 0);
      writer.failure(1000, 0, { of: 'watch', isTimeout: true });
      writer.failure(2000, 0, { of: 'watch', message: 'socket hang up' });
      version = 20;
      writer.change(3000, 0, 'ADDED', pod('a'));
    });
    await using rig = await replayed(bytes);
    const { clock, client } = rig;
    let ended: number | undefined;
    const watching = (async () => {
      for await (const _ of client.core.v1.pods().watch({ resourceVersion: '20' }));
      ended = clock.monotonicNow();
    })();
    await clock.until(() => ended !== undefined);
    await watching;
    expect(ended).toBe(2000);
    // The version that it had is still there to resume from.
    let type: string | undefined;
    const again = (async () => {
      for await (const event of client.core.v1.pods().watch({ resourceVersion: '20' })) {
        type = event.type;
        return;
      }
    })();
    await clock.until(() => type !== undefined);
    await again;
    expect(type).toBe('ADDED');
    await expect(
      client.core.v1.pods().list({ resourceVersion: '19', resourceVersionMatch: 'Exact' }),
    ).rejects.toSatisfy(isExpired);
  });

  it('resourceVersions that do not rise, and objects that were deleted before: the order is kept', async () => {
    const bytes = made((writer) => {
      writer.list(0, 0, 100, 0);
      writer.change(1000, 0, 'ADDED', { ...pod('late'), version: 90 });
      writer.change(1001, 0, 'DELETED', pod('unknown'));
      writer.change(1002, 0, 'MODIFIED', { ...pod('new'), version: 91 });
    });
    await using rig = await replayed(bytes);
    const seen = notifications(rig.client);
    await rig.clock.until(() => seen.hasSynced());
    await rig.clock.advance(2000);
    expect(seen.log.map((line) => line.slice(0, 4))).toEqual(['add ', 'add ']);
    await seen.factory.stop();
  });

  it('objects that were made by hand: without a resourceVersion, they disturb nothing else', async () => {
    const labels = { app: 'web' };
    const bytes = made((writer) => {
      const metadata = { name: 'odd', namespace: 'default' };
      const odd = (part: object) =>
        Buffer.from(JSON.stringify({ kind: 'Pod', apiVersion: 'v1', metadata: { ...metadata, ...part } }));
      writer.list(0, 0, 20, 1);
      writer.item(0, { key: 'default/odd', version: 15, bytes: odd({ labels }) });
      writer.change(1000, 0, 'MODIFIED', { key: 'default/odd', version: 21, bytes: odd({}) });
      const web = {
        kind: 'Pod',
        apiVersion: 'v1',
        metadata: { name: 'web', namespace: 'default', resourceVersion: '22', labels },
      };
      writer.change(2000, 0, 'ADDED', { key: 'default/web', version: 22, bytes: Buffer.from(JSON.stringify(web)) });
    });
    await using rig = await replayed(bytes);
    const { clock, client } = rig;
    const factory = new SharedInformerFactory(client, { labelSelector: 'app=web', onError: () => {} });
    const informer = factory.core.v1.pods();
    factory.start();
    await clock.until(
      () => informer.hasSynced && informer.lister.list().some(({ metadata }) => metadata.name === 'web'),
    );
    await factory.stop();
  });

  it('kinds that are not built in are served as they were recorded', async () => {
    const widgets: RecordedResource = {
      group: 'example.com',
      version: 'v2',
      resource: 'widgets',
      singular: 'widget',
      kind: 'Widget',
      namespaced: false,
      shortNames: ['wd'],
      categories: ['all'],
    };
    const text =
      '{"apiVersion":"example.com/v2","kind":"Widget","metadata":{"name":"a","resourceVersion":"7"},"spec":{"resourceVersion":"7"}}';
    const bytes = made(
      (writer) => {
        writer.list(0, 0, 20, 1);
        writer.item(0, { key: 'a', version: 7, bytes: Buffer.from(text) });
        const next = text.replaceAll('"7"', '"21"');
        writer.change(1000, 0, 'MODIFIED', { key: 'a', version: 21, bytes: Buffer.from(next) });
      },
      [widgets],
    );
    await using rig = await replayed(bytes);
    const { clock, client } = rig;
    const resource = await client.resolve('wd');
    expect(resource).toMatchObject({ kind: 'Widget', namespaced: false, categories: ['all'] });
    const { items } = await client.forResource(resource).list();
    expect(JSON.stringify(items)).toBe(`[${text}]`);
    await clock.advance(1000);
    const { metadata } = await client.forResource(resource).get('a');
    expect(metadata.resourceVersion).toBe('21');
  });

  it('versions are those of each resource: a change of one that was received late is not lost', async () => {
    const deployments = recorded('deployments');
    const bytes = made(
      (writer) => {
        writer.list(0, 0, 20, 0);
        writer.list(0, 1, 20, 0);
        version = 104;
        writer.change(1000, 0, 'ADDED', pod('a'));
        const metadata = { name: 'web', namespace: 'default', resourceVersion: '103' };
        const object = { kind: 'Deployment', apiVersion: 'apps/v1', metadata };
        writer.change(2000, 1, 'ADDED', {
          key: 'default/web',
          version: 103,
          bytes: Buffer.from(JSON.stringify(object)),
        });
      },
      [pods, deployments],
    );
    await using rig = await replayed(bytes);
    const { clock, client } = rig;
    await clock.advance(1500);
    const before = await client.apps.v1.deployments('default').list();
    expect(before.metadata.resourceVersion).toBe('20');
    expect((await client.core.v1.pods().list()).metadata.resourceVersion).toBe('105');
    let name: string | undefined;
    const watching = (async () => {
      for await (const event of client.apps.v1.deployments('default').watch({ resourceVersion: '20' })) {
        name = (event.object as { metadata: { name?: string } }).metadata.name;
        return;
      }
    })();
    await clock.until(() => name !== undefined);
    await watching;
    expect(name).toBe('web');
  });
});

describe('a recording that cannot be replayed', () => {
  it('is refused at the start', async () => {
    await expect(replayed(Buffer.from('kind: Pod'))).rejects.toThrow(
      /\.kfr is no recording: it does not begin as a file of kubeflect record/,
    );
    await expect(startApiServer({ replay: join(folder, 'missing.kfr') })).rejects.toThrow('cannot be opened: ENOENT');
    const key = { key: 'no-namespace', version: 1, bytes: Buffer.from('{}') };
    const writer = new RecordingWriter(0, [recorded('pods')]);
    const begin = writer.begin();
    writer.list(0, 0, 5, 1);
    writer.item(0, key);
    await expect(replayed(Buffer.concat([begin, writer.cut()!]))).rejects.toThrow(
      'has an entry that cannot be replayed: "no-namespace" is no key of pods',
    );
  });

  it('fails later requests with 500 if what follows is malformed, and tells onError', async () => {
    const writer = new RecordingWriter(0, [recorded('pods')]);
    const begin = writer.begin();
    writer.list(0, 0, 5, 0);
    writer.change(5000, 0, 'ADDED', { key: 'default/x', version: 6, bytes: Buffer.from('[1, 2]') });
    const file = join(folder, 'malformed.kfr');
    await writeFile(file, Buffer.concat([begin, writer.cut()!, writer.end()]));
    const clock = new FakeClock();
    const errors: unknown[] = [];
    const api = await startApiServer({ clock, listen: false, replay: file, onError: (error) => errors.push(error) });
    const client = api.client({ wire: 'json' });
    expect((await client.core.v1.pods('default').list()).items).toEqual([]);
    await clock.advance(6000);
    expect(errors).toEqual([expect.objectContaining({ message: expect.stringContaining('is no JSON object') })]);
    let message = '';
    const asked = client.core.v1
      .pods('default')
      .list()
      .catch((error: Error) => (message = error.message));
    await clock.until(() => message !== '', { withinMs: 600_000 });
    await asked;
    expect(message).toContain(
      'malformed.kfr has an entry that cannot be replayed: an object of the recording is no JSON object',
    );
    await client.close();
    await api.stop();
  });

  it('is not combined with options that would change it', async () => {
    const file = join(folder, '0.kfr');
    for (const [name, value] of Object.entries({
      objects: [],
      data: folder,
      controllers: 'none',
      workloads: true,
      authorization: 'rbac',
      firstResourceVersion: 7,
    })) {
      await expect(startApiServer({ replay: file, [name]: value })).rejects.toThrow(
        `replay and ${name} exclude each other: a server that replays a recording has nothing else`,
      );
    }
    await expect(startApiServer({ replay: 7 as never })).rejects.toThrow(TypeError);
    await expect(startApiServer({ replay: { file: '' } })).rejects.toThrow('replay.file must be a path or a file: URL');
    await expect(startApiServer({ replay: { file: new URL('https://example.com/x') } })).rejects.toThrow(
      'replay.file must be',
    );
    await expect(startApiServer({ replay: { file, speed: 0 } })).rejects.toThrow('replay.speed must be a number');
    await expect(startApiServer({ replay: { file, from: -1 } })).rejects.toThrow('replay.from must be a number');
    await expect(startApiServer({ replay: { file, sped: 2 } as never })).rejects.toThrow(/replay.*sped/);
  });
});
