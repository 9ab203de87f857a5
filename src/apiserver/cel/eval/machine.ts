import type { Steps } from '../../../time/steps.js';
import { equalityCost } from '../cost/call-cost.js';
import type { Code, Instruction } from './code.js';
import {
  ArrayList,
  CelError,
  type CelList,
  type CelMap,
  costExceeded,
  EntryMap,
  equal,
  isList,
  isMap,
  JoinedList,
  listHas,
  mapKey,
  noSuchOverload,
  Optional,
  typeOf,
  Uint,
  type Value,
} from './values.js';

/** The end of an evaluation. */
export interface MachineResult {
  readonly value: Value;
  readonly cost: number;
}

/** After so many instructions an evaluation lets others run. */
const stepLength = 2000;

/** Where a loop is in its range. */
interface Iteration {
  readonly keys: readonly Value[] | undefined;
  readonly list: CelList | undefined;
  readonly map: CelMap | undefined;
  position: number;
}

/** Evaluates code. It ends with {@link costExceeded} when it costs more than `limit`. */
export function* execute(code: Code, variables: ReadonlyMap<string, Value>, limit: number): Steps<MachineResult> {
  const { instructions } = code;
  const stack: Value[] = [];
  const locals: Value[] = new Array<Value>(code.slots).fill(null);
  const iterations: (Iteration | undefined)[] = [];
  let cost = 0;
  let steps = 0;
  let position = 0;
  while (position < instructions.length) {
    if (cost > limit) return { value: costExceeded, cost };
    if (++steps === stepLength) {
      steps = 0;
      yield;
    }
    const instruction = instructions[position++] as Instruction;
    switch (instruction.op) {
      case 'constant':
        stack.push(instruction.value);
        break;
      case 'variable':
        cost += instruction.cost;
        stack.push(variableOf(variables, instruction.name));
        break;
      case 'local':
        cost += instruction.cost;
        stack.push(locals[instruction.slot] as Value);
        break;
      case 'charge':
        cost += instruction.cost;
        break;
      case 'select': {
        const operand = stack.pop() as Value;
        const { value, found } = instruction.test
          ? { value: testField(operand, instruction.field), found: true }
          : member(operand, instruction.field, instruction.optional);
        if (found) cost += 1;
        stack.push(value);
        break;
      }
      case 'index': {
        const index = stack.pop() as Value;
        const operand = stack.pop() as Value;
        if (index instanceof CelError || operand instanceof CelError) {
          stack.push(operand instanceof CelError ? operand : index);
          break;
        }
        const { value, found } = member(operand, index, instruction.optional);
        if (found) cost += instruction.cost;
        stack.push(value);
        break;
      }
      case 'equal': {
        const right = stack.pop() as Value;
        const left = stack.pop() as Value;
        cost += equalityCost([left, right]);
        if (cost > limit) break;
        if (left instanceof CelError || right instanceof CelError) {
          stack.push(left instanceof CelError ? left : right);
          break;
        }
        const result = equal(left, right);
        stack.push(instruction.negated ? result !== true : result);
        break;
      }
      case 'call': {
        const args = stack.splice(stack.length - instruction.count);
        const failed = args.find((argument) => argument instanceof CelError);
        // Calls with three and more arguments stop at the first one that fails, and cost nothing.
        if (failed === undefined || instruction.count < 3) cost += instruction.cost(args);
        if (cost > limit) break;
        stack.push(failed ?? described(instruction.run(...args), instruction.name, args));
        break;
      }
      case 'longCall': {
        const args = stack.splice(stack.length - instruction.count);
        const failed = args.find((argument) => argument instanceof CelError);
        if (failed === undefined || instruction.count < 3) cost += instruction.cost(args);
        if (cost > limit) break;
        stack.push(failed ?? (yield* instruction.run(...args)));
        break;
      }
      case 'notFalse':
        cost += 1;
        stack.push(stack.pop() !== false);
        break;
      case 'member': {
        const value = stack.pop() as Value;
        stack.push(value instanceof CelError ? value : listHas(instruction.list, value) === true);
        break;
      }
      case 'list':
        stack.push(listOf(stack.splice(stack.length - instruction.count), instruction.optionals));
        break;
      case 'map':
        stack.push(mapOf(stack.splice(stack.length - 2 * instruction.optionals.length), instruction.optionals));
        break;
      case 'append': {
        const value = stack.pop() as Value;
        const list = locals[instruction.slot];
        if (value instanceof CelError) locals[instruction.slot] = value;
        else if (list instanceof ArrayList) (list.values as Value[]).push(value);
        break;
      }
      case 'jump':
        position = instruction.target;
        break;
      case 'shortCircuit':
        if (stack.at(-1) === instruction.when) position = instruction.target;
        break;
      case 'combine': {
        const right = stack.pop() as Value;
        const left = stack.pop() as Value;
        stack.push(combine(left, right, instruction.identity));
        break;
      }
      case 'branch': {
        const condition = stack.pop() as Value;
        if (condition === false) position = instruction.otherwise;
        else if (condition !== true) {
          stack.push(condition instanceof CelError ? condition : noSuchOverload);
          position = instruction.end;
        }
        break;
      }
      case 'orElse': {
        const optional = stack.pop() as Value;
        if (optional instanceof Optional && optional.value === undefined) break;
        if (optional instanceof Optional) stack.push(instruction.unwrap ? (optional.value as Value) : optional);
        else stack.push(optional);
        position = instruction.target;
        break;
      }
      case 'iterate': {
        const range = stack.pop() as Value;
        const iteration = iterationOf(range, instruction.pairs);
        if (iteration instanceof CelError) {
          stack.push(iteration);
          position = instruction.end;
        } else iterations[instruction.slot] = iteration;
        break;
      }
      case 'next':
        if (!advance(iterations[instruction.slot] as Iteration, locals, instruction.slot, instruction.pairs))
          position = instruction.end;
        break;
      case 'while':
        if (stack.pop() === false) position = instruction.end;
        break;
      case 'store': {
        const value = stack.pop() as Value;
        // A list that the loop fills must be its own.
        locals[instruction.slot] =
          value instanceof ArrayList && value.listSize === 0
            ? new ArrayList([])
            : value instanceof EntryMap && value.mapSize === 0
              ? new EntryMap()
              : value;
        break;
      }
    }
  }
  if (cost > limit) return { value: costExceeded, cost };
  return { value: stack.pop() as Value, cost };
}

function variableOf(variables: ReadonlyMap<string, Value>, name: string): Value {
  const value = variables.get(name);
  return value === undefined ? new CelError(`no such attribute(s): ${name}`) : value;
}

/** A field, key or element. `found` is false if it is missing from an optional access, which costs nothing then. */
function member(operand: Value, key: Value, optional: boolean): { readonly value: Value; readonly found: boolean } {
  if (operand instanceof CelError) return { value: operand, found: true };
  if (operand instanceof Optional) {
    if (operand.value === undefined) return { value: Optional.none, found: false };
    const inner = member(operand.value, key, true);
    return inner;
  }
  const value = lookUp(operand, key);
  if (value instanceof CelError) return { value, found: true };
  if (value !== undefined) return { value: optional ? Optional.of(value) : value, found: true };
  if (optional) return { value: Optional.none, found: false };
  const missing = isList(operand) ? 'index out of bounds' : 'no such key';
  return { value: new CelError(`${missing}: ${key instanceof Uint ? key.value : String(key)}`), found: true };
}

function lookUp(operand: Value, key: Value): Value | undefined {
  if (isMap(operand)) return operand.find(key);
  return isList(operand) ? elementAt(operand, key) : undefined;
}

function elementAt(list: CelList, key: Value): Value | undefined {
  const number = key instanceof Uint ? key.value : key;
  if (typeof number !== 'bigint' && typeof number !== 'number')
    return new CelError(`unsupported index type '${typeOf(key).name}' in list`);
  const index = Number(number);
  if (!Number.isInteger(index)) return new CelError(`unsupported index value ${index} in list`);
  if (index < 0 || index >= list.listSize) return undefined;
  // Lists of the object have positions of type int only.
  const isOwn = list instanceof ArrayList || list instanceof JoinedList;
  return typeof key === 'bigint' || isOwn ? list.at(index) : new CelError(`unsupported index: ${index}`);
}

/** Functions whose failure does not name them. */
const plainFailures = new Set(['@in', 'contains', 'startsWith', 'endsWith']);

/** The failure of a call whose arguments have types that it does not take names the call. */
function described(value: Value, name: string, args: readonly Value[]): Value {
  if (value !== noSuchOverload || plainFailures.has(name) || name.includes('_')) return value;
  if (name === 'size') return new CelError('no such overload: size');
  return new CelError(`no such overload: ${name}(${args.map((argument) => typeOf(argument).name).join(', ')})`);
}

function testField(operand: Value, field: string): Value {
  if (operand instanceof CelError) return operand;
  if (operand instanceof Optional) return operand.value !== undefined && testField(operand.value, field);
  if (!isMap(operand)) return false;
  const value = operand.find(field);
  return value instanceof CelError ? value : value !== undefined;
}

function combine(left: Value, right: Value, identity: boolean): Value {
  if (right === !identity) return right;
  for (const side of [left, right])
    if (typeof side !== 'boolean') return side instanceof CelError ? side : noSuchOverload;
  return identity;
}

function listOf(values: readonly Value[], optionals: ReadonlySet<number>): Value {
  const elements: Value[] = [];
  for (const [i, value] of values.entries()) {
    if (value instanceof CelError) return value;
    if (!optionals.has(i)) elements.push(value);
    else if (!(value instanceof Optional))
      return new CelError('cannot initialize optional list element from non-optional value');
    else if (value.value !== undefined) elements.push(value.value);
  }
  return new ArrayList(elements);
}

function mapOf(values: readonly Value[], optionals: readonly boolean[]): Value {
  const map = new EntryMap();
  for (const [i, optional] of optionals.entries()) {
    const key = values[2 * i] as Value;
    const value = values[2 * i + 1] as Value;
    if (key instanceof CelError) return key;
    if (value instanceof CelError) return value;
    if (mapKey(key) === undefined) return new CelError('unsupported key type');
    if (!optional) map.set(key, value);
    else if (!(value instanceof Optional))
      return new CelError(`cannot initialize optional entry '${String(key)}' from non-optional value`);
    else if (value.value === undefined) map.delete(key);
    else map.set(key, value.value);
  }
  return map;
}

function iterationOf(range: Value, pairs: boolean): Iteration | CelError {
  if (range instanceof CelError) return range;
  if (isList(range)) return { list: range, map: undefined, keys: undefined, position: 0 };
  if (isMap(range)) return { list: undefined, map: pairs ? range : undefined, keys: range.keys(), position: 0 };
  return new CelError(`got 'types.${goTypeName(range)}', expected iterable type`);
}

function goTypeName(value: Value): string {
  const name = typeOf(value).name.replace(/^.*\./, '');
  return name.charAt(0).toUpperCase() + name.slice(1);
}

function advance(iteration: Iteration, locals: Value[], slot: number, pairs: boolean): boolean {
  const { list, keys, map } = iteration;
  const position = iteration.position++;
  if (position >= (list?.listSize ?? keys?.length ?? 0)) return false;
  if (list !== undefined) {
    locals[slot + 1] = pairs ? BigInt(position) : list.at(position);
    locals[slot + 2] = list.at(position);
  } else {
    const key = keys?.[position] as Value;
    locals[slot + 1] = key;
    locals[slot + 2] = map?.find(key) ?? null;
  }
  return true;
}
