import { type CharClass, CharClassBuilder } from './char-class.js';
import { perlClass, posixClass, unicodeClass } from './named-classes.js';

/** A pattern that Go's regexp package refuses, with its message: ``error parsing regexp: missing closing ]: `[a` ``. */
export class RegexpError extends Error {
  override name = 'RegexpError';

  constructor(problem: string, part: string) {
    super(`error parsing regexp: ${problem}: \`${part}\``);
  }
}

/** A position that a pattern asks about, rather than a character. */
export type Assertion = 'textStart' | 'textEnd' | 'lineStart' | 'lineEnd' | 'wordBoundary' | 'noWordBoundary';

/** A parsed pattern. `max` is -1 for a repetition without limit. */
export type Node =
  | { readonly kind: 'empty' }
  | { readonly kind: 'char'; readonly codePoint: number }
  | { readonly kind: 'class'; readonly charClass: CharClass }
  | { readonly kind: 'assertion'; readonly assertion: Assertion }
  | { readonly kind: 'concat'; readonly parts: readonly Node[] }
  | { readonly kind: 'alternate'; readonly parts: readonly Node[] }
  | { readonly kind: 'capture'; readonly index: number; readonly body: Node }
  | {
      readonly kind: 'repeat';
      readonly body: Node;
      readonly min: number;
      readonly max: number;
      readonly greedy: boolean;
    };

interface Flags {
  readonly fold: boolean;
  readonly multiLine: boolean;
  readonly dotAll: boolean;
  readonly ungreedy: boolean;
}

/** What is open while a group is read: finished alternatives, the parts of the current one, and the flags outside. */
interface Group {
  readonly alternatives: Node[];
  parts: Node[];
  readonly flags: Flags;
  readonly capture: number | undefined;
}

const maxRepeat = 1000;
const maxDepth = 1000;
const newline = 0x0a;
const simpleEscapes: Readonly<Record<string, number>> = { a: 7, f: 12, n: 10, r: 13, t: 9, v: 11 };
const anyCharacter: CharClass = { has: () => true };
const notNewline: CharClass = { has: (codePoint) => codePoint !== newline };

/** Parses a pattern of Go's syntax. */
export function parseRegexp(pattern: string): { readonly root: Node; readonly captures: number } {
  return new PatternParser(pattern).parse();
}

class PatternParser {
  #position = 0;
  #captures = 0;
  #flags: Flags = { fold: false, multiLine: false, dotAll: false, ungreedy: false };
  readonly #open: Group[] = [];
  #group: Group;

  constructor(readonly pattern: string) {
    this.#group = { alternatives: [], parts: [], flags: this.#flags, capture: undefined };
  }

  parse(): { root: Node; captures: number } {
    let repetition: number | undefined;
    while (this.#position < this.pattern.length) {
      const start = this.#position;
      const repeated = this.#element();
      if (!repeated) {
        repetition = undefined;
        continue;
      }
      if (repetition !== undefined) throw this.#error('invalid nested repetition operator', repetition);
      repetition = start;
    }
    if (this.#open.length > 0) throw new RegexpError('missing closing )', this.pattern);
    return { root: this.#closeGroup(this.#group), captures: this.#captures };
  }

  /** Reads one element; true if it was a repetition of the one before. */
  #element(): boolean {
    const start = this.#position;
    const character = this.pattern.charAt(start);
    switch (character) {
      case '(':
        this.#openGroup();
        return false;
      case ')':
        this.#rightParenthesis();
        return false;
      case '|':
        this.#position++;
        this.#group.alternatives.push(concat(this.#group.parts));
        this.#group.parts = [];
        return false;
      case '^':
        return this.#assertion(this.#flags.multiLine ? 'lineStart' : 'textStart', 1);
      case '$':
        return this.#assertion(this.#flags.multiLine ? 'lineEnd' : 'textEnd', 1);
      case '.':
        this.#position++;
        this.#push({ kind: 'class', charClass: this.#flags.dotAll ? anyCharacter : notNewline });
        return false;
      case '[':
        this.#push({ kind: 'class', charClass: this.#class() });
        return false;
      case '*':
        return this.#repeat(0, -1, 1);
      case '+':
        return this.#repeat(1, -1, 1);
      case '?':
        return this.#repeat(0, 1, 1);
      case '{':
        return this.#counted();
      case '\\':
        this.#backslash();
        return false;
      default:
        this.#literal(this.#next());
        return false;
    }
  }

  #assertion(assertion: Assertion, length: number): false {
    this.#position += length;
    this.#push({ kind: 'assertion', assertion });
    return false;
  }

  #push(node: Node): void {
    this.#group.parts.push(node);
  }

  #literal(codePoint: number): void {
    if (!this.#flags.fold) {
      this.#push({ kind: 'char', codePoint });
      return;
    }
    const builder = new CharClassBuilder(true);
    builder.addRange(codePoint, codePoint);
    this.#push({ kind: 'class', charClass: builder.finish(false) });
  }

  #next(): number {
    const codePoint = this.pattern.codePointAt(this.#position) as number;
    this.#position += codePoint > 0xffff ? 2 : 1;
    return codePoint;
  }

  #error(problem: string, start: number): RegexpError {
    return new RegexpError(problem, this.pattern.slice(start, this.#position));
  }

  // Groups

  #openGroup(): void {
    if (this.#open.length >= maxDepth) throw new RegexpError('expression nests too deeply', this.pattern);
    if (this.pattern.charAt(this.#position + 1) === '?') {
      this.#flagsOrName();
      return;
    }
    this.#position++;
    this.#enter(++this.#captures);
  }

  #enter(capture: number | undefined, outerFlags = this.#flags): void {
    this.#open.push(this.#group);
    this.#group = { alternatives: [], parts: [], flags: outerFlags, capture };
  }

  #rightParenthesis(): void {
    const group = this.#group;
    const outer = this.#open.pop();
    if (outer === undefined) throw new RegexpError('unexpected )', this.pattern);
    this.#position++;
    const body = this.#closeGroup(group);
    this.#flags = group.flags;
    this.#group = outer;
    this.#push(group.capture === undefined ? body : { kind: 'capture', index: group.capture, body });
  }

  #closeGroup(group: Group): Node {
    const last = concat(group.parts);
    return group.alternatives.length === 0 ? last : { kind: 'alternate', parts: [...group.alternatives, last] };
  }

  #flagsOrName(): void {
    const start = this.#position;
    const name = /^\(\?P?</.exec(this.pattern.slice(start, start + 4))?.[0];
    if (name !== undefined && this.pattern.length > start + name.length) {
      const end = this.pattern.indexOf('>', start);
      if (end < 0) throw new RegexpError('invalid named capture', this.pattern.slice(start));
      this.#position = end + 1;
      if (!/^\w+$/.test(this.pattern.slice(start + name.length, end)))
        throw this.#error('invalid named capture', start);
      this.#enter(++this.#captures);
      return;
    }
    this.#position += 2;
    let flags = this.#flags;
    let value = true;
    let sawFlag = false;
    while (this.#position < this.pattern.length) {
      const character = String.fromCodePoint(this.#next());
      if (character === 'i') flags = { ...flags, fold: value };
      else if (character === 'm') flags = { ...flags, multiLine: value };
      else if (character === 's') flags = { ...flags, dotAll: value };
      else if (character === 'U') flags = { ...flags, ungreedy: value };
      else if (character === '-' && value) {
        value = false;
        sawFlag = false;
        continue;
      } else if ((character === ':' || character === ')') && (value || sawFlag)) {
        if (character === ':') this.#enter(undefined);
        this.#flags = flags;
        return;
      } else break;
      sawFlag = true;
    }
    throw this.#error('invalid or unsupported Perl syntax', start);
  }

  // Repetitions

  #counted(): boolean {
    const start = this.#position;
    const text = /^\{(0|[1-9][0-9]*)(,(0|[1-9][0-9]*)?)?\}/.exec(this.pattern.slice(start));
    if (text === null) {
      this.#literal(this.#next());
      return false;
    }
    const min = Number(text[1]);
    const max = text[2] === undefined ? min : text[3] === undefined ? -1 : Number(text[3]);
    if (min > maxRepeat || max > maxRepeat || (max >= 0 && min > max))
      throw new RegexpError('invalid repeat count', text[0]);
    return this.#repeat(min, max, text[0].length);
  }

  #repeat(min: number, max: number, length: number): true {
    const start = this.#position;
    this.#position += length;
    const lazy = this.pattern.charAt(this.#position) === '?';
    if (lazy) this.#position++;
    const body = this.#group.parts.pop();
    if (body === undefined) throw this.#error('missing argument to repetition operator', start);
    const node: Node = { kind: 'repeat', body, min, max, greedy: lazy === this.#flags.ungreedy };
    if ((min >= 2 || max >= 2) && !repeatsAtMost(node, maxRepeat)) throw this.#error('invalid repeat count', start);
    this.#push(node);
    return true;
  }

  // Escapes and classes

  #backslash(): void {
    const start = this.#position;
    const letter = this.pattern.charAt(start + 1);
    if (letter === 'A') this.#assertion('textStart', 2);
    else if (letter === 'z') this.#assertion('textEnd', 2);
    else if (letter === 'b') this.#assertion('wordBoundary', 2);
    else if (letter === 'B') this.#assertion('noWordBoundary', 2);
    else if (letter === 'Q') {
      const end = this.pattern.indexOf('\\E', start + 2);
      this.#position += 2;
      while (this.#position < (end < 0 ? this.pattern.length : end)) this.#literal(this.#next());
      if (end >= 0) this.#position = end + 2;
    } else {
      const charClass = this.#escapedClass();
      if (charClass === undefined) this.#literal(this.#escape());
      else this.#push({ kind: 'class', charClass });
    }
  }

  /** A class that begins with a backslash, `\d` or `\pL`; undefined, and nothing is read, if there is none. */
  #escapedClass(): CharClass | undefined {
    if (this.pattern.charAt(this.#position) !== '\\') return undefined;
    const letter = this.pattern.charAt(this.#position + 1);
    if ((letter === 'p' || letter === 'P') && this.pattern.length > this.#position + 2) return this.#unicodeClass();
    const charClass = letter === '' ? undefined : perlClass(letter, this.#flags.fold);
    if (charClass !== undefined) this.#position += 2;
    return charClass;
  }

  #unicodeClass(): CharClass {
    const start = this.#position;
    let negated = this.pattern.charAt(start + 1) === 'P';
    this.#position += 2;
    let name = String.fromCodePoint(this.#next());
    if (name === '{') {
      const end = this.pattern.indexOf('}', start);
      this.#position = end < 0 ? this.pattern.length : end + 1;
      if (end < 0) throw this.#error('invalid character class range', start);
      name = this.pattern.slice(start + 3, end);
    }
    if (name.startsWith('^')) {
      negated = !negated;
      name = name.slice(1);
    }
    const charClass = unicodeClass(name, this.#flags.fold, negated);
    if (charClass === undefined) throw this.#error('invalid character class range', start);
    return charClass;
  }

  #escape(): number {
    const start = this.#position++;
    if (this.#position >= this.pattern.length) throw new RegexpError('trailing backslash at end of expression', '');
    const character = String.fromCodePoint(this.#next());
    const simple = Object.hasOwn(simpleEscapes, character) ? simpleEscapes[character] : undefined;
    if (simple !== undefined) return simple;
    if (/[0-7]/.test(character)) {
      const digits = /^[0-7]{0,2}/.exec(this.pattern.slice(this.#position, this.#position + 2))?.[0] ?? '';
      if (character === '0' || digits !== '') {
        this.#position += digits.length;
        return Number.parseInt(character + digits, 8);
      }
    } else if (character === 'x') {
      const codePoint = this.#hexadecimal();
      if (codePoint !== undefined) return codePoint;
    } else if (character < '\x80' && !/\w/.test(character)) {
      return character.charCodeAt(0);
    } else if (character === '_') return character.charCodeAt(0);
    throw this.#error('invalid escape sequence', start);
  }

  /** The code point of `\x7f` or `\x{10ffff}`; reads up to the character that is wrong, which messages end with. */
  #hexadecimal(): number | undefined {
    const digit = (): number => {
      if (this.#position >= this.pattern.length) return -1;
      const character = String.fromCodePoint(this.#next());
      return /^[0-9a-fA-F]$/.test(character) ? Number.parseInt(character, 16) : -1;
    };
    if (this.pattern.charAt(this.#position) !== '{') {
      if (this.#position >= this.pattern.length) return undefined;
      const first = digit();
      const second = digit();
      return first < 0 || second < 0 ? undefined : first * 16 + second;
    }
    this.#position++;
    let codePoint: number | undefined;
    while (this.#position < this.pattern.length) {
      if (this.pattern.charAt(this.#position) === '}') {
        this.#position++;
        return codePoint;
      }
      const value = digit();
      codePoint = (codePoint ?? 0) * 16 + value;
      if (value < 0 || codePoint > 0x10ffff) return undefined;
    }
    return undefined;
  }

  #class(): CharClass {
    const start = this.#position++;
    const negated = this.pattern.charAt(this.#position) === '^';
    if (negated) this.#position++;
    const builder = new CharClassBuilder(this.#flags.fold);
    for (let first = true; first || this.pattern.charAt(this.#position) !== ']'; first = false) {
      const part = this.#posixClass() ?? this.#escapedClass();
      if (part !== undefined) {
        builder.addClass(part);
        continue;
      }
      const rangeStart = this.#position;
      const low = this.#classCharacter(start);
      let high = low;
      if (
        this.pattern.charAt(this.#position) === '-' &&
        this.#position + 1 < this.pattern.length &&
        this.pattern.charAt(this.#position + 1) !== ']'
      ) {
        this.#position++;
        high = this.#classCharacter(start);
        if (high < low) throw this.#error('invalid character class range', rangeStart);
      }
      builder.addRange(low, high);
    }
    this.#position++;
    return builder.finish(negated);
  }

  #classCharacter(classStart: number): number {
    if (this.#position >= this.pattern.length)
      throw new RegexpError('missing closing ]', this.pattern.slice(classStart));
    return this.pattern.charAt(this.#position) === '\\' ? this.#escape() : this.#next();
  }

  #posixClass(): CharClass | undefined {
    if (!this.pattern.startsWith('[:', this.#position)) return undefined;
    const end = this.pattern.indexOf(':]', this.#position + 2);
    if (end < 0) return undefined;
    const name = this.pattern.slice(this.#position + 2, end);
    const charClass = posixClass(name, this.#flags.fold);
    if (charClass === undefined) throw new RegexpError('invalid character class range', `[:${name}:]`);
    this.#position = end + 2;
    return charClass;
  }
}

function concat(parts: readonly Node[]): Node {
  if (parts.length === 0) return { kind: 'empty' };
  return parts.length === 1 ? (parts[0] as Node) : { kind: 'concat', parts };
}

/** Whether nested repetitions repeat their innermost part at most `limit` times. */
function repeatsAtMost(node: Node, limit: number): boolean {
  switch (node.kind) {
    case 'repeat': {
      if (node.max === 0) return true;
      const times = node.max < 0 ? node.min : node.max;
      // The operators *, + and ? do not count.
      const counted = !(node.min <= 1 && node.max <= 1);
      if (counted && times > limit) return false;
      return repeatsAtMost(node.body, counted && times > 0 ? Math.floor(limit / times) : limit);
    }
    case 'capture':
      return repeatsAtMost(node.body, limit);
    case 'concat':
    case 'alternate':
      return node.parts.every((part) => repeatsAtMost(part, limit));
    default:
      return true;
  }
}
