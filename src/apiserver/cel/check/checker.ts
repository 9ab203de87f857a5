import { Uint } from '../eval/values.js';
import type { Issues } from '../issues.js';
import {
  type CallNode,
  type ComprehensionNode,
  childrenOf,
  type ListNode,
  type MapNode,
  type Node,
  type SelectNode,
} from '../syntax/ast.js';
import { namedTypes, type Overload, overloadsOf } from './declarations.js';
import {
  boolType,
  bytesType,
  CelType,
  doubleType,
  dynType,
  errorType,
  intType,
  listType,
  mapType,
  nullType,
  optionalType,
  optionalValueType,
  stringType,
  typeOfType,
  uintType,
} from './types.js';
import { isDyn, isDynOrError, mostGeneral, Substitutions } from './unify.js';

/**
 * Finds the type of each node, and writes it into the node. Names of functions such as `optional.of` become one name, and
 * selections that name a type become identifiers. Problems are reported to `issues`.
 *
 * @returns the names of the variables that the expression reads
 */
export function check(root: Node, variables: ReadonlyMap<string, CelType>, issues: Issues): ReadonlySet<string> {
  return new Checker(variables, issues).run(root);
}

class Checker {
  readonly #references = new Set<string>();
  readonly #substitutions = new Substitutions();
  readonly #scopes: Map<string, CelType>[] = [];
  #variables = 0;

  constructor(
    readonly declared: ReadonlyMap<string, CelType>,
    readonly issues: Issues,
  ) {}

  run(root: Node): ReadonlySet<string> {
    this.#check(root);
    const settle = (node: Node): void => {
      node.type = this.#substitutions.apply(node.type ?? errorType, true);
      for (const child of childrenOf(node)) settle(child);
    };
    settle(root);
    return this.#references;
  }

  #check(node: Node): CelType {
    node.type = this.#typeOf(node);
    return node.type;
  }

  #typeOf(node: Node): CelType {
    switch (node.kind) {
      case 'literal':
        return literalType(node.value);
      case 'ident':
        return this.#lookup(node.name) ?? this.#undeclared(node.offset, node.name);
      case 'select':
        return this.#select(node);
      case 'call':
        return this.#call(node);
      case 'list':
        return this.#list(node);
      case 'map':
        return this.#map(node);
      case 'struct':
        return this.#struct(node.offset, node.name);
      case 'comprehension':
        return this.#comprehension(node);
    }
  }

  #lookup(written: string): CelType | undefined {
    const name = written.startsWith('.') ? written.slice(1) : written;
    for (let i = this.#scopes.length - 1; i >= 0; i--) {
      const local = this.#scopes[i]?.get(name);
      if (local !== undefined) return local;
    }
    const variable = this.declared.get(name);
    if (variable !== undefined) {
      this.#references.add(name);
      return variable;
    }
    const named = namedTypes.get(name);
    return named === undefined ? undefined : typeOfType(named);
  }

  #undeclared(offset: number, name: string): CelType {
    this.issues.report(offset, `undeclared reference to '${name}' (in container '')`);
    return errorType;
  }

  #mismatch(node: Node, expected: CelType, actual: CelType): void {
    this.issues.report(node.offset, `expected type '${expected}' but found '${actual}'`);
  }

  #newParameter(): CelType {
    return new CelType('param', `_var${this.#variables++}`);
  }

  // Selections

  #select(node: SelectNode): CelType {
    const name = node.test ? undefined : qualifiedName(node);
    const named = name === undefined ? undefined : this.#lookup(name);
    if (named !== undefined) {
      Object.assign(node, { kind: 'ident', name });
      return named;
    }
    const type = this.#field(node, node.operand, node.field, false);
    return node.test ? boolType : this.#substitutions.apply(type);
  }

  #field(node: Node, operand: Node, field: string, optional: boolean): CelType {
    const operandType = this.#substitutions.apply(this.#check(operand));
    const inner = optionalValueType(operandType);
    const type = this.#fieldType(node, inner ?? operandType, field);
    return inner !== undefined || optional ? optionalType(type) : type;
  }

  #fieldType(node: Node, target: CelType, field: string): CelType {
    switch (target.kind) {
      case 'map':
        return target.parameters[1] as CelType;
      case 'struct': {
        const type = target.fields?.get(field);
        if (type !== undefined) return type;
        this.issues.report(
          node.offset,
          target.fields === undefined
            ? `unexpected failed resolution of '${target.name}'`
            : `undefined field '${field}'`,
        );
        return errorType;
      }
      case 'param':
        this.#substitutions.assign(dynType, target);
        return dynType;
      default:
        if (!isDynOrError(target)) this.issues.report(node.offset, `type '${target}' does not support field selection`);
        return dynType;
    }
  }

  // Calls

  #call(node: CallNode): CelType {
    if (node.name === '_?._') {
      const [operand, field] = node.args as [Node, Node & { kind: 'literal' }];
      node.overloads = ['_?._'];
      field.type = stringType;
      return this.#substitutions.apply(this.#field(node, operand, field.value as string, true));
    }
    for (const argument of node.args) this.#check(argument);
    if (node.target === undefined) {
      const name = node.name.startsWith('.') ? node.name.slice(1) : node.name;
      const overloads = overloadsOf(name);
      if (overloads === undefined) return this.#undeclared(node.offset, node.name);
      node.name = name;
      return this.#resolve(node, overloads);
    }
    const prefix = qualifiedName(node.target);
    const qualified = prefix === undefined ? undefined : `${prefix.replace(/^\./, '')}.${node.name}`;
    const namespaced = qualified === undefined ? undefined : overloadsOf(qualified);
    if (qualified !== undefined && namespaced !== undefined) {
      node.name = qualified;
      node.target = undefined;
      return this.#resolve(node, namespaced);
    }
    this.#check(node.target);
    const overloads = overloadsOf(node.name);
    return overloads === undefined ? this.#undeclared(node.offset, node.name) : this.#resolve(node, overloads);
  }

  #resolve(node: CallNode, overloads: readonly Overload[]): CelType {
    const types = childrenOf(node).map((argument) => argument.type as CelType);
    if (node.name === '_&&_' || node.name === '_||_') return this.#logic(node, types);
    const found: string[] = [];
    let result: CelType | undefined;
    for (const overload of overloads) {
      if (overload.member !== (node.target !== undefined) || overload.parameters.length !== types.length) continue;
      const fresh = this.#instantiate(overload);
      if (!this.#substitutions.assignAll(types, fresh.parameters)) continue;
      found.push(overload.id);
      const type = this.#substitutions.apply(fresh.result);
      if (result === undefined) result = type;
      else if (!isDyn(result) && !type.equals(result)) result = dynType;
    }
    node.overloads = found;
    return result ?? this.#noOverload(node, types);
  }

  #logic(node: CallNode, types: readonly CelType[]): CelType {
    node.overloads = [node.name];
    let result: CelType = boolType;
    types.forEach((type, i) => {
      if (this.#substitutions.assign(type, boolType)) return;
      this.#mismatch(node.args[i] as Node, boolType, type);
      result = errorType;
    });
    return result;
  }

  #instantiate(overload: Overload): { readonly parameters: readonly CelType[]; readonly result: CelType } {
    if (overload.typeParameters.length === 0) return overload;
    const fresh = new Substitutions();
    for (const name of overload.typeParameters) fresh.assign(this.#newParameter(), new CelType('param', name));
    return { parameters: overload.parameters.map((type) => fresh.apply(type)), result: fresh.apply(overload.result) };
  }

  #noOverload(node: CallNode, types: readonly CelType[]): CelType {
    const shown = types.map((type) => this.#substitutions.apply(type, true).toString());
    const target = node.target === undefined ? '' : `${shown.shift()}.`;
    this.issues.report(
      node.offset,
      `found no matching overload for '${node.name}' applied to '${target}(${shown.join(', ')})'`,
    );
    return errorType;
  }

  // Literals of lists, maps and objects

  #list(node: ListNode): CelType {
    let common: CelType | undefined;
    node.elements.forEach((element, i) => {
      const type = this.#check(element);
      common = this.#join(common, node.optionals.has(i) ? this.#unwrap(element, type) : type);
    });
    return listType(common ?? this.#newParameter());
  }

  #map(node: MapNode): CelType {
    let keys: CelType | undefined;
    let values: CelType | undefined;
    for (const { key, value, optional } of node.entries) {
      keys = this.#join(keys, this.#check(key));
      const type = this.#check(value);
      values = this.#join(values, optional ? this.#unwrap(value, type) : type);
    }
    return mapType(keys ?? this.#newParameter(), values ?? this.#newParameter());
  }

  #unwrap(node: Node, type: CelType): CelType {
    const inner = optionalValueType(type);
    if (inner === undefined && !isDyn(type)) this.#mismatch(node, optionalType(type), type);
    return inner ?? type;
  }

  #join(previous: CelType | undefined, current: CelType): CelType {
    if (previous === undefined) return current;
    // Mixed types are dyn here; validateLiterals refuses them where they are not meant for a format.
    return this.#substitutions.assign(previous, current) ? mostGeneral(previous, current) : dynType;
  }

  #struct(offset: number, name: string): CelType {
    const type = this.#lookup(name);
    if (type === undefined) return this.#undeclared(offset, name);
    if (type.kind !== 'type') this.issues.report(offset, `'${type.name}' is not a type`);
    else this.issues.report(offset, `'${type.parameters[0]?.name}' is not a message type`);
    return errorType;
  }

  // Loops

  #comprehension(node: ComprehensionNode): CelType {
    const range = this.#substitutions.apply(this.#check(node.range));
    const accumulator = this.#check(node.init);
    const [first, second] = this.#elementTypes(node, range);
    this.#scopes.push(new Map([[node.accumulator, accumulator]]));
    this.#scopes.push(new Map([[node.first, first]]));
    if (node.second !== undefined) this.#scopes.at(-1)?.set(node.second, second);
    this.#assert(node.condition, boolType);
    this.#assert(node.step, accumulator);
    this.#scopes.pop();
    const result = this.#check(node.result);
    this.#scopes.pop();
    return this.#substitutions.apply(result);
  }

  #assert(node: Node, expected: CelType): void {
    const type = this.#check(node);
    if (!this.#substitutions.assign(expected, type)) this.#mismatch(node, expected, type);
  }

  #elementTypes(node: ComprehensionNode, range: CelType): readonly [CelType, CelType] {
    const [key, value] = range.parameters as [CelType, CelType];
    switch (range.kind) {
      case 'list':
        return node.second === undefined ? [key, key] : [intType, key];
      case 'map':
        return [key, value];
      case 'dyn':
      case 'error':
      case 'param':
        this.#substitutions.assign(dynType, range);
        return [dynType, dynType];
      default:
        this.issues.report(
          node.range.offset,
          `expression of type '${range}' cannot be range of a comprehension (must be list, map, or dynamic)`,
        );
        return [errorType, errorType];
    }
  }
}

function literalType(value: unknown): CelType {
  switch (typeof value) {
    case 'boolean':
      return boolType;
    case 'bigint':
      return intType;
    case 'number':
      return doubleType;
    case 'string':
      return stringType;
    default:
      return value === null ? nullType : value instanceof Uint ? uintType : bytesType;
  }
}

/** `a.b.c` for selections from an identifier. */
function qualifiedName(node: Node): string | undefined {
  if (node.kind === 'ident') return node.name;
  if (node.kind !== 'select' || node.test) return undefined;
  const prefix = qualifiedName(node.operand);
  return prefix === undefined ? undefined : `${prefix}.${node.field}`;
}
