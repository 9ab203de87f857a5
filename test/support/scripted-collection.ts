import type { WatchOptions } from '../../src/client/options.js';
import type { WireEvent } from '../../src/meta/watch-event.js';
import { onAbort } from '../../src/time/signals.js';

/** The answer to one watch: events, then its end, or an open watch. */
export interface ScriptedAnswer<T> {
  readonly events?: readonly WireEvent<T>[];
  readonly closes?: boolean;
  /** Thrown in the loop after the events. */
  readonly throws?: unknown;
}

/** A collection to watch, as of a client, whose answers a test scripts. */
export class ScriptedCollection<T> {
  readonly watches: WatchOptions[] = [];
  /** Watches that are open. */
  open = 0;
  /** Answers a watch, with its number from 1; a rejection is an error answer to the request. */
  onWatch: (options: WatchOptions, count: number) => ScriptedAnswer<T> | Promise<ScriptedAnswer<T>>;

  constructor(onWatch: ScriptedCollection<T>['onWatch'] = () => ({})) {
    this.onWatch = onWatch;
  }

  async watch(options: WatchOptions): Promise<AsyncIterable<WireEvent<T>>> {
    this.watches.push(options);
    return this.#events(await this.onWatch(options, this.watches.length), options.signal);
  }

  async *#events(answer: ScriptedAnswer<T>, signal: AbortSignal | undefined): AsyncGenerator<WireEvent<T>, void, void> {
    this.open++;
    try {
      yield* answer.events ?? [];
      if (answer.throws !== undefined) throw answer.throws;
      if (answer.closes !== true) await new Promise<void>((resolve) => onAbort(signal, resolve));
    } finally {
      this.open--;
    }
  }
}
