import { expect } from 'vitest';
import { type Area, defineArea } from '../area.js';
import { at } from '../doc.js';
import { addConfigMaps, addEvents, configMaps, populate } from '../objects.js';
import { expectStatus } from '../status.js';
import type { WatchEvent, WatchStream } from '../watch-stream.js';

const brief = ({ type, object }: WatchEvent): string => `${type} ${object.metadata.name}`;

async function take(stream: WatchStream, count: number): Promise<WatchEvent[]> {
  const seen: WatchEvent[] = [];
  while (seen.length < count) seen.push(await stream.expectNext());
  return seen;
}

export const area: Area = defineArea('watch', (rule) => {
  rule('a watch answers 200 with JSON before anything has happened', async (api) => {
    const { path, last } = await populate(api, ['a']);
    const stream = await api.watch(path, { resourceVersion: last.metadata.resourceVersion });
    expect(stream.status).toBe(200);
    expect(stream.headers['content-type']).toBe('application/json');
    expect(stream.headers['transfer-encoding']).toBe('chunked');
    expect(stream.chunks).toEqual([]);
  });

  rule('creation, change and deletion arrive as ADDED, MODIFIED and DELETED', async (api) => {
    const path = configMaps(await api.namespace());
    const { metadata } = await api.get(path);
    const stream = await api.watch(path, { resourceVersion: metadata.resourceVersion });
    const created = await api.create(path, { metadata: { name: 'a' }, data: { v: '1' } });
    const changed = await api.patch(`${path}/a`, 'merge', { data: { v: '2' } });
    await api.delete(`${path}/a`);
    const [first, second, third] = await take(stream, 3);
    expect(first).toEqual({ type: 'ADDED', object: created });
    expect(second).toEqual({ type: 'MODIFIED', object: changed });
    expect(third?.type).toBe('DELETED');
  });

  rule('the object of an event carries kind and apiVersion', async (api) => {
    const { path } = await populate(api, ['a']);
    const { object } = await (await api.watch(path)).expectNext();
    expect(object).toMatchObject({ kind: 'ConfigMap', apiVersion: 'v1' });
  });

  rule('DELETED carries the last state under the newer version of the deletion', async (api) => {
    const { path, last } = await populate(api, ['a']);
    const changed = await api.patch(`${path}/a`, 'merge', { data: { v: 'last' } });
    const stream = await api.watch(path, { resourceVersion: changed.metadata.resourceVersion });
    await api.delete(`${path}/a`);
    const { type, object } = await stream.expectNext();
    expect(type).toBe('DELETED');
    expect(object.data).toEqual({ of: 'a', v: 'last' });
    expect(object.metadata.uid).toBe(last.metadata.uid);
    expect(BigInt(object.metadata.resourceVersion)).toBeGreaterThan(BigInt(changed.metadata.resourceVersion));
    const { resourceVersion: _, ...rest } = object.metadata;
    const { resourceVersion: __, ...before } = changed.metadata;
    expect(rest).toEqual(before);
  });

  rule('the version of a DELETED event resumes the watch right after the deletion', async (api) => {
    const { path, last } = await populate(api, ['a']);
    const stream = await api.watch(path, { resourceVersion: last.metadata.resourceVersion });
    await api.delete(`${path}/a`);
    const { object } = await stream.expectNext();
    await addConfigMaps(api, path, ['b']);
    const resumed = await api.watch(path, { resourceVersion: object.metadata.resourceVersion });
    expect(brief(await resumed.expectNext())).toBe('ADDED b');
  });

  rule('events follow the order of the writes across objects, with rising versions', async (api) => {
    const path = configMaps(await api.namespace());
    const { metadata } = await api.get(path);
    const stream = await api.watch(path, { resourceVersion: metadata.resourceVersion });
    await addConfigMaps(api, path, ['a', 'b']);
    await api.patch(`${path}/a`, 'merge', { data: { v: '1' } });
    await addConfigMaps(api, path, ['c']);
    await api.delete(`${path}/b`);
    await api.patch(`${path}/c`, 'merge', { data: { v: '2' } });
    await api.delete(`${path}/a`);
    const seen = await take(stream, 7);
    expect(seen.map(brief)).toEqual([
      'ADDED a',
      'ADDED b',
      'MODIFIED a',
      'ADDED c',
      'DELETED b',
      'MODIFIED c',
      'DELETED a',
    ]);
    const versions = seen.map(({ object }) => BigInt(object.metadata.resourceVersion));
    expect(versions).toEqual([...versions].sort((x, y) => (x < y ? -1 : 1)));
    expect(new Set(versions).size).toBe(7);
  });

  rule('several watchers see the same sequence', async (api) => {
    const path = configMaps(await api.namespace());
    const { metadata } = await api.get(path);
    const open = (): Promise<WatchStream> => api.watch(path, { resourceVersion: metadata.resourceVersion });
    const streams = await Promise.all([open(), open(), open()]);
    await Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => api.create(path, { metadata: { name } })));
    const [one, two, three] = await Promise.all(streams.map((stream) => take(stream, 5)));
    expect(one?.map(({ object }) => object.metadata.name).sort()).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(two).toEqual(one);
    expect(three).toEqual(one);
  });

  rule('a watcher that comes late is given the same sequence from the same version', async (api) => {
    const { path, last } = await populate(api, ['a']);
    const query = { resourceVersion: last.metadata.resourceVersion };
    const early = await api.watch(path, query);
    await api.patch(`${path}/a`, 'merge', { data: { v: '1' } });
    await api.delete(`${path}/a`);
    await addConfigMaps(api, path, ['a']);
    const seen = await take(early, 3);
    expect(await take(await api.watch(path, query), 3)).toEqual(seen);
  });

  rule('an event is one line, and is sent at once', async (api) => {
    const path = configMaps(await api.namespace());
    const { metadata } = await api.get(path);
    const stream = await api.watch(path, { resourceVersion: metadata.resourceVersion });
    for (const name of ['a', 'b', 'c']) {
      await api.create(path, { metadata: { name }, data: { text: 'two\nlines\r\nand more' } });
      const line = (await stream.nextLine()) ?? '';
      expect(JSON.parse(line)).toMatchObject({ type: 'ADDED', object: { metadata: { name } } });
      expect(stream.unfinishedLine).toBe('');
    }
  });

  rule('any text comes through unchanged', async (api) => {
    const path = configMaps(await api.namespace());
    const stream = await api.watch(path);
    const data = { text: 'ß € 😀 \u2028 \u0000 <&> "\\/', empty: '' };
    await api.create(path, { metadata: { name: 'a' }, data });
    expect((await stream.expectNext()).object.data).toEqual(data);
  });

  rule('a large object arrives whole, in one line', async (api) => {
    const path = configMaps(await api.namespace());
    const stream = await api.watch(path);
    const data = { large: 'x'.repeat(700_000) };
    await api.create(path, { metadata: { name: 'a' }, data });
    expect((await stream.expectNext()).object.data).toEqual(data);
  });

  rule('an update that changes nothing makes no event and no new version', async (api) => {
    const { path, last } = await populate(api, ['a']);
    const stream = await api.watch(path, { resourceVersion: last.metadata.resourceVersion });
    const again = await api.update(`${path}/a`, last);
    expect(again.metadata.resourceVersion).toBe(last.metadata.resourceVersion);
    await addConfigMaps(api, path, ['b']);
    expect(brief(await stream.expectNext())).toBe('ADDED b');
  });

  rule('writes with dryRun make no event', async (api) => {
    const { path, last } = await populate(api, ['a']);
    const stream = await api.watch(path, { resourceVersion: last.metadata.resourceVersion });
    await api.create(path, { metadata: { name: 'b' } }, { dryRun: 'All' });
    await api.patch(`${path}/a`, 'merge', { data: { v: '1' } }, { dryRun: 'All' });
    await api.delete(`${path}/a`, undefined, { dryRun: 'All' });
    await addConfigMaps(api, path, ['c']);
    expect(brief(await stream.expectNext())).toBe('ADDED c');
  });

  rule('deletion under a finalizer is MODIFIED first, and DELETED when the finalizer goes', async (api) => {
    const path = configMaps(await api.namespace());
    const made = await api.create(path, { metadata: { name: 'a', finalizers: ['example.com/hold'] } });
    const stream = await api.watch(path, { resourceVersion: made.metadata.resourceVersion });
    await api.delete(`${path}/a`);
    const marked = await stream.expectNext();
    expect(marked.type).toBe('MODIFIED');
    expect(marked.object.metadata.deletionTimestamp).toMatch(/Z$/);
    await api.patch(`${path}/a`, 'merge', { metadata: { finalizers: null } });
    const gone = await stream.expectNext();
    expect(gone.type).toBe('DELETED');
    expect(gone.object.metadata.uid).toBe(made.metadata.uid);
    expect(BigInt(gone.object.metadata.resourceVersion)).toBeGreaterThan(
      BigInt(marked.object.metadata.resourceVersion),
    );
  });

  rule('an object made again under its name is DELETED, then ADDED with another uid', async (api) => {
    const { path, last } = await populate(api, ['a']);
    const stream = await api.watch(path, { resourceVersion: last.metadata.resourceVersion });
    await api.delete(`${path}/a`);
    await addConfigMaps(api, path, ['a']);
    const [gone, added] = await take(stream, 2);
    expect([gone, added].map((event) => event && brief(event))).toEqual(['DELETED a', 'ADDED a']);
    expect(gone?.object.metadata.uid).toBe(last.metadata.uid);
    expect(added?.object.metadata.uid).not.toBe(last.metadata.uid);
  });

  rule('deleting a collection makes one DELETED for each object', async (api) => {
    const { path, last } = await populate(api, ['a', 'b', 'c']);
    const stream = await api.watch(path, { resourceVersion: last.metadata.resourceVersion });
    await api.delete(path);
    const seen = await take(stream, 3);
    expect(seen.map(brief).sort()).toEqual(['DELETED a', 'DELETED b', 'DELETED c']);
  });

  rule('a change of status is a MODIFIED', async (api) => {
    const namespace = await api.namespace();
    const path = `/apis/apps/v1/namespaces/${namespace}/deployments`;
    const labels = { app: 'a' };
    const spec = {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    };
    const made = await api.create(path, { metadata: { name: 'a' }, spec });
    const stream = await api.watch(path, { resourceVersion: made.metadata.resourceVersion });
    await api.patch(`${path}/a/status`, 'merge', { status: { replicas: 3 } });
    const { type, object } = await stream.expectNext();
    expect(type).toBe('MODIFIED');
    expect(at(object, 'status.replicas')).toBe(3);
  });

  rule('a watch over all namespaces sees each of them', async (api) => {
    const label = api.unique('shared');
    const [one, two] = [await api.namespace(), await api.namespace()];
    const { metadata } = await api.get('/api/v1/configmaps', { limit: 1 });
    const stream = await api.watch('/api/v1/configmaps', {
      resourceVersion: metadata.resourceVersion,
      labelSelector: `of=${label}`,
    });
    await addConfigMaps(api, configMaps(one), ['a'], { of: label });
    await addConfigMaps(api, configMaps(two), ['a'], { of: label });
    const seen = await take(stream, 2);
    expect(seen.map(({ object }) => object.metadata.namespace)).toEqual([one, two]);
  });

  rule('a watch of one namespace leaves the others out', async (api) => {
    const [mine, theirs] = [await populate(api, ['a']), await populate(api, ['a'])];
    const stream = await api.watch(mine.path, { resourceVersion: theirs.last.metadata.resourceVersion });
    await addConfigMaps(api, theirs.path, ['theirs']);
    await addConfigMaps(api, mine.path, ['mine']);
    expect(brief(await stream.expectNext())).toBe('ADDED mine');
  });

  rule('a namespace that does not exist yet can be watched', async (api) => {
    const name = api.unique('conformance');
    const stream = await api.watch(configMaps(name));
    await api.create('/api/v1/namespaces', { metadata: { name } });
    api.remove(`/api/v1/namespaces/${name}`);
    await addConfigMaps(api, configMaps(name), ['a']);
    expect(brief(await stream.expectNext())).toBe('ADDED a');
  });

  rule('an object that begins to match the labels is ADDED, one that ends to is DELETED', async (api) => {
    const { path, last } = await populate(api, ['a']);
    const stream = await api.watch(path, {
      resourceVersion: last.metadata.resourceVersion,
      labelSelector: 'tier=web',
    });
    const label = (tier: string | null): Promise<unknown> =>
      api.patch(`${path}/a`, 'merge', { metadata: { labels: { tier } } });
    await label('db');
    await label('web');
    await api.patch(`${path}/a`, 'merge', { data: { v: '1' } });
    await label('db');
    await api.patch(`${path}/a`, 'merge', { data: { v: '2' } });
    await label('web');
    await api.delete(`${path}/a`);
    const seen = await take(stream, 5);
    expect(seen.map(({ type }) => type)).toEqual(['ADDED', 'MODIFIED', 'DELETED', 'ADDED', 'DELETED']);
  });

  rule('DELETED for a lost label shows the last matching state under the version of the change', async (api) => {
    const path = configMaps(await api.namespace());
    const made = await addConfigMaps(api, path, ['a'], { tier: 'web' });
    const stream = await api.watch(path, {
      resourceVersion: made.metadata.resourceVersion,
      labelSelector: 'tier=web',
    });
    const changed = await api.patch(`${path}/a`, 'merge', { metadata: { labels: { tier: 'db' } }, data: { v: '1' } });
    const { type, object } = await stream.expectNext();
    expect(type).toBe('DELETED');
    expect(object.metadata.labels).toEqual({ tier: 'web' });
    expect(object.data).toEqual({ of: 'a' });
    expect(object.metadata.resourceVersion).toBe(changed.metadata.resourceVersion);
  });

  rule('the deletion of an object that does not match is not seen', async (api) => {
    const { path, last } = await populate(api, ['a']);
    const stream = await api.watch(path, {
      resourceVersion: last.metadata.resourceVersion,
      labelSelector: 'tier=web',
    });
    await api.delete(`${path}/a`);
    await addConfigMaps(api, path, ['b'], { tier: 'web' });
    expect(brief(await stream.expectNext())).toBe('ADDED b');
  });

  rule('an object that begins to match the fields is ADDED, one that ends to is DELETED', async (api) => {
    const namespace = await api.namespace();
    const path = `/api/v1/namespaces/${namespace}/pods`;
    const spec = { containers: [{ name: 'c', image: 'i' }] };
    const made = await api.create(path, { metadata: { name: 'a' }, spec });
    const stream = await api.watch(path, {
      resourceVersion: made.metadata.resourceVersion,
      fieldSelector: 'status.phase=Running',
    });
    for (const phase of ['Running', 'Succeeded']) await api.patch(`${path}/a/status`, 'merge', { status: { phase } });
    const [added, deleted] = await take(stream, 2);
    expect([added?.type, at(added?.object, 'status.phase')]).toEqual(['ADDED', 'Running']);
    expect([deleted?.type, at(deleted?.object, 'status.phase')]).toEqual(['DELETED', 'Running']);
  });

  rule('the field metadata.name watches one object', async (api) => {
    const { path, last } = await populate(api, ['a', 'b']);
    const stream = await api.watch(path, {
      resourceVersion: last.metadata.resourceVersion,
      fieldSelector: 'metadata.name=b',
    });
    await api.delete(`${path}/a`);
    await api.delete(`${path}/b`);
    expect(brief(await stream.expectNext())).toBe('DELETED b');
  });

  rule('a label selector that cannot be parsed is a BadRequest, not a stream', async (api) => {
    const query = { watch: true, labelSelector: 'a===b' };
    expectStatus(await api.request('GET', '/api/v1/configmaps', { query }), {
      code: 400,
      reason: 'BadRequest',
      message: "unable to parse requirement: found '=', expected: identifier",
    });
  });

  rule('a field that cannot be selected is a BadRequest, not a stream', async (api) => {
    const query = { watch: true, fieldSelector: 'data.of=a' };
    expectStatus(await api.request('GET', '/api/v1/configmaps', { query }), {
      code: 400,
      reason: 'BadRequest',
      message: /^"?data\.of"? is not a known field selector: only "metadata\.name", "metadata\.namespace"$/,
    });
  });

  rule('a resource that does not exist cannot be watched: 404', async (api) => {
    expect((await api.request('GET', '/api/v1/namespaces/default/wishes', { query: { watch: true } })).status).toBe(
      404,
    );
  });

  rule('timeoutSeconds ends the stream without an error', async (api) => {
    const { path } = await populate(api, ['a']);
    const stream = await api.watch(path, { timeoutSeconds: 1 });
    expect((await stream.rest()).map(brief)).toEqual(['ADDED a']);
    expect(stream.unfinishedLine).toBe('');
  });

  rule('a timeoutSeconds that is not a number is a BadRequest', async (api) => {
    const query = { watch: true, timeoutSeconds: 'soon' };
    expectStatus(await api.request('GET', '/api/v1/configmaps', { query }), { code: 400, reason: 'BadRequest' });
  });

  for (const value of ['1', 'true', '']) {
    rule(`watch=${value} opens a watch`, async (api) => {
      const { path } = await populate(api, ['a']);
      const stream = await api.watch(path, { watch: value });
      expect(brief(await stream.expectNext())).toBe('ADDED a');
    });
  }

  for (const value of ['0', 'false']) {
    rule(`watch=${value} is a list`, async (api) => {
      const { path } = await populate(api, ['a']);
      expect((await api.get(path, { watch: value })).kind).toBe('ConfigMapList');
    });
  }

  rule('watch=true on the path of one object is a plain get', async (api) => {
    const { path, last } = await populate(api, ['a']);
    expect(await api.get(`${path}/a`, { watch: true })).toEqual(last);
  });

  rule('a watch that its client closed does not disturb others', async (api) => {
    const { path, last } = await populate(api, ['a']);
    const query = { resourceVersion: last.metadata.resourceVersion };
    const [closed, open] = [await api.watch(path, query), await api.watch(path, query)];
    closed.close();
    await addConfigMaps(api, path, ['b']);
    expect(brief(await open.expectNext())).toBe('ADDED b');
    expect(closed.done).toBe(true);
  });

  rule('a watch of metadata only sends PartialObjectMetadata', async (api) => {
    const path = configMaps(await api.namespace());
    const headers = { accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1' };
    const stream = await api.watch(path, {}, { headers });
    const made = await addConfigMaps(api, path, ['a'], { tier: 'web' });
    const { type, object } = await stream.expectNext();
    expect(type).toBe('ADDED');
    expect(object).toEqual({ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: made.metadata });
  });

  rule('a watch of metadata only filters like others', async (api) => {
    const { path, last } = await populate(api, ['a']);
    const headers = { accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1' };
    const query = { resourceVersion: last.metadata.resourceVersion, labelSelector: 'tier=web' };
    const stream = await api.watch(path, query, { headers });
    await api.patch(`${path}/a`, 'merge', { metadata: { labels: { tier: 'web' } } });
    await api.patch(`${path}/a`, 'merge', { metadata: { labels: { tier: null } } });
    const seen = await take(stream, 2);
    expect(seen.map(({ type, object }) => `${type} ${object.kind}`)).toEqual([
      'ADDED PartialObjectMetadata',
      'DELETED PartialObjectMetadata',
    ]);
  });

  const legacy: readonly (readonly [what: string, path: (namespace: string) => string])[] = [
    ['/api/v1/watch/namespaces/{namespace}/configmaps', (of) => `/api/v1/watch/namespaces/${of}/configmaps`],
    ['/api/v1/watch/configmaps', () => '/api/v1/watch/configmaps'],
  ];
  for (const [what, watched] of legacy) {
    rule(`the older path ${what} is a watch without being asked`, async (api) => {
      const namespace = await api.namespace();
      const label = api.unique('of');
      await addConfigMaps(api, configMaps(namespace), ['a'], { of: label });
      const stream = await api.stream(watched(namespace), { query: { labelSelector: `of=${label}` } });
      expect(stream.status).toBe(200);
      expect(brief(await stream.expectNext())).toBe('ADDED a');
      await api.delete(`${configMaps(namespace)}/a`);
      expect(brief(await stream.expectNext())).toBe('DELETED a');
    });
  }

  rule('the older path of one object watches that object alone', async (api) => {
    const { path } = await populate(api, ['a', 'b']);
    const stream = await api.stream(`${path.replace('/api/v1/', '/api/v1/watch/')}/b`);
    expect(brief(await stream.expectNext())).toBe('ADDED b');
    await api.delete(`${path}/a`);
    await api.delete(`${path}/b`);
    expect(brief(await stream.expectNext())).toBe('DELETED b');
  });

  rule('the older paths exist for cluster-wide resources and for other groups', async (api) => {
    const namespace = await api.namespace();
    const one = await api.stream(`/api/v1/watch/namespaces/${namespace}`);
    expect(brief(await one.expectNext())).toBe(`ADDED ${namespace}`);
    const leases = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
    await api.create(leases, { metadata: { name: 'a' } });
    const other = await api.stream(leases.replace('/v1/', '/v1/watch/'));
    expect(brief(await other.expectNext())).toBe('ADDED a');
  });

  rule('events.v1 and events.k8s.io show the same objects to their watchers', async (api) => {
    const { path, last } = await addEvents(api, ['a']);
    const query = { resourceVersion: last.metadata.resourceVersion };
    const older = await api.watch(path, query);
    const newer = await api.watch(path.replace('/api/v1/', '/apis/events.k8s.io/v1/'), query);
    await addEvents(api, ['b'], path);
    const [one, two] = [await older.expectNext(), await newer.expectNext()];
    expect([one.object.apiVersion, two.object.apiVersion]).toEqual(['v1', 'events.k8s.io/v1']);
    expect(two.object.metadata.uid).toBe(one.object.metadata.uid);
  });
});
