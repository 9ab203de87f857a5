import type { Accessor } from '../../meta/accessor.js';
import { DeletedFinalStateUnknown } from '../../meta/key.js';
import type { Abortable } from '../../meta/objects.js';
import { checkOptions, type OptionNames } from '../../meta/options/known-options.js';
import { requireSignal } from '../../meta/options/validate.js';
import type { WatchEvent } from '../../meta/watch-event.js';
import { Ring } from '../../structures/ring.js';
import type { Clock } from '../../time/clock.js';
import { type LinkedSignal, linkSignals, onAbort } from '../../time/signals.js';
import { type Controller, newInformer } from '../informer/controller.js';
import type { WatchErrorHandler } from '../reflector/reflector.js';
import type { ListerWatcher } from '../source/list-watch.js';
import type { Store } from '../store/store.js';

/** Options of an {@link InformerWatcher}. */
export interface InformerWatcherOptions<T> {
  readonly listWatch: ListerWatcher<T>;
  readonly accessor: Accessor<T>;
  /** Ends the loop and the informer. */
  readonly signal: AbortSignal;
  /** @default realClock */
  readonly clock?: Clock | undefined;
  /** For messages. @default the file:line of the constructor call */
  readonly name?: string | undefined;
  /** Names the collection in messages. @default `<unspecified>` */
  readonly typeDescription?: string | undefined;
  /** Called with every failure; the informer retries by itself. @default process.emitWarning */
  readonly onError?: WatchErrorHandler | undefined;
}

const informerWatcherNames: OptionNames<InformerWatcherOptions<never>> = {
  listWatch: true,
  accessor: true,
  signal: true,
  clock: true,
  name: true,
  typeDescription: true,
  onError: true,
};

/** The reading half of a {@link Store}. */
export type ReadableStore<T> = Pick<Store<T>, 'size' | 'get' | 'getByKey' | 'list' | 'listKeys' | 'iterate'>;

/**
 * An informer as a loop over watch events: ADDED for every existing object, then the changes. Unlike a `RetryWatcher` it
 * survives 410 Gone: it relists, and yields the differences between its store and the list as events. The DELETED event of an
 * object that a relist found missing has its last known state.
 *
 * It starts at once, and ends when its signal aborts or its loop is left. Events are buffered in order and without a limit;
 * the store is always at least as new as the events.
 */
export class InformerWatcher<T> implements AsyncIterable<WatchEvent<T>> {
  /** The objects, by key. */
  readonly store: ReadableStore<T>;
  /** Resolves when the informer has stopped. */
  readonly done: Promise<void>;
  readonly #controller: Controller<T>;
  readonly #link: LinkedSignal;
  readonly #buffer = new Ring<WatchEvent<T>>();
  readonly #events: AsyncGenerator<WatchEvent<T>, void, void>;
  #wake: (() => void) | undefined;

  constructor(options: InformerWatcherOptions<T>) {
    const { signal, ...rest } = checkOptions('new InformerWatcher', options, informerWatcherNames);
    requireSignal('signal', signal);
    const { store, controller } = newInformer<T>({
      ...rest,
      handler: {
        onAdd: (object) => this.#put({ type: 'ADDED', object }),
        onUpdate: (_, object) => this.#put({ type: 'MODIFIED', object }),
        onDelete: (item) => {
          const object = item instanceof DeletedFinalStateUnknown ? item.object : item;
          if (object !== undefined) this.#put({ type: 'DELETED', object });
        },
      },
    });
    this.store = store;
    this.#controller = controller;
    this.#link = linkSignals([signal]);
    this.#events = this.#run();
    const leave = this.#events.return.bind(this.#events);
    // A generator runs no `finally` before its first `next`, and answers `return` only after a pending `next`.
    this.#events.return = async (value) => {
      this.#link.abort();
      await this.done;
      return leave(value);
    };
    this.done = controller.run(this.#link.signal).finally(() => this.#link.abort());
  }

  /** Whether the first list is in the store. */
  get hasSynced(): boolean {
    return this.#controller.hasSynced;
  }

  whenSynced(options: Abortable = {}): Promise<void> {
    return this.#controller.whenSynced(options);
  }

  /** The events, for one loop. Leaving the loop stops the informer and waits until it has stopped. */
  [Symbol.asyncIterator](): AsyncGenerator<WatchEvent<T>, void, void> {
    return this.#events;
  }

  #put(event: WatchEvent<T>): void {
    this.#buffer.push(event);
    this.#wake?.();
  }

  async *#run(): AsyncGenerator<WatchEvent<T>, void, void> {
    const { signal } = this.#link;
    const undo = onAbort(signal, () => this.#wake?.());
    try {
      while (!signal.aborted) {
        const event = this.#buffer.shift();
        if (event !== undefined) yield event;
        else await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    } finally {
      undo();
      this.#link.abort();
      await this.done;
    }
  }
}
