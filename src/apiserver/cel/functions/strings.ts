import { quoteGoCharacter } from '../../../meta/go-values.js';
import {
  ArrayList,
  CelError,
  type CelList,
  codePoints,
  costExceeded,
  elementsOf,
  isList,
  noSuchOverload,
  type Value,
} from '../eval/values.js';
import type { CelFunction } from './function.js';

/** The longest text that a function makes, because the cost of a call does not count its result. */
export const maxTextLength: number = 32 * 1024 * 1024;

/** A function of which the first argument is a string. */
function onText(body: (text: string, ...args: Value[]) => Value): CelFunction {
  return (text, ...args) => (typeof text === 'string' ? body(text, ...args) : noSuchOverload);
}

function onTexts(body: (text: string, other: string) => Value): CelFunction {
  return onText((text, other) => (typeof other === 'string' ? body(text, other) : noSuchOverload));
}

function outOfRange(index: bigint): CelError {
  return new CelError(`index out of range: ${index}`);
}

/** A text whose positions are code points. */
class CodePointText {
  readonly #characters: readonly string[] | string;

  constructor(text: string) {
    this.#characters = codePoints(text) === text.length ? text : [...text];
  }

  get length(): number {
    return this.#characters.length;
  }

  slice(start: number, end?: number): string {
    const part = this.#characters.slice(start, end);
    return typeof part === 'string' ? part : part.join('');
  }

  /** The first or last position at which `part` begins, from `start` on or back; -1 if there is none. */
  search(part: string, start: number, step: 1 | -1): number {
    const characters = this.#characters;
    if (typeof characters === 'string')
      return step > 0 ? characters.indexOf(part, start) : characters.lastIndexOf(part, start);
    // UTF-16 units of the text are counted until the position that was found.
    const text = characters.join('');
    const unit = characters.slice(0, start).join('').length;
    const found = step > 0 ? text.indexOf(part, unit) : text.lastIndexOf(part, unit);
    return found < 0 ? -1 : codePoints(text.slice(0, found));
  }
}

function substring(text: string, start: Value, end?: Value): Value {
  if (typeof start !== 'bigint' || (end !== undefined && typeof end !== 'bigint')) return noSuchOverload;
  const characters = new CodePointText(text);
  const length = BigInt(characters.length);
  if (end !== undefined && start > end) return new CelError(`invalid substring range. start: ${start}, end: ${end}`);
  for (const index of [start, end ?? 0n]) if (index < 0n || index > length) return outOfRange(index);
  return characters.slice(Number(start), end === undefined ? undefined : Number(end));
}

function charAt(text: string, index: Value): Value {
  if (typeof index !== 'bigint') return noSuchOverload;
  const characters = new CodePointText(text);
  if (index < 0n || index > BigInt(characters.length)) return outOfRange(index);
  return characters.slice(Number(index), Number(index) + 1);
}

/** `indexOf` of a string; for lists see lists.ts. */
export function textIndexOf(text: string, part: Value, offset: Value = 0n): Value {
  if (typeof part !== 'string' || typeof offset !== 'bigint') return noSuchOverload;
  if (part === '') return offset;
  if (offset < 0n) return outOfRange(offset);
  const characters = new CodePointText(text);
  return offset >= BigInt(characters.length) ? -1n : BigInt(characters.search(part, Number(offset), 1));
}

/** `lastIndexOf` of a string. */
export function textLastIndexOf(text: string, part: Value, offset?: Value): Value {
  if (typeof part !== 'string' || (offset !== undefined && typeof offset !== 'bigint')) return noSuchOverload;
  const characters = new CodePointText(text);
  const length = BigInt(characters.length);
  if (part === '') return offset ?? length;
  if (offset === undefined && Buffer.byteLength(text) < Buffer.byteLength(part)) return -1n;
  const start = offset ?? length - 1n;
  if (start < 0n) return outOfRange(start);
  return start >= length ? -1n : BigInt(characters.search(part, Number(start), -1));
}

function replace(text: string, from: Value, to: Value, count: Value = -1n): Value {
  if (typeof from !== 'string' || typeof to !== 'string' || typeof count !== 'bigint') return noSuchOverload;
  // Go puts the new text before each character, and at the end, if the old one is empty.
  const parts = from === '' ? ['', ...text, ''] : text.split(from);
  const gaps = parts.length - 1;
  const replaced = count < 0n || count > BigInt(gaps) ? gaps : Number(count);
  if (text.length + replaced * to.length > maxTextLength) return costExceeded;
  let result = parts[0] as string;
  for (let i = 1; i < parts.length; i++) result += (i <= replaced ? to : from) + parts[i];
  return result;
}

function split(text: string, separator: Value, limit: Value = -1n): Value {
  if (typeof separator !== 'string' || typeof limit !== 'bigint') return noSuchOverload;
  if (limit === 0n) return new ArrayList([]);
  const parts = separator === '' ? [...text] : text.split(separator);
  if (limit > 0n && BigInt(parts.length) > limit) {
    const kept = Number(limit) - 1;
    return new ArrayList([...parts.slice(0, kept), parts.slice(kept).join(separator)]);
  }
  return new ArrayList(parts);
}

function join(list: Value, separator: Value = ''): Value {
  if (!isList(list) || typeof separator !== 'string') return noSuchOverload;
  const parts: string[] = [];
  for (const element of elementsOf(list as CelList)) {
    if (typeof element !== 'string') return new CelError(`join: invalid input: ${String(element)}`);
    parts.push(element);
  }
  return parts.join(separator);
}

const lowerAscii = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
const upperAscii = (text: string): string => text.replace(/[a-z]+/g, (letters) => letters.toUpperCase());
const space = '\\t\\n\\v\\f\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000';
const leadingSpace = new RegExp(`^[${space}]+`);

function trim(text: string): string {
  const start = leadingSpace.exec(text)?.[0].length ?? 0;
  let end = text.length;
  while (end > start && leadingSpace.test(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}

export const strings: Readonly<Record<string, CelFunction>> = {
  charAt: onText(charAt),
  contains: onTexts((text, part) => text.includes(part)),
  endsWith: onTexts((text, part) => text.endsWith(part)),
  startsWith: onTexts((text, part) => text.startsWith(part)),
  join,
  lowerAscii: onText(lowerAscii),
  upperAscii: onText(upperAscii),
  replace: onText(replace),
  split: onText(split),
  'strings.quote': onText((text) => `"${[...text].map(quoteGoCharacter).join('')}"`),
  substring: onText(substring),
  trim: onText(trim),
};
