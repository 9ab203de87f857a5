import { holds, type Instruction, type RegexpProgram } from './program.js';

/** Positions in the text, two for each group and the whole match first; -1 for a group that took no part. */
export type Captures = readonly number[];

/** How many instructions are visited between two yields. */
const stepWork = 20_000;

/** Threads in order of preference, each at most once per instruction. */
interface Threads {
  readonly instructions: number[];
  readonly captures: Captures[];
}

/**
 * Finds matches with their groups: all alternatives are followed at once, one character at a time, so that time is linear in
 * the text for every pattern.
 */
export class PikeVm {
  readonly #program: RegexpProgram;
  /** The number of the character at which an instruction was visited last. Such numbers exceed 32 bits. */
  readonly #marks: Float64Array;
  #mark = 0;
  /** Instructions that were visited since the last yield. A search for many short matches yields too. */
  #work = 0;

  constructor(program: RegexpProgram) {
    this.#program = program;
    this.#marks = new Float64Array(program.instructions.length);
  }

  /** The leftmost match at or after `from`. Yields after some work. */
  *find(text: string, from: number): Generator<void, Captures | undefined, void> {
    const none: Captures = new Array<number>(2 * this.#program.captures + 2).fill(-1);
    let current: Threads = { instructions: [], captures: [] };
    let next: Threads = { instructions: [], captures: [] };
    let best: Captures | undefined;
    let previous = from === 0 ? -1 : codePointBefore(text, from);
    for (let position = from; ; ) {
      const codePoint = position < text.length ? (text.codePointAt(position) as number) : -1;
      this.#mark++;
      const threads: Threads = { instructions: [], captures: [] };
      for (let i = 0; i < current.instructions.length; i++)
        this.#follow(
          threads,
          current.instructions[i] as number,
          current.captures[i] as Captures,
          previous,
          codePoint,
          position,
        );
      if (best === undefined) {
        const captures = [...none];
        captures[0] = position;
        this.#follow(threads, this.#program.start, captures, previous, codePoint, position);
      }
      for (let i = 0; i < threads.instructions.length; i++) {
        const instruction = this.#program.instructions[threads.instructions[i] as number] as Instruction;
        const captures = threads.captures[i] as Captures;
        if (instruction.op === 'match') {
          best = captures.with(1, position);
          // Threads after this one are less preferred.
          break;
        }
        if (takes(instruction, codePoint)) {
          next.instructions.push(instruction.next);
          next.captures.push(captures);
        }
      }
      if (codePoint < 0 || (best !== undefined && next.instructions.length === 0)) return best;
      current = next;
      next = { instructions: [], captures: [] };
      previous = codePoint;
      position += codePoint > 0xffff ? 2 : 1;
      if (this.#work > stepWork) {
        this.#work = 0;
        yield;
      }
    }
  }

  /** Adds the threads that `start` leads to without a character, in order of preference. */
  #follow(threads: Threads, start: number, captures: Captures, before: number, after: number, position: number): void {
    const stack: [number, Captures][] = [[start, captures]];
    for (let entry = stack.pop(); entry !== undefined; entry = stack.pop()) {
      const [index, saved] = entry;
      this.#work++;
      if (this.#marks[index] === this.#mark) continue;
      this.#marks[index] = this.#mark;
      const instruction = this.#program.instructions[index] as Instruction;
      switch (instruction.op) {
        case 'split':
          stack.push([instruction.other, saved], [instruction.next, saved]);
          break;
        case 'save':
          stack.push([instruction.next, saved.with(instruction.slot, position)]);
          break;
        case 'assertion':
          if (holds(instruction.assertion, before, after)) stack.push([instruction.next, saved]);
          break;
        default:
          threads.instructions.push(index);
          threads.captures.push(saved);
      }
    }
  }
}

function takes(instruction: Instruction, codePoint: number): instruction is Instruction & { next: number } {
  if (codePoint < 0) return false;
  return instruction.op === 'char'
    ? instruction.codePoint === codePoint
    : instruction.op === 'class' && instruction.charClass.has(codePoint);
}

function codePointBefore(text: string, position: number): number {
  const unit = text.charCodeAt(position - 1);
  const isTrailing = unit >= 0xdc00 && unit < 0xe000 && position > 1;
  return isTrailing ? (text.codePointAt(position - 2) as number) : unit;
}
