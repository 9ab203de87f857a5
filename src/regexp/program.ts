import type { CharClass } from './char-class.js';
import { type Assertion, type Node, parseRegexp, RegexpError } from './syntax.js';

/**
 * One instruction of a compiled pattern. `next` and `other` are instructions; `split` prefers `next`, which makes
 * repetitions greedy or lazy and alternatives ordered.
 */
export type Instruction =
  | { readonly op: 'match' }
  | { readonly op: 'char'; readonly codePoint: number; next: number }
  | { readonly op: 'class'; readonly charClass: CharClass; next: number }
  | { readonly op: 'assertion'; readonly assertion: Assertion; next: number }
  | { readonly op: 'save'; readonly slot: number; next: number }
  | { readonly op: 'split'; next: number; other: number };

/** A compiled pattern. */
export interface RegexpProgram {
  readonly instructions: readonly Instruction[];
  readonly start: number;
  /** The number of parenthesised groups that capture. */
  readonly captures: number;
}

/** Go allows 3.3 million; a pattern of that size would hold the process when it is matched. */
const maxInstructions = 200_000;

/** Compiles a pattern. Throws a RegexpError. */
export function compileProgram(pattern: string): RegexpProgram {
  const { root, captures } = parseRegexp(pattern);
  const compiler = new Compiler(pattern);
  const start = compiler.compile(root, compiler.add({ op: 'match' }));
  return { instructions: compiler.instructions, start, captures };
}

/** Compiles from the end: each node is given the instruction that follows it, and returns the one that begins it. */
class Compiler {
  readonly instructions: Instruction[] = [];

  constructor(readonly pattern: string) {}

  add(instruction: Instruction): number {
    if (this.instructions.length >= maxInstructions) throw new RegexpError('expression too large', this.pattern);
    return this.instructions.push(instruction) - 1;
  }

  compile(node: Node, next: number): number {
    switch (node.kind) {
      case 'empty':
        return next;
      case 'char':
        return this.add({ op: 'char', codePoint: node.codePoint, next });
      case 'class':
        return this.add({ op: 'class', charClass: node.charClass, next });
      case 'assertion':
        return this.add({ op: 'assertion', assertion: node.assertion, next });
      case 'concat':
        return node.parts.reduceRight((after, part) => this.compile(part, after), next);
      case 'alternate':
        return node.parts
          .map((part) => this.compile(part, next))
          .reduceRight((other, first) => this.add({ op: 'split', next: first, other }));
      case 'capture': {
        const end = this.add({ op: 'save', slot: 2 * node.index + 1, next });
        return this.add({ op: 'save', slot: 2 * node.index, next: this.compile(node.body, end) });
      }
      case 'repeat':
        return this.#repeat(node, next);
    }
  }

  #repeat({ body, min, max, greedy }: Node & { kind: 'repeat' }, next: number): number {
    let start = next;
    if (max < 0) {
      // x* of a body that can be empty is (x+)?, which keeps the order of preference.
      start = min === 0 && !canBeEmpty(body) ? this.#star(body, greedy, next) : this.#plus(body, greedy, next);
      if (min === 0 && canBeEmpty(body)) start = this.#split(start, next, greedy);
    } else {
      for (let i = min; i < max; i++) start = this.#split(this.compile(body, start), next, greedy);
    }
    for (let i = max < 0 ? 1 : 0; i < min; i++) start = this.compile(body, start);
    return start;
  }

  #star(body: Node, greedy: boolean, next: number): number {
    const split = this.#split(next, next, greedy);
    this.#enter(split, this.compile(body, split), greedy);
    return split;
  }

  #plus(body: Node, greedy: boolean, next: number): number {
    const split = this.#split(next, next, greedy);
    const start = this.compile(body, split);
    this.#enter(split, start, greedy);
    return start;
  }

  #split(enter: number, skip: number, greedy: boolean): number {
    return this.add({ op: 'split', next: greedy ? enter : skip, other: greedy ? skip : enter });
  }

  #enter(split: number, start: number, greedy: boolean): void {
    const instruction = this.instructions[split] as Instruction & { op: 'split' };
    if (greedy) instruction.next = start;
    else instruction.other = start;
  }
}

function canBeEmpty(node: Node): boolean {
  switch (node.kind) {
    case 'empty':
    case 'assertion':
      return true;
    case 'char':
    case 'class':
      return false;
    case 'concat':
      return node.parts.every(canBeEmpty);
    case 'alternate':
      return node.parts.some(canBeEmpty);
    case 'capture':
      return canBeEmpty(node.body);
    case 'repeat':
      return node.min === 0 || canBeEmpty(node.body);
  }
}

/** What surrounds a position: the character before and after it, -1 at the ends of the text. */
export function holds(assertion: Assertion, before: number, after: number): boolean {
  switch (assertion) {
    case 'textStart':
      return before < 0;
    case 'textEnd':
      return after < 0;
    case 'lineStart':
      return before < 0 || before === 0x0a;
    case 'lineEnd':
      return after < 0 || after === 0x0a;
    case 'wordBoundary':
      return isWord(before) !== isWord(after);
    case 'noWordBoundary':
      return isWord(before) === isWord(after);
  }
}

export function isWord(codePoint: number): boolean {
  return (
    (codePoint >= 0x30 && codePoint <= 0x39) ||
    (codePoint >= 0x41 && codePoint <= 0x5a) ||
    codePoint === 0x5f ||
    (codePoint >= 0x61 && codePoint <= 0x7a)
  );
}
