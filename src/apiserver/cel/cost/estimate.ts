import type { DeclType } from '../check/decl-type.js';
import type { CelType } from '../check/types.js';
import { codePoints } from '../eval/values.js';
import type { CallNode, ComprehensionNode, Node } from '../syntax/ast.js';
import { accumulatorName } from '../syntax/macros.js';

/** The smallest and the largest that a size or a cost can be. */
interface Range {
  readonly min: number;
  readonly max: number;
}

/** The sizes of keys and values of a list or map. */
interface EntrySizes {
  readonly kind: 'list' | 'map';
  readonly key: Range;
  readonly value: Range;
}

interface Local {
  readonly path: readonly string[];
  readonly size: Range | undefined;
  readonly entries: EntrySizes | undefined;
}

const maxUint64 = 2 ** 64;
const perCharacter = 0.1;
const perPatternCharacter = 0.25;
const unknown: Range = { min: 0, max: maxUint64 };
const nothing: Range = { min: 0, max: 0 };
const one: Range = { min: 1, max: 1 };
const listCreation = 10;
const mapCreation = 30;

function fixed(value: number): Range {
  return { min: value, max: value };
}

function add(...ranges: readonly Range[]): Range {
  return ranges.reduce((sum, range) => ({
    min: Math.min(maxUint64, sum.min + range.min),
    max: Math.min(maxUint64, sum.max + range.max),
  }));
}

function multiply(left: Range, right: Range): Range {
  return { min: Math.min(maxUint64, left.min * right.min), max: Math.min(maxUint64, left.max * right.max) };
}

function scale({ min, max }: Range, factor: number): Range {
  return { min: Math.min(maxUint64, Math.ceil(min * factor)), max: Math.min(maxUint64, Math.ceil(max * factor)) };
}

function union(left: Range, right: Range): Range {
  return { min: Math.min(left.min, right.min), max: Math.max(left.max, right.max) };
}

function unionEntries(left: EntrySizes | undefined, right: EntrySizes | undefined): EntrySizes | undefined {
  if (left === undefined || right === undefined) return undefined;
  return { kind: left.kind, key: union(left.key, right.key), value: union(left.value, right.value) };
}

/** The largest cost of an evaluation, as kube-apiserver estimates it from the limits in the schema of `self`. */
export function estimateCost(root: Node, self: DeclType): number {
  return new Estimator(self).cost(root).max;
}

interface CallEstimate {
  readonly cost: Range;
  readonly size?: Range | undefined;
}

class Estimator {
  readonly #paths = new Map<Node, readonly string[]>();
  readonly #sizes = new Map<Node, Range>();
  readonly #entries = new Map<Node, EntrySizes>();
  readonly #locals = new Map<string, Local[]>();

  constructor(readonly self: DeclType) {}

  cost(node: Node): Range {
    switch (node.kind) {
      case 'literal':
      case 'struct':
        return nothing;
      case 'ident':
        this.#paths.set(node, this.#local(node.name)?.path ?? [node.name]);
        return one;
      case 'select': {
        const operand = this.cost(node.operand);
        if (node.test) return operand;
        this.#paths.set(node, [...this.#pathOf(node.operand), node.field]);
        const kind = node.operand.type?.kind;
        return kind === 'map' || kind === 'struct' || kind === 'param' ? add(operand, one) : operand;
      }
      case 'call':
        return this.#call(node);
      case 'list': {
        const costs = node.elements.map((element) => this.cost(element));
        const value = this.#unionOf(node.elements);
        this.#entries.set(node, { kind: 'list', key: one, value });
        return add(fixed(listCreation), ...costs);
      }
      case 'map': {
        const costs = node.entries.flatMap(({ key, value }) => [this.cost(key), this.cost(value)]);
        const key = this.#unionOf(node.entries.map((entry) => entry.key));
        const value = this.#unionOf(node.entries.map((entry) => entry.value));
        this.#entries.set(node, { kind: 'map', key, value });
        return add(fixed(mapCreation), ...costs);
      }
      case 'comprehension':
        return this.#comprehension(node);
    }
  }

  #unionOf(nodes: readonly Node[]): Range {
    if (nodes.length === 0) return nothing;
    return nodes.map((node) => this.#sizeOrUnknown(node)).reduce(union);
  }

  // Paths and sizes

  #local(name: string): Local | undefined {
    return this.#locals.get(name)?.at(-1);
  }

  #push(name: string, local: Local): void {
    const locals = this.#locals.get(name) ?? [];
    locals.push(local);
    this.#locals.set(name, locals);
  }

  #pop(name: string): void {
    this.#locals.get(name)?.pop();
  }

  #pathOf(node: Node): readonly string[] {
    const local = node.kind === 'ident' ? this.#local(node.name) : undefined;
    return local?.path ?? this.#paths.get(node) ?? [];
  }

  #sizeOf(node: Node): Range | undefined {
    const known = this.#sizes.get(node) ?? literalSize(node);
    if (known !== undefined) return known;
    const declared = this.#declaredSize(this.#pathOf(node));
    if (declared !== undefined) {
      this.#sizes.set(node, declared);
      return declared;
    }
    if (isScalar(node.type)) return one;
    return node.kind === 'ident' ? this.#local(node.name)?.size : undefined;
  }

  #sizeOrUnknown(node: Node | undefined): Range {
    return (node === undefined ? undefined : this.#sizeOf(node)) ?? unknown;
  }

  /** The size that the schema allows for what a path leads to. The first part of a path is the variable. */
  #declaredSize([variable, ...path]: readonly string[]): Range | undefined {
    if (variable === undefined) return undefined;
    let declared: DeclType | undefined = this.self;
    for (const name of path) {
      if (name === '@items' || name === '@values') declared = declared.element;
      else if (name === '@keys') return declared.type.kind === 'map' ? nothing : undefined;
      else declared = declared.fields?.get(name);
      if (declared === undefined) return undefined;
    }
    return { min: 0, max: declared.maxElements };
  }

  #entriesOf(node: Node): EntrySizes | undefined {
    return this.#entries.get(node) ?? (node.kind === 'ident' ? this.#local(node.name)?.entries : undefined);
  }

  #setEntries(node: Node, entries: EntrySizes | undefined): void {
    if (entries !== undefined) this.#entries.set(node, entries);
  }

  // Loops

  #comprehension(node: ComprehensionNode): Range {
    const before = add(this.cost(node.range), this.cost(node.init));
    this.#push(node.accumulator, {
      path: this.#pathOf(node.init),
      size: this.#sizeOf(node.init),
      entries: this.#entriesOf(node.init),
    });
    if (isBind(node)) {
      const result = this.cost(node.result);
      this.#pop(node.accumulator);
      const size = this.#sizeOf(node.result);
      if (size !== undefined) this.#sizes.set(node, size);
      this.#setEntries(node, this.#entriesOf(node.result));
      return add(before, result);
    }
    this.#pushVariables(node);
    const each = add(this.cost(node.condition), this.cost(node.step));
    this.#pop(node.first);
    if (node.second !== undefined) this.#pop(node.second);
    const result = this.cost(node.result);
    this.#pop(node.accumulator);
    const count = this.#sizeOrUnknown(node.range);
    if (node.init.kind === 'literal') this.#sizes.set(node, this.#sizeOrUnknown(node.init));
    else if (node.init.kind === 'list' || node.init.kind === 'map') {
      this.#sizes.set(node, count);
      this.#setEntries(node, this.#entriesOf(node.step));
    }
    return add(before, result, multiply(count, each));
  }

  #pushVariables({ range, first, second }: ComprehensionNode): void {
    const entries = this.#entriesOf(range);
    const isList = (entries?.kind ?? range.type?.kind) === 'list';
    const path = this.#pathOf(range);
    const variable = (part: string, size: Range | undefined): Local => ({
      path: [...path, part],
      size,
      entries: undefined,
    });
    const value = variable(isList ? '@items' : '@values', entries?.value);
    if (second !== undefined) {
      this.#push(first, variable(isList ? '@indices' : '@keys', entries?.key));
      this.#push(second, value);
    } else this.#push(first, isList ? value : variable('@keys', entries?.key));
  }

  // Calls

  #call(node: CallNode): Range {
    if (node.name === 'dyn') {
      const [argument] = node.args as [Node];
      const cost = this.cost(argument);
      const size = this.#sizeOf(argument);
      if (size !== undefined) this.#sizes.set(node, size);
      this.#setEntries(node, this.#entriesOf(argument));
      return add(one, cost);
    }
    const argCosts = node.args.map((argument) => this.cost(argument));
    const target = node.target === undefined ? nothing : this.cost(node.target);
    let cost: Range | undefined;
    let size: Range | undefined;
    for (const overload of node.overloads ?? []) {
      const estimate = this.#overload(node, overload, argCosts);
      cost = cost === undefined ? estimate.cost : union(cost, estimate.cost);
      if (estimate.size !== undefined) size = size === undefined ? estimate.size : union(size, estimate.size);
      const element =
        overload === '_[_](list(A),int)' ? '@items' : overload === '_[_](map(A,B),A)' ? '@values' : undefined;
      if (element !== undefined) {
        const [container] = node.args as [Node];
        size = this.#entriesOf(container)?.value;
        this.#paths.set(node, [...this.#pathOf(container), element]);
      }
      size ??= this.#sizeOf(node);
    }
    if (size !== undefined) this.#sizes.set(node, size);
    return add(target, cost ?? nothing);
  }

  #overload(node: CallNode, overload: string, argCosts: readonly Range[]): CallEstimate {
    const known = this.#libraryCall(node, overload);
    if (known !== undefined) return { cost: add(known.cost, ...argCosts), size: known.size };
    return this.#standardCall(node, overload, argCosts);
  }

  /** The accumulator of a loop has no path, so that its size is not looked up in the schema. */
  #argumentSize(node: Node | undefined): Range {
    if (node === undefined) return unknown;
    const path = this.#pathOf(node);
    return this.#sizeOf(node) ?? (path[0] === accumulatorName ? undefined : this.#declaredSize(path)) ?? unknown;
  }

  #elementSize(list: Node): { readonly type: CelType; readonly size: Range } | undefined {
    const [type] = list.type?.parameters ?? [];
    if (type === undefined) return undefined;
    const path = this.#pathOf(list);
    return { type, size: (path.length > 0 ? this.#declaredSize([...path, '@items']) : undefined) ?? unknown };
  }

  /** Estimates of the functions that Kubernetes adds, and of the extended list and set functions. */
  #libraryCall({ name, target, args }: CallNode, overload: string): CallEstimate | undefined {
    const [first, second] = args;
    const sizeOf = (node: Node | undefined): Range => this.#argumentSize(node);
    switch (name) {
      case 'isSorted':
      case 'sum':
      case 'max':
      case 'min':
      case 'indexOf':
      case 'lastIndexOf': {
        if (target === undefined) return undefined;
        const element = this.#elementSize(target);
        if (element === undefined) return { cost: scale(sizeOf(target), perCharacter) };
        const isText = element.type.kind === 'string' || element.type.kind === 'bytes';
        return { cost: multiply(sizeOf(target), isText ? add(one, scale(element.size, perCharacter)) : one) };
      }
      case 'url':
        return { cost: scale(sizeOf(first), perCharacter), size: sizeOf(first) };
      case 'lowerAscii':
      case 'upperAscii':
      case 'substring':
      case 'trim':
        return { cost: scale(sizeOf(target), perCharacter), size: sizeOf(target) };
      case 'replace':
        return this.#replace(sizeOf(target), sizeOf(first), sizeOf(second));
      case 'split': {
        const size = sizeOf(target);
        const limit = second?.kind === 'literal' && typeof second.value === 'bigint' ? Number(second.value) : size.max;
        return { cost: scale(size, 2 * perCharacter), size: { min: 0, max: limit < 0 ? maxUint64 : limit } };
      }
      case 'join': {
        const list = sizeOf(target);
        const element = target === undefined ? undefined : this.#elementSize(target);
        let size = element === undefined ? nothing : multiply(list, element.size);
        if (first !== undefined)
          size = add(size, multiply(sizeOf(first), { min: Math.max(0, list.min - 1), max: Math.max(0, list.max - 1) }));
        return { cost: scale(size, perCharacter), size };
      }
      case 'find':
      case 'findAll': {
        const size = sizeOf(target);
        const cost = multiply(scale(add(size, one), perCharacter), scale(sizeOf(first), perPatternCharacter));
        return { cost, size: { min: 0, max: size.max } };
      }
      case 'ip':
        return { cost: overload === '.ip(cidr)' ? one : scale(sizeOf(first), perCharacter) };
      case 'cidr':
      case 'isIP':
      case 'isCIDR':
      case 'quantity':
      case 'isQuantity':
      case 'semver':
      case 'isSemver':
        return { cost: scale(sizeOf(first), perCharacter) };
      case 'ip.isCanonical':
        return { cost: scale(sizeOf(first), 2 * perCharacter) };
      case 'containsIP':
      case 'containsCIDR':
        return { cost: this.#containsAddress(name, overload, sizeOf(first)) };
      case 'validate':
        return { cost: scale(scale(sizeOf(first), perCharacter), 128 * perPatternCharacter) };
      case '_==_':
        return equalityOfLibraryTypes(first?.type, second?.type);
      case 'slice':
      case 'lists.range':
      case 'reverse':
      case 'flatten':
      case 'distinct':
      case 'sort':
      case '@sortByAssociatedKeys':
        return this.#listCall(name, target, args, overload);
      case 'sets.contains':
      case 'sets.intersects':
      case 'sets.equivalent': {
        const factor = name === 'sets.equivalent' ? 2 : 1;
        return { cost: add(scale(multiply(sizeOf(first), sizeOf(second)), factor), one) };
      }
      default:
        return undefined;
    }
  }

  #replace(size: Range, from: Range, to: Range): CallEstimate {
    let count: Range = nothing;
    let retained: Range = nothing;
    if (from.min === 0) {
      count = { ...count, max: size.max + 1 };
      retained = { ...retained, max: size.max };
    } else if (to.max <= from.min) retained = { ...retained, max: size.max };
    else count = { ...count, max: Math.ceil(size.max / from.min) };
    if (from.max === 0) {
      count = { ...count, min: size.min + 1 };
      retained = { ...retained, min: size.min };
    } else if (from.max <= to.min) retained = { ...retained, min: size.min };
    else count = { ...count, min: Math.ceil(size.min / from.max) };
    return { cost: scale(size, 2 * perCharacter), size: add(multiply(count, to), retained) };
  }

  #containsAddress(name: string, overload: string, argument: Range): Range {
    const bytes: Range = { min: 4, max: 16 };
    let cost = scale(add(bytes, bytes), perCharacter);
    if (name === 'containsCIDR') cost = add(cost, scale(bytes, perCharacter), one);
    return overload.endsWith('string)') ? add(cost, scale(argument, perCharacter)) : cost;
  }

  #listCall(name: string, target: Node | undefined, args: readonly Node[], overload: string): CallEstimate {
    const size = this.#argumentSize(target);
    const allocating = (factor: number, list: Range): CallEstimate => ({
      cost: add(scale(list, factor), one, fixed(listCreation)),
      size: list,
    });
    const [first, second] = args;
    switch (name) {
      case 'slice': {
        const length = integer(second, size.max) - integer(first, 0);
        return allocating(1, fixed(length < 0 ? maxUint64 : length));
      }
      case 'lists.range':
        return allocating(1, fixed(integer(first, maxUint64)));
      case 'reverse':
        return allocating(1, size);
      case 'flatten':
        return allocating(first === undefined ? 1 : integer(first, maxUint64), size);
      default: {
        const compared = name === '@sortByAssociatedKeys' ? this.#argumentSize(first) : size;
        const isText = name !== 'distinct' && /list\((?:string|bytes)\)\)$/.test(overload);
        return allocating(isText ? 2 + perCharacter : 2, multiply(compared, compared));
      }
    }
  }

  #standardCall(node: CallNode, overload: string, argCosts: readonly Range[]): CallEstimate {
    const { args, target } = node;
    const [first, second, third] = args;
    const all = add(nothing, ...argCosts);
    const size = (of: Node | undefined): Range => this.#sizeOrUnknown(of);
    switch (overload) {
      case '.format(string,list(dyn))':
        return { cost: add(scale(size(target), perCharacter), all) };
      case 'bytes(string)':
        return this.#converted(size(first), all, ({ min, max }) => ({ min, max: max * 4 }));
      case 'string(bytes)':
        return this.#converted(size(first), all, ({ min, max }) => ({ min: Math.floor(min / 4), max }));
      case 'strings.quote(string)':
        return this.#converted(size(first), all, ({ min, max }) => ({ min: min + 2, max: max * 2 + 2 }));
      case '.startsWith(string,string)':
      case '.endsWith(string,string)':
        return { cost: add(scale(size(first), perCharacter), all) };
      case '@in(A,list(A))':
        return { cost: add(size(second), all) };
      case '.matches(string,string)': {
        const text = scale(add(size(target), one), perCharacter);
        return { cost: add(multiply(text, scale(size(first), perPatternCharacter)), all) };
      }
      case '.contains(string,string)':
        return { cost: add(multiply(scale(size(target), perCharacter), scale(size(first), perCharacter)), all) };
      case '_&&_':
      case '_||_': {
        const [left, right] = argCosts as [Range, Range];
        return { cost: { min: left.min, max: add(left, right).max } };
      }
      case '_?_:_(bool,A,A)': {
        const [condition, then, otherwise] = argCosts as [Range, Range, Range];
        this.#setEntries(node, unionEntries(this.#entriesOf(second as Node), this.#entriesOf(third as Node)));
        return { cost: add(condition, union(then, otherwise)), size: union(size(second), size(third)) };
      }
      case '_+_(string,string)':
      case '_+_(bytes,bytes)':
      case '_+_(list(A),list(A))': {
        const total = add(size(first), size(second));
        this.#setEntries(node, unionEntries(this.#entriesOf(first as Node), this.#entriesOf(second as Node)));
        return { cost: add(overload.includes('list') ? one : scale(total, perCharacter), all), size: total };
      }
    }
    if (overload === '_==_(A,A)' || overload === '_!=_(A,A)' || /^_[<>]=?_\((?:string|bytes)/.test(overload)) {
      const smaller = Math.min(size(first).max, size(second).max);
      return { cost: add(scale({ min: smaller > 0 ? 1 : 0, max: smaller }, perCharacter), all) };
    }
    return { cost: add(one, all) };
  }

  #converted(size: Range, args: Range, result: (size: Range) => Range): CallEstimate {
    return { cost: add(scale(size, perCharacter), args), size: result(size) };
  }
}

function isBind({ range, condition, accumulator }: ComprehensionNode): boolean {
  return (
    range.kind === 'list' &&
    range.elements.length === 0 &&
    condition.kind === 'literal' &&
    condition.value === false &&
    accumulator !== accumulatorName
  );
}

function literalSize(node: Node): Range | undefined {
  if (node.kind === 'list') return fixed(node.elements.length);
  if (node.kind === 'map') return fixed(node.entries.length);
  if (node.kind !== 'literal') return undefined;
  if (typeof node.value === 'string') return fixed(codePoints(node.value));
  return node.value instanceof Uint8Array ? fixed(node.value.length) : one;
}

const scalarKinds = new Set(['bool', 'double', 'duration', 'int', 'timestamp', 'uint']);

function isScalar(type: CelType | undefined): boolean {
  if (type === undefined) return false;
  return scalarKinds.has(type.kind) || (type.name === 'optional_type' && isScalar(type.parameters[0]));
}

function integer(node: Node | undefined, otherwise: number): number {
  return node?.kind === 'literal' && typeof node.value === 'bigint' ? Math.max(0, Number(node.value)) : otherwise;
}

/** Values of library types are compared at once, however long their texts were. */
function equalityOfLibraryTypes(left: CelType | undefined, right: CelType | undefined): CallEstimate | undefined {
  if (left === undefined || right === undefined || !left.equals(right)) return undefined;
  switch (left.name) {
    case 'net.IP':
    case 'net.CIDR':
    case 'kubernetes.Quantity':
    case 'kubernetes.Semver':
      return { cost: one };
    case 'kubernetes.NamedFormat':
      return { cost: scale({ min: 1, max: 64 }, perCharacter) };
    case 'kubernetes.URL':
      return { cost: scale(one, perCharacter) };
    default:
      return undefined;
  }
}
