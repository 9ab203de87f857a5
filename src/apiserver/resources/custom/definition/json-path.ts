import { getField, isJsonObject } from '../../../../meta/json-values.js';

/** Finds values in a document. Throws a {@link JsonPathError} where client-go's JSONPath fails. */
export type JsonPath = (document: unknown) => unknown[];

/** A path that cannot be parsed, or that does not fit a document. */
export class JsonPathError extends Error {}

/** The most values that a path finds: each `..` can multiply them. */
const MAX_VALUES = 100_000;

type Step = (values: readonly unknown[]) => unknown[];

/**
 * Parses the JSONPath of a printer column, as `.spec.ports[0].name` or `.status.conditions[?(@.type=="Ready")].status`: the
 * dialect of client-go, where a missing field is no error.
 *
 * @throws JsonPathError
 */
export function parseJsonPath(path: string): JsonPath {
  const steps = new Parser(path).steps();
  return (document) => run(steps, [document]);
}

function run(steps: readonly Step[], values: readonly unknown[]): unknown[] {
  let found = [...values];
  for (const step of steps) {
    found = step(found);
    if (found.length > MAX_VALUES) throw new JsonPathError('too many values');
  }
  return found;
}

class Parser {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  steps(): Step[] {
    const steps: Step[] = [];
    while (this.#at < this.#text.length) {
      const rest = this.#text.slice(this.#at);
      const first = rest[0]!;
      if (rest.startsWith('[?(')) steps.push(this.#filter());
      else if (rest.startsWith('..')) {
        this.#at += 2;
        if (steps.at(-1) === descend) throw new JsonPathError('invalid multiple recursive descent');
        steps.push(descend);
        if (/^[\p{L}\p{Nd}_]/u.test(rest.slice(2))) steps.push(this.#field());
      } else if (first === ' ' || first === '@' || first === '$') this.#at++;
      else if (first === '[') steps.push(...this.#brackets());
      else if (first === '"' || first === "'") steps.push(constant(this.#quoted(first)));
      else if (first === '.') {
        this.#at++;
        steps.push(this.#field());
      } else if (/^[+-]?\d/.test(rest)) steps.push(constant(this.#number()));
      else if (/^(?:true|false)(?![\p{L}\p{Nd}_])/u.test(rest)) {
        this.#at += first === 't' ? 4 : 5;
        steps.push(constant(first === 't'));
      } else throw new JsonPathError(`unrecognized character in action: ${first}`);
    }
    return steps;
  }

  /** A name up to a character that ends it; a backslash escapes one. */
  #field(): Step {
    let name = '';
    for (; this.#at < this.#text.length; this.#at++) {
      const character = this.#text[this.#at]!;
      if (character === '\\') name += this.#text[++this.#at] ?? '';
      else if (' \t\r\n.,[]$@{}'.includes(character)) break;
      else name += character;
    }
    return name === '*' ? children : field(name);
  }

  /** `[0]`, `[1:3]`, `['name']`, `[*]`, or several of them with commas. */
  #brackets(): Step[] {
    const end = this.#text.indexOf(']', this.#at);
    if (end < 0) throw new JsonPathError('unterminated array');
    const text = this.#text.slice(this.#at + 1, end);
    this.#at = end + 1;
    const parts = text.split(',');
    if (parts.length === 1) return bracket(text);
    const alternatives = parts.map((part) => bracket(part.trim()));
    return [(values) => alternatives.flatMap((steps) => run(steps, values))];
  }

  #filter(): Step {
    const start = this.#at + 3;
    let quote = '';
    let at = start;
    for (; quote !== '' || this.#text[at] !== ')'; at++) {
      const character = this.#text[at];
      if (character === undefined || character === '\n') throw new JsonPathError('unterminated filter');
      if (quote === '' ? character === '"' || character === "'" : character === quote && this.#text[at - 1] !== '\\') {
        quote = quote === '' ? character : '';
      }
    }
    if (this.#text[at + 1] !== ']') throw new JsonPathError('unclosed array expect ]');
    const text = this.#text.slice(start, at);
    this.#at = at + 2;
    const [, left, operator = '', right = ''] = /^([^!<>=]+)([!<>=]+)([^\n]+)$/.exec(text) ?? [];
    if (left === undefined) {
      const exists = new Parser(text).steps();
      return filter((item) => run(exists, [item]).length > 0);
    }
    const compare = COMPARISONS[operator];
    if (compare === undefined) throw new JsonPathError(`unrecognized filter operator ${operator}`);
    const leftSteps = new Parser(left).steps();
    const rightSteps = new Parser(right).steps();
    return filter((item) => {
      const one = single(run(leftSteps, [item]));
      const other = single(run(rightSteps, [item]));
      return one !== undefined && other !== undefined && compare(comparable(one, other));
    });
  }

  #quoted(quote: string): string {
    let value = '';
    for (let at = this.#at + 1; at < this.#text.length; at++) {
      const character = this.#text[at]!;
      if (character === quote) {
        this.#at = at + 1;
        return value;
      }
      value += character === '\\' ? (this.#text[++at] ?? '') : character;
    }
    throw new JsonPathError('unterminated quoted string');
  }

  #number(): number {
    const [text] = /^[+-]?[\d.]*/.exec(this.#text.slice(this.#at))!;
    this.#at += text.length;
    const value = Number(text);
    if (Number.isNaN(value)) throw new JsonPathError(`cannot parse number ${text}`);
    return value;
  }
}

function bracket(text: string): Step[] {
  if (text === '*') return [slice(undefined, undefined, undefined)];
  const name = /^'([^']*)'$/.exec(text)?.[1];
  if (name !== undefined) return new Parser(`.${name}`).steps();
  const match = /^(-?\d*)(:-?\d*)?(:-?\d*)?$/.exec(text);
  if (match === null) throw new JsonPathError(`invalid array index ${text}`);
  const [start, end, step] = [match[1], match[2]?.slice(1), match[3]?.slice(1)].map((part) =>
    part === undefined || part === '' || part === '-' ? undefined : Number(part),
  );
  if (match[2] !== undefined) return [slice(start, end, step)];
  return [index(start ?? 0)];
}

const constant =
  (value: unknown): Step =>
  (values) =>
    values.map(() => value);

const field =
  (name: string): Step =>
  (values) =>
    values.flatMap((value) => (isJsonObject(value) && Object.hasOwn(value, name) ? [getField(value, name)] : []));

const children: Step = (values) => values.flatMap(childrenOf);

function childrenOf(value: unknown): unknown[] {
  return typeof value === 'object' && value !== null ? Object.values(value) : [];
}

/** All containers, from the outside in. */
const descend: Step = (values) => {
  const found: unknown[] = [];
  const unread = [...values].reverse();
  while (unread.length > 0) {
    const value = unread.pop();
    const inner = childrenOf(value);
    if (inner.length === 0) continue;
    found.push(value);
    if (found.length + unread.length > MAX_VALUES) throw new JsonPathError('too many values');
    unread.push(...inner.reverse());
  }
  return found;
};

function index(at: number): Step {
  return listStep((list) => {
    const place = at < 0 ? at + list.length : at;
    if (place < 0 || place >= list.length) {
      throw new JsonPathError(`array index out of bounds: index ${place}, length ${list.length}`);
    }
    return [list[place]];
  });
}

function slice(start: number | undefined, end: number | undefined, step = 1): Step {
  return listStep((list) => {
    const from = start === undefined ? 0 : start < 0 ? start + list.length : start;
    const to = end === undefined ? list.length : end < 0 ? end + list.length : end;
    if (from === to) return [];
    if (from < 0 || from >= list.length || to < 0 || to > list.length || from > to || step <= 0) {
      throw new JsonPathError(`array index out of bounds: index ${from}, length ${list.length}`);
    }
    return list.slice(from, to).filter((_item, at) => at % step === 0);
  });
}

/** A step on lists: nulls have no items, other values are an error. */
function listStep(read: (list: readonly unknown[]) => unknown[]): Step {
  return (values) =>
    values.flatMap((value) => {
      if (value === null) return [];
      if (!Array.isArray(value)) throw new JsonPathError('the value is not array or slice');
      return read(value);
    });
}

function filter(selects: (item: unknown) => boolean): Step {
  return (values) =>
    values.flatMap((value) => {
      if (!Array.isArray(value)) throw new JsonPathError('the value is not array or slice and cannot be filtered');
      return value.filter(selects);
    });
}

function single(values: readonly unknown[]): unknown {
  if (values.length > 1) throw new JsonPathError('can only compare one element at a time');
  return values[0];
}

/** How two scalars of one type compare: negative, 0 or positive. */
function comparable(one: unknown, other: unknown): number {
  if (typeof one !== typeof other || typeof one === 'object')
    throw new JsonPathError('incompatible types for comparison');
  if (one === other) return 0;
  return (one as string | number) < (other as string | number) ? -1 : 1;
}

const COMPARISONS: Readonly<Record<string, (order: number) => boolean>> = {
  '==': (order) => order === 0,
  '!=': (order) => order !== 0,
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
};
