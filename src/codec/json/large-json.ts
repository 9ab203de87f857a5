import { isDeepStrictEqual } from 'node:util';
import { type JsonObject, setField } from '../../meta/json-values.js';
import { mutableCopy } from '../../meta/objects.js';
import type { Steps } from '../../time/steps.js';

/*
 * JSON.parse, JSON.stringify, isDeepStrictEqual and mutableCopy for documents of any size: they take large arrays and objects apart and
 * leave the pieces to the built-in functions, with a step after each piece.
 */

/** Texts up to this length, in characters, are one piece. */
export const PIECE: number = 16 * 1024;
/** Values of up to so many parts are one piece. */
const PIECE_PARTS = 2048;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Parses a text like JSON.parse. The position in a SyntaxError is that in the whole text. */
export function* parseLarge(text: string): Steps<unknown> {
  if (text.length <= PIECE) return JSON.parse(text);
  return yield* new Cutter(text).document();
}

/** Cuts a text at the commas of its large arrays and objects. */
class Cutter {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  *document(): Steps<unknown> {
    this.#skipSpace();
    const first = this.#text.charCodeAt(this.#at);
    if (first !== OPEN_ARRAY && first !== OPEN_OBJECT) return JSON.parse(this.#text);
    const value = yield* this.#container();
    this.#skipSpace();
    if (this.#at < this.#text.length) this.#fail('Unexpected non-whitespace character after JSON');
    return value;
  }

  /** An array or object that begins here. Members are parsed together, as many as make a piece; a large one by itself. */
  *#container(): Steps<unknown[] | JsonObject> {
    const text = this.#text;
    const isArray = text.charCodeAt(this.#at) === OPEN_ARRAY;
    const result: unknown[] | JsonObject = isArray ? [] : {};
    let batch = ++this.#at;
    let member = batch;
    let depth = 0;
    for (let at = batch; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) {
        at = this.#endOfString(at);
      } else if (code === OPEN_ARRAY || code === OPEN_OBJECT) {
        depth++;
      } else if (code === CLOSE_ARRAY || code === CLOSE_OBJECT) {
        if (depth-- > 0) continue;
        if (code !== (isArray ? CLOSE_ARRAY : CLOSE_OBJECT)) this.#fail('Unexpected token', at);
        const isEmpty = text.slice(batch, at).trim() === '';
        // What follows a comma is a member; only a container that has none may be empty.
        if (isEmpty && text.charCodeAt(batch - 1) === COMMA) this.#fail('Unexpected token', at);
        if (!isEmpty) this.#take(result, batch, at);
        this.#at = at + 1;
        return result;
      } else if (code === COMMA) {
        if (depth > 0 && at - member > PIECE) {
          if (member > batch) this.#take(result, batch, member - 1);
          at = yield* this.#largeMember(result, member);
          batch = at + 1;
          member = batch;
          depth = 0;
          if (text.charCodeAt(at) !== COMMA) at--;
          yield;
        } else if (depth === 0) {
          member = at + 1;
          if (at - batch <= PIECE) continue;
          this.#take(result, batch, at);
          batch = member;
          yield;
        }
      }
    }
    throw new SyntaxError('Unexpected end of JSON input');
  }

  /** Parses a member that is itself a large array or object; returns where the comma or bracket after it is. */
  *#largeMember(result: unknown[] | JsonObject, start: number): Steps<number> {
    this.#at = start;
    this.#skipSpace();
    let name: string | undefined;
    if (!Array.isArray(result)) {
      const begin = this.#at;
      if (this.#text.charCodeAt(begin) !== QUOTE) this.#fail('Unexpected token');
      this.#at = this.#endOfString(begin) + 1;
      name = this.#parse(this.#text.slice(begin, this.#at), begin) as string;
      this.#skipSpace();
      if (this.#text.charCodeAt(this.#at++) !== COLON) this.#fail('Unexpected token', this.#at - 1);
      this.#skipSpace();
    }
    const first = this.#text.charCodeAt(this.#at);
    if (first !== OPEN_ARRAY && first !== OPEN_OBJECT) this.#fail('Unexpected token');
    const value = yield* this.#container();
    if (Array.isArray(result)) result.push(value);
    else setField(result, name as string, value);
    this.#skipSpace();
    const next = this.#text.charCodeAt(this.#at);
    if (next !== COMMA && next !== (Array.isArray(result) ? CLOSE_ARRAY : CLOSE_OBJECT)) this.#fail('Unexpected token');
    return this.#at;
  }

  /** Adds the members between two places. */
  #take(result: unknown[] | JsonObject, from: number, to: number): void {
    const members = this.#text.slice(from, to);
    if (Array.isArray(result)) {
      for (const item of this.#parse(`[${members}]`, from - 1) as unknown[]) result.push(item);
      return;
    }
    const object = this.#parse(`{${members}}`, from - 1) as JsonObject;
    for (const name of Object.keys(object)) setField(result, name, object[name]);
  }

  #parse(piece: string, offset: number): unknown {
    try {
      return JSON.parse(piece);
    } catch (error) {
      const position = /at position (\d+)/.exec((error as Error).message)?.[1];
      if (position === undefined) throw error;
      return this.#fail('Unexpected token', offset + Number(position));
    }
  }

  #endOfString(quote: number): number {
    const end = endOfString(this.#text, quote);
    if (end < 0) throw new SyntaxError('Unterminated string in JSON');
    return end;
  }

  #skipSpace(): void {
    while (' \t\n\r'.includes(this.#text[this.#at] ?? 'x')) this.#at++;
  }

  #fail(what: string, position = this.#at): never {
    throw new SyntaxError(`${what} at position ${position}`);
  }
}

/** The quote that ends the string which another one begins; negative if none does. */
export function endOfString(text: string, quote: number): number {
  for (let end = text.indexOf('"', quote + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return end;
  }
  return -1;
}

/** Prints a value like JSON.stringify. */
export function* stringifyLarge(value: unknown): Steps<string> {
  return isSmall(value) ? JSON.stringify(value) : yield* stringifyInPieces(value);
}

function* stringifyInPieces(value: unknown): Steps<string> {
  yield;
  const pieces: string[] = [];
  yield* Array.isArray(value) ? printArray(value, pieces) : printObject(value as JsonObject, pieces);
  return pieces.join('');
}

function* printArray(items: readonly unknown[], pieces: string[]): Steps<void> {
  let separator = '[';
  for (let at = 0; at < items.length; yield) {
    const end = pieceEnd(items, at);
    if (end > at) pieces.push(separator, JSON.stringify(items.slice(at, end)).slice(1, -1));
    else pieces.push(separator, yield* stringifyInPieces(items[at]));
    separator = ',';
    at = Math.max(end, at + 1);
  }
  pieces.push(items.length === 0 ? '[]' : ']');
}

function* printObject(object: JsonObject, pieces: string[]): Steps<void> {
  let piece = '{';
  let separator = '';
  const names = Object.keys(object);
  yield;
  for (const name of names) {
    const value = object[name];
    if (value === undefined) continue;
    piece += `${separator}${JSON.stringify(name)}:`;
    separator = ',';
    if (isSmall(value)) piece += JSON.stringify(value);
    else piece += yield* stringifyInPieces(value);
    if (piece.length < PIECE) continue;
    pieces.push(piece);
    piece = '';
    yield;
  }
  pieces.push(`${piece}}`);
}

/** Compares two JSON values like isDeepStrictEqual. */
export function* equalLarge(a: unknown, b: unknown): Steps<boolean> {
  if (isSmall(a)) return isDeepStrictEqual(a, b);
  yield;
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    for (let at = 0; at < a.length; yield) {
      const end = pieceEnd(a, at);
      const isEqual =
        end > at ? isDeepStrictEqual(a.slice(at, end), b.slice(at, end)) : yield* equalLarge(a[at], b[at]);
      if (!isEqual) return false;
      at = Math.max(end, at + 1);
    }
    return true;
  }
  if (typeof b !== 'object' || b === null || Array.isArray(b)) return false;
  const names = Object.keys(a as JsonObject);
  yield;
  const length = Object.keys(b).length;
  yield;
  if (names.length !== length) return false;
  for (const [at, name] of names.entries()) {
    if (!Object.hasOwn(b, name)) return false;
    const [one, other] = [(a as JsonObject)[name], (b as JsonObject)[name]];
    if (one !== other && !(yield* equalLarge(one, other))) return false;
    if (at % 128 === 0) yield;
  }
  return true;
}

/** Copies a JSON value. */
export function* copyLarge(value: unknown): Steps<unknown> {
  if (isSmall(value)) return mutableCopy(value as object);
  yield;
  if (Array.isArray(value)) {
    const items: unknown[] = [];
    for (let at = 0; at < value.length; yield) {
      const end = pieceEnd(value, at);
      if (end === at) items.push(yield* copyLarge(value[at]));
      else for (const item of value.slice(at, end)) items.push(mutableCopy(item));
      at = Math.max(end, at + 1);
    }
    return items;
  }
  const copy: JsonObject = {};
  const names = Object.keys(value as JsonObject);
  yield;
  for (const name of names) {
    const field = (value as JsonObject)[name];
    setField(copy, name, isSmall(field) ? mutableCopy(field as object) : yield* copyLarge(field));
    yield;
  }
  return copy;
}

/** Whether a value has few enough parts to be handled as one piece. */
export function isSmall(value: unknown): boolean {
  return typeof value !== 'object' || value === null || partsLeft(value, PIECE_PARTS) >= 0;
}

/** Up to where the items of an array from a place on make one piece; the place itself if its item is larger than one. */
export function pieceEnd(items: readonly unknown[], from: number): number {
  let left = PIECE_PARTS;
  for (let at = from; at < items.length; at++) {
    left = partsLeft(items[at], left);
    if (left < 0) return at;
  }
  return items.length;
}

/** How many of so many parts are left after those of a value; negative when it has more. */
function partsLeft(value: unknown, left: number): number {
  if (typeof value !== 'object' || value === null) return left - 1;
  const isArray = Array.isArray(value);
  const parts: readonly unknown[] = isArray ? value : Object.keys(value);
  if (parts.length > left) return -1;
  let rest = left - 1;
  for (const part of parts) {
    rest = partsLeft(isArray ? part : (value as JsonObject)[part as string], rest);
    if (rest < 0) return rest;
  }
  return rest;
}
