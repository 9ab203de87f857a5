import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type ControllerRig,
  controllerRig,
  type Replica,
  type Widget,
  widgets,
} from '../../test/support/controller-rig.js';
import { survivors } from '../../test/support/survivors.js';
import { type ApiServer, type Fault, startApiServer } from '../apiserver/index.js';
import { type Client, objectKey, resources } from '../index.js';
import type { ControllerOptions } from './types.js';

const { configMaps } = resources.core.v1;
const forever = { times: Number.POSITIVE_INFINITY };

/** A cluster that gets copies. */
interface Member {
  readonly api: ApiServer;
  readonly client: Client;
}

let rig: ControllerRig;
let members: Member[];
let a: Member;
let b: Member;
const started: Member[] = [];

async function startMember(): Promise<Member> {
  const api = await startApiServer({ clock: rig.clock, listen: false });
  const member = { api, client: api.client() };
  started.push(member);
  return member;
}

beforeEach(async () => {
  rig = await controllerRig();
  a = await startMember();
  b = await startMember();
  members = [a, b];
});

afterEach(async () => {
  for (const { api } of started) api.faults.clear();
  await rig.stop();
  for (const { api, client } of started.splice(0)) {
    await client.close();
    await api.stop();
  }
  expect(rig.clock.pendingTimers).toEqual([]);
});

/** Copies a Widget's size to a ConfigMap in every member, as far as they answer. */
const copying: ControllerOptions<Widget> = {
  name: 'copies',
  for: widgets,
  async reconcile({ metadata: { name }, spec: { size = 0 } }, { apply }) {
    const copy = { metadata: { name, namespace: 'default' }, data: { size: `${size}` } };
    const copies = members.map(({ client }) => apply(configMaps, copy, { client, owner: false }));
    const failed = (await Promise.allSettled(copies)).filter(({ status }) => status === 'rejected');
    if (failed.length > 0) throw new AggregateError(failed.map((one) => (one as PromiseRejectedResult).reason));
  },
};

/** Starts the copying controller, with a watch of the copies in every member. */
async function startCopies(options: Partial<ControllerOptions<Widget>> = {}): Promise<Replica<Widget>> {
  const replica = rig.start({ ...copying, ...options });
  for (const { client } of members)
    replica.instance.watch(configMaps, { client, requests: (copy) => [objectKey(copy)] });
  await rig.clock.advance(100);
  return replica;
}

/** When a member stores the copies of each object: sizes and times of the virtual clock, in order. */
class Copies {
  readonly #stored = new Map<string, { readonly size: number; readonly at: number }[]>();

  constructor({ api }: Member) {
    api.storage.subscribe((revision, { id }) => {
      if (id !== 'configmaps') return;
      const { metadata, data } = revision.decode() as { metadata: { name: string }; data: { size: string } };
      const all = this.#stored.get(metadata.name) ?? [];
      this.#stored.set(metadata.name, [...all, { size: Number(data.size), at: rig.clock.monotonicNow() }]);
    });
  }

  /** When the member had this size or a newer one. */
  at(name: string, size: number): number {
    return this.#stored.get(name)?.find((one) => one.size >= size)?.at ?? Number.POSITIVE_INFINITY;
  }
}

const intervalMs = 700;
const changes = 30;

/** The longest times that changes took. */
interface Delays {
  /** Of many objects, each changed once. */
  readonly once: number;
  /** Of one object that is changed again and again. */
  readonly again: number;
}

/** Changes objects for 20 s; returns how long that took to reach the member. */
async function changeObjects(copies: Copies): Promise<Delays> {
  const { clock, create, widgets: own } = rig;
  const startedAt = clock.monotonicNow();
  for (let i = 1; i <= changes; i++) {
    await clock.advance(intervalMs);
    await create(`once-${i}`, { size: i });
    await own.patch('again', { spec: { size: i } });
  }
  await clock.advance(30_000);
  const longest = (nameOf: (i: number) => string): number =>
    Math.max(
      ...Array.from({ length: changes }, (_, i) => copies.at(nameOf(i + 1), i + 1) - startedAt - intervalMs * (i + 1)),
    );
  return { once: longest((i) => `once-${i}`), again: longest(() => 'again') };
}

describe('a cluster that is slow or away does not delay the others', () => {
  const cases: readonly (readonly [string, Fault, number])[] = [
    ['does not answer', { ...forever, delayMs: 1e9 }, 10_000],
    ['stores, but does not answer', { ...forever, stallMs: Number.POSITIVE_INFINITY }, 10_000],
    ['answers after 5 s', { ...forever, delayMs: 5000 }, 5000],
    ['drops connections', { ...forever, reset: 'beforeHeaders' }, 0],
    ['answers 500', { ...forever, respond: { status: 500 } }, 1000],
    ['asks to wait', { ...forever, respond: { status: 503, retryAfterMs: 60_000 } }, 10_000],
    ['has deaf watches', { ...forever, verb: 'watch', stallMs: Number.POSITIVE_INFINITY }, 1000],
  ];

  it.each(cases)('one that %s', async (_, fault, heldUpMs) => {
    const { clock, create } = rig;
    await create('again', { size: 0 });
    const { records } = await startCopies({ workers: 1 });
    const inA = new Copies(a);
    a.api.faults.inject(fault);
    const { once, again } = await changeObjects(new Copies(b));
    // The only worker is held for a second, by the run that shows that the cluster is slow.
    expect(once).toBeLessThanOrEqual(Math.min(heldUpMs, 1000));
    // Of an object whose run waits for the cluster, the next run begins when the request has ended.
    expect(again).toBeLessThanOrEqual(heldUpMs);
    a.api.faults.clear();
    // It is noticed that a cluster answers again. One that answered 500 all the time is tried after as long again.
    await clock.advance('respond' in fault && fault.respond.status === 500 ? 120_000 : 45_000);
    const late = Array.from({ length: changes }, (_unused, i) => inA.at(`once-${i + 1}`, i + 1));
    expect([...late, inA.at('again', changes)]).not.toContain(Number.POSITIVE_INFINITY);
    const runs = records.length;
    await clock.advance(60_000);
    expect(records).toHaveLength(runs);
  });

  it('requests fail unsent while it is away, and all keys are woken when it answers', async () => {
    const { clock, create } = rig;
    for (let i = 0; i < 20; i++) await create(`w-${i}`, { size: i });
    a.api.faults.inject({ ...forever, reset: 'beforeHeaders' });
    let sent = 0;
    const { records, failures } = await startCopies();
    a.api.faults.inject({ ...forever, when: () => ++sent < 0, delayMs: 0 });
    await clock.advance(600_000);
    const { error } = failures.at(-1) as { error: AggregateError };
    expect(error.errors[0]).toMatchObject({
      code: 'CLUSTER_AWAY',
      message: expect.stringMatching(/^the request was not sent: memory does not answer \(/),
    });
    expect(sent).toBeLessThan(60);
    const inA = new Copies(a);
    a.api.faults.clear();
    await clock.advance(45_000);
    expect(Array.from({ length: 20 }, (_, i) => inA.at(`w-${i}`, i))).not.toContain(Number.POSITIVE_INFINITY);
    expect(records.flatMap(({ causes }) => causes)).toContain('memory answers again');
  });
});

describe('the cache of another cluster', () => {
  it('that has not synced keeps no run from starting, and its lister throws until then', async () => {
    const { clock, create } = rig;
    a.api.faults.inject({ ...forever, delayMs: 1e9 });
    await create('a');
    const seen: unknown[] = [];
    const { instance, failures } = rig.start<Widget>({
      name: 'readers',
      for: widgets,
      watches: (watch) => [watch(configMaps, { client: a.client, requests: () => [] })],
      reconcile(_, { lister }) {
        seen.push('run');
        seen.push(lister(configMaps, { client: a.client }).count());
      },
    });
    await clock.advance(1000);
    expect(instance.hasSynced).toBe(true);
    expect(failures[0]?.error).toMatchObject({
      code: 'CACHE_BEHIND',
      message: expect.stringMatching(/^the cache of configmaps of memory has not synced \(/),
    });
    expect(new Set(seen)).toEqual(new Set(['run']));
    a.api.faults.clear();
    await clock.advance(300_000);
    // The root certificate of the namespaces.
    expect(seen.at(-1)).toEqual(expect.any(Number));
  });

  it('that does not have the write of a run is waited for a second, then its lister throws: no run reads without its writes', async () => {
    const { clock, create } = rig;
    await create('a');
    const names: unknown[] = [];
    const { instance, errors, stale, failures } = rig.start<Widget>(
      {
        name: 'makers',
        for: widgets,
        async reconcile(_, { through, lister }) {
          const made = lister(configMaps, { client: a.client })
            .list()
            .filter(({ metadata }) => metadata.generateName === 'made-');
          names.push(made.length);
          if (made.length > 0) return;
          await through(a.client)
            .core.v1.configMaps('default')
            .create({ metadata: { generateName: 'made-' } });
          // Its own writes are not those of a run before.
          lister(configMaps, { client: a.client });
        },
      },
      { standby: true },
    );
    instance.watch(configMaps, { client: a.client, requests: () => [] });
    await clock.advance(100);
    a.api.faults.inject({ verb: 'watch', stallMs: 60_000 });
    instance.resume();
    await clock.advance(100);
    instance.enqueue('default/a');
    await clock.advance(20_000);
    expect(names).toEqual([0]);
    expect(stale).toEqual(['default/a']);
    expect(errors[0]).toMatch(
      /^makers: the cache of configmaps of memory does not have a write of default\/a after 1000 ms/,
    );
    expect(failures.at(-1)?.error).toMatchObject({ code: 'CACHE_BEHIND' });
    await clock.advance(300_000);
    expect(names).toEqual([0, 1]);
  });
});

describe('a cluster that leaves', () => {
  it('is forgotten: its caches, its timers, and what was applied to it', async () => {
    const { clock, create } = rig;
    for (let i = 0; i < 5; i++) await create(`w-${i}`);
    members = [b];
    const replica = rig.start(copying);
    const join = ({ client }: Member) => replica.instance.watch(configMaps, { client, requests: () => [] });
    join(b);
    await clock.advance(600_000);
    const timers = clock.pendingTimers.length;
    members = [a, b];
    const watch = join(a);
    replica.instance.enqueue();
    await clock.advance(1000);
    expect(replica.caches.informers).toHaveLength(3);
    a.api.faults.inject({ ...forever, delayMs: 1e9 });
    for (let i = 0; i < 5; i++) await rig.widgets.patch(`w-${i}`, { spec: { size: 7 } });
    await clock.advance(30_000);
    members = [b];
    await rig.drive(watch.remove());
    await a.client.close();
    await clock.advance(0);
    expect(replica.caches.informers.map(({ client }) => client)).toEqual([replica.environment.client, b.client]);
    await clock.advance(600_000);
    const requests: string[] = [];
    a.api.faults.clear();
    a.api.faults.inject({ ...forever, when: ({ info }) => requests.push(info.path) < 0, delayMs: 0 });
    for (let i = 0; i < 5; i++) await rig.widgets.patch(`w-${i}`, { spec: { size: 8 } });
    await clock.advance(60_000);
    expect(requests).toEqual([]);
    expect(replica.records.slice(-5).map(({ outcome }) => outcome)).toEqual(Array(5).fill('done'));
    expect(clock.pendingTimers).toHaveLength(timers);
  });

  it('has no references any more: objects are not asked for them', async () => {
    const { clock, create } = rig;
    await create('w-0');
    const replica = rig.start(copying);
    let asked = 0;
    const references = (): string[] => {
      asked++;
      return [];
    };
    const watch = replica.instance.watch(configMaps, { client: a.client, references });
    await clock.advance(100);
    await rig.widgets.patch('w-0', { spec: { size: 2 } });
    await clock.advance(100);
    expect(asked).toBeGreaterThan(0);
    await rig.drive(watch.remove());
    asked = 0;
    await rig.widgets.patch('w-0', { spec: { size: 3 } });
    await clock.advance(100);
    expect(asked).toBe(0);
  });

  it('leaves nothing in memory, however often clusters come and go', async () => {
    const { clock, create } = rig;
    for (let i = 0; i < 3; i++) await create(`w-${i}`);
    const replica = rig.start(copying);
    await clock.advance(100);
    const refs: WeakRef<object>[] = [];
    const comeAndGo = async (i: number): Promise<void> => {
      const client = a.api.client();
      members = [{ api: a.api, client }, b];
      const watch = replica.instance.watch(configMaps, { client, requests: (copy) => [objectKey(copy)] });
      refs.push(new WeakRef(client), new WeakRef(replica.caches.informers.at(-1)?.informer ?? {}));
      replica.instance.enqueue();
      if (i % 2 === 0) a.api.faults.inject({ ...forever, reset: 'beforeHeaders' });
      for (let n = 0; n < 3; n++) await rig.widgets.patch(`w-${n}`, { spec: { size: i } });
      await clock.advance(3000);
      members = [b];
      await rig.drive(watch.remove());
      await client.close();
      a.api.faults.clear();
    };
    for (let i = 0; i < 10; i++) await comeAndGo(i);
    await clock.advance(60_000);
    // An error keeps the objects of its stack trace until it is printed.
    replica.records.length = 0;
    replica.failures.length = 0;
    // What the last round left on the stack of this test may still be there.
    expect(await survivors(refs.slice(0, -2), () => clock.advance(1000))).toBe(0);
  });
});
