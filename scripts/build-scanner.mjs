// Compiles src/codec/json/scan.ts to WebAssembly and writes the module into src/codec/json/scan-wasm.ts.
//
// The scanner uses a subset of TypeScript, so that this compiler is small: whole numbers, two views of one memory,
// assignments, if, while, switch, break and continue, and functions of one expression, which are inlined. Everything else
// is an error. `skipPlain` reads bits that `mark`, a loop of vector instructions, has set.
//
// `node scripts/build-scanner.mjs` writes the file; with `--check` it exits 1 if the file is out of date.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const folder = new URL('../src/codec/json/', import.meta.url);
const target = fileURLToPath(new URL('scan-wasm.ts', folder));

const I32 = 0x7f;
const I64 = 0x7e;
const V128 = 0x7b;
const VOID = 0x40;
const op = {
  block: 0x02,
  loop: 0x03,
  if: 0x04,
  else: 0x05,
  end: 0x0b,
  br: 0x0c,
  brIf: 0x0d,
  brTable: 0x0e,
  return: 0x0f,
};
const local = { get: 0x20, set: 0x21, tee: 0x22 };
const i32 = { eqz: 0x45, store16: 0x3b, shrU: 0x76 };
const i64 = { load: 0x29, eqz: 0x50, ctz: 0x7a, shrU: 0x88, wrap: 0xa7, extend: 0xad };
const binary = new Map([
  ['+', 0x6a],
  ['-', 0x6b],
  ['*', 0x6c],
  ['<<', 0x74],
  ['>>', 0x75],
  ['&', 0x71],
  ['|', 0x72],
  ['===', 0x46],
  ['!==', 0x47],
  ['<', 0x48],
  ['>', 0x4a],
  ['<=', 0x4c],
  ['>=', 0x4e],
]);

function unsigned(value) {
  const bytes = [];
  do {
    const more = value >= 0x80;
    bytes.push((value & 0x7f) | (more ? 0x80 : 0));
    value = Math.floor(value / 128);
  } while (value > 0);
  return bytes;
}

function signed(value) {
  const bytes = [];
  for (;;) {
    const byte = value & 0x7f;
    value >>= 7;
    const done = (value === 0 && (byte & 0x40) === 0) || (value === -1 && (byte & 0x40) !== 0);
    bytes.push(done ? byte : byte | 0x80);
    if (done) return bytes;
  }
}

const vector = (bytes) => [...unsigned(bytes.length), ...bytes.flat()];
const section = (id, content) => [id, ...unsigned(content.length), ...content];
const text = (word) => vector([...Buffer.from(word)]);
const number = (value) => [0x41, ...signed(value)];
const splat = (byte) => [0xfd, 0x0c, ...new Array(16).fill(byte)];

class Compiler {
  #file;
  #constants = new Map();
  #locals = new Map();
  #types = [];
  // The blocks and loops around the current statement, from the outside in, with the targets of break and continue.
  #control = [];

  constructor(file, layout) {
    this.#file = file;
    for (const statement of [...layout.statements, ...file.statements]) {
      if (!ts.isVariableStatement(statement)) continue;
      for (const { name, initializer } of statement.declarationList.declarations) {
        this.#constants.set(name.text, this.#constant(initializer));
      }
    }
  }

  constantOf(name) {
    const value = this.#constants.get(name);
    if (value === undefined) throw new Error(`${this.#file.fileName} has no constant ${name}`);
    return value;
  }

  /** The body of a function with its locals, in the format of the code section. */
  functionBody(name) {
    const declared = this.#declaration(name);
    const parameters = declared.parameters.map((p) => p.name.text).filter((p) => p !== 'm8' && p !== 'm32');
    for (const parameter of parameters) this.#locals.set(parameter, this.#locals.size);
    const code = declared.body.statements.flatMap((s) => this.#statement(s));
    const locals = this.#types.map((type) => [1, type]);
    // The validator requires a value on the stack even after a return.
    const body = [...unsigned(locals.length), ...locals.flat(), ...code, ...number(0), op.end];
    return { parameters: parameters.length, bytes: [...unsigned(body.length), ...body] };
  }

  #fail(node, why) {
    const { line } = this.#file.getLineAndCharacterOfPosition(node.getStart(this.#file));
    throw new Error(`${this.#file.fileName}:${line + 1}: ${why}: ${node.getText(this.#file).slice(0, 60)}`);
  }

  #local(name, type = I32) {
    let index = this.#locals.get(name);
    if (index === undefined) {
      index = this.#locals.size;
      this.#locals.set(name, index);
      this.#types.push(type);
    }
    return unsigned(index);
  }

  /** The value of an expression of constants, or undefined. */
  #constant(node) {
    if (ts.isNumericLiteral(node)) return Number(node.text);
    if (ts.isIdentifier(node)) return this.#constants.get(node.text);
    if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.MinusToken) {
      const value = this.#constant(node.operand);
      return value === undefined ? undefined : -value;
    }
    return undefined;
  }

  #expression(node) {
    if (ts.isParenthesizedExpression(node) || ts.isNonNullExpression(node)) return this.#expression(node.expression);
    const value = this.#constant(node);
    if (value !== undefined) return number(value);
    if (ts.isIdentifier(node)) return [local.get, ...this.#local(node.text)];
    if (ts.isElementAccessExpression(node)) {
      const { address, memory } = this.#place(node);
      return [...address, memory.load, ...memory.argument];
    }
    if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken) {
      return [...this.#expression(node.operand), i32.eqz];
    }
    if (ts.isConditionalExpression(node)) {
      return [
        ...this.#expression(node.condition),
        ...[op.if, I32, ...this.#expression(node.whenTrue)],
        ...[op.else, ...this.#expression(node.whenFalse), op.end],
      ];
    }
    if (ts.isCallExpression(node)) {
      return node.expression.getText(this.#file) === 'skipPlain' ? this.#skipPlain(node) : this.#inline(node);
    }
    if (ts.isBinaryExpression(node)) {
      const [left, right] = [this.#expression(node.left), this.#expression(node.right)];
      const operator = node.operatorToken.getText(this.#file);
      if (operator === '&&') return [...left, op.if, I32, ...right, op.else, ...number(0), op.end];
      if (operator === '||') return [...left, op.if, I32, ...number(1), op.else, ...right, op.end];
      const code = binary.get(operator);
      if (code !== undefined) return [...left, ...right, code];
    }
    return this.#fail(node, 'not an expression of the scanner language');
  }

  /** `m8[…]` or `m32[…]`: constant terms of the index become the offset of the instruction, the others are computed. */
  #place(node) {
    const view = node.expression.getText(this.#file);
    const words = view === 'm32';
    if (!words && view !== 'm8') this.#fail(node, 'only m8 and m32 can be indexed');
    let offset = 0;
    const terms = [];
    const collect = (term) => {
      const inner = ts.isNonNullExpression(term) || ts.isParenthesizedExpression(term) ? term.expression : term;
      const value = this.#constant(inner);
      if (value !== undefined) offset += value;
      else if (ts.isBinaryExpression(inner) && inner.operatorToken.kind === ts.SyntaxKind.PlusToken) {
        collect(inner.left);
        collect(inner.right);
      } else terms.push(inner);
    };
    collect(node.argumentExpression);
    const sum = terms.flatMap((term, i) => [...this.#expression(term), ...(i > 0 ? [binary.get('+')] : [])]);
    const address = terms.length === 0 ? number(0) : words ? [...sum, ...number(2), binary.get('<<')] : sum;
    const argument = [words ? 2 : 0, ...unsigned(words ? offset * 4 : offset)];
    return { address, memory: { load: words ? 0x28 : 0x2d, store: words ? 0x36 : 0x3a, argument } };
  }

  /** Inlines a call of a function that is one expression of its one parameter. */
  #inline(call) {
    const called = this.#declaration(call.expression.text);
    const [argument] = call.arguments;
    const [parameter] = called?.parameters ?? [];
    const [returned] = called?.body.statements ?? [];
    if (parameter === undefined || !ts.isIdentifier(argument) || !ts.isReturnStatement(returned)) {
      return this.#fail(call, 'only functions of one expression can be called, with a variable as argument');
    }
    const index = this.#locals.get(argument.text);
    const hidden = this.#locals.get(parameter.name.text);
    this.#locals.set(parameter.name.text, index);
    const code = this.#expression(returned.expression);
    if (hidden === undefined) this.#locals.delete(parameter.name.text);
    else this.#locals.set(parameter.name.text, hidden);
    return code;
  }

  #declaration(name) {
    return this.#file.statements.find((s) => ts.isFunctionDeclaration(s) && s.name.text === name);
  }

  /**
   * Finds the next byte that `mark` has marked, with one bit per byte of the window. Reads 64 bits at a time, starting at the
   * byte that contains the bit of the current position.
   */
  #skipPlain(call) {
    const at = this.#local('skip:at');
    const bits = this.#local('skip:bits', I64);
    const offset = unsigned(this.constantOf('MARKS'));
    return [
      ...[...this.#expression(call.arguments[1]), local.set, ...at],
      ...[op.block, VOID, op.loop, VOID],
      ...[local.get, ...at, ...number(3), i32.shrU, i64.load, 0, ...offset],
      ...[local.get, ...at, ...number(7), binary.get('&'), i64.extend, i64.shrU, local.tee, ...bits],
      ...[i64.eqz, i32.eqz, op.brIf, 1],
      ...[local.get, ...at, ...number(-8), binary.get('&'), ...number(64), binary.get('+'), local.set, ...at],
      ...[op.br, 0, op.end, op.end],
      ...[local.get, ...at, local.get, ...bits, i64.ctz, i64.wrap, binary.get('+')],
    ];
  }

  #statement(node, label) {
    if (ts.isBlock(node)) return node.statements.flatMap((s) => this.#statement(s));
    if (ts.isLabeledStatement(node)) return this.#statement(node.statement, node.label.text);
    if (ts.isVariableStatement(node)) {
      return node.declarationList.declarations.flatMap(({ name, initializer }) => [
        ...[...this.#expression(initializer), local.set, ...this.#local(name.text)],
      ]);
    }
    if (ts.isReturnStatement(node)) return [...this.#expression(node.expression), op.return];
    if (ts.isExpressionStatement(node)) return this.#assignment(node.expression);
    if (ts.isIfStatement(node)) return this.#if(node);
    if (ts.isWhileStatement(node)) return this.#while(node, label);
    if (ts.isSwitchStatement(node)) return this.#switch(node);
    if (ts.isBreakStatement(node)) return this.#branch(node, 'break', node.label?.text);
    if (ts.isContinueStatement(node)) return this.#branch(node, 'continue', node.label?.text);
    return this.#fail(node, 'not a statement of the scanner language');
  }

  #assignment(node) {
    if (ts.isPostfixUnaryExpression(node)) {
      const index = this.#local(node.operand.text);
      const step = node.operator === ts.SyntaxKind.PlusPlusToken ? 1 : -1;
      return [local.get, ...index, ...number(step), binary.get('+'), local.set, ...index];
    }
    if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== ts.SyntaxKind.EqualsToken) {
      return this.#fail(node, 'not an assignment');
    }
    const value = this.#expression(node.right);
    if (ts.isIdentifier(node.left)) return [...value, local.set, ...this.#local(node.left.text)];
    const { address, memory } = this.#place(node.left);
    return [...address, ...value, memory.store, ...memory.argument];
  }

  #inside(entry, compile) {
    this.#control.push(entry);
    const code = compile();
    this.#control.pop();
    return code;
  }

  #if(node) {
    const condition = this.#expression(node.expression);
    return this.#inside({}, () => [
      ...[...condition, op.if, VOID, ...this.#statement(node.thenStatement)],
      ...(node.elseStatement === undefined ? [] : [op.else, ...this.#statement(node.elseStatement)]),
      op.end,
    ]);
  }

  #while(node, label) {
    return this.#inside({ break: true, label }, () =>
      this.#inside({ continue: true, label }, () => [
        ...[op.block, VOID, op.loop, VOID],
        ...[...this.#expression(node.expression), i32.eqz, op.brIf, 1],
        ...[...this.#statement(node.statement), op.br, 0, op.end, op.end],
      ]),
    );
  }

  /** Nested blocks, one per clause: the jump table leaves a block, after which the code of its clause follows. */
  #switch(node) {
    const clauses = [];
    for (const clause of node.caseBlock.clauses) {
      const open = clauses.at(-1);
      if (open?.body.length === 0) open.labels.push(clause);
      else clauses.push({ labels: [clause], body: clause.statements });
      clauses.at(-1).body = clause.statements;
    }
    const goesTo = new Map();
    let otherwise = clauses.length;
    for (const [i, { labels }] of clauses.entries()) {
      for (const clause of labels) {
        if (ts.isDefaultClause(clause)) otherwise = i;
        else goesTo.set(this.#constant(clause.expression), i);
      }
    }
    const table = Array.from({ length: Math.max(...goesTo.keys()) + 1 }, (_, value) => goesTo.get(value) ?? otherwise);
    let code = [
      ...this.#expression(node.expression),
      op.brTable,
      ...vector(table.map(unsigned)),
      ...unsigned(otherwise),
    ];
    const entries = clauses.map(() => ({}));
    this.#control.push({ switch: true }, ...entries);
    for (const { body } of clauses) {
      this.#control.pop();
      code = [op.block, VOID, ...code, op.end, ...body.flatMap((s) => this.#statement(s))];
    }
    this.#control.pop();
    return [op.block, VOID, ...code, op.end];
  }

  #branch(node, what, label) {
    for (let i = this.#control.length - 1, depth = 0; i >= 0; i--, depth++) {
      const entry = this.#control[i];
      if (label === undefined && entry.switch) this.#fail(node, 'break out of a switch needs a label');
      if (entry[what] && (label === undefined || entry.label === label)) return [op.br, ...unsigned(depth)];
    }
    return this.#fail(node, 'no loop with this label');
  }
}

/**
 * `mark(from, to)`: sets the bit of every quote, backslash and control character, sixteen bytes at a time, up to and
 * including the byte at `to`. Finding the end of a string by these bits is faster than comparing its bytes, and dominates the
 * speed of a scan.
 */
function markBody(compiler) {
  const [p, to, bytes] = [0, 1, 2].map(unsigned);
  const offset = unsigned(compiler.constantOf('MARKS'));
  const body = [
    ...[1, 1, V128],
    ...[op.loop, VOID],
    ...[local.get, ...p, ...number(3), i32.shrU],
    ...[local.get, ...p, 0xfd, 0x00, 0, 0, local.tee, ...bytes, ...splat(0x22), 0xfd, 0x23],
    ...[local.get, ...bytes, ...splat(0x5c), 0xfd, 0x23, 0xfd, 0x50],
    ...[local.get, ...bytes, ...splat(0x1f), 0xfd, 0x2a, 0xfd, 0x50],
    ...[0xfd, 0x64, i32.store16, 0, ...offset],
    ...[local.get, ...p, ...number(16), binary.get('+'), local.tee, ...p, local.get, ...to, binary.get('<=')],
    ...[op.brIf, 0, op.end, op.end],
  ];
  return [...unsigned(body.length), ...body];
}

function build() {
  const parse = (name) =>
    ts.createSourceFile(name, readFileSync(new URL(name, folder), 'utf8'), ts.ScriptTarget.ES2023, true);
  const compiler = new Compiler(parse('scan.ts'), parse('scan-layout.ts'));
  const pages = unsigned(compiler.constantOf('MEMORY_SIZE') / 65536);
  const { parameters, bytes } = compiler.functionBody('scan');
  const module = Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(1, [2, 0x60, ...vector(new Array(parameters).fill(I32)), 1, I32, 0x60, 2, I32, I32, 0]),
    ...section(3, [2, 0, 1]),
    // Minimum and maximum are equal, because growing would detach all views of the memory.
    ...section(5, [1, 1, ...pages, ...pages]),
    ...section(7, [3, ...text('memory'), 2, 0, ...text('scan'), 0, 0, ...text('mark'), 0, 1]),
    ...section(10, [2, ...bytes, ...markBody(compiler)]),
  ]);
  if (!WebAssembly.validate(module)) new WebAssembly.Module(module);
  const base64 = Buffer.from(module).toString('base64');
  const lines = base64.match(/.{1,110}/g).map((line) => `  '${line}',`);
  return [
    '// Generated from scan.ts by scripts/build-scanner.mjs. Do not edit.',
    '',
    `/** The scanner as a WebAssembly module of ${module.length} bytes, in base64. */`,
    'export const scannerModule: string = [',
    ...lines,
    "].join('');",
    '',
  ].join('\n');
}

const built = build();
if (process.argv.includes('--check')) {
  if (built !== readFileSync(target, 'utf8')) {
    console.error('src/codec/json/scan-wasm.ts is out of date: run node scripts/build-scanner.mjs');
    process.exit(1);
  }
} else writeFileSync(target, built);
