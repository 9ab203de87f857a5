import { CelType, dynType, listType, mapType } from './types.js';

const simpleKinds = new Set([
  'bool',
  'bytes',
  'double',
  'int',
  'string',
  'uint',
  'duration',
  'timestamp',
  'struct',
  'null',
]);
const nullableKinds = new Set(['opaque', 'struct', 'duration', 'timestamp', 'null']);

/** What type parameters stand for, as far as it was found out. */
export class Substitutions {
  readonly #bindings = new Map<string, CelType>();
  /** What the bindings were before the changes of an assignment that may fail. */
  #undo: [string, CelType | undefined][] = [];

  find(type: CelType): CelType | undefined {
    return type.kind === 'param' ? this.#bindings.get(type.name) : undefined;
  }

  /** Whether all types fit those they are assigned to. What that means for parameters is kept if so, and forgotten if not. */
  assignAll(from: readonly CelType[], to: readonly CelType[]): boolean {
    this.#undo = [];
    if (this.#assignList(from, to)) return true;
    for (const [name, bound] of this.#undo.reverse()) {
      if (bound === undefined) this.#bindings.delete(name);
      else this.#bindings.set(name, bound);
    }
    return false;
  }

  assign(from: CelType, to: CelType): boolean {
    return this.assignAll([from], [to]);
  }

  /** The type with its parameters replaced. Those that stand for nothing stay, or become dyn. */
  apply(type: CelType, unboundIsDyn = false): CelType {
    const bound = this.find(type);
    if (bound !== undefined) return this.apply(bound, unboundIsDyn);
    if (type.kind === 'param') return unboundIsDyn ? dynType : type;
    if (type.parameters.length === 0) return type;
    const parameters = type.parameters.map((parameter) => this.apply(parameter, unboundIsDyn));
    if (type.kind === 'list') return listType(parameters[0] as CelType);
    if (type.kind === 'map') return mapType(parameters[0] as CelType, parameters[1] as CelType);
    return new CelType(type.kind, type.name, parameters);
  }

  #assignList(from: readonly CelType[], to: readonly CelType[]): boolean {
    return from.length === to.length && from.every((type, i) => this.#assign(type, to[i] as CelType));
  }

  #assign(from: CelType, to: CelType): boolean {
    if (to.kind === 'param') {
      const { valid, known } = this.#substitute(from, to);
      if (valid) return true;
      if (known) return false;
    }
    if (from.kind === 'param') return this.#substitute(to, from).valid;
    if (isDynOrError(from) || isDynOrError(to)) return true;
    if (from.kind === 'null') return nullableKinds.has(to.kind);
    if (to.kind === 'null') return nullableKinds.has(from.kind);
    if (simpleKinds.has(from.kind)) return from.kind === to.kind && from.name === to.name;
    if (from.kind === 'type') return to.kind === 'type';
    return from.kind === to.kind && from.name === to.name && this.#assignList(from.parameters, to.parameters);
  }

  #substitute(type: CelType, parameter: CelType): { readonly valid: boolean; readonly known: boolean } {
    if (type.equals(parameter)) return { valid: true, known: true };
    const bound = this.find(parameter);
    if (bound !== undefined) {
      if (type.equals(bound)) return { valid: true, known: true };
      if (!this.#assign(type, bound)) return { valid: false, known: true };
      const general = mostGeneral(type, bound);
      if (this.#isFree(parameter, general)) this.#bind(parameter, general);
      return { valid: true, known: true };
    }
    if (!this.#isFree(parameter, type)) return { valid: false, known: false };
    this.#bind(parameter, type);
    return { valid: true, known: false };
  }

  #bind(parameter: CelType, type: CelType): void {
    this.#undo.push([parameter.name, this.#bindings.get(parameter.name)]);
    this.#bindings.set(parameter.name, type);
  }

  /** Whether a parameter does not occur in a type, which it would then contain endlessly. */
  #isFree(parameter: CelType, type: CelType): boolean {
    if (parameter.equals(type)) return false;
    const bound = this.find(type);
    if (bound !== undefined) return this.#isFree(parameter, bound);
    return type.parameters.every((inner) => this.#isFree(parameter, inner));
  }
}

export function isDyn(type: CelType): boolean {
  return type.kind === 'dyn';
}

export function isDynOrError(type: CelType): boolean {
  return type.kind === 'dyn' || type.kind === 'error';
}

/** The less specific one of two types that fit each other. */
export function mostGeneral(first: CelType, second: CelType): CelType {
  return isEqualOrLessSpecific(first, second) ? first : second;
}

function isEqualOrLessSpecific(first: CelType, second: CelType): boolean {
  if (isDyn(first) || first.kind === 'param') return true;
  if (isDyn(second) || second.kind === 'param') return false;
  if (first.kind !== second.kind) return false;
  if (first.kind === 'type') return true;
  if (first.name !== second.name || first.parameters.length !== second.parameters.length) return false;
  return first.parameters.every((parameter, i) => isEqualOrLessSpecific(parameter, second.parameters[i] as CelType));
}
