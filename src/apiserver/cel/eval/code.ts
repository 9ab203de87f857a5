import { namedTypes, unusableTypes } from '../check/declarations.js';
import { type CallCost, callCostOf } from '../cost/call-cost.js';
import type { CelFunction, CelStepFunction } from '../functions/function.js';
import { functionNamed, stepFunctionNamed } from '../functions/functions.js';
import { compiledPattern } from '../functions/text-matching.js';
import type { CallNode, ComprehensionNode, Node } from '../syntax/ast.js';
import { accumulatorName } from '../syntax/macros.js';
import { ArrayList, CelError, EntryMap, listHas, type Value } from './values.js';

/**
 * One instruction of a compiled expression, for a machine with a stack. `cost` is added when it is executed. Jumps go to the
 * index of an instruction.
 */
export type Instruction =
  | { readonly op: 'constant'; readonly value: Value }
  | { readonly op: 'variable'; readonly name: string; readonly cost: number }
  | { readonly op: 'local'; readonly slot: number; readonly cost: number }
  | { readonly op: 'charge'; readonly cost: number }
  /** Reads a field or key. `optional` makes an optional of it; `test` only asks whether it is there. */
  | { readonly op: 'select'; readonly field: string; readonly optional: boolean; readonly test: boolean }
  | { readonly op: 'index'; readonly optional: boolean; readonly cost: number }
  | { readonly op: 'equal'; readonly negated: boolean }
  | {
      readonly op: 'call';
      readonly name: string;
      readonly run: CelFunction;
      readonly count: number;
      readonly cost: CallCost;
    }
  | { readonly op: 'longCall'; readonly run: CelStepFunction; readonly count: number; readonly cost: CallCost }
  /** `@not_strictly_false`: an error counts as true. */
  | { readonly op: 'notFalse' }
  /** `x in [1, 2]` with constants */
  | { readonly op: 'member'; readonly list: ArrayList }
  | { readonly op: 'list'; readonly count: number; readonly optionals: ReadonlySet<number> }
  | { readonly op: 'map'; readonly optionals: readonly boolean[] }
  /** Adds the value on top to the list in a slot: `accumulator + [value]`. */
  | { readonly op: 'append'; readonly slot: number }
  | { readonly op: 'jump'; target: number }
  /** Jumps if the value on top, which stays there, is this boolean: the other side is not evaluated. */
  | { readonly op: 'shortCircuit'; readonly when: boolean; target: number }
  /** Combines both sides of `&&` (`identity` true) or `||`. */
  | { readonly op: 'combine'; readonly identity: boolean }
  /** Takes a boolean: goes on if it is true, to `otherwise` if false; to `end`, with an error on top, if it is neither. */
  | { readonly op: 'branch'; otherwise: number; end: number }
  /** Takes an optional: jumps with it, or with its value, if it has one. */
  | { readonly op: 'orElse'; readonly unwrap: boolean; target: number }
  /** Takes the range of a loop. Jumps to `end`, with an error on top, if it is none. */
  | { readonly op: 'iterate'; readonly slot: number; readonly pairs: boolean; end: number }
  /** Puts the next element into the slots after `slot`, or jumps to `end`. */
  | { readonly op: 'next'; readonly slot: number; readonly pairs: boolean; end: number }
  /** Takes the condition of a loop, which ends if it is false. */
  | { readonly op: 'while'; end: number }
  | { readonly op: 'store'; readonly slot: number };

/** Instructions, and the number of slots for variables of loops. */
export interface Code {
  readonly instructions: readonly Instruction[];
  readonly slots: number;
}

/** Translates a checked expression. Returns an error if a conversion of constants fails: `int('x')`. */
export function compileCode(root: Node): Code | CelError {
  const compiler = new CodeCompiler();
  compiler.compile(root);
  return compiler.failure ?? { instructions: compiler.instructions, slots: compiler.slots };
}

const listCreation = 10;
const mapCreation = 30;
const conversions = new Set([
  'bool',
  'bytes',
  'double',
  'duration',
  'dyn',
  'int',
  'string',
  'timestamp',
  'type',
  'uint',
]);

class CodeCompiler {
  readonly instructions: Instruction[] = [];
  slots = 0;
  failure: CelError | undefined;
  /** Where the variables of loops around the current node are. */
  readonly #locals: (readonly [name: string, slot: number])[] = [];

  compile(node: Node): void {
    const constant = this.#constant(node);
    if (constant !== undefined) {
      this.#emit({ op: 'constant', value: constant });
      return;
    }
    switch (node.kind) {
      case 'literal':
      case 'struct':
        return;
      case 'ident':
      case 'select':
        this.#attribute(node, 1);
        return;
      case 'call':
        this.#call(node);
        return;
      case 'list':
        for (const element of node.elements) this.compile(element);
        this.#emit({ op: 'charge', cost: listCreation });
        this.#emit({ op: 'list', count: node.elements.length, optionals: node.optionals });
        return;
      case 'map':
        for (const { key, value } of node.entries) {
          this.compile(key);
          this.compile(value);
        }
        this.#emit({ op: 'charge', cost: mapCreation });
        this.#emit({ op: 'map', optionals: node.entries.map((entry) => entry.optional) });
        return;
      case 'comprehension':
        this.#loop(node);
    }
  }

  #emit<I extends Instruction>(instruction: I): I {
    this.instructions.push(instruction);
    return instruction;
  }

  get #here(): number {
    return this.instructions.length;
  }

  /** The value of a node that has the same one in each evaluation; it costs nothing then. */
  #constant(node: Node): Value | undefined {
    switch (node.kind) {
      case 'literal':
        return node.value;
      case 'ident':
        return node.type?.kind === 'type' && !this.#isLocal(node.name) ? this.#namedType(node.name) : undefined;
      case 'list': {
        if (node.optionals.size > 0) return undefined;
        const values = node.elements.map((element) => this.#constant(element));
        return values.includes(undefined) ? undefined : new ArrayList(values as Value[]);
      }
      case 'map': {
        const map = new EntryMap();
        for (const entry of node.entries) {
          const key = this.#constant(entry.key);
          const value = this.#constant(entry.value);
          if (key === undefined || value === undefined || entry.optional) return undefined;
          map.set(key, value);
        }
        return map;
      }
      case 'call':
        return this.#constantConversion(node);
      default:
        return undefined;
    }
  }

  #constantConversion(node: CallNode): Value | undefined {
    const [argument] = node.args;
    if (argument === undefined || node.args.length > 1 || node.target !== undefined || !conversions.has(node.name))
      return undefined;
    const value = this.#constant(argument);
    if (value === undefined) return undefined;
    const converted = functionNamed(node.name)?.(value);
    if (converted instanceof CelError) this.failure ??= converted;
    return converted;
  }

  #namedType(name: string): Value | undefined {
    if (unusableTypes.has(name)) this.failure ??= new CelError(`reference to undefined type: ${name}`);
    return namedTypes.get(name);
  }

  #isLocal(name: string): boolean {
    return this.#locals.some(([local]) => local === name);
  }

  // Fields and elements

  /** Whether cel-go resolves a node as a variable with a path of fields and indices, which is counted differently. */
  #isAttribute(node: Node): boolean {
    if (this.#constant(node) !== undefined) return false;
    if (node.kind === 'ident' || node.kind === 'select') return true;
    return node.kind === 'call' && (isIndex(node.name) || node.name === '_?_:_');
  }

  /** @param base what the variable itself costs: 1, or 0 as a branch of a condition, or in `has` */
  #attribute(node: Node, base: number): void {
    if (node.kind === 'ident') {
      const local = this.#locals.findLast(([name]) => name === node.name);
      if (local !== undefined) this.#emit({ op: 'local', slot: local[1], cost: base });
      else this.#emit({ op: 'variable', name: node.name.replace(/^\./, ''), cost: base });
    } else if (node.kind === 'select') {
      this.#operand(node.operand, node.test ? 0 : base);
      this.#emit({ op: 'select', field: node.field, optional: false, test: node.test });
    } else if (node.kind === 'call' && node.name === '_?_:_') this.#condition(node);
    else if (node.kind === 'call') this.#indexed(node, base);
  }

  #operand(node: Node, base: number): void {
    if (this.#isAttribute(node)) {
      this.#attribute(node, base);
      return;
    }
    this.compile(node);
    this.#emit({ op: 'charge', cost: base });
  }

  #indexed(node: CallNode, base: number): void {
    const [operand, index] = node.args as [Node, Node];
    this.#operand(operand, base);
    if (node.name === '_?._') {
      this.#emit({
        op: 'select',
        field: (index as Node & { kind: 'literal' }).value as string,
        optional: true,
        test: false,
      });
      return;
    }
    this.compile(index);
    this.#emit({ op: 'index', optional: node.name === '_[?_]', cost: this.#isAttribute(index) ? 0 : 1 });
  }

  // Calls

  #call(node: CallNode): void {
    const [first, second] = node.args as [Node, Node];
    switch (node.name) {
      case '_&&_':
      case '_||_': {
        const identity = node.name === '_&&_';
        this.compile(first);
        const jump = this.#emit({ op: 'shortCircuit', when: !identity, target: 0 });
        this.compile(second);
        this.#emit({ op: 'combine', identity });
        jump.target = this.#here;
        return;
      }
      case '_?_:_':
        this.#condition(node);
        return;
      case '_[_]':
      case '_[?_]':
      case '_?._':
        this.#attribute(node, 1);
        return;
      case '_==_':
      case '_!=_':
        this.compile(first);
        this.compile(second);
        this.#emit({ op: 'equal', negated: node.name === '_!=_' });
        return;
      case '@not_strictly_false':
        this.compile(first);
        this.#emit({ op: 'notFalse' });
        return;
      case 'or':
      case 'orValue': {
        this.compile(node.target as Node);
        const jump = this.#emit({ op: 'orElse', unwrap: node.name === 'orValue', target: 0 });
        this.compile(first);
        jump.target = this.#here;
        return;
      }
      case '@in': {
        const list = this.#constant(second);
        if (list instanceof ArrayList && list.values.every(isPrimitive)) {
          if (list.listSize === 0) {
            this.#emit({ op: 'constant', value: false });
            return;
          }
          this.compile(first);
          this.#emit({ op: 'member', list });
          return;
        }
      }
    }
    this.#ordinaryCall(node);
  }

  #ordinaryCall(node: CallNode): void {
    const args = node.target === undefined ? node.args : [node.target, ...node.args];
    for (const argument of args) this.compile(argument);
    const cost = callCostOf(node.name, node.overloads ?? []);
    const long = stepFunctionNamed(node.name);
    if (long !== undefined) this.#checkPattern(args[1]);
    if (long !== undefined) this.#emit({ op: 'longCall', run: long, count: args.length, cost });
    else {
      const run = functionNamed(node.name) as CelFunction;
      this.#emit({ op: 'call', name: node.name, run, count: args.length, cost });
    }
  }

  #checkPattern(argument: Node | undefined): void {
    const pattern = argument === undefined ? undefined : this.#constant(argument);
    const regexp = typeof pattern === 'string' ? compiledPattern(pattern) : undefined;
    if (regexp instanceof CelError) this.failure ??= regexp;
  }

  #condition(node: CallNode): void {
    const [condition, then, otherwise] = node.args as [Node, Node, Node];
    this.compile(condition);
    const branch = this.#emit({ op: 'branch', otherwise: 0, end: 0 });
    this.#operand(then, 0);
    const jump = this.#emit({ op: 'jump', target: 0 });
    branch.otherwise = this.#here;
    this.#operand(otherwise, 0);
    jump.target = this.#here;
    branch.end = this.#here;
  }

  // Loops

  /** A loop has four slots: for the iterator, the first and second variable, and the accumulator. */
  #loop(node: ComprehensionNode): void {
    const slot = this.slots;
    this.slots += 4;
    const pairs = node.second !== undefined;
    this.compile(node.range);
    const iterate = this.#emit({ op: 'iterate', slot, pairs, end: 0 });
    this.compile(node.init);
    this.#emit({ op: 'store', slot: slot + 3 });
    const outer = this.#locals.length;
    this.#locals.push([node.accumulator, slot + 3]);
    this.#locals.push([node.first, slot + 1]);
    if (node.second !== undefined) this.#locals.push([node.second, slot + 2]);
    const start = this.#here;
    const next = this.#emit({ op: 'next', slot, pairs, end: 0 });
    let condition: (Instruction & { op: 'while' }) | undefined;
    if (!(node.condition.kind === 'literal' && node.condition.value === true)) {
      this.compile(node.condition);
      condition = this.#emit({ op: 'while', end: 0 });
    }
    this.#step(node.step, slot + 3);
    this.#emit({ op: 'jump', target: start });
    next.end = this.#here;
    if (condition !== undefined) condition.end = this.#here;
    this.#locals.length = outer + 1;
    this.compile(node.result);
    this.#locals.length = outer;
    iterate.end = this.#here;
  }

  /** The step of a loop. Elements are added to the list that it collects, which is not copied each time. */
  #step(step: Node, slot: number): void {
    const append = appended(step);
    if (append !== undefined) {
      this.#emit({ op: 'charge', cost: 1 });
      const element = this.#constant(append);
      this.compile(append);
      this.#emit({ op: 'charge', cost: element === undefined ? listCreation + 1 : 1 });
      this.#emit({ op: 'append', slot });
      return;
    }
    const filtered = step.kind === 'call' && step.name === '_?_:_' ? step.args : undefined;
    const [filter, inner] = (filtered ?? []) as [Node?, Node?];
    if (filter !== undefined && inner !== undefined && appended(inner) !== undefined) {
      this.compile(filter);
      const branch = this.#emit({ op: 'branch', otherwise: 0, end: 0 });
      this.#step(inner, slot);
      const jump = this.#emit({ op: 'jump', target: 0 });
      branch.end = this.#here;
      this.#emit({ op: 'store', slot });
      branch.otherwise = this.#here;
      jump.target = this.#here;
      return;
    }
    this.compile(step);
    this.#emit({ op: 'store', slot });
  }
}

/** What `accumulator + [x]` adds. */
function appended(step: Node): Node | undefined {
  if (step.kind !== 'call' || step.name !== '_+_') return undefined;
  const [accumulator, list] = step.args;
  if (accumulator?.kind !== 'ident' || accumulator.name !== accumulatorName || list?.kind !== 'list') return undefined;
  return list.elements.length === 1 ? list.elements[0] : undefined;
}

function isIndex(name: string): boolean {
  return name === '_[_]' || name === '_[?_]' || name === '_?._';
}

function isPrimitive(value: Value): boolean {
  return typeof value !== 'object' || listHas(new ArrayList([value]), value) === true;
}
