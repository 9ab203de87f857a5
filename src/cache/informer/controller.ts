import type { Accessor } from '../../meta/accessor.js';
import { asError } from '../../meta/errors/errors.js';
import type { DeletedFinalStateUnknown } from '../../meta/key.js';
import type { Abortable } from '../../meta/objects.js';
import { abortableNames, checkOptions, type OptionNames } from '../../meta/options/known-options.js';
import { requireFunction } from '../../meta/options/validate.js';
import { channels, type InformerSource } from '../../observe/channels.js';
import type { Clock } from '../../time/clock.js';
import { realClock } from '../../time/real-clock.js';
import { type SliceBudget, schedulerOf, type Task } from '../../time/scheduler.js';
import { abortError, linkSignals } from '../../time/signals.js';
import type { Steps } from '../../time/steps.js';
import type { Deltas } from '../queue/delta.js';
import type { ProcessDeltas, Queue, QueueBatch } from '../queue/queue.js';
import { batchSize, RealFIFO } from '../queue/real-fifo.js';
import { Reflector, type ReflectorOptions, reflectorNames } from '../reflector/reflector.js';
import { reportFailure } from '../reflector/reflector-errors.js';
import type { ListerWatcher } from '../source/list-watch.js';
import { MappedListWatch } from '../source/mapped-list-watch.js';
import { Indexer, type Indexers } from '../store/indexer.js';
import { DeltaProcessor, type ItemHandler } from './delta-processor.js';

/** Processes whole batches: at once, or in steps, which run in slices of the scheduler. {@link DeltaProcessor} is one. */
interface BatchProcessor<T> {
  process(deltas: Deltas<T>, isInInitialList: boolean): Steps<void> | undefined;
}

/** Options of a {@link Controller}: those of its reflector, its queue, and how deltas are processed. */
export interface ControllerOptions<T> extends Omit<ReflectorOptions<T>, 'store'> {
  readonly queue: Queue<T>;
  /** A function is called with the deltas of one object at a time; a processor gets batches and processes them in steps. */
  readonly process: ProcessDeltas<T> | BatchProcessor<T>;
  /** Called after each batch. @default none */
  readonly onProcessed?: (() => void) | undefined;
}

const { store: _, ...reflecting } = reflectorNames;
const controllerNames: OptionNames<ControllerOptions<never>> = {
  ...reflecting,
  queue: true,
  process: true,
  onProcessed: true,
};

/**
 * Runs a reflector that fills a queue, and processes the deltas of the queue one batch at a time.
 *
 * What `process` throws ends the controller: `run` rejects with it. The batch is not queued again.
 */
export class Controller<T> {
  readonly #options: ControllerOptions<T>;
  readonly #queue: Queue<T>;
  readonly #clock: Clock;
  readonly #reflector: Reflector<T>;
  readonly #process: (batch: QueueBatch<T>) => Steps<void> | undefined;
  /** The largest number of objects in a batch. */
  readonly #most: number;
  readonly #source: InformerSource | undefined;
  #batch: QueueBatch<T> | undefined;
  /** What is left to do of the batch. */
  #steps: Steps<void> | undefined;
  #takenAt = 0;
  #paused = false;
  readonly #between: (() => void)[] = [];
  #task: Task | undefined;
  readonly #end = new AbortController();

  constructor(options: ControllerOptions<T>) {
    checkOptions('new Controller', options, controllerNames);
    this.#options = options;
    this.#queue = options.queue;
    this.#clock = options.clock ?? realClock;
    this.#source = options.source;
    const { process } = options;
    if (typeof process === 'function') {
      this.#process = ({ deltas, isInInitialList }) => {
        process(deltas, isInInitialList);
        return undefined;
      };
      // Further objects stay in the queue, where a list or a resync finds them.
      this.#most = 1;
    } else {
      requireFunction('process.process', process?.process);
      this.#process = ({ deltas, isInInitialList }) => process.process(deltas, isInInitialList);
      this.#most = batchSize;
    }
    const { queue: store, process: _process, onProcessed: _, ...reflected } = options;
    this.#reflector = new Reflector({ ...reflected, store });
  }

  get reflector(): Reflector<T> {
    return this.#reflector;
  }

  /** Whether the first list was processed. */
  get hasSynced(): boolean {
    return this.#queue.hasSynced;
  }

  /** Resolves when `hasSynced` becomes true; rejects if the controller ends before. */
  async whenSynced(options: Abortable = {}): Promise<void> {
    checkOptions('controller.whenSynced', options, abortableNames);
    if (this.hasSynced) return;
    const link = linkSignals([options.signal, this.#end.signal]);
    try {
      await this.#queue.whenSynced({ signal: link.signal });
    } finally {
      link.release();
    }
  }

  /** The resourceVersion of the reflector; the processed deltas may be older. */
  get lastSyncResourceVersion(): string {
    return this.#reflector.lastSyncResourceVersion;
  }

  /** Takes no further batch until `resume`. The queue fills, and the watch pauses when it is full. */
  pause(): void {
    this.#paused = true;
  }

  resume(): void {
    this.#paused = false;
    this.#task?.wake();
  }

  /** Calls back when no batch is being processed: now, or after the current batch. */
  betweenBatches(callback: () => void): void {
    if (this.#batch === undefined) callback();
    else this.#between.push(callback);
  }

  /**
   * Runs until the signal aborts, and drops queued deltas then. Resolves when the watch has ended and no batch is being
   * processed.
   */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#task !== undefined)
      throw new Error(`the controller ${this.#reflector.name} was started before; it cannot run twice`);
    const link = linkSignals([signal]);
    let failure: { readonly error: unknown } | undefined;
    const name = `controller ${this.#options.name ?? this.#reflector.name}`;
    this.#task = schedulerOf(this.#clock).add(name, (budget) => !link.signal.aborted && this.#step(budget), {
      onError: (error) => {
        failure ??= { error };
        link.abort();
      },
    });
    const undoReady = this.#queue.onReady(() => this.#task?.wake());
    try {
      await this.#reflector.run(link.signal);
    } finally {
      this.#task.remove();
      undoReady();
      this.#queue.close();
      link.release();
      this.#batch = undefined;
      this.#steps = undefined;
      this.#end.abort(abortError(`the controller ${this.#reflector.name} was stopped before it had synced`));
      for (const callback of this.#between.splice(0)) callback();
    }
    if (failure !== undefined) throw failure.error;
  }

  #step(budget: SliceBudget): boolean {
    do {
      try {
        if (this.#batch === undefined && !this.#beginBatch()) return false;
        while (this.#steps?.next().done === false) if (!budget.take()) return true;
      } catch (error) {
        this.#finishBatch();
        throw error;
      }
      this.#finishBatch();
    } while (budget.takeSlow());
    return this.#queue.length > 0;
  }

  #beginBatch(): boolean {
    if (this.#paused) return false;
    this.#batch = this.#queue.take(this.#most);
    if (this.#batch === undefined) return false;
    this.#takenAt = this.#clock.monotonicNow();
    this.#steps = this.#process(this.#batch);
    return true;
  }

  #finishBatch(): void {
    const batch = this.#batch as QueueBatch<T>;
    this.#batch = undefined;
    this.#steps = undefined;
    batch.finish();
    this.#options.onProcessed?.();
    if (this.#between.length > 0) for (const callback of this.#between.splice(0)) callback();
    if (this.#source === undefined) return;
    if (channels.queueDepth.hasSubscribers)
      channels.queueDepth.publish({ source: this.#source, length: this.#queue.length });
    if (channels.queueProcess.hasSubscribers) {
      const durationMs = this.#clock.monotonicNow() - this.#takenAt;
      channels.queueProcess.publish({ source: this.#source, items: batch.deltas.length, durationMs });
    }
  }
}

/** Options of {@link newInformer}. */
export interface NewInformerOptions<T, N extends string> extends Omit<ControllerOptions<T>, 'queue' | 'process'> {
  readonly listWatch: ListerWatcher<T>;
  readonly accessor: Accessor<T>;
  /** Called while a batch is processed, so a slow handler delays all processing. What it throws ends the controller. */
  readonly handler: {
    onAdd?(item: T, isInInitialList: boolean): void;
    onUpdate?(old: T, item: T): void;
    onDelete?(item: T | DeletedFinalStateUnknown<T>): void;
  };
  /** The indexes of the store. @default {} */
  readonly indexers?: Indexers<T, N> | undefined;
  /**
   * Called once with each object, before it is queued. An object on which it throws is skipped, and stays in the store as it
   * was.
   * @default none: objects are stored as they arrive
   */
  readonly transform?: ((item: T) => T) | undefined;
}

const newInformerNames: OptionNames<NewInformerOptions<never, never>> = {
  ...reflecting,
  onProcessed: true,
  handler: true,
  indexers: true,
  transform: true,
};

/** Transforms between list-watch and reflector, which skips single objects. A transform of the queue would fail the list. */
function transforming<T>(
  { accessor, listWatch, clock = realClock }: Pick<ControllerOptions<T>, 'accessor' | 'listWatch' | 'clock'>,
  transform: (item: T) => T,
): Pick<ControllerOptions<T>, 'accessor' | 'listWatch'> {
  const failed = new WeakMap<object, Error>();
  const unreadable = (item: T, error: Error): T => {
    failed.set(item as object, error);
    return item;
  };
  return {
    accessor: Object.assign(Object.create(accessor) as Accessor<T>, {
      unreadable: (item: T) => failed.get(item as object) ?? accessor.unreadable?.(item),
    }),
    listWatch: new MappedListWatch<T, T>({ source: listWatch, map: transform, unreadable, clock }),
  };
}

/**
 * The smallest informer: a store, a controller that updates it, and one handler that is called for each change. Use a shared
 * informer for several handlers, or for slow ones.
 */
export function newInformer<T, N extends string = never>(
  options: NewInformerOptions<T, N>,
): { store: Indexer<T, N>; controller: Controller<T> } {
  const { handler, indexers, transform, ...rest } = checkOptions('newInformer', options, newInformerNames);
  const { accessor, listWatch } = transform === undefined ? options : transforming(options, transform);
  const store = new Indexer<T, N>({ accessor, indexers });
  const itemHandler: ItemHandler<T> = {
    onAdd: (item, isInInitialList) => handler.onAdd?.(item, isInInitialList),
    onUpdate: (old, item) => handler.onUpdate?.(old, item),
    onDelete: (item) => handler.onDelete?.(item),
  };
  const process = new DeltaProcessor<T>({
    store,
    handler: itemHandler,
    keyOf: (item) => accessor.key(item),
    onStoreError: (error) => {
      reportFailure(options.onError, asError(error), { reason: 'skipped', reflector: controller.reflector.name });
    },
  });
  const queue = new RealFIFO<T>({ accessor });
  const controller = new Controller<T>({ ...rest, accessor, listWatch, queue, process });
  return { store, controller };
}
