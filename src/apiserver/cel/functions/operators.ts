import { CelType } from '../check/types.js';
import { checkedDuration, checkedTimestamp } from '../eval/time.js';
import {
  CelError,
  type CelMap,
  compare,
  Duration,
  type EntryMap,
  isList,
  isMap,
  listHas,
  noSuchOverload,
  sizeOf,
  Timestamp,
  typeOf,
  Uint,
  type Value,
} from '../eval/values.js';
import type { CelFunction } from './function.js';

const maxInt64 = (1n << 63n) - 1n;
const minInt64 = -(1n << 63n);
const maxUint64 = (1n << 64n) - 1n;

export function checkedInt(value: bigint): bigint | CelError {
  return value > maxInt64 || value < minInt64 ? new CelError('integer overflow') : value;
}

export function checkedUint(value: bigint): Uint | CelError {
  return value < 0n || value > maxUint64 ? new CelError('unsigned integer overflow') : new Uint(value);
}

type Integers = (a: bigint, b: bigint) => bigint | CelError;

/** An operator on two numbers of the same type. */
function arithmetic(integers: Integers, doubles?: (a: number, b: number) => number): CelFunction {
  return (left, right) => {
    if (typeof left === 'bigint' && typeof right === 'bigint') {
      const result = integers(left, right);
      return typeof result === 'bigint' ? checkedInt(result) : result;
    }
    if (typeof left === 'number' && typeof right === 'number' && doubles !== undefined) return doubles(left, right);
    if (left instanceof Uint && right instanceof Uint) {
      const result = integers(left.value, right.value);
      return typeof result === 'bigint' ? checkedUint(result) : result;
    }
    return noSuchOverload;
  };
}

const addNumbers = arithmetic(
  (a, b) => a + b,
  (a, b) => a + b,
);
const subtractNumbers = arithmetic(
  (a, b) => a - b,
  (a, b) => a - b,
);

/** `_+_`, also of the list function sum. */
export const add: CelFunction = (left, right) => {
  if (typeof left === 'string') return typeof right === 'string' ? left + right : noSuchOverload;
  if (isList(left)) return isList(right) ? left.plus(right) : noSuchOverload;
  if (left instanceof Uint8Array) return right instanceof Uint8Array ? Buffer.concat([left, right]) : noSuchOverload;
  if (left instanceof Duration) {
    if (right instanceof Duration) return checkedDuration(left.nanos + right.nanos);
    return right instanceof Timestamp
      ? checkedTimestamp(right.nanos + left.nanos, right.offsetMinutes)
      : noSuchOverload;
  }
  if (left instanceof Timestamp)
    return right instanceof Duration ? checkedTimestamp(left.nanos + right.nanos, left.offsetMinutes) : noSuchOverload;
  return addNumbers(left, right);
};

const subtract: CelFunction = (left, right) => {
  if (left instanceof Duration)
    return right instanceof Duration ? checkedDuration(left.nanos - right.nanos) : noSuchOverload;
  if (left instanceof Timestamp) {
    if (right instanceof Timestamp) return checkedDuration(left.nanos - right.nanos);
    return right instanceof Duration ? checkedTimestamp(left.nanos - right.nanos, left.offsetMinutes) : noSuchOverload;
  }
  return subtractNumbers(left, right);
};

function comparison(holds: (order: number) => boolean): CelFunction {
  return (left, right) => {
    const order = compare(left, right);
    if (order === undefined) return noSuchOverload;
    return Number.isNaN(order) ? new CelError('NaN values cannot be ordered') : holds(order);
  };
}

const isIn: CelFunction = (value, container) => {
  if (isList(container)) return listHas(container, value);
  if (!isMap(container)) return noSuchOverload;
  const found = container.find(value);
  return found instanceof CelError ? found : found !== undefined;
};

const size: CelFunction = (value) =>
  typeof value === 'string' || value instanceof Uint8Array || isList(value) || isMap(value)
    ? BigInt(sizeOf(value))
    : noSuchOverload;

/** `accumulator[key] = value`, which loops such as transformMap do. The accumulator is theirs alone. */
const mapInsert: CelFunction = (map, ...rest) => {
  const target = map as EntryMap;
  const entries: [Value, Value][] =
    rest.length === 2
      ? [rest as [Value, Value]]
      : (rest[0] as CelMap).keys().map((key) => [key, (rest[0] as CelMap).find(key) as Value]);
  for (const [key, value] of entries) {
    if (target.find(key) !== undefined) return new CelError(`insert failed: key ${shownKey(key)} already exists`);
    target.set(key, value);
  }
  return target;
};

function shownKey(key: Value): string {
  return key instanceof Uint ? String(key.value) : String(key);
}

export const operators: Readonly<Record<string, CelFunction>> = {
  '!_': (value) => (typeof value === 'boolean' ? !value : noSuchOverload),
  '-_': (value) => {
    if (typeof value === 'number') return -value;
    if (typeof value === 'bigint') return checkedInt(-value);
    return value instanceof Duration ? checkedDuration(-value.nanos) : noSuchOverload;
  },
  '_+_': add,
  '_-_': subtract,
  '_*_': arithmetic(
    (a, b) => a * b,
    (a, b) => a * b,
  ),
  '_/_': arithmetic(
    (a, b) => (b === 0n ? new CelError('division by zero') : a / b),
    (a, b) => a / b,
  ),
  '_%_': arithmetic((a, b) => (b === 0n ? new CelError('modulus by zero') : a % b)),
  '_<_': comparison((order) => order < 0),
  '_<=_': comparison((order) => order <= 0),
  '_>_': comparison((order) => order > 0),
  '_>=_': comparison((order) => order >= 0),
  '@in': isIn,
  'cel.@mapInsert': mapInsert,
  dyn: (value) => value,
  size,
  type: (value) => {
    const type = typeOf(value);
    return type.kind === 'list' || type.kind === 'map' ? new CelType(type.kind, type.name) : type;
  },
};
