import type { Client } from '../../index.js';
import type { FakeClock } from '../../time/fake-clock.js';
import { seededRandom } from '../../time/seeded-random.js';
import { abortError } from '../../time/signals.js';
import type { World, WorldOptions } from './types.js';

type Actors = NonNullable<WorldOptions['actors']>;

/** What {@link WorldActors} work with. */
interface WorldActorsOptions {
  readonly world: World;
  readonly clock: FakeClock;
  readonly seed: number;
  readonly actors: Actors;
  /** Makes the client of an actor. */
  clientOf(name: string): Client;
  /** Called when an actor rejects before its signal has aborted. */
  onError(name: string, error: unknown): void;
}

/** The actors of a world: functions of its test that act beside the managers. */
export class WorldActors {
  readonly #options: WorldActorsOptions;
  readonly #stop = new AbortController();
  readonly #running = new Set<Promise<void>>();
  readonly #clients: Client[] = [];
  /** When each sleep ends, on the monotonic clock. */
  readonly #sleeps = new Set<{ readonly name: string; readonly due: number }>();

  constructor(options: WorldActorsOptions) {
    this.#options = options;
  }

  start(): void {
    for (const [index, [name, act]] of Object.entries(this.#options.actors).entries()) this.#begin(name, act, index);
  }

  /** The actor that wakes up first, if one sleeps. */
  get next(): { readonly name: string; readonly inMs: number } | undefined {
    let first: { readonly name: string; readonly due: number } | undefined;
    for (const sleep of this.#sleeps) if (first === undefined || sleep.due < first.due) first = sleep;
    return first && { name: first.name, inMs: first.due - this.#options.clock.monotonicNow() };
  }

  /** Aborts the signals; resolves when all actors have ended. */
  async stop(): Promise<void> {
    this.#stop.abort(abortError('the world ends'));
    await Promise.all(this.#running);
    for (const client of this.#clients) await client.close();
  }

  #begin(name: string, act: Actors[string], index: number): void {
    const { world, seed, clientOf, onError } = this.#options;
    const { signal } = this.#stop;
    const client = clientOf(name);
    this.#clients.push(client);
    const random = seededRandom(seed * 101 + index);
    const running = (async () => act({ world, client, random, signal, sleep: (ms) => this.#sleep(name, ms) }))()
      .catch((error: unknown) => {
        if (!signal.aborted) onError(name, error);
      })
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async #sleep(name: string, ms: number): Promise<void> {
    const { clock } = this.#options;
    const sleep = { name, due: clock.monotonicNow() + ms };
    this.#sleeps.add(sleep);
    try {
      await clock.sleep(ms, { signal: this.#stop.signal });
    } finally {
      this.#sleeps.delete(sleep);
    }
  }
}
