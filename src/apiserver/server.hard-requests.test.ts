import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Doc, MemoryClient } from '../../test/apiserver/memory-client.js';
import { parseLabelSelector } from '../meta/selectors/label-selector.js';
import { FakeClock } from '../time/fake-clock.js';
import { type ApiServer, startApiServer } from './index.js';

/** Expensive requests. bench/hard-requests.mjs measures their time and memory. */

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const many = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const fields = (count: number, make: (index: number) => [string, string]): Record<string, string> =>
  Object.fromEntries(many(count, make));
const owner = (index: number, more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  name: `p${index}`,
  uid: `u${index}`,
  ...more,
});

/** A FakeClock that advances with every `monotonicNow()`, so that slices end. */
class HastyClock extends FakeClock {
  looks = 0;
  isHasty = false;
  override monotonicNow(): number {
    return super.monotonicNow() + (this.isHasty ? ++this.looks * 3 : 0);
  }
}

let clock: HastyClock;
let api: ApiServer;
let client: MemoryClient;

beforeEach(async () => {
  clock = new HastyClock();
  api = await startApiServer({ clock, listen: false, onError: (error) => expect.fail(String(error)) });
  client = new MemoryClient(api);
});

afterEach(() => api.stop());

describe('causes', () => {
  it.each([
    ['labels', { labels: fields(5000, (i) => [`-${i}`, 'v']) }],
    ['annotations', { annotations: fields(5000, (i) => [`-${i}`, 'v']) }],
    ['finalizers', { finalizers: many(150_000, (i) => `-${i}`) }],
    ['owners', { ownerReferences: many(5000, (i) => ({ name: `p${i}` })) }],
  ])('of many wrong %s are named up to a hundred, with a word that there are more', async (_, metadata) => {
    const answer = await client.post(CONFIG_MAPS, { metadata: { name: 'a', ...metadata } });
    expect(answer.status).toBe(422);
    const { causes } = answer.json.details;
    expect(causes).toHaveLength(101);
    expect(causes[100].message).toBe('there are more: only the first 100 are listed');
    expect(answer.json.message).toContain('there are more');
  });

  it('stay short where each of them repeats a long value', async () => {
    const ownerReferences = many(2000, (i) => owner(i, { controller: true }));
    const answer = await client.post(CONFIG_MAPS, { metadata: { name: 'a', ownerReferences } });
    expect(answer.status).toBe(422);
    expect(answer.json.details.causes.length).toBeLessThan(5);
    expect(JSON.stringify(answer.json).length).toBeLessThan(2_000_000);
  });

  it('of a definition are limited too', async () => {
    const versions = many(2000, (i) => ({ name: `-${i}`, storage: true }));
    const names = { plural: 'widgets', kind: 'Widget' };
    const definition = { metadata: { name: 'widgets.a.b' }, spec: { group: 'a.b', scope: 'Cluster', names, versions } };
    const answer = await client.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
    expect(answer.status).toBe(422);
    expect(answer.json.details.causes).toHaveLength(101);
  });
});

describe('large writes', () => {
  const data = fields(3000, (i) => [`k${i}`, `value ${i}`]);

  it('let other requests through, and merge with what those have written', async () => {
    await client.post(CONFIG_MAPS, { metadata: { name: 'big' }, data });
    clock.isHasty = true;
    const slow = client.patch(`${CONFIG_MAPS}/big`, { data: fields(3000, (i) => [`k${i}`, 'new']) });
    const quick = client.patch(`${CONFIG_MAPS}/big`, { metadata: { labels: { quick: 'yes' } } });
    const small = client.post(CONFIG_MAPS, { metadata: { name: 'small' } });
    const order: string[] = [];
    void slow.then(() => order.push('slow'));
    void small.then(() => order.push('small'));
    const [one, other] = await Promise.all([slow, quick, small]);
    expect([one.status, other.status]).toEqual([200, 200]);
    expect(order).toEqual(['small', 'slow']);
    const { json } = await client.get(`${CONFIG_MAPS}/big`);
    expect(json.metadata.labels).toEqual({ quick: 'yes' });
    expect(json.data.k2999).toBe('new');
    expect(Object.keys(json.data)).toHaveLength(3000);
  });

  it('with a resourceVersion conflict with a write that came in between', async () => {
    const { json } = await client.post(CONFIG_MAPS, { metadata: { name: 'big' }, data });
    clock.isHasty = true;
    const slow = client.put(`${CONFIG_MAPS}/big`, { ...json, data: { ...data, k0: 'slow' } });
    const quick = client.patch(`${CONFIG_MAPS}/big`, { data: { k0: 'quick' } });
    const answers = await Promise.all([slow, quick]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  it('do not recreate a deleted object, nor create one in a terminating namespace', async () => {
    await client.post(CONFIG_MAPS, { metadata: { name: 'big' }, data });
    clock.isHasty = true;
    const patched = client.patch(`${CONFIG_MAPS}/big`, { data: fields(3000, (i) => [`k${i}`, 'new']) });
    const created = client.post(CONFIG_MAPS, { metadata: { name: 'other' }, data });
    await client.delete('/api/v1/namespaces/default').catch(() => {});
    const deleted = await client.delete(`${CONFIG_MAPS}/big`);
    expect(deleted.status).toBe(200);
    expect([200, 404]).toContain((await patched).status);
    expect([201, 403]).toContain((await created).status);
    expect((await client.get(`${CONFIG_MAPS}/big`)).status).toBe(404);
  });

  it('are stored, read and watched as small ones: every field, the version at its place, wherever metadata stands', async () => {
    const definition = {
      metadata: { name: 'widgets.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'widgets', kind: 'Widget' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
          },
        ],
      },
    };
    await client.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
    await clock.runUntilIdle();
    const path = '/apis/example.com/v1/namespaces/default/widgets';
    const spec = {
      resourceVersion: '@',
      '"resourceVersion":"@"': '"resourceVersion":"@"',
      items: many(5000, (i) => ({ i })),
    };
    const sent = { apiVersion: 'example.com/v1', kind: 'Widget', spec, metadata: { name: 'w', labels: { a: 'b' } } };
    const { json: created } = await client.post(path, sent);
    expect(created).toMatchObject({ spec, metadata: { name: 'w', labels: { a: 'b' } } });
    expect(Number(created.metadata.resourceVersion)).toBeGreaterThan(0);
    const watch = client.watch(`${path}?watch=1&resourceVersion=${created.metadata.resourceVersion}&labelSelector=a=b`);
    await clock.runUntilIdle();
    const { json: changed } = await client.patch(`${path}/w`, { metadata: { labels: { a: 'c' } } });
    const { json: deleted } = await client.delete(`${path}/w`);
    await clock.runUntilIdle();
    expect(deleted).toMatchObject({ status: 'Success' });
    const [departure] = watch.events as { type: string; object: Doc }[];
    expect(departure).toMatchObject({ type: 'DELETED', object: { spec, metadata: { labels: { a: 'b' } } } });
    expect(departure!.object.metadata.resourceVersion).toBe(changed.metadata.resourceVersion);
  });
});

describe('lists', () => {
  it('let other requests through while they are read, and show one state', async () => {
    for (let i = 0; i < 200; i++) await client.post(CONFIG_MAPS, { metadata: { name: `c${i}`, labels: { a: 'b' } } });
    clock.isHasty = true;
    const slow = client.get(`${CONFIG_MAPS}?labelSelector=a=b`);
    const created = client.post(CONFIG_MAPS, { metadata: { name: 'zzz', labels: { a: 'b' } } });
    const { json } = await slow;
    const { json: late } = await created;
    expect(json.items).toHaveLength(200);
    expect(Number(json.metadata.resourceVersion)).toBeLessThan(Number(late.metadata.resourceVersion));
  });

  it('whose version is compacted meanwhile start over, and those of a requested version are Expired', async () => {
    for (let i = 0; i < 200; i++) await client.post(CONFIG_MAPS, { metadata: { name: `c${i}` } });
    const { json } = await client.get(`${CONFIG_MAPS}?limit=10`);
    const version = json.metadata.resourceVersion;
    await client.post(CONFIG_MAPS, { metadata: { name: 'zzz' } });
    clock.isHasty = true;
    const latest = client.get(CONFIG_MAPS);
    const pinned = client.get(`${CONFIG_MAPS}?resourceVersion=${version}&resourceVersionMatch=Exact`);
    const next = client.get(`${CONFIG_MAPS}?limit=500&continue=${json.metadata.continue}`);
    const written = client.post(CONFIG_MAPS, { metadata: { name: 'zzzz' } });
    await clock.yield();
    await clock.yield();
    api.compact();
    await written;
    api.compact();
    expect((await latest).json.items.length).toBeGreaterThanOrEqual(201);
    for (const answer of [await pinned, await next]) expect([200, 410]).toContain(answer.status);
  });

  it('look a value up in a long set, instead of searching it for each object', () => {
    const selector = parseLabelSelector(`a in (${many(3000, (i) => `v${i}`).join(',')})`);
    const includes = vi.spyOn(Array.prototype, 'includes');
    try {
      expect(selector.matches({ a: 'v2999' })).toBe(true);
      expect(selector.matches({ a: 'x' })).toBe(false);
      expect(includes.mock.contexts.some((list) => (list as unknown[]).length === 3000)).toBe(false);
    } finally {
      includes.mockRestore();
    }
  });
});

describe('owners and finalizers', () => {
  it('are compared by a map, not each with each', async () => {
    const ownerReferences = many(1000, (i) => owner(i));
    await client.post(CONFIG_MAPS, { metadata: { name: 'a', finalizers: ['a/b'], ownerReferences } });
    const find = vi.spyOn(Array.prototype, 'find');
    const includes = vi.spyOn(Array.prototype, 'includes');
    try {
      await client.patch(`${CONFIG_MAPS}/a`, { metadata: { ownerReferences: many(1000, (i) => owner(i + 5000)) } });
      await clock.runUntilIdle();
      const finalizers = many(1000, (i) => `a/${i}`);
      const answer = await client.patch(`${CONFIG_MAPS}/a`, { metadata: { finalizers } });
      expect(answer.json.message).toContain('no new finalizers can be added');
      expect(find.mock.contexts.filter((list) => (list as unknown[]).length >= 1000).length).toBeLessThan(10);
      expect(includes.mock.contexts.filter((list) => (list as unknown[]).length >= 1000).length).toBeLessThan(10);
    } finally {
      find.mockRestore();
      includes.mockRestore();
    }
  });
});
