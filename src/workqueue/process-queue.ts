import type { EnqueueHint } from '../meta/enqueue-hint.js';
import { escapeControls, escapeTextControls } from '../meta/escape-controls.js';
import type { Abortable } from '../meta/objects.js';
import { abortableNames, checkOptions, type OptionNames } from '../meta/options/known-options.js';
import {
  describeValue,
  optionError,
  requireFunction,
  requireInteger,
  requireObject,
  requireSignal,
} from '../meta/options/validate.js';
import type { Clock } from '../time/clock.js';
import { type SliceBudget, schedulerOf, type Task } from '../time/scheduler.js';
import { TerminalError } from './terminal-error.js';

/** What a reconcile is called with besides the item. */
export interface ReconcileContext {
  /** Aborts when the `signal` of `processQueue` does: pass it to what you await. */
  readonly signal: AbortSignal;
  /** 1 plus the number of failures since the last success. */
  readonly attempt: number;
  /** Why the item was added, if known: `pods update`. For logs and traces, not for decisions. */
  readonly causes: readonly string[];
}

/** Nothing: the item is done. `requeueAfterMs`: it is added again after that time. A throw: it is retried with backoff. */
export type ReconcileResult = void | { readonly requeueAfterMs: number };

/** The methods of a queue that `processQueue` calls: `RateLimitingQueue` and `PriorityQueue` have them. */
export interface ReconcileQueue<T> {
  readonly clock: Clock;
  get(options?: Abortable): Promise<T | undefined>;
  tryGet(): T | undefined;
  done(item: T): void;
  add(item: T): void;
  addAfter(item: T, ms: number): void;
  addRateLimited(item: T): void;
  forget(item: T): void;
  numRequeues(item: T): number;
  causesOf(item: T): readonly string[];
  /** @internal */
  addWithHint(item: T, hint: EnqueueHint): void;
}

/** Options of {@link processQueue}. */
export interface ProcessOptions<T> extends Abortable {
  /** How many items are reconciled at the same time; never one item twice at a time. @default 1 */
  readonly workers?: number | undefined;
  reconcile(item: T, context: ReconcileContext): ReconcileResult | Promise<ReconcileResult>;
  /** Called for every failed reconcile, before the item is retried. @default process.emitWarning */
  readonly onError?: ((error: unknown, item: T) => void) | undefined;
}

const processNames: OptionNames<ProcessOptions<never>> = {
  ...abortableNames,
  workers: true,
  reconcile: true,
  onError: true,
};

const interrupted: EnqueueHint = { cause: 'interrupted', background: false };

/**
 * Reconciles the items of the queue until the queue is shut down or the signal aborts; resolves when the running reconciles
 * have ended.
 *
 * A reconcile that throws is retried with the backoff of the queue, unless it throws a {@link TerminalError}. An item whose
 * reconcile throws after the abort is added again, for the next `processQueue` on this queue. The queue stays open; delayed
 * items do not keep the process alive.
 *
 * @example
 * await processQueue(queue, {
 *   workers: 4,
 *   signal,
 *   async reconcile(key, { signal }) {
 *     const pod = pods.lister.get(key);
 *     if (pod === undefined) return;
 *     await work(pod, signal);
 *     return { requeueAfterMs: 60_000 };
 *   },
 * });
 */
export async function processQueue<T>(queue: ReconcileQueue<T>, options: ProcessOptions<T>): Promise<void> {
  requireObject('queue', queue, 'a queue such as RateLimitingQueue');
  requireObject('options', options, 'an object with reconcile');
  checkOptions('processQueue', options, processNames);
  requireFunction('reconcile', options.reconcile);
  const workers = requireInteger('workers', options.workers ?? 1, 1, 100_000);
  const signal = requireSignal('signal', options.signal) ?? new AbortController().signal;
  const onError = options.onError ?? warn;
  await new Promise<void>((resolve, reject) => {
    new ReconcileLoop({ queue, workers, signal, onError, reconcile: options.reconcile.bind(options), resolve, reject });
  });
}

interface LoopOptions<T> {
  readonly queue: ReconcileQueue<T>;
  readonly workers: number;
  readonly signal: AbortSignal;
  readonly reconcile: ProcessOptions<T>['reconcile'];
  readonly onError: (error: unknown, item: T) => void;
  /** Called when the loop has ended. */
  readonly resolve: () => void;
  /** Called with what a method of the queue throws. */
  readonly reject: (error: unknown) => void;
}

/** An item that the queue has handed out, and what its reconcile is called with. */
interface Handout<T> {
  readonly item: T;
  readonly context: ReconcileContext;
}

/**
 * Starts reconciles in slices of the scheduler, at most `workers` at a time. A synchronous reconcile ends within the slice;
 * the end of an asynchronous one wakes the task, as does an item that `queue.get` waited for.
 */
class ReconcileLoop<T> {
  readonly #options: LoopOptions<T>;
  readonly #task: Task;
  #running = 0;
  /** What `queue.get` resolved with, until the next slice. */
  #next: Handout<T> | undefined;
  /** `closed` means that `queue.get` resolved with undefined: only items that are dirty come back after that. */
  #getter: 'none' | 'waiting' | 'closed' = 'none';

  constructor(options: LoopOptions<T>) {
    this.#options = options;
    const scheduler = schedulerOf(options.queue.clock);
    this.#task = scheduler.add('processQueue', (budget) => this.#step(budget), { onError: options.reject });
    this.#task.wake();
  }

  #step(budget: SliceBudget): boolean {
    const { workers, signal, resolve } = this.#options;
    while (this.#running < workers && !signal.aborted) {
      if (!budget.takeSlow()) return true;
      const handout = this.#take();
      if (handout === undefined) break;
      this.#start(handout);
    }
    if (signal.aborted) this.#putBack();
    if (signal.aborted || this.#getter === 'closed') {
      if (this.#running === 0) resolve();
    } else if (this.#running < workers && this.#getter === 'none') this.#wait();
    return false;
  }

  #take(): Handout<T> | undefined {
    const next = this.#next;
    this.#next = undefined;
    if (next !== undefined) return next;
    const item = this.#options.queue.tryGet();
    return item === undefined ? undefined : this.#handoutOf(item);
  }

  /** Called as soon as the queue hands out the item: adding it again replaces its causes. */
  #handoutOf(item: T): Handout<T> {
    const { queue, signal } = this.#options;
    return { item, context: { signal, attempt: queue.numRequeues(item) + 1, causes: queue.causesOf(item) } };
  }

  #wait(): void {
    const { queue, signal, reject } = this.#options;
    this.#getter = 'waiting';
    const onItem = (item: T | undefined): void => {
      this.#getter = item === undefined ? 'closed' : 'none';
      if (item !== undefined) this.#next = this.#handoutOf(item);
      this.#task.wake();
    };
    queue.get({ signal }).then(onItem).catch(reject);
  }

  #putBack(): void {
    if (this.#next === undefined) return;
    const { item } = this.#next;
    this.#next = undefined;
    this.#options.queue.addWithHint(item, interrupted);
    this.#options.queue.done(item);
  }

  #start({ item, context }: Handout<T>): void {
    this.#running++;
    let result: ReconcileResult | PromiseLike<ReconcileResult>;
    try {
      result = this.#options.reconcile(item, context);
    } catch (error) {
      this.#fail(item, error);
      return;
    }
    if (result instanceof Object && 'then' in result) this.#await(item, result);
    else this.#succeed(item, result);
  }

  #await(item: T, result: PromiseLike<ReconcileResult>): void {
    Promise.resolve(result)
      .then(
        (value) => this.#succeed(item, value),
        (error: unknown) => this.#fail(item, error),
      )
      .then(() => this.#task.wake(), this.#options.reject);
  }

  #succeed(item: T, result: ReconcileResult): void {
    const { queue } = this.#options;
    let afterMs: number | undefined;
    try {
      afterMs = delayOf(result);
    } catch (error) {
      this.#fail(item, error);
      return;
    }
    queue.forget(item);
    if (afterMs !== undefined) queue.addAfter(item, afterMs);
    this.#end(item);
  }

  #fail(item: T, error: unknown): void {
    const { queue, signal, onError } = this.#options;
    if (signal.aborted) queue.addWithHint(item, interrupted);
    else {
      if (error instanceof TerminalError) queue.forget(item);
      else queue.addRateLimited(item);
      report(onError, error, item);
    }
    this.#end(item);
  }

  #end(item: T): void {
    this.#running--;
    this.#options.queue.done(item);
  }
}

/** @throws TypeError for a result that is neither nothing nor an object with a finite `requeueAfterMs` */
function delayOf(result: ReconcileResult): number | undefined {
  if (result === undefined) return undefined;
  // JavaScript callers may return anything.
  const ms: unknown = (result as { requeueAfterMs?: unknown } | null)?.requeueAfterMs;
  if (typeof ms === 'number' && Number.isFinite(ms)) return ms;
  throw optionError('what reconcile returns', 'nothing or { requeueAfterMs: a number }', ms ?? result);
}

function report<T>(onError: (error: unknown, item: T) => void, error: unknown, item: T): void {
  try {
    onError(error, item);
  } catch (broken) {
    // An `onError` that throws must not end the loop.
    warn(broken, item);
  }
}

function warn(error: unknown, item: unknown): void {
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const text = `reconcile of ${escapeControls(nameOf(item))} failed: ${escapeTextControls(message)}`;
  process.emitWarning(text, 'KubeflectReconcileWarning');
}

function nameOf(item: unknown): string {
  if (typeof item !== 'object') return String(item);
  try {
    return JSON.stringify(item);
  } catch {
    // A cyclic item, for example, which is allowed if the queue has a keyOf.
    return describeValue(item);
  }
}
