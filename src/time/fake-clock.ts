import { folderAbove } from '../meta/call-site.js';
import type { Abortable } from '../meta/objects.js';
import { checkOptions } from '../meta/options/known-options.js';
import { requireFunction, requireInteger, requireNumber } from '../meta/options/validate.js';
import { Heap } from '../structures/heap.js';
import { type Clock, type RefTimer, type Timer, type TimerOptions, timerNames } from './clock.js';
import { offClockWork } from './off-clock.js';
import { seededRandom } from './seeded-random.js';
import { delayOf, sleepOn } from './sleep.js';

/** Options of {@link FakeClock}. */
export interface FakeClockOptions {
  /**
   * The seed of `random()`.
   * @default 1
   */
  readonly seed?: number | undefined;
  /**
   * The initial time of the wall clock, in ms since 1970.
   * @default 1767225600000 (2026-01-01T00:00:00Z)
   */
  readonly now?: number | undefined;
  /**
   * How many consecutive turns, or timers at one instant, are allowed before the clock throws: the code never becomes idle.
   * @default 1000000
   */
  readonly patience?: number | undefined;
}

/** A timer that has not fired yet. */
interface PendingTimer {
  /** The time at which it fires, on the monotonic clock. */
  readonly due: number;
  /** Virtual milliseconds until then. */
  readonly inMs: number;
  /** Whether it would keep the process alive on the real clock. */
  readonly keepsAlive: boolean;
  /** The line that set it: the first stack frame outside of this package or, without one, outside of the clock. */
  readonly setBy: string;
}

interface FakeTimer {
  readonly due: number;
  readonly callback: () => void;
  keepsAlive: boolean;
  readonly origin: { stack?: string };
}

const DEFAULT_NOW = Date.UTC(2026, 0, 1);
/** Stack frames that do not say where a timer was set: the clock, `sleep`, and frames without a file. */
const SKIPPED_FRAMES = /[/\\]time[/\\](?:fake-clock|sleep)\.[jt]s|\(<anonymous>\)|node:internal/;

/**
 * A clock for tests. Time passes only through {@link advance}, {@link until} and {@link runUntilIdle}, `random` is seeded,
 * and everything happens in the same order in each run.
 *
 * Turns of the event loop (`defer`, `yield`) take no virtual time and happen without these calls. Between two timers all
 * promises and turns run until nothing is left to do.
 *
 * The clock tracks timers, turns and promises only. Code that waits for sockets, files, workers, or for compression and
 * cryptography in the background finishes at a time that the clock does not control. Tests of such code use an in-memory
 * replacement (`startApiServer({ clock, listen: false })`). While the package loads a module of its own, no virtual time passes.
 *
 * A callback that throws rejects the `advance`, `until` or `runUntilIdle` that called it.
 *
 * @example
 * const clock = new FakeClock({ seed: 1 });
 * const slept = clock.sleep(60_000);
 * await clock.advance(60_000);
 * await slept;
 */
export class FakeClock implements Clock {
  readonly #random: () => number;
  readonly #patience: number;
  /** Ranked by `due`; timers of one instant keep the order in which they were set. */
  readonly #timers = new Heap<FakeTimer, FakeTimer>();
  #wallOffset: number;
  #monotonic = 0;
  /** The number of deferred callbacks that have not run yet. */
  #turns = 0;
  #driver: string | undefined;
  #failure: { readonly error: unknown } | undefined;
  #firedAtThisInstant = 0;

  constructor(options: FakeClockOptions = {}) {
    checkOptions('new FakeClock', options, { seed: true, now: true, patience: true });
    this.#random = seededRandom(requireNumber('seed', options.seed ?? 1, Number.MIN_SAFE_INTEGER));
    this.#patience = requireInteger('patience', options.patience ?? 1_000_000, 1);
    this.#wallOffset = requireNumber('now', options.now ?? DEFAULT_NOW);
  }

  now(): number {
    return this.#wallOffset + this.#monotonic;
  }

  monotonicNow(): number {
    return this.#monotonic;
  }

  random(): number {
    return this.#random();
  }

  sleep(ms: number, options?: Abortable): Promise<void> {
    return sleepOn(this, ms, options);
  }

  setTimer(ms: number, callback: () => void, options: TimerOptions = {}): RefTimer {
    requireFunction('callback', callback);
    checkOptions('clock.setTimer', options, timerNames);
    const delayMs = delayOf(ms);
    // Rounding must not make a delay zero: code that waits for the rest of a time, again and again, would never see its end.
    const due = Math.max(this.#monotonic + delayMs, delayMs > 0 ? nextInstant(this.#monotonic) : 0);
    const keepsAlive = options.keepAlive ?? true;
    const timer: FakeTimer = { due, callback, keepsAlive, origin: {} };
    captureStack(timer.origin, this.setTimer);
    this.#timers.set(timer, timer, due);
    return {
      cancel: () => void this.#timers.delete(timer),
      ref: () => void (timer.keepsAlive = true),
      unref: () => void (timer.keepsAlive = false),
    };
  }

  defer(callback: () => void): Timer {
    requireFunction('callback', callback);
    // Node runs immediates in order and settles all promises in between, as `Clock.defer` promises.
    let waiting = true;
    const finish = (): void => {
      if (waiting) this.#turns--;
      waiting = false;
    };
    const handle = setImmediate(() => {
      finish();
      this.#call(callback);
    });
    this.#turns++;
    return {
      cancel: () => {
        clearImmediate(handle);
        finish();
      },
    };
  }

  yield(): Promise<void> {
    return new Promise((resolve) => this.defer(resolve));
  }

  /** Lets `ms` of virtual time pass and fires the timers that become due, each at its own time. */
  async advance(ms: number): Promise<void> {
    requireNumber('ms', ms);
    await this.#drive('advance', async () => {
      const target = this.#monotonic + ms;
      await this.#settle();
      while (await this.#fireNext(target));
      this.#moveTo(target);
    });
  }

  /** Runs everything that takes no virtual time: promises, turns, and timers that are already due. */
  async runUntilIdle(): Promise<void> {
    await this.#drive('runUntilIdle', async () => {
      await this.#settle();
      while (await this.#fireNext(this.#monotonic));
    });
  }

  /**
   * Advances from timer to timer until the condition holds. It is evaluated whenever nothing is left to do at the current
   * time; an asynchronous condition may use turns and timers itself.
   * Rejects after `withinMs` of virtual time with an error that lists the pending timers.
   */
  async until(
    condition: () => boolean | Promise<boolean>,
    options: { /** @default 60000 */ readonly withinMs?: number | undefined } = {},
  ): Promise<void> {
    requireFunction('condition', condition);
    checkOptions('clock.until', options, { withinMs: true });
    const withinMs = requireNumber('withinMs', options.withinMs ?? 60_000);
    await this.#drive('until', async () => {
      const deadline = this.#monotonic + withinMs;
      await this.#settle();
      for (;;) {
        const askedAt = this.#monotonic;
        if (await this.#ask(condition, deadline, withinMs)) return;
        // Time has passed while the condition was evaluated: its answer is about an older state.
        if (this.#monotonic > askedAt && this.#monotonic < deadline) continue;
        if (await this.#fireNext(deadline)) continue;
        if (this.#monotonic >= deadline) throw this.#timedOut('the condition did not hold', withinMs);
        // No timer is due before the deadline, but the condition may read the clock.
        this.#moveTo(deadline);
      }
    });
  }

  /** Moves the wall clock forwards or backwards, as NTP does; the monotonic clock and timers are not affected. */
  jump(ms: number): void {
    this.#wallOffset += requireNumber('ms', ms, -Number.MAX_VALUE);
  }

  /** The timers that are set and have not fired, in the order in which they will. */
  get pendingTimers(): readonly PendingTimer[] {
    return this.#timers.sorted().map(({ due, keepsAlive, origin }) => ({
      due,
      inMs: due - this.#monotonic,
      keepsAlive,
      setBy: nearestFrame(origin),
    }));
  }

  async #drive(name: string, work: () => Promise<void>): Promise<void> {
    if (this.#driver !== undefined) {
      throw new Error(
        `FakeClock.${name}() was called while ${this.#driver}() is moving the clock: await that one first`,
      );
    }
    this.#driver = name;
    try {
      await work();
    } finally {
      this.#driver = undefined;
      this.#failure = undefined;
    }
  }

  /** Fires the first timer that is due by `limit`, and runs the promises and turns that follow; false if there is none. */
  async #fireNext(limit: number): Promise<boolean> {
    if ((this.#timers.firstRank ?? Number.POSITIVE_INFINITY) > limit) return false;
    const timer = this.#timers.pop() as FakeTimer;
    this.#moveTo(timer.due);
    if (++this.#firedAtThisInstant > this.#patience) {
      throw new Error(`timers are set for the same instant without end, the last one at ${nearestFrame(timer.origin)}`);
    }
    this.#call(timer.callback);
    await this.#settle();
    return true;
  }

  /** Evaluates the condition; for an asynchronous one, turns and timers run until its promise settles. */
  async #ask(condition: () => boolean | Promise<boolean>, deadline: number, withinMs: number): Promise<boolean> {
    const answer = condition();
    if (typeof answer === 'boolean') return answer;
    let outcome: { readonly holds: boolean } | { readonly error: unknown } | undefined;
    answer.then(
      (holds) => (outcome = { holds }),
      (error: unknown) => (outcome = { error }),
    );
    await this.#settle();
    while (outcome === undefined) {
      if (!(await this.#fireNext(deadline))) {
        throw this.#timedOut('the asynchronous condition did not settle', withinMs);
      }
    }
    const settled = outcome as { readonly holds: boolean } | { readonly error: unknown };
    if ('error' in settled) throw settled.error;
    return settled.holds;
  }

  /** Takes turns until no callback is deferred, and no module is being loaded. A turn of the real event loop also settles all pending promises. */
  async #settle(): Promise<void> {
    let taken = 0;
    let offClock: Promise<unknown> | undefined;
    do {
      await new Promise((resolve) => setImmediate(resolve));
      if (this.#failure !== undefined) throw this.#failure.error;
      if (++taken > this.#patience) throw new Error('the code under test takes turns of the event loop without end');
      offClock = offClockWork();
      await offClock;
    } while (this.#turns > 0 || offClock !== undefined);
  }

  #call(callback: () => void): void {
    if (this.#driver === undefined) {
      callback();
      return;
    }
    try {
      callback();
    } catch (error) {
      this.#failure ??= { error };
    }
  }

  #moveTo(time: number): void {
    if (time <= this.#monotonic) return;
    this.#monotonic = time;
    this.#firedAtThisInstant = 0;
  }

  #timedOut(what: string, withinMs: number): Error {
    const pending = describeTimers(this.pendingTimers);
    return new Error(`${what} within ${withinMs} ms of virtual time; ${pending}`);
  }
}

/** The smallest number above `time`, or one near it. */
function nextInstant(time: number): number {
  return time + Math.max(time, 1) * Number.EPSILON;
}

/** Captures more frames than usual, because a test and a timer are many calls apart; none if stacks are turned off. */
function captureStack(origin: object, above: (...args: never[]) => unknown): void {
  const { stackTraceLimit } = Error;
  if (stackTraceLimit === 0) return;
  Error.stackTraceLimit = 30;
  Error.captureStackTrace(origin, above);
  Error.stackTraceLimit = stackTraceLimit;
}

/** The folder of this package; its frames are skipped in favour of the test's own. */
const PACKAGE = folderAbove(import.meta.url)?.pathname;

function isOwn(frame: string): boolean {
  return PACKAGE !== undefined && frame.includes(PACKAGE) && !frame.includes('.test.');
}

function nearestFrame(origin: { stack?: string }): string {
  const frames = String(origin.stack).split('\n').slice(1);
  const candidates = frames.filter((line) => !SKIPPED_FRAMES.test(line));
  return (candidates.find((line) => !isOwn(line)) ?? candidates[0] ?? 'at an unknown place').trim();
}

/** The most places that an error message lists. */
const MAX_PLACES = 8;

/** The timers grouped by the line that set them, the next due first; timers of the library itself are one group. */
function describeTimers(pending: readonly PendingTimer[]): string {
  if (pending.length === 0) return 'no timer is pending';
  const places = new Map<string, PendingTimer[]>();
  for (const timer of pending) {
    const place = isOwn(timer.setBy) ? `by kubeflect itself, the next one ${timer.setBy}` : timer.setBy;
    const key = isOwn(timer.setBy) ? 'own' : place;
    places.set(key, [...(places.get(key) ?? []), { ...timer, setBy: place }]);
  }
  const lines = [...places.values()].slice(0, MAX_PLACES).map(([first, ...more]) => {
    const others = more.length === 0 ? '' : ` (${more.length} more later)`;
    return `\n  due in ${first?.inMs} ms${others}, set ${first?.setBy}`;
  });
  const rest = places.size > MAX_PLACES ? `\n  and at ${places.size - MAX_PLACES} other places` : '';
  return `pending timers:${lines.join('')}${rest}`;
}
