import { requireFunction, requireInteger, requireNumber, requireString } from '../meta/options/validate.js';
import { channels } from '../observe/channels.js';
import { Ring } from '../structures/ring.js';
import type { Clock } from './clock.js';

/** Limits of a {@link Scheduler} per turn of the event loop. */
export interface SchedulerOptions {
  /**
   * Milliseconds that all tasks together may take per turn.
   * @default 8
   */
  readonly sliceMs?: number | undefined;
  /**
   * Items that all tasks together may process per turn. On the real clock `sliceMs` usually ends the slice first. On a
   * fake clock no time passes during a step, so this is the limit that applies; small values interleave tasks more.
   * @default 4096
   */
  readonly sliceItems?: number | undefined;
}

/** What a step may still do in this turn. All steps share one object, which is valid until the step returns. */
export interface SliceBudget {
  /**
   * Call before each item: true allows and counts it. For items that take microseconds: the clock is read before the
   * second item, the third, the fifth, the ninth and so on, then before every sixteenth. The first call of a step always
   * returns true, so that every step makes progress.
   */
  take(): boolean;

  /** `take` that reads the clock every time: for items that may take long, such as calls of a user's handler. */
  takeSlow(): boolean;
}

/** The work of a task: processes items while the budget allows and returns whether there are more. Must not await. */
export type Step = (budget: SliceBudget) => boolean;

/** Options of {@link Scheduler.add}. */
export interface TaskOptions {
  /**
   * Called with what a step throws. The task then waits for its next `wake()`.
   * @default a process warning
   */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** A task of a {@link Scheduler}. */
export interface Task extends Disposable {
  readonly name: string;
  /**
   * Schedules one call of the step, in this turn or a later one, however often it is called until then. Code that
   * continues after an `await` calls this as well, because work outside of a step has no budget.
   */
  wake(): void;
  /** The step is never called again. */
  remove(): void;
}

const DEFAULT_SLICE_MS = 8;
const DEFAULT_SLICE_ITEMS = 4096;
/** Reading the clock costs as much as a small item: the number of items between two reads doubles up to this. */
const MAX_ITEMS_PER_READ = 16;
/** A shorter share would be spent on switching between tasks. */
const MIN_SHARE_MS = 0.1;

class Budget implements SliceBudget {
  readonly #clock: Clock;
  #deadline = 0;
  #items = 0;
  /** The value of `taken` at which `take` reads the clock again. */
  #nextRead = 0;
  /** Items taken in this step. */
  taken = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  begin(deadline: number, items: number): void {
    this.#deadline = deadline;
    this.#items = items;
    this.#nextRead = 1;
    this.taken = 0;
  }

  take(): boolean {
    if (this.taken >= this.#nextRead || this.taken >= this.#items) return this.takeSlow();
    this.taken++;
    return true;
  }

  takeSlow(): boolean {
    if (this.taken >= this.#items) return false;
    if (this.taken > 0 && this.#clock.monotonicNow() >= this.#deadline) return false;
    this.#nextRead = this.taken + Math.min(Math.max(this.taken, 1), MAX_ITEMS_PER_READ);
    this.taken++;
    return true;
  }
}

class ScheduledTask implements Task {
  readonly name: string;
  readonly step: Step;
  readonly onError: (error: unknown) => void;
  readonly #enqueue: (task: ScheduledTask) => void;
  queued = false;
  removed = false;
  /** Added to the next share; negative if the last one was overdrawn. */
  owedMs = 0;
  owedItems = 0;

  constructor(name: string, step: Step, options: TaskOptions, enqueue: (task: ScheduledTask) => void) {
    this.name = requireString('name', name);
    requireFunction('step', step);
    this.step = step;
    this.onError = options.onError ?? ((error) => warn(name, error));
    this.#enqueue = enqueue;
  }

  wake(): void {
    if (this.queued || this.removed) return;
    this.queued = true;
    this.#enqueue(this);
  }

  remove(): void {
    this.removed = true;
  }

  /**
   * Carries the unused or overdrawn part of a share over to the next one. Unused time is carried over only if the end of
   * the turn cut the step short and it has more to do; a step that returned by itself needed no more.
   */
  settle(restMs: number, restItems: number, cutShort: boolean): void {
    this.owedMs = this.queued && (cutShort || restMs < 0) ? restMs : 0;
    this.owedItems = this.queued && cutShort ? restItems : 0;
  }

  [Symbol.dispose](): void {
    this.remove();
  }
}

/**
 * Shares the event loop among all tasks of a clock: decoding, applying deltas, building indexes, calling handlers. In each
 * turn of the loop all tasks together run for 8 ms; then Node runs sockets, timers and everything else.
 *
 * ```
 *   turn n                          turn n + 1
 *   ├─ A ─┼─ B ─┼─ C ─┤ sockets … ├─ D ─┼─ A ─┼─ B ─┤ sockets …      8 ms each, in equal shares
 *                   run queue: D A B C
 * ```
 *
 * Tasks run round robin. Each step gets an equal share of the slice; a task with more to do goes to the end of the queue,
 * and the next turn continues where this one stopped, so that no task waits for more than one round. The other tasks use
 * what a task leaves of its share.
 *
 * A slice is limited by time and by items. On the real clock the time limit applies. A fake clock stands still during a
 * step, so the item limit applies: it is the same in every run, and so is the order of events.
 *
 * A task that throws is reported and waits for its next `wake()`; other tasks are not affected.
 */
export class Scheduler {
  readonly #clock: Clock;
  readonly #sliceMs: number;
  readonly #sliceItems: number;
  readonly #budget: Budget;
  readonly #ready: Ring<ScheduledTask> = new Ring();
  #turnPending = false;
  readonly #enqueue = (task: ScheduledTask): void => {
    this.#ready.push(task);
    this.#requestTurn();
  };
  readonly #turn = (): void => this.#runTurn();

  constructor(clock: Clock, options: SchedulerOptions = {}) {
    this.#clock = clock;
    this.#sliceMs = requireNumber('sliceMs', options.sliceMs ?? DEFAULT_SLICE_MS, MIN_SHARE_MS);
    this.#sliceItems = requireInteger('sliceItems', options.sliceItems ?? DEFAULT_SLICE_ITEMS, 1);
    this.#budget = new Budget(clock);
  }

  /** Registers a task. Its step is not called before the first `wake()`. */
  add(name: string, step: Step, options: TaskOptions = {}): Task {
    return new ScheduledTask(name, step, options, this.#enqueue);
  }

  #requestTurn(): void {
    if (this.#turnPending) return;
    this.#turnPending = true;
    this.#clock.defer(this.#turn);
  }

  #runTurn(): void {
    const ready = this.#ready;
    let now = this.#clock.monotonicNow();
    const end = now + this.#sliceMs;
    let itemsLeft = this.#sliceItems;
    while (ready.length > 0 && itemsLeft > 0 && now < end) {
      const shareMs = Math.max(this.#sliceMs / ready.length, MIN_SHARE_MS);
      const shareItems = Math.max(Math.floor(this.#sliceItems / ready.length), 1);
      const task = ready.shift() as ScheduledTask;
      task.queued = false;
      if (task.removed) continue;
      const dueMs = shareMs + task.owedMs;
      const dueItems = shareItems + task.owedItems;
      this.#budget.begin(Math.min(now + dueMs, end), Math.min(dueItems, itemsLeft));
      this.#runStep(task);
      const usedItems = this.#budget.taken;
      const usedMs = this.#clock.monotonicNow() - now;
      now += usedMs;
      // A step without items counts as one: otherwise tasks that wake each other would never end the turn.
      itemsLeft -= Math.max(usedItems, 1);
      task.settle(Math.max(dueMs - usedMs, -this.#sliceMs), dueItems - usedItems, now >= end || itemsLeft <= 0);
      if (usedMs > this.#sliceMs && channels.schedulerOverrun.hasSubscribers) {
        channels.schedulerOverrun.publish({ task: task.name, durationMs: usedMs, budgetMs: this.#sliceMs });
      }
    }
    this.#turnPending = false;
    if (ready.length > 0) this.#requestTurn();
  }

  #runStep(task: ScheduledTask): void {
    try {
      if (task.step(this.#budget)) task.wake();
    } catch (error) {
      report(task, error);
    }
  }
}

function report(task: ScheduledTask, error: unknown): void {
  if (channels.schedulerError.hasSubscribers) channels.schedulerError.publish({ task: task.name, error });
  try {
    task.onError(error);
  } catch (another) {
    warn(task.name, another);
  }
}

function warn(name: string, error: unknown): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.emitWarning(`the scheduled task ${name} threw: ${text}`, 'KubeflectWarning');
}

const schedulers = new WeakMap<Clock, Scheduler>();

/**
 * The scheduler of a clock, created by the first call. Only that call may pass options, as a simulation with other slices
 * does before anything runs on its clock.
 */
export function schedulerOf(clock: Clock, options?: SchedulerOptions): Scheduler {
  let scheduler = schedulers.get(clock);
  if (scheduler === undefined) {
    scheduler = new Scheduler(clock, options);
    schedulers.set(clock, scheduler);
  } else if (options !== undefined) {
    throw new Error('this clock already has a scheduler: only the first call of schedulerOf() may pass options');
  }
  return scheduler;
}
