import { requireFunction, requireInteger, requireNumber, requireString } from '../meta/validate.js';
import { channels } from '../observe/channels.js';
import { Ring } from '../structures/ring.js';
import type { Clock } from './clock.js';

/** How much a {@link Scheduler} does in one turn of the event loop. */
export interface SchedulerOptions {
  /**
   * Time all tasks together may take per turn.
   * @default 8
   */
  readonly sliceMs?: number | undefined;
  /**
   * Items all tasks together may process per turn. On the real clock time is up long before unless items are tiny; on
   * a fake clock, where no time passes during a step, this is the limit that counts. Small numbers make a simulation
   * interleave more.
   * @default 4096
   */
  readonly sliceItems?: number | undefined;
}

/**
 * What a step may still do. One object is shared by all steps, so that asking costs no allocation: it is only good
 * until the step returns.
 */
export interface SliceBudget {
  /**
   * Ask before each item: true goes ahead, and counts it. The clock is looked at before the second item, the fourth,
   * the eighth and so on, at last every sixteen, so this is for items that take microseconds. The first answer of a step
   * is always true, so that every step gets on.
   */
  take(): boolean;

  /** The same with a look at the clock each time: for items that may take long, such as calls of somebody's handler. */
  takeSlow(): boolean;
}

/** A task's work: does as much as the budget allows and says whether there is more. Must not await. */
export type Step = (budget: SliceBudget) => boolean;

/** What becomes of a task besides its work. */
export interface TaskOptions {
  /**
   * Gets what a step throws. The task then rests until it is woken again.
   * @default a process warning
   */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** A task as its owner holds it. */
export interface Task extends Disposable {
  readonly name: string;
  /**
   * There is work: the step is called in a coming turn, once however often this is called until then. Continuations of
   * awaited work call this too, instead of working on their own outside of every budget.
   */
  wake(): void;
  /** The step is never called again. */
  remove(): void;
}

const DEFAULT_SLICE_MS = 8;
const DEFAULT_SLICE_ITEMS = 4096;
/** A look at the clock costs as much as a small item: the items between two looks double up to this. */
const MOST_ITEMS_PER_LOOK = 16;
/** Below this a share is mostly the cost of switching. */
const SMALLEST_SHARE_MS = 0.1;

class Budget implements SliceBudget {
  readonly #clock: Clock;
  #deadline = 0;
  #items = 0;
  /** The number of items taken at which `take` looks at the clock again. */
  #nextLook = 0;
  /** Items taken in this step. */
  taken = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  begin(deadline: number, items: number): void {
    this.#deadline = deadline;
    this.#items = items;
    this.#nextLook = 1;
    this.taken = 0;
  }

  take(): boolean {
    if (this.taken >= this.#nextLook || this.taken >= this.#items) return this.takeSlow();
    this.taken++;
    return true;
  }

  takeSlow(): boolean {
    if (this.taken >= this.#items) return false;
    if (this.taken > 0 && this.#clock.monotonicNow() >= this.#deadline) return false;
    this.#nextLook = this.taken + Math.min(Math.max(this.taken, 1), MOST_ITEMS_PER_LOOK);
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
  /** What it gets besides its next share; negative if it has overdrawn the last one. */
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
   * Carries what is left of a share, or was overdrawn, over to the next one. A rest is only owed to who was cut short
   * by the end of the turn and has more to do; who stopped by itself had enough.
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
 * Shares the event loop among everything that works on bytes, deltas, stores and handlers. In each turn of the loop all
 * tasks together get 8 ms; then sockets, timers and everybody else have theirs.
 *
 * ```
 *   turn n                          turn n + 1
 *   ├─ A ─┼─ B ─┼─ C ─┤ sockets … ├─ D ─┼─ A ─┼─ B ─┤ sockets …      8 ms each, in equal shares
 *                   run queue: D A B C
 * ```
 *
 * Tasks are asked in turn. Each go gets an equal share of the slice; who has more to do goes to the end of the queue,
 * and the next turn of the loop goes on where this one stopped, so that nobody waits for more than one round. What a
 * task leaves unused is used by the others.
 *
 * The limits are two, time and items. With the real clock time is what counts. A fake clock stands still during a
 * step, so there the number of items is: the same limit in every run, and so the same order of events.
 *
 * A task that throws is reported and rests until it is woken again; the others do not notice.
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
    this.#askForTurn();
  };
  readonly #turn = (): void => this.#runTurn();

  constructor(clock: Clock, options: SchedulerOptions = {}) {
    this.#clock = clock;
    this.#sliceMs = requireNumber('sliceMs', options.sliceMs ?? DEFAULT_SLICE_MS, SMALLEST_SHARE_MS);
    this.#sliceItems = requireInteger('sliceItems', options.sliceItems ?? DEFAULT_SLICE_ITEMS, 1);
    this.#budget = new Budget(clock);
  }

  /** Registers a task. It sleeps until its first `wake()`. */
  add(name: string, step: Step, options: TaskOptions = {}): Task {
    return new ScheduledTask(name, step, options, this.#enqueue);
  }

  #askForTurn(): void {
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
      const shareMs = Math.max(this.#sliceMs / ready.length, SMALLEST_SHARE_MS);
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
      // A step counts even if it took nothing: tasks that wake each other for nothing must not fill a turn for ever.
      itemsLeft -= Math.max(usedItems, 1);
      task.settle(Math.max(dueMs - usedMs, -this.#sliceMs), dueItems - usedItems, now >= end || itemsLeft <= 0);
      if (usedMs > this.#sliceMs && channels.schedulerOverrun.hasSubscribers) {
        channels.schedulerOverrun.publish({ task: task.name, durationMs: usedMs, budgetMs: this.#sliceMs });
      }
    }
    this.#turnPending = false;
    if (ready.length > 0) this.#askForTurn();
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
 * The one scheduler of a clock. Options are for whoever asks first, before anything runs on that clock: a simulation
 * that wants other slices.
 */
export function schedulerOf(clock: Clock, options?: SchedulerOptions): Scheduler {
  let scheduler = schedulers.get(clock);
  if (scheduler === undefined) {
    scheduler = new Scheduler(clock, options);
    schedulers.set(clock, scheduler);
  } else if (options !== undefined) {
    throw new Error('this clock has a scheduler already: options are for the first who asks for it');
  }
  return scheduler;
}
