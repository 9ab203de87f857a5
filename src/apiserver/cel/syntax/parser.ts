import { Uint } from '../eval/values.js';
import type { Issues } from '../issues.js';
import type { MapEntry, Node } from './ast.js';
import { reservedWords } from '../../../meta/cel-names.js';
import { type Token, tokenize } from './lexer.js';
import { expandMacro, MacroError } from './macros.js';
import { unquoteBytes, unquoteString } from './unquote.js';

const maxDepth = 250;
const maxCodePoints = 100_000;
const relations = new Set(['<', '<=', '>=', '>', '==', '!=', 'in']);
const operators: Readonly<Record<string, string>> = { in: '@in' };

const operandStarts =
  "'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER";
const operandKinds = new Set(operandStarts.replaceAll("'", '').split(', '));
/** Kinds of tokens that can come after a closing bracket. */
const followers = new Set([
  '<EOF>',
  ')',
  ']',
  '}',
  ',',
  ':',
  '?',
  '.',
  '[',
  '&&',
  '||',
  '+',
  '-',
  '*',
  '/',
  '%',
  ...relations,
]);

/** Thrown when there is no way to read on: the problem was reported. */
class SyntaxProblem extends Error {}

/** Parses an expression, with its macros replaced. Undefined if it is wrong: problems are reported to `issues`. */
export function parse(source: string, issues: Issues): Node | undefined {
  const size = [...source].length;
  if (size > maxCodePoints) {
    issues.report(undefined, `expression code point size exceeds limit: size: ${size}, limit ${maxCodePoints}`);
    return undefined;
  }
  try {
    const node = new Parser(tokenize(source, issues), issues).parse();
    return issues.found ? undefined : node;
  } catch (error) {
    if (error instanceof SyntaxProblem) return undefined;
    throw error;
  }
}

class Parser {
  #position = 0;
  #nesting = 0;
  /** How deep the tree below a node is, as far as cel-go counts it. */
  readonly #depths = new WeakMap<Node, number>();

  constructor(
    readonly tokens: readonly Token[],
    readonly issues: Issues,
  ) {}

  parse(): Node {
    const node = this.#expression();
    this.#expect('<EOF>');
    return node;
  }

  // Tokens

  get #current(): Token {
    return this.tokens[this.#position] as Token;
  }

  get #following(): Token | undefined {
    return this.tokens[this.#position + 1];
  }

  #take(kind: string): Token | undefined {
    const token = this.#current;
    if (token.kind !== kind) return undefined;
    if (kind !== '<EOF>') this.#position++;
    return token;
  }

  #syntaxError(message: string): void {
    this.issues.report(this.#current.offset, `Syntax error: ${message}`);
  }

  #fail(message: string): never {
    this.#syntaxError(message);
    throw new SyntaxProblem();
  }

  #shown(): string {
    return `'${this.#current.text.replaceAll('\n', '\\n')}'`;
  }

  /** Takes a token, or reports that it is missing. One token too many, or a closing one that is missing, is forgiven. */
  #expect(...kinds: string[]): Token {
    const token = this.#current;
    if (kinds.includes(token.kind)) return this.#take(token.kind) as Token;
    const names = kinds.map((kind) => (kind === '<EOF>' || /^[A-Z]/.test(kind) ? kind : `'${kind}'`));
    const expected = names.length === 1 ? names[0] : `{${names.join(', ')}}`;
    if (this.#following !== undefined && kinds.includes(this.#following.kind)) {
      this.#syntaxError(`extraneous input ${this.#shown()} expecting ${expected}`);
      this.#position++;
      return this.#take(this.#current.kind) as Token;
    }
    const isClosing = kinds[0] === ')' || kinds[0] === ']';
    const follows = isClosing ? followers : kinds[0] === ':' ? operandKinds : undefined;
    if (kinds.length === 1 && follows?.has(token.kind) === true) {
      this.#syntaxError(`missing ${expected} at ${this.#shown()}`);
      return token;
    }
    return this.#fail(`mismatched input ${this.#shown()} expecting ${expected}`);
  }

  // Depth

  #deepen<N extends Node>(node: N, ...below: Node[]): N {
    const depth = 1 + this.#depthOf(below);
    if (depth > maxDepth) this.#tooDeep('max recursion depth exceeded');
    this.#depths.set(node, depth);
    return node;
  }

  #contain<N extends Node>(node: N, below: readonly Node[]): N {
    this.#depths.set(node, this.#depthOf(below));
    return node;
  }

  #depthOf(nodes: readonly Node[]): number {
    return nodes.reduce((depth, node) => Math.max(depth, this.#depths.get(node) ?? 0), 0);
  }

  #tooDeep(message: string): never {
    this.issues.report(undefined, message);
    throw new SyntaxProblem();
  }

  // Expressions, from the weakest operator to the strongest

  #expression(): Node {
    if (++this.#nesting > maxDepth) this.#tooDeep(`expression recursion limit exceeded: ${maxDepth}`);
    const condition = this.#or();
    const operator = this.#take('?');
    let node = condition;
    if (operator !== undefined) {
      const then = this.#or();
      this.#expect(':');
      const otherwise = this.#expression();
      node = this.#call('_?_:_', operator.offset, condition, then, otherwise);
    }
    this.#nesting--;
    return node;
  }

  #or(): Node {
    return this.#logic('||', '_||_', () => this.#logic('&&', '_&&_', () => this.#relation()));
  }

  /** A chain of one logical operator becomes a balanced tree, so that long chains are not deep. */
  #logic(kind: string, name: string, operand: () => Node): Node {
    const terms = [operand()];
    const offsets: number[] = [];
    for (let token = this.#take(kind); token !== undefined; token = this.#take(kind)) {
      offsets.push(token.offset);
      terms.push(operand());
    }
    const balanced = (low: number, high: number): Node => {
      if (low === high) return terms[low] as Node;
      const middle = Math.floor((low + high) / 2);
      const args = [balanced(low, middle), balanced(middle + 1, high)];
      const offset = offsets[middle] as number;
      return this.#contain({ kind: 'call', name, target: undefined, args, offset }, args);
    };
    return balanced(0, terms.length - 1);
  }

  #relation(): Node {
    let node = this.#sum();
    while (relations.has(this.#current.kind)) {
      const { kind, offset } = this.#expect(this.#current.kind);
      node = this.#call(operators[kind] ?? `_${kind}_`, offset, node, this.#sum());
    }
    return node;
  }

  #sum(): Node {
    let node = this.#product();
    while (this.#current.kind === '+' || this.#current.kind === '-') {
      const { kind, offset } = this.#expect(this.#current.kind);
      node = this.#call(`_${kind}_`, offset, node, this.#product());
    }
    return node;
  }

  #product(): Node {
    let node = this.#unary();
    while (this.#current.kind === '*' || this.#current.kind === '/' || this.#current.kind === '%') {
      const { kind, offset } = this.#expect(this.#current.kind);
      node = this.#call(`_${kind}_`, offset, node, this.#unary());
    }
    return node;
  }

  #unary(): Node {
    const { kind, offset } = this.#current;
    if (kind !== '!' && kind !== '-') return this.#member();
    let count = 0;
    while (this.#take(kind) !== undefined) count++;
    const next = this.#current.kind;
    if (kind === '-' && count === 1 && (next === 'NUM_INT' || next === 'NUM_FLOAT')) {
      this.#position--;
      return this.#member();
    }
    const operand = this.#member();
    if (count % 2 === 0) return operand;
    return this.#contain(
      { kind: 'call', name: kind === '!' ? '!_' : '-_', target: undefined, args: [operand], offset },
      [operand],
    );
  }

  #member(): Node {
    let node = this.#primary();
    for (;;) {
      const dot = this.#take('.');
      if (dot !== undefined) {
        node = this.#selection(node, dot.offset);
        continue;
      }
      const bracket = this.#take('[');
      if (bracket === undefined) return node;
      const name = this.#take('?') === undefined ? '_[_]' : '_[?_]';
      const index = this.#expression();
      this.#expect(']');
      node = this.#call(name, bracket.offset, node, index);
    }
  }

  #selection(operand: Node, offset: number): Node {
    const optional = this.#take('?') !== undefined;
    const token = this.#current;
    if (token.kind === 'ESC_IDENTIFIER') {
      this.issues.report(token.offset, "unsupported syntax: '`'");
      throw new SyntaxProblem();
    }
    if (token.kind !== 'IDENTIFIER') {
      if (optional) this.#expect('IDENTIFIER', 'ESC_IDENTIFIER');
      this.#fail(this.#notAField());
    }
    this.#position++;
    if (optional) {
      const field: Node = { kind: 'literal', value: token.text, offset: token.offset };
      return this.#call('_?._', offset, operand, field);
    }
    const open = this.#take('(');
    if (open !== undefined) return this.#callOrMacro(token.text, open.offset, operand, this.#arguments());
    return this.#deepen({ kind: 'select', operand, field: token.text, test: false, offset }, operand);
  }

  #notAField(): string {
    const text = this.#current.kind === '<EOF>' ? '' : this.#current.text;
    return text === 'true' || text === 'false' || text === 'null'
      ? `mismatched input '${text}' expecting IDENTIFIER`
      : `no viable alternative at input '.${text}'`;
  }

  #primary(): Node {
    const token = this.#current;
    switch (token.kind) {
      case '(': {
        this.#position++;
        const node = this.#expression();
        this.#expect(')');
        return node;
      }
      case '[':
        return this.#list();
      case '{':
        return this.#map();
      case '.':
      case 'IDENTIFIER':
        return this.#name();
      default:
        return this.#literal();
    }
  }

  #name(): Node {
    const start = this.#current.offset;
    const dot = this.#take('.') === undefined ? '' : '.';
    const token = this.#expect('IDENTIFIER');
    const struct = this.#struct(dot + token.text);
    if (struct !== undefined) return struct;
    const open = this.#take('(');
    const args = open === undefined ? [] : this.#arguments();
    if (reservedWords.has(token.text)) {
      this.issues.report(start, `reserved identifier: ${token.text}`);
      return { kind: 'ident', name: token.text, offset: start };
    }
    if (open !== undefined) return this.#callOrMacro(dot + token.text, open.offset, undefined, args);
    return { kind: 'ident', name: dot + token.text, offset: token.offset };
  }

  /** `a.b.Name{field: value}`; undefined, and nothing is read, if names are not followed by a brace. */
  #struct(first: string): Node | undefined {
    let position = this.#position;
    let name = first;
    while (this.tokens[position]?.kind === '.' && this.tokens[position + 1]?.kind === 'IDENTIFIER') {
      name += `.${this.tokens[position + 1]?.text}`;
      position += 2;
    }
    const open = this.tokens[position];
    if (open?.kind !== '{') return undefined;
    this.#position = position + 1;
    while (this.#current.kind !== '}') {
      this.#take('?');
      this.#expect('IDENTIFIER');
      this.#expect(':');
      this.#expression();
      if (this.#take(',') === undefined) break;
    }
    this.#expect('}', ',');
    return { kind: 'struct', name, offset: open.offset };
  }

  #arguments(): Node[] {
    const args: Node[] = [];
    if (this.#take(')') !== undefined) return args;
    if (!operandKinds.has(this.#current.kind)) this.#notAnOperand(`{${operandStarts.replace("'('", "'(', ')'")}}`);
    if (this.#take(')') !== undefined) return args;
    do args.push(this.#expression());
    while (this.#take(',') !== undefined);
    this.#expect(')');
    return args;
  }

  #list(): Node {
    const { offset } = this.#expect('[');
    const elements: Node[] = [];
    const optionals = new Set<number>();
    let comma = true;
    if (this.#current.kind === ',') this.#position++;
    else
      while (comma && this.#current.kind !== ']') {
        if (this.#current.kind === ',') this.#fail("mismatched input ',' expecting ']'");
        if (this.#take('?') !== undefined) optionals.add(elements.length);
        elements.push(this.#expression());
        comma = this.#take(',') !== undefined;
      }
    this.#expect(']', ...(comma ? [] : [',']));
    return this.#contain({ kind: 'list', elements, optionals, offset }, elements);
  }

  #map(): Node {
    const { offset } = this.#expect('{');
    const entries: MapEntry[] = [];
    let comma = true;
    while (comma && this.#current.kind !== '}') {
      if (this.#current.kind === ',' && entries.length === 0) {
        this.#position++;
        break;
      }
      const optional = this.#take('?') !== undefined;
      const key = this.#expression();
      this.#expect(':');
      entries.push({ key, value: this.#expression(), optional });
      comma = this.#take(',') !== undefined;
    }
    this.#expect('}', ...(comma ? [] : [',']));
    return this.#contain(
      { kind: 'map', entries, offset },
      entries.flatMap((entry) => [entry.key, entry.value]),
    );
  }

  #literal(): Node {
    const start = this.#current.offset;
    const sign = this.#take('-') === undefined ? '' : '-';
    const token = this.#current;
    const literal = (value: (Node & { kind: 'literal' })['value']): Node => {
      this.#position++;
      return { kind: 'literal', value, offset: start };
    };
    const integer = (text: string, problem: string, min: bigint, max: bigint): bigint => {
      const value = sign === '-' ? -BigInt(text) : BigInt(text);
      if (value < min || value > max) this.issues.report(start, problem);
      return value;
    };
    switch (token.kind) {
      case 'NUM_INT':
        return literal(integer(token.text, 'invalid int literal', -(1n << 63n), (1n << 63n) - 1n));
      case 'NUM_UINT':
        return literal(new Uint(integer(token.text.slice(0, -1), 'invalid uint literal', 0n, (1n << 64n) - 1n)));
      case 'NUM_FLOAT': {
        const value = Number(sign + token.text);
        if (!Number.isFinite(value)) this.issues.report(start, 'invalid double literal');
        return literal(value);
      }
      case 'STRING':
      case 'BYTES':
        try {
          return literal(token.kind === 'STRING' ? unquoteString(token.text) : unquoteBytes(token.text.slice(1)));
        } catch (error) {
          this.issues.report(start, (error as Error).message);
          return literal('');
        }
      case 'true':
        return literal(true);
      case 'false':
        return literal(false);
      case 'null':
        return literal(null);
      default:
        this.#notAnOperand(`{${operandStarts}}`);
        return this.#primary();
    }
  }

  /** Skips one token that does not belong, or gives up. */
  #notAnOperand(expected: string): void {
    if (
      this.#following !== undefined &&
      (operandKinds.has(this.#following.kind) || (expected.includes("')'") && this.#following.kind === ')'))
    ) {
      this.#syntaxError(`extraneous input ${this.#shown()} expecting ${expected}`);
      this.#position++;
      return;
    }
    this.#fail(`mismatched input ${this.#shown()} expecting ${expected}`);
  }

  // Calls

  #call(name: string, offset: number, ...args: Node[]): Node {
    return this.#deepen({ kind: 'call', name, target: undefined, args, offset }, ...args);
  }

  #callOrMacro(name: string, offset: number, target: Node | undefined, args: readonly Node[]): Node {
    const below = target === undefined ? args : [target, ...args];
    const expanded = expandMacro(name, target, args, offset);
    if (expanded instanceof MacroError) {
      this.issues.report(expanded.offset, expanded.message);
      throw new SyntaxProblem();
    }
    const node: Node = expanded ?? { kind: 'call', name, target, args, offset };
    return target === undefined ? this.#contain(node, below) : this.#deepen(node, ...below);
  }
}
