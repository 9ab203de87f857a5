import type { WatchOptions } from '../../src/client/options.js';
import type { WireEvent } from '../../src/meta/watch-event.js';
import { onAbort } from '../../src/time/signals.js';

/** What the server does with one watch: events it sends, then it closes it, or leaves it open. */
export interface ScriptedAnswer<T> {
  readonly events?: readonly WireEvent<T>[];
  readonly closes?: boolean;
  /** Thrown by the loop, after the events. */
  readonly throws?: unknown;
}

/** Something to watch, as a client has it, of which a test writes every answer. */
export class ScriptedCollection<T> {
  readonly watches: WatchOptions[] = [];
  /** How many are open. */
  open = 0;
  /** Answers the watch of this number, from 1; a rejection is a refusal before anything was sent. */
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
