import type { FakeClock } from '../../../src/time/fake-clock.js';
import { type Cut, SimProcess, type Skew } from './process.js';

/** What runs in a process. */
export interface Program {
  /** Returns the first thing that keeps it from rest, or in which it differs from the server; undefined if there is none. */
  unsettled(): string | undefined;
  /** Stops in order. */
  stop(): Promise<void>;
  /** Called when the process was killed: nothing of it can be waited for. */
  killed?(): void;
}

/** Starts a program in a process; `life` counts the processes of its slot. */
export type Begin = (process: SimProcess, life: number) => Program;

/** One replica: it has a process, which is blocked, cut off, stopped or killed, and then replaced by another one. */
export class Slot {
  readonly name: string;
  readonly #clock: FakeClock;
  readonly #skew: Skew;
  readonly #begin: Begin;
  readonly #stopping = new Set<Promise<void>>();
  #process: SimProcess | undefined;
  #program: Program | undefined;
  #lives = 0;
  #isOver = false;

  constructor(name: string, clock: FakeClock, skew: Skew, begin: Begin) {
    this.name = name;
    this.#clock = clock;
    this.#skew = skew;
    this.#begin = begin;
  }

  get process(): SimProcess | undefined {
    return this.#process;
  }

  /** Starts a process if there is none. */
  start(): void {
    if (this.#process !== undefined || this.#isOver) return;
    const life = this.#lives++;
    this.#process = new SimProcess(`${this.name}-${life}`, this.#clock, this.#skew);
    this.#program = this.#begin(this.#process, life);
  }

  kill(backInMs: number): void {
    this.#process?.kill();
    this.#program?.killed?.();
    this.#leave(backInMs);
  }

  stop(backInMs: number): void {
    const process = this.#process;
    const program = this.#program;
    if (process === undefined || program === undefined) return;
    const stopping = program
      .stop()
      .then(() => process.close())
      .then(() => void this.#stopping.delete(stopping));
    this.#stopping.add(stopping);
    this.#leave(backInMs);
  }

  block(ms: number): void {
    const process = this.#process;
    process?.block();
    this.#clock.setTimer(ms, () => process?.unblock());
  }

  cut(how: Cut, ms: number): void {
    const process = this.#process;
    process?.cut(how);
    this.#clock.setTimer(ms, () => process?.reconnect());
  }

  /** Ends all disturbances. */
  heal(): void {
    this.#process?.unblock();
    this.#process?.reconnect();
    this.start();
  }

  unsettled(): string | undefined {
    if (this.#stopping.size > 0) return `a process of ${this.name} is stopping`;
    return this.#program === undefined ? `${this.name} has no process` : this.#program.unsettled();
  }

  /** Stops for good; resolves when all processes have ended. */
  async end(): Promise<void> {
    this.#isOver = true;
    this.stop(0);
    await Promise.all(this.#stopping);
  }

  #leave(backInMs: number): void {
    this.#process = undefined;
    this.#program = undefined;
    this.#clock.setTimer(backInMs, () => this.start());
  }
}
