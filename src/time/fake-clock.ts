import { checkOptions } from '../meta/known-options.js';
import type { Abortable } from '../meta/objects.js';
import { requireFunction, requireInteger, requireNumber } from '../meta/validate.js';
import { Heap } from '../structures/heap.js';
import { type Clock, type RefTimer, type Timer, type TimerOptions, timerNames } from './clock.js';
import { seededRandom } from './seeded-random.js';
import { delayOf, sleepOn } from './sleep.js';

/** How a {@link FakeClock} begins. */
export interface FakeClockOptions {
  /**
   * Where the sequence of `random()` begins.
   * @default 1
   */
  readonly seed?: number | undefined;
  /**
   * What the wall clock says at first, in ms since 1970.
   * @default 1767225600000 (2026-01-01T00:00:00Z)
   */
  readonly now?: number | undefined;
  /**
   * How many turns, or timers at one instant, may follow each other before something evidently never comes to rest.
   * @default 1000000
   */
  readonly patience?: number | undefined;
}

/** A timer that has not fired yet: what a leak report shows. */
interface PendingTimer {
  /** When it fires, on the monotonic clock. */
  readonly due: number;
  /** How much virtual time is left until then. */
  readonly inMs: number;
  /** Whether a process on the machine's clock would stay alive for it. */
  readonly keepsAlive: boolean;
  /** Where it was set: the nearest line of the stack outside of this package, else outside of the clock. */
  readonly setBy: string;
}

interface FakeTimer {
  readonly due: number;
  readonly callback: () => void;
  keepsAlive: boolean;
  readonly origin: { stack?: string };
}

const DEFAULT_NOW = Date.UTC(2026, 0, 1);
/** The clock itself, what is built right on it, and frames that name no file. */
const UNTELLING_FRAMES = /[/\\]time[/\\](?:fake-clock|sleep|wait)\.[jt]s|\(<anonymous>\)|node:internal/;

/**
 * A clock for tests: time passes only when told, `random` is seeded, and everything happens in the same order each run.
 *
 * Timers wait for {@link advance}, {@link until} or {@link runUntilIdle}. Turns of the event loop (`defer`, `yield`)
 * take no time and so come by themselves: awaiting something that only takes turns needs nobody to move the clock.
 * Between two timers every promise and every turn runs until all is quiet.
 *
 * The clock knows about timers, turns and promises, and about nothing else: code that waits for real sockets, files,
 * workers, compression or cryptography in the background finishes whenever the machine pleases, which this clock
 * cannot see. Give such code an in-memory stand-in (`startApiServer({ clock, listen: false })`).
 *
 * A callback that throws makes the call that drove it reject with that error.
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
  /** Turns asked for and not yet taken. */
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
    const due = this.#monotonic + delayOf(ms);
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
    // Real turns, because Node runs them in order and lets every promise settle in between: exactly what is promised.
    let waiting = true;
    const leave = (): void => {
      if (waiting) this.#turns--;
      waiting = false;
    };
    const handle = setImmediate(() => {
      leave();
      this.#call(callback);
    });
    this.#turns++;
    return {
      cancel: () => {
        clearImmediate(handle);
        leave();
      },
    };
  }

  yield(): Promise<void> {
    return new Promise((resolve) => this.defer(resolve));
  }

  /** Lets `ms` of time pass, firing what comes due on the way, each timer at its own time. */
  async advance(ms: number): Promise<void> {
    requireNumber('ms', ms);
    await this.#drive('advance', async () => {
      const target = this.#monotonic + ms;
      await this.#settle();
      while (await this.#fireNext(target));
      this.#moveTo(target);
    });
  }

  /** Lets everything happen that needs no time to pass: promises, turns, and timers that are due already. */
  async runUntilIdle(): Promise<void> {
    await this.#drive('runUntilIdle', async () => {
      await this.#settle();
      while (await this.#fireNext(this.#monotonic));
    });
  }

  /**
   * Lets time pass, from timer to timer, until the condition holds. It is asked whenever all is quiet; an
   * asynchronous one may itself need turns and timers, and gets them.
   * Rejects after `withinMs` of virtual time, naming the timers that are pending.
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
        // A condition that took time itself has seen an older state than there is now.
        if (this.#monotonic > askedAt && this.#monotonic < deadline) continue;
        if (await this.#fireNext(deadline)) continue;
        if (this.#monotonic >= deadline) throw this.#timedOut('the condition did not hold', withinMs);
        // Nothing happens any more before the deadline, but the condition may read the time itself.
        this.#moveTo(deadline);
      }
    });
  }

  /** Moves the wall clock, either way, as an administrator or NTP would; the monotonic clock and timers do not notice. */
  jump(ms: number): void {
    this.#wallOffset += requireNumber('ms', ms, -Number.MAX_VALUE);
  }

  /** The timers that are set and have not fired, in the order they will. Empty when nothing was left behind. */
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

  /** Fires the first timer that is due by `limit` and lets its consequences happen; false if there is none. */
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

  /** Asks the condition; an asynchronous answer is waited for by letting turns and timers happen. */
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

  /** Takes turns until nobody asks for another one; a real turn also lets every pending promise settle. */
  async #settle(): Promise<void> {
    let taken = 0;
    do {
      await new Promise((resolve) => setImmediate(resolve));
      if (this.#failure !== undefined) throw this.#failure.error;
      if (++taken > this.#patience) throw new Error('the code under test takes turns of the event loop without end');
    } while (this.#turns > 0);
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

/** Deeper than usual: between a test and the timer lies much of the library. */
function captureStack(origin: object, above: (...args: never[]) => unknown): void {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 30;
  Error.captureStackTrace(origin, above);
  Error.stackTraceLimit = stackTraceLimit;
}

/** Where this package is: a test wants to know which of its own lines led to a timer. */
const PACKAGE = new URL('..', import.meta.url).pathname;

function isOwn(frame: string): boolean {
  return frame.includes(PACKAGE) && !frame.includes('.test.');
}

function nearestFrame(origin: { stack?: string }): string {
  const frames = String(origin.stack).split('\n').slice(1);
  const telling = frames.filter((line) => !UNTELLING_FRAMES.test(line));
  return (telling.find((line) => !isOwn(line)) ?? telling[0] ?? 'at an unknown place').trim();
}

/** How many places are named: more are noise. */
const PLACES = 8;

/** The timers by where they were set, the next due first; those that the library set by itself in one line. */
function describeTimers(pending: readonly PendingTimer[]): string {
  if (pending.length === 0) return 'no timer is pending';
  const places = new Map<string, PendingTimer[]>();
  for (const timer of pending) {
    const place = isOwn(timer.setBy) ? `by kubeflect itself, the next one ${timer.setBy}` : timer.setBy;
    const key = isOwn(timer.setBy) ? 'own' : place;
    places.set(key, [...(places.get(key) ?? []), { ...timer, setBy: place }]);
  }
  const lines = [...places.values()].slice(0, PLACES).map(([first, ...more]) => {
    const others = more.length === 0 ? '' : ` (${more.length} more later)`;
    return `\n  due in ${first?.inMs} ms${others}, set ${first?.setBy}`;
  });
  const rest = places.size > PLACES ? `\n  and at ${places.size - PLACES} other places` : '';
  return `pending timers:${lines.join('')}${rest}`;
}
