import { messageOf } from '../../rest/http/request-errors.js';
import type { Clock } from '../../time/clock.js';
import type { Run } from './types.js';
import type { WorldWrite } from './world-transport.js';

/** One thing that happened. */
interface StoryLine {
  /** In ms since the beginning of the world. */
  readonly at: number;
  /** `⚡` for a disturbance, `✗` for something that must not happen. */
  readonly mark: '' | '⚡' | '✗';
  /** The number of the write that it is about, if it is one. */
  readonly write: number | undefined;
  readonly text: string;
}

/** What crosses every write of a manager without being part of its work. */
const BESIDES: ReadonlySet<string> = new Set(['leases.coordination.k8s.io', 'events', 'events.events.k8s.io']);
/** A longer story loses its oldest lines. */
const MOST_LINES = 2000;
/** The lines of a story that an error shows before the first disturbance, and after the last. */
const SHOWN_BEFORE = 20;
const SHOWN_AFTER = 25;
const WIDTH = 11;

const THIRD_PERSON: Readonly<Record<string, string>> = {
  create: 'creates',
  update: 'updates',
  patch: 'patches',
  delete: 'deletes',
  deletecollection: 'deletes all',
};

/** What has happened in a world, in order, in plain sentences with virtual times. */
export class Story {
  readonly #clock: Clock;
  readonly #beganAt: number;
  #lines: StoryLine[] = [];
  #writes = 0;
  /** True from when the managers are ready, because their start is not part of the story, until it fails. */
  isOpen = false;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#beganAt = clock.monotonicNow();
  }

  /** How many writes were told. */
  get writes(): number {
    return this.#writes;
  }

  /** All lines, as text. */
  get text(): readonly string[] {
    return this.#lines.map(print);
  }

  /** The lines around the disturbances, and the end. */
  get excerpt(): readonly string[] {
    const first = this.#lines.findIndex(({ mark }) => mark !== '');
    const last = this.#lines.findLastIndex(({ mark }) => mark !== '');
    const from = Math.max(0, (first < 0 ? this.#lines.length : first) - SHOWN_BEFORE);
    const to = last < 0 ? this.#lines.length : Math.min(this.#lines.length, last + 1 + SHOWN_AFTER);
    const leftOut = (count: number): string[] =>
      count === 0 ? [] : [`${' '.repeat(WIDTH + 2)}… ${count} ${count === 1 ? 'line' : 'lines'} more`];
    return [...leftOut(from), ...this.#lines.slice(from, to).map(print), ...leftOut(this.#lines.length - to)];
  }

  /** Tells that a write is sent. Returns its number; undefined if it is not part of the story. */
  sends(sender: string, write: WorldWrite): number | undefined {
    if (!this.isOpen || BESIDES.has(write.resource)) return undefined;
    const number = ++this.#writes;
    this.#add('', `${sender} ${THIRD_PERSON[write.verb] ?? write.verb} ${write.resource} ${write.key}`, number);
    return number;
  }

  /** Tells what a write was answered with, if that is an error. */
  answers(number: number | undefined, status: number): void {
    if (number !== undefined && status >= 400) this.#add('', `the server answers ${status} to write ${number}`);
  }

  runBegins(sender: string, run: Pick<Run, 'what' | 'key' | 'controller' | 'causes'>): void {
    const causes = run.causes.length === 0 ? '' : `, because of ${run.causes.join(', ')}`;
    this.#add('', `${sender} begins to ${run.what} ${run.key} (${run.controller})${causes}`);
  }

  runEnds(sender: string, { what, key, controller, outcome, error }: Run): void {
    const why = error === undefined ? '' : `: ${messageOf(error)}`;
    this.#add('', `${sender}: ${what} of ${key} (${controller}) is ${outcome}${why}`);
  }

  tell(text: string): void {
    this.#add('', text);
  }

  disturb(text: string): void {
    this.#add('⚡', text);
  }

  /** Ends the story with what must not happen. */
  fail(text: string): void {
    this.#add('✗', text);
    this.isOpen = false;
  }

  #add(mark: StoryLine['mark'], text: string, write?: number): void {
    if (!this.isOpen) return;
    this.#lines.push({ at: this.#clock.monotonicNow() - this.#beganAt, mark, write, text });
    if (this.#lines.length > 2 * MOST_LINES) this.#lines = this.#lines.slice(-MOST_LINES);
  }
}

/** `    1.250 s  3. manager 0 patches secrets default/shop`; lines without a number are indented. */
function print({ at, mark, write, text }: StoryLine): string {
  const time = `${(at / 1000).toFixed(3)} s`.padStart(WIDTH);
  const before = mark !== '' ? `   ${mark} ` : write === undefined ? '     ' : `${write}. `.padStart(5);
  return `${time}${before}${text}`;
}
