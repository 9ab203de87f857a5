import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Form, forms } from '../../../test/support/forms.js';
import {
  type ListFault,
  MisbehavingSource,
  type Refusal,
  type SeenRequest,
  type WatchFault,
} from '../../../test/support/misbehaving-source.js';
import { runs } from '../../../test/support/runs.js';
import { FakeClock } from '../../time/fake-clock.js';
import { Indexer } from '../store/indexer.js';
import { Reflector } from './reflector.js';

const refusals: readonly Refusal[] = [
  'refused',
  'reset',
  'busy',
  'internal',
  'unavailable',
  'expired',
  'gone',
  'tooLarge',
  'badRequest',
  'strange',
];
const names = ['a', 'b', 'c', 'd', 'e'];
/** Longer than silent watches, silent lists and the longest backoff together. */
const convergesWithinMs = 20 * 60_000;
/** One watch per second, because the server closes each of them after a second, plus several rounds of failures. */
const mostRequestsPerMinute = 150;

type Step =
  | { readonly do: 'put'; readonly name: string }
  | { readonly do: 'remove'; readonly name: string }
  | { readonly do: 'jump'; readonly by: number }
  | { readonly do: 'compact' }
  | { readonly do: 'bookmark' }
  | { readonly do: 'pass'; readonly ms: number };

const delayMs = fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.constantFrom(10, 900, 1_500, 70_000));
const listFault: fc.Arbitrary<ListFault> = fc.record({
  delayMs,
  answer: fc.constantFrom('good', 'good', 'stale', 'stall', 'table', 'noMetadata', ...refusals),
});
const watchFault: fc.Arbitrary<WatchFault> = fc.record({
  delayMs,
  refusal: fc.oneof({ weight: 2, arbitrary: fc.constant(undefined) }, fc.constantFrom(...refusals)),
  after: fc.nat(6),
  ending: fc.constantFrom('close', 'close', 'stall', 'reset', 'noStatus', ...refusals),
  noise: fc.constantFrom('none', 'duplicates', 'bookmarks', 'strangers'),
});
const name = fc.constantFrom(...names);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('put' as const), name }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('remove' as const), name }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('jump' as const), by: fc.integer({ min: 1, max: 1_000 }) }) },
  { weight: 1, arbitrary: fc.constant({ do: 'compact' as const }) },
  { weight: 1, arbitrary: fc.constant({ do: 'bookmark' as const }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.constantFrom(0, 1, 500, 2_000, 20_000, 90_000) }),
  },
);
const scenario = fc.record({
  seed: fc.nat(),
  supportsWatchList: fc.boolean(),
  pageSize: fc.integer({ min: 1, max: 10 }),
  lists: fc.array(listFault, { maxLength: 8 }),
  watches: fc.array(watchFault, { maxLength: 12 }),
  steps: fc.array(step, { maxLength: 40 }),
});
type Scenario = typeof scenario extends fc.Arbitrary<infer S> ? S : never;

// A watch-list without its end bookmark causes a warning, which is right and frequent here.
beforeAll(() => void vi.spyOn(process, 'emitWarning').mockImplementation(() => {}));
afterAll(() => void vi.restoreAllMocks());

describe.each(forms)('Reflector, as a model, of $name', (form: Form<unknown>) => {
  function start({ seed, supportsWatchList, pageSize, lists, watches }: Omit<Scenario, 'steps'>) {
    const clock = new FakeClock({ seed, patience: 20_000 });
    const source = new MisbehavingSource<unknown>(form, clock, { supportsWatchList, pageSize });
    source.listFaults.push(...lists);
    source.watchFaults.push(...watches);
    const indexer = new Indexer<unknown>({ accessor: form.accessor });
    const recorded: string[] = [];
    let writes = 0;
    const counted = (write: () => void) => {
      writes++;
      write();
    };
    const store = {
      add: (item: unknown) => counted(() => indexer.add(item)),
      update: (item: unknown) => counted(() => indexer.update(item)),
      delete: (item: unknown) => counted(() => indexer.delete(item)),
      replace: (items: unknown[], version: string) => counted(() => indexer.replace(items, version)),
      resync: () => {},
      updateResourceVersion: (version: string) => void recorded.push(version),
    };
    const broken: string[] = [];
    const reflector = new Reflector<unknown>({
      listWatch: judged(source, recorded, broken),
      store,
      accessor: form.accessor,
      clock,
      name: 'model',
      expected: { apiVersion: 'example.com/v1', kind: 'Thing' },
      onError: () => {},
    });
    const stop = new AbortController();
    const contents = () =>
      Object.fromEntries(indexer.list().map((item) => [form.accessor.name(item), form.accessor.resourceVersion(item)]));
    const take = async (each: Step): Promise<void> => {
      if (each.do === 'put') source.put(each.name);
      else if (each.do === 'remove') source.remove(each.name);
      else if (each.do === 'jump') source.jump(each.by);
      else if (each.do === 'compact') source.compact();
      else if (each.do === 'bookmark') source.bookmark();
      else await clock.advance(each.ms);
    };
    const running = reflector.run(stop.signal);
    return { clock, source, reflector, stop, running, contents, take, recorded, broken, writes: () => writes };
  }

  it('makes the store equal to the server whatever that did, within a bound of requests, and leaves no timer behind', async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async ({ steps, ...rest }) => {
        const { clock, source, stop, running, contents, take, recorded, broken, reflector } = start(rest);
        for (const each of steps) await take(each);
        // From here on requests have no faults; connections that are dead stay dead.
        source.listFaults.length = 0;
        source.watchFaults.length = 0;
        source.put('last');
        await clock.until(() => isSame(contents(), source.contents), { withinMs: convergesWithinMs });
        await clock.advance(1_000);
        expect(contents()).toEqual(source.contents);
        expect(broken).toEqual([]);
        for (const version of recorded) expect(source.told).toContain(version);
        expect(reflector.lastSyncResourceVersion).toBe(recorded.at(-1));
        expect(busiestMinute(source.requests)).toBeLessThanOrEqual(mostRequestsPerMinute);
        stop.abort();
        await clock.runUntilIdle();
        await running;
        expect(clock.pendingTimers).toEqual([]);
        expect(source.openRequests).toBe(0);
      }),
      { numRuns: runs(40) },
    );
  });

  it('sends a bounded number of requests per minute to a server that always fails', async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async ({ steps, ...rest }) => {
        const { clock, source, stop, running, take, contents } = start(rest);
        source.forever = true;
        for (const name of names) source.put(name);
        for (const each of steps) await take(each);
        for (let minute = 0; minute < 10; minute++) {
          await clock.advance(60_000);
          source.put('a');
        }
        expect(busiestMinute(source.requests)).toBeLessThanOrEqual(mostRequestsPerMinute);
        source.listFaults.length = 0;
        source.watchFaults.length = 0;
        await clock.until(() => isSame(contents(), source.contents), { withinMs: convergesWithinMs });
        stop.abort();
        await clock.runUntilIdle();
        await running;
      }),
      { numRuns: runs(25) },
    );
  });

  it('stops at once in any state', async () => {
    const cut = fc.record({ afterSteps: fc.nat(20), turns: fc.nat(12) });
    await fc.assert(
      fc.asyncProperty(scenario, cut, async ({ steps, ...rest }, { afterSteps, turns }) => {
        const { clock, source, stop, running, take, reflector, writes } = start(rest);
        for (const each of steps.slice(0, afterSteps)) await take(each);
        source.put('last');
        // The abort may come between two microtasks or two turns.
        for (let turn = 0; turn < turns; turn++) await (turn % 3 === 2 ? clock.yield() : Promise.resolve());
        stop.abort(new Error('enough'));
        const written = writes();
        await clock.runUntilIdle();
        await running;
        expect(clock.pendingTimers).toEqual([]);
        expect(source.openRequests).toBe(0);
        const asked = source.requests.length;
        source.put('too late');
        await clock.advance(600_000);
        expect(writes()).toBe(written);
        expect(source.requests).toHaveLength(asked);
        expect(reflector.status.state).toBe('stopped');
      }),
      { numRuns: runs(40) },
    );
  });
});

/** Checks every request against the resourceVersion that the reflector had recorded by then. */
function judged(source: MisbehavingSource<unknown>, recorded: readonly string[], broken: string[]) {
  const must = (holds: boolean, what: string, options: object) => {
    if (!holds) broken.push(`${what}: ${JSON.stringify(options)} after ${recorded.at(-1)}`);
  };
  let anyFailed = false;
  const fails = <F extends { readonly done: Promise<unknown> }>(flow: F): F => {
    flow.done.catch(() => {
      anyFailed = true;
    });
    return flow;
  };
  return {
    traits: source.traits,
    supportsWatchList: source.supportsWatchList,
    list(...[options, sink, signal]: Parameters<typeof source.list>) {
      const { resourceVersion, limit, continue: token } = options;
      if (!token) {
        const last = recorded.at(-1) ?? '0';
        must(
          resourceVersion === last || (resourceVersion === '' && anyFailed),
          'a list at another resourceVersion',
          options,
        );
        if (resourceVersion === '0') must(limit === 500 || anyFailed, 'a first list without pages', options);
      }
      return fails(source.list(options, sink, signal));
    },
    open(...[options, sink, signal]: Parameters<typeof source.open>) {
      const { resourceVersion, timeoutSeconds = 0, sendInitialEvents, allowWatchBookmarks } = options;
      const last = recorded.at(-1) ?? '';
      must(allowWatchBookmarks === true, 'a watch without bookmarks', options);
      const isLong = timeoutSeconds >= 300 && timeoutSeconds < 600;
      // After silence: `silenceMs`.
      must(isLong || (timeoutSeconds === 15 && anyFailed), 'a watch of another length', options);
      if (sendInitialEvents !== true) must(resourceVersion === last, 'a watch from another resourceVersion', options);
      else
        must(
          resourceVersion === last || (resourceVersion === '' && anyFailed),
          'a watch-list from another resourceVersion',
          options,
        );
      return fails(source.open(options, sink, signal));
    },
  };
}

function isSame(one: Record<string, string>, other: Record<string, string>): boolean {
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every((key) => one[key] === other[key]);
}

/** The largest number of requests within sixty seconds. */
function busiestMinute(requests: readonly SeenRequest[]): number {
  let most = 0;
  for (let first = 0, last = 0; last < requests.length; last++) {
    while ((requests[last] as SeenRequest).at - (requests[first] as SeenRequest).at >= 60_000) first++;
    most = Math.max(most, last - first + 1);
  }
  return most;
}
