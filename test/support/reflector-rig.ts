import { afterEach, expect } from 'vitest';
import { type FailureReason, Reflector, type ReflectorOptions } from '../../src/cache/reflector/reflector.js';
import { Indexer } from '../../src/cache/store/indexer.js';
import type { ReflectorStore } from '../../src/cache/store/store.js';
import { StatusError } from '../../src/meta/errors/errors.js';
import * as status from '../../src/meta/errors/status.js';
import { FakeClock } from '../../src/time/fake-clock.js';
import { type Form, thing } from './forms.js';
import { type ScriptedList, ScriptedListWatch } from './scripted-list-watch.js';

export const refused = (): Error => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
export const busy = (): StatusError => new StatusError(status.tooManyRequests('slow down', 1));
export const internal = (): StatusError => new StatusError(status.internal('oops'));
export const expired = (): StatusError => new StatusError(status.expired('too old resource version'));

/** A store that keeps nothing. */
export function nullStore(): ReflectorStore<unknown> {
  return { add() {}, update() {}, delete() {}, replace() {}, resync() {} };
}

/** A reflector with a scripted source, a store and a fake clock. */
export interface ReflectorSetup {
  readonly clock: FakeClock;
  readonly source: ScriptedListWatch<unknown>;
  readonly store: Indexer<unknown>;
  readonly errors: { readonly reason: FailureReason; readonly message: string }[];
  readonly reflector: Reflector<unknown>;
  readonly stop: AbortController;
  /** The resourceVersion of each stored object, by name. */
  contents(): Record<string, string | undefined>;
  /** Runs one round to its end. */
  round(): Promise<void>;
  reasons(): FailureReason[];
}

/** Helpers for tests of reflectors with objects of one form; made in their `describe`. */
export interface ReflectorRig {
  pod(name: string, resourceVersion: string, more?: object): unknown;
  list(resourceVersion: string, ...items: unknown[]): ScriptedList<unknown>;
  setup(
    options?: Partial<ReflectorOptions<unknown>> & { supportsWatchList?: boolean; silenceMs?: () => number },
  ): ReflectorSetup;
}

export function reflectorRig(form: Form<unknown>): ReflectorRig {
  const clocks: FakeClock[] = [];
  afterEach(() => {
    // Every test checks that no timer is left.
    for (const clock of clocks.splice(0)) expect(clock.pendingTimers).toEqual([]);
  });
  return {
    pod: (name, resourceVersion, more = {}) => form.make(thing(name, undefined, { resourceVersion, ...more })),
    list: (resourceVersion, ...items) => ({ items, metadata: { resourceVersion } }),
    setup({ supportsWatchList = false, silenceMs, ...options } = {}) {
      const clock = new FakeClock({ seed: 7 });
      clocks.push(clock);
      const source = new ScriptedListWatch<unknown>({ supportsWatchList, ...(silenceMs && { silenceMs }) });
      const store = new Indexer<unknown>({ accessor: form.accessor });
      const errors: { reason: FailureReason; message: string }[] = [];
      const reflector = new Reflector<unknown>({
        listWatch: source,
        store,
        accessor: form.accessor,
        clock,
        name: 'test',
        onError: (error, { reason }) => errors.push({ reason, message: error.message }),
        ...options,
      });
      const stop = new AbortController();
      return {
        clock,
        source,
        store,
        errors,
        reflector,
        stop,
        contents: () =>
          Object.fromEntries(
            store.list().map((item) => [form.read(item).metadata.name, form.read(item).metadata.resourceVersion]),
          ),
        async round() {
          const ended = reflector.listAndWatch(stop.signal);
          ended.catch(() => {});
          await clock.runUntilIdle();
          return ended;
        },
        reasons: () => errors.map(({ reason }) => reason),
      };
    },
  };
}
