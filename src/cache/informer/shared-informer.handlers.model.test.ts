import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Thing, thing } from '../../../test/support/forms.js';
import { informerForms } from '../../../test/support/informers.js';
import { runs } from '../../../test/support/runs.js';
import { FakeControllerSource } from '../../testing/fake-controller-source.js';
import { FakeClock } from '../../time/fake-clock.js';
import { schedulerOf } from '../../time/scheduler.js';
import type { InformerEvent } from './informer-event.js';
import type { SharedIndexInformer } from './shared-informer.js';
import type { Subscription } from './subscription.js';

interface Manner {
  readonly coalesce: boolean;
  readonly maxPending: number | undefined;
  /** How long each call takes; undefined returns at once, 0 returns a promise. */
  readonly takesMs: number | undefined;
  readonly throws: boolean;
  /** Removes itself in this call. */
  readonly leavesIn: number | undefined;
}

/** A handler that checks each event against the previous ones. */
class Observer {
  readonly problems: string[] = [];
  /** The version of each object that it knows. */
  readonly known = new Map<string, string>();
  readonly #informer: SharedIndexInformer<Thing>;
  readonly #clock: FakeClock;
  readonly #manner: Manner;
  readonly #subscription: Subscription;
  #calls = 0;
  #running = 0;
  removed = false;

  constructor(informer: SharedIndexInformer<Thing>, clock: FakeClock, manner: Manner) {
    this.#informer = informer;
    this.#clock = clock;
    this.#manner = manner;
    const { coalesce, maxPending } = manner;
    this.#subscription = informer.subscribe((event) => this.#handle(event), { coalesce, maxPending });
  }

  get hasSynced(): boolean {
    return this.#subscription.hasSynced;
  }

  remove(): void {
    this.removed = true;
    void this.#subscription.remove();
  }

  #handle(event: InformerEvent<Thing>): unknown {
    const { takesMs, throws, leavesIn } = this.#manner;
    if (this.removed) this.problems.push('a call after the removal');
    if (this.#running > 0) this.problems.push('two calls at once');
    this.#check(event);
    if (++this.#calls === leavesIn) this.remove();
    if (takesMs !== undefined) return this.#takeTime(takesMs, throws);
    if (throws) throw new Error('on purpose');
    return undefined;
  }

  async #takeTime(ms: number, throws: boolean): Promise<void> {
    this.#running++;
    if (ms > 0) await this.#clock.sleep(ms);
    else await Promise.resolve();
    this.#running--;
    if (throws) throw new Error('on purpose');
  }

  #check(event: InformerEvent<Thing>): void {
    const { key, facts } = event;
    const version = facts.resourceVersion;
    const told = this.known.get(key);
    if (event.object.metadata.resourceVersion !== version) this.problems.push(`${key}: an object of another version`);
    if ((event.type === 'add') !== (told === undefined)) this.problems.push(`${event.type} of ${key}, told ${told}`);
    if (event.type === 'add' && event.isInInitialList && this.hasSynced)
      this.problems.push(`${key}: initial, but late`);
    if (event.type === 'update') {
      const old = event.oldFacts.resourceVersion;
      if (old !== told) this.problems.push(`${key}: old is ${old}, told was ${told}`);
      if (Number(version) < Number(told)) this.problems.push(`${key}: back from ${told} to ${version}`);
      if (event.isResync !== (version === told)) this.problems.push(`${key}: isResync is ${event.isResync}`);
    }
    if (event.type === 'delete') this.known.delete(key);
    else this.known.set(key, version);
    const stored = this.#informer.lister.get(key)?.metadata.resourceVersion;
    if (event.type !== 'delete' && Number(stored) < Number(version)) this.problems.push(`${key}: the store is behind`);
  }
}

const key = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
/** The watch does not deliver a missed change; only the next list has it. */
const missed = fc.boolean();
const manner: fc.Arbitrary<Manner> = fc.record({
  coalesce: fc.boolean(),
  maxPending: fc.constantFrom(undefined, 1, 3),
  takesMs: fc.constantFrom(undefined, 0, 300),
  throws: fc.boolean(),
  leavesIn: fc.constantFrom(undefined, undefined, 3),
});
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('write' as const), key, missed }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('delete' as const), key, missed }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('join' as const), manner }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('leave' as const), who: fc.nat(5) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('relist' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('bookmark' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(500, 1000, 3000) }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('turns' as const), count: fc.integer({ min: 1, max: 20 }) }) },
);
const plain: Manner = {
  coalesce: false,
  maxPending: undefined,
  takesMs: undefined,
  throws: false,
  leavesIn: undefined,
};

describe.each(informerForms)('handlers of an informer of $name', (form) => {
  it('get the events of each object in order, whenever they join, leave, throw or are slow', async () => {
    const script = fc.array(step, { maxLength: 60 });
    const sliceItems = fc.integer({ min: 1, max: 4 });
    const property = fc.asyncProperty(script, sliceItems, fc.boolean(), async (steps, sliceItems, streaming) => {
      const clock = new FakeClock({ seed: 5 });
      // Few items per turn, so that steps happen in the middle of lists, replays and resyncs.
      schedulerOf(clock, { sliceItems });
      const source = new FakeControllerSource<Thing>({ watchList: streaming ? 'yes' : 'no' });
      const informer = form.make(source, clock, { resyncMs: 1000, onError: () => {} });
      const live = new Map<string, Thing>();
      for (const name of ['a', 'b', 'c']) live.set(name, source.add(thing(name, 0)));
      const observers = [new Observer(informer, clock, plain)];
      const stop = new AbortController();
      const running = informer.run(stop.signal);
      const play = async () => {
        for (const step of steps) {
          if (step.kind === 'write') {
            const change = live.has(step.key) ? 'modify' : 'add';
            live.set(step.key, source[change](thing(step.key, 1), { dropWatch: step.missed }));
          } else if (step.kind === 'delete') {
            const last = live.get(step.key);
            if (last !== undefined && live.delete(step.key)) source.delete(last, { dropWatch: step.missed });
          } else if (step.kind === 'join') observers.push(new Observer(informer, clock, step.manner));
          else if (step.kind === 'leave') observers[step.who]?.remove();
          else if (step.kind === 'relist') source.resetWatch();
          else if (step.kind === 'bookmark') source.bookmark();
          else if (step.kind === 'wait') await clock.sleep(step.ms);
          else for (let turn = 0; turn < step.count; turn++) await clock.yield();
        }
        // The watch misses a change and its history is compacted: the informer has to relist.
        live.set('last', source.add(thing('last', 1), { dropWatch: true }));
        source.resetWatch();
      };
      const played = play();
      await clock.advance(400_000);
      await played;
      const expected = new Map([...live].map(([key, { metadata }]) => [key, metadata.resourceVersion]));
      for (const observer of observers) {
        expect(observer.problems).toEqual([]);
        if (observer.removed) continue;
        expect(observer.hasSynced).toBe(true);
        expect(observer.known).toEqual(expected);
      }
      stop.abort();
      await clock.advance(1000);
      await running;
    });
    await fc.assert(property, { numRuns: runs(20) });
  });
});
