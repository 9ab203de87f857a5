import type { EnqueueHint } from '../meta/enqueue-hint.js';
import { escapeControls, escapeTextControls } from '../meta/escape-controls.js';
import { abortableNames, checkOptions, type OptionNames } from '../meta/known-options.js';
import type { Abortable } from '../meta/objects.js';
import {
  describeValue,
  optionError,
  requireFunction,
  requireInteger,
  requireObject,
  requireSignal,
} from '../meta/validate.js';
import type { Clock } from '../time/clock.js';
import { TerminalError } from './terminal-error.js';

/** What a reconcile is told besides the item. */
export interface ReconcileContext {
  /** Aborts when the loop is told to stop: pass it to whatever you await. */
  readonly signal: AbortSignal;
  /** 1 for the first try, one more for each failure since the last success. */
  readonly attempt: number;
  /** Why the item was added, as far as that is known: for logs and traces, not for decisions. */
  readonly causes: readonly string[];
}

/** Nothing: the item is done. `requeueAfterMs`: look at it again after that long. A throw: again, with backoff. */
export type ReconcileResult = void | { readonly requeueAfterMs: number };

/** What the loop needs of a queue: `RateLimitingQueue` and `PriorityQueue` have it. */
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
  /** How many items are reconciled at the same time; never the same item twice. @default 1 */
  readonly workers?: number | undefined;
  reconcile(item: T, context: ReconcileContext): ReconcileResult | Promise<ReconcileResult>;
  /** Hears of every failed reconcile, before the item is retried. @default process.emitWarning */
  readonly onError?: ((error: unknown, item: T) => void) | undefined;
}

const processNames: OptionNames<ProcessOptions<never>> = {
  ...abortableNames,
  workers: true,
  reconcile: true,
  onError: true,
};

const interrupted: EnqueueHint = { cause: 'interrupted', background: false };

/** How long workers may go on without a turn of the event loop: promises that are ready never yield to it. */
const sliceMs = 8;
/** A fake clock stands still while work is done; this keeps its turns finite too. */
const itemsPerSlice = 500;

/**
 * Takes items from the queue and reconciles them until the queue is shut down or the signal aborts; then waits for what is
 * still running and resolves.
 *
 * A reconcile that throws is retried with the backoff of the queue, unless it throws a {@link TerminalError}. One that was
 * cut short by the abort goes back to the queue, so that whoever processes it next starts with it. The queue stays open;
 * what waits in it keeps no process alive.
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
  const turn = new Turn(queue.clock);
  const work = async (): Promise<void> => {
    while (!signal.aborted) {
      const item = queue.tryGet() ?? (await queue.get({ signal }));
      if (item === undefined) return;
      await reconcileOne(queue, item, options, signal, onError);
      if (turn.isOver()) await turn.next();
    }
  };
  await Promise.all(Array.from({ length: workers }, work));
}

async function reconcileOne<T>(
  queue: ReconcileQueue<T>,
  item: T,
  options: ProcessOptions<T>,
  signal: AbortSignal,
  onError: (error: unknown, item: T) => void,
): Promise<void> {
  try {
    const context = { signal, attempt: queue.numRequeues(item) + 1, causes: queue.causesOf(item) };
    const result = await options.reconcile(item, context);
    // Before anything is forgotten: a wrong result is a failure like others, retried with backoff.
    const afterMs = result === undefined ? undefined : delayOf(result);
    queue.forget(item);
    if (afterMs !== undefined) queue.addAfter(item, afterMs);
  } catch (error) {
    if (signal.aborted) {
      queue.addWithHint(item, interrupted);
    } else {
      if (error instanceof TerminalError) queue.forget(item);
      else queue.addRateLimited(item);
      report(onError, error, item);
    }
  } finally {
    queue.done(item);
  }
}

function delayOf(result: { readonly requeueAfterMs: number }): number {
  // Not every caller's result has been seen by a compiler.
  const ms: unknown = (result as { requeueAfterMs?: unknown } | null)?.requeueAfterMs;
  if (typeof ms === 'number' && Number.isFinite(ms)) return ms;
  throw optionError('what reconcile returns', 'nothing or { requeueAfterMs: a number }', ms ?? result);
}

function report<T>(onError: (error: unknown, item: T) => void, error: unknown, item: T): void {
  try {
    onError(error, item);
  } catch (broken) {
    // A reporter that throws must not end the loop it reports on.
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
    // It leads back to itself, say; that is fine where the queue has a keyOf, and no reason to end the loop.
    return describeValue(item);
  }
}

/** The workers' shared allowance of this turn of the event loop. */
class Turn {
  readonly #clock: Clock;
  #startedAt: number;
  #items = 0;
  #next: Promise<void> | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startedAt = clock.monotonicNow();
  }

  isOver(): boolean {
    return (
      this.#next !== undefined ||
      ++this.#items >= itemsPerSlice ||
      this.#clock.monotonicNow() - this.#startedAt >= sliceMs
    );
  }

  next(): Promise<void> {
    this.#next ??= this.#clock.yield().then(() => {
      this.#startedAt = this.#clock.monotonicNow();
      this.#items = 0;
      this.#next = undefined;
    });
    return this.#next;
  }
}
