import { holds, type Instruction, isWord, type RegexpProgram } from './program.js';

/** The character before a position, as far as assertions ask about it. */
const before = { start: -1, newline: 0x0a, word: 0x61, other: 0x20 };

/** A state of the automaton: instructions that can be next, after a kind of character. */
class State {
  readonly ascii: (State | undefined)[] = [];
  readonly others = new Map<number, State>();
  /** Whether a text that ends here matches. */
  atEnd: boolean | undefined;

  constructor(
    readonly pending: readonly number[],
    readonly before: number,
  ) {}
}

/** The automaton is thrown away when its transitions, and the instructions that its states list, are more than this. */
const maxSize = 500_000;

/**
 * Decides whether a text has a match. The automaton is built while texts are read, and thrown away when it grows too large,
 * so that time is linear in the text, and memory is bounded, for every pattern.
 */
export class Dfa {
  readonly #program: RegexpProgram;
  readonly #states = new Map<string, State>();
  /** The number of the closure that visited an instruction last. Such numbers exceed 32 bits. */
  readonly #marks: Float64Array;
  #mark = 0;
  /** Instructions that were visited, ever. */
  #visits = 0;
  #size = 0;
  /** The state after a match: it stays one, whatever follows. */
  readonly #matched = new State([], before.other);
  #first: State;

  constructor(program: RegexpProgram) {
    this.#program = program;
    this.#marks = new Float64Array(program.instructions.length);
    this.#first = this.#state([program.start], before.start);
  }

  /** Reads on from `state` at `position`, for about `work` steps. The result is a decision, or where to go on. */
  run(text: string, from: DfaPosition, work: number): DfaPosition | boolean {
    let state = (from.state as State | undefined) ?? this.#first;
    let remaining = work;
    const end = text.length;
    let position = from.position;
    while (position < end) {
      let codePoint = text.charCodeAt(position++);
      if (codePoint >= 0xd800 && codePoint < 0xdc00) {
        codePoint = text.codePointAt(position - 1) as number;
        if (codePoint > 0xffff) position++;
      }
      let next = codePoint < 128 ? state.ascii[codePoint] : state.others.get(codePoint);
      if (next === undefined) {
        const visits = this.#visits;
        next = this.#step(state, codePoint);
        remaining -= this.#visits - visits;
      }
      if (next === this.#matched) return true;
      state = next;
      if (--remaining <= 0 && position < end) return { state, position };
    }
    state.atEnd ??= this.#closure(state, -1, undefined);
    return state.atEnd;
  }

  #step(state: State, codePoint: number): State {
    if (++this.#size > maxSize) {
      this.#size = 0;
      this.#states.clear();
      this.#first = this.#state([this.#program.start], before.start);
    }
    const pending: number[] = [];
    const matched = this.#closure(state, codePoint, pending);
    let next = this.#matched;
    if (!matched) {
      pending.push(this.#program.start);
      next = this.#state(
        [...new Set(pending)].sort((a, b) => a - b),
        codePoint === before.newline ? before.newline : isWord(codePoint) ? before.word : before.other,
      );
    }
    if (codePoint < 128) state.ascii[codePoint] = next;
    else state.others.set(codePoint, next);
    return next;
  }

  #state(pending: number[], kind: number): State {
    const key = `${kind}:${pending.join()}`;
    let state = this.#states.get(key);
    if (state === undefined) {
      state = new State(pending, kind);
      this.#states.set(key, state);
      this.#size += pending.length;
    }
    return state;
  }

  /** Follows what needs no character. True if it comes to a match; else `taken` gets what follows after `codePoint`. */
  #closure(state: State, codePoint: number, taken: number[] | undefined): boolean {
    this.#mark++;
    const stack = [...state.pending];
    while (stack.length > 0) {
      const index = stack.pop() as number;
      this.#visits++;
      if (this.#marks[index] === this.#mark) continue;
      this.#marks[index] = this.#mark;
      const instruction = this.#program.instructions[index] as Instruction;
      switch (instruction.op) {
        case 'match':
          return true;
        case 'split':
          stack.push(instruction.next, instruction.other);
          break;
        case 'save':
          stack.push(instruction.next);
          break;
        case 'assertion':
          if (holds(instruction.assertion, state.before, codePoint)) stack.push(instruction.next);
          break;
        case 'char':
          if (instruction.codePoint === codePoint) taken?.push(instruction.next);
          break;
        case 'class':
          if (codePoint >= 0 && instruction.charClass.has(codePoint)) taken?.push(instruction.next);
          break;
      }
    }
    return false;
  }
}

/** Where a text was read to. */
export interface DfaPosition {
  readonly position: number;
  readonly state?: unknown;
}
