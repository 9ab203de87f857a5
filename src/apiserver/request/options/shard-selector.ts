import { StatusError } from '../../../meta/errors/errors.js';
import { fnv1a } from '../../../structures/fnv1a.js';
import type { Revision } from '../../storage/storage.js';

const FIELDS: Readonly<Record<string, (revision: Revision) => string>> = {
  'object.metadata.uid': ({ uid }) => uid,
  'object.metadata.namespace': ({ namespace }) => namespace,
};
/** The end of the last shard: 2^64. */
const LAST_END = '0x10000000000000000';

interface Range {
  readonly field: string;
  readonly start: string;
  readonly end: string;
}

/** Selects the objects whose uid or namespace has a hash in one of some ranges. */
export class ShardSelector {
  /** The expression in its normal form, which lists have in their metadata. */
  readonly text: string;
  readonly #ranges: readonly Range[];
  readonly #value: (revision: Revision) => string;

  constructor(ranges: readonly Range[]) {
    this.#ranges = ranges;
    this.#value = FIELDS[ranges[0]!.field]!;
    this.text = ranges.map(({ field, start, end }) => `shardRange(${field}, '${start}', '${end}')`).join(' || ');
  }

  selects(revision: Revision): boolean {
    const { high, low } = fnv1a(Buffer.from(this.#value(revision)));
    const hash = `0x${hex(high)}${hex(low)}`;
    return this.#ranges.some(({ start, end }) => start <= hash && (end === LAST_END || hash < end));
  }
}

/** Parses the query parameter `shardSelector`; throws the 500 of kube-apiserver. */
export function parseShardSelector(text: string): ShardSelector {
  try {
    if (text.trim() === '')
      throw new Error('empty shard selector is not allowed; omit the parameter for unfiltered lists');
    const ranges = rangesOf(new Parser(text).expression());
    const other = ranges.find(({ field }) => field !== ranges[0]!.field);
    if (other !== undefined) {
      const both = `${JSON.stringify(ranges[0]!.field)} and ${JSON.stringify(other.field)}`;
      throw new Error(`all shard ranges must use the same field, got ${both}`);
    }
    return new ShardSelector(ranges);
  } catch (error) {
    const message = `invalid shard selector: ${(error as Error).message}`;
    throw new StatusError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: 500 });
  }
}

/** An expression: a name with dots, a text or number, or a call. `kind` is its number in messages. */
type Expression =
  | { readonly kind: 3; readonly path: string }
  | { readonly kind: 5; readonly value: string | number }
  | { readonly kind: 1; readonly function: string; readonly operands: readonly Expression[] };

function rangesOf(expression: Expression): Range[] {
  if (expression.kind !== 1) {
    throw new Error(`unexpected expression kind ${expression.kind}; expected shardRange() call or || operator`);
  }
  if (expression.function === '_||_') return expression.operands.flatMap(rangesOf);
  if (expression.function !== 'shardRange') {
    throw new Error(
      `unsupported function ${JSON.stringify(expression.function)}; only shardRange() and || are allowed`,
    );
  }
  const [path, start, end] = expression.operands;
  if (expression.operands.length !== 3) {
    throw new Error(`shardRange() requires exactly 3 arguments, got ${expression.operands.length}`);
  }
  const field = path!.kind === 3 ? path!.path : '';
  if (!Object.hasOwn(FIELDS, field)) {
    throw new Error(`unsupported field path ${JSON.stringify(field)}; supported: ${Object.keys(FIELDS).join(', ')}`);
  }
  const range = { field, start: bound('hexStart', start!), end: bound('hexEnd', end!) };
  const isEmpty = range.start === LAST_END || (range.end !== LAST_END && range.start >= range.end);
  if (isEmpty) throw new Error(`shard range start ${range.start} must be less than end ${range.end}`);
  return [range];
}

/** A bound of a range: `0x` and 16 digits, or 2^64. */
function bound(name: 'hexStart' | 'hexEnd', expression: Expression): string {
  if (expression.kind !== 5 || typeof expression.value !== 'string') {
    throw new Error(`${name} must be a string literal (e.g. '0xff'), got expression kind ${expression.kind}`);
  }
  const text = expression.value;
  const shown = JSON.stringify(text);
  if (!text.startsWith('0x')) throw new Error(`${name} must have '0x' prefix, got ${shown}`);
  const digits = text.slice(2);
  if (digits === '') throw new Error(`${name}: hex value is required after '0x'`);
  const wrong = /[^0-9a-f]/.exec(digits)?.[0];
  if (wrong !== undefined) throw new Error(`${name}: invalid hex character ${JSON.stringify(wrong)} in ${shown}`);
  if (digits.length > 17) {
    throw new Error(`${name}: hex value too long (${digits.length} chars, max 17): ${JSON.stringify(digits)}`);
  }
  if (digits.length === 17 && text !== LAST_END) {
    throw new Error(`${name}: 17-digit hex value must be '${LAST_END}' (2^64), got ${shown}`);
  }
  if (digits.length < 16) {
    const meant = JSON.stringify(`0x${digits.padStart(16, '0')}`);
    throw new Error(`${name} must be a 0x-prefixed 16-digit hex value, got ${shown} (did you mean ${meant}?)`);
  }
  return text;
}

const TOKEN = /\s*(?:(\|\||&&|[()!,])|([A-Za-z_][\w.]*)|'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|(\d+)|(\S))/y;
/** Deeper parentheses are refused. */
const MAX_DEPTH = 50;

/** The part of CEL that shard selectors use: calls, names, texts, `||`, `&&`, `!` and parentheses. */
class Parser {
  readonly #text: string;
  readonly #tokens: RegExpExecArray[] = [];
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text.trimEnd();
    TOKEN.lastIndex = 0;
    while (TOKEN.lastIndex < this.#text.length) this.#tokens.push(TOKEN.exec(this.#text)!);
  }

  expression(): Expression {
    const expression = this.#any();
    if (this.#at < this.#tokens.length) this.#fail();
    return expression;
  }

  #any(): Expression {
    if (++this.#depth > MAX_DEPTH) throw new Error('CEL parse error: expression recursion limit exceeded');
    let left = this.#all();
    while (this.#takes('||')) left = { kind: 1, function: '_||_', operands: [left, this.#all()] };
    this.#depth--;
    return left;
  }

  #all(): Expression {
    let left = this.#unary();
    while (this.#takes('&&')) left = { kind: 1, function: '_&&_', operands: [left, this.#unary()] };
    return left;
  }

  #unary(): Expression {
    if (this.#takes('!')) return { kind: 1, function: '!_', operands: [this.#unary()] };
    if (this.#takes('(')) {
      const inner = this.#any();
      if (!this.#takes(')')) this.#fail();
      return inner;
    }
    const token = this.#tokens[this.#at++];
    if (token === undefined) return this.#fail();
    const [, , name, single, double, number] = token;
    const text = single ?? double;
    if (text !== undefined) return { kind: 5, value: text.replace(/\\(.)/g, '$1') };
    if (number !== undefined) return { kind: 5, value: Number(number) };
    if (name === undefined) return this.#fail();
    return this.#takes('(') ? this.#call(name) : { kind: 3, path: name };
  }

  #call(name: string): Expression {
    const operands: Expression[] = [];
    if (this.#takes(')')) return { kind: 1, function: name, operands };
    do operands.push(this.#any());
    while (this.#takes(','));
    if (!this.#takes(')')) this.#fail();
    return { kind: 1, function: name, operands };
  }

  #takes(operator: string): boolean {
    const isNext = this.#tokens[this.#at]?.[1] === operator;
    if (isNext) this.#at++;
    return isNext;
  }

  #fail(): never {
    const found = this.#tokens[Math.min(this.#at, this.#tokens.length) - 1]?.[0].trim() ?? '<EOF>';
    throw new Error(`CEL parse error: Syntax error: unexpected input near '${found}'`);
  }
}

/** 32 bits as eight hexadecimal digits. */
function hex(half: number): string {
  return half.toString(16).padStart(8, '0');
}
