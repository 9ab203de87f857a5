import {
  ArrayList,
  CelError,
  type CelList,
  compare,
  costExceeded,
  Duration,
  EntryMap,
  elementsOf,
  equal,
  isList,
  isOpaque,
  listHas,
  noSuchOverload,
  Optional,
  typeOf,
  Uint,
  type Value,
} from '../eval/values.js';
import type { CelFunction } from './function.js';
import { add } from './operators.js';
import { textIndexOf, textLastIndexOf } from './strings.js';

function onList(body: (list: CelList, ...args: Value[]) => Value): CelFunction {
  return (list, ...args) => (isList(list) ? body(list, ...args) : noSuchOverload);
}

function onLists(body: (list: CelList, other: CelList) => Value): CelFunction {
  return onList((list, other) => (isList(other as Value) ? body(list, other as CelList) : noSuchOverload));
}

function isSorted(list: CelList): Value {
  for (let i = 1; i < list.listSize; i++) {
    if ((compare(list.at(i - 1), list.at(i)) ?? 0) > 0) return false;
  }
  return true;
}

/** @param sign 1 for the largest element, -1 for the smallest */
function extreme(name: string, sign: number): (list: CelList) => Value {
  return (list) => {
    if (list.listSize === 0) return new CelError(`${name} called on empty list`);
    let best = list.at(0);
    for (let i = 1; i < list.listSize; i++) {
      if ((compare(best, list.at(i)) ?? 0) * sign < 0) best = list.at(i);
    }
    return best;
  };
}

function sum(list: CelList): Value {
  let total: Value | undefined;
  for (const element of elementsOf(list)) {
    if (total === undefined && !isSummable(element)) return noSuchOverload;
    total = total === undefined ? element : add(total, element);
    if (total instanceof CelError) return total;
  }
  return total ?? 0n;
}

function isSummable(value: Value): boolean {
  return typeof value === 'bigint' || typeof value === 'number' || value instanceof Uint || value instanceof Duration;
}

function indexOf(list: CelList, value: Value): Value {
  for (let i = 0; i < list.listSize; i++) if (equal(list.at(i), value) === true) return BigInt(i);
  return -1n;
}

function lastIndexOf(list: CelList, value: Value): Value {
  for (let i = list.listSize - 1; i >= 0; i--) if (equal(list.at(i), value) === true) return BigInt(i);
  return -1n;
}

function slice(list: CelList, start?: Value, end?: Value): Value {
  if (typeof start !== 'bigint' || typeof end !== 'bigint') return noSuchOverload;
  const call = `cannot slice(${start}, ${end}),`;
  if (start < 0n || end < 0n) return new CelError(`${call} negative indexes not supported`);
  if (start > end) return new CelError(`${call} start index must be less than or equal to end index`);
  if (BigInt(list.listSize) < end) return new CelError(`${call} list is length ${list.listSize}`);
  return new ArrayList([...elementsOf(list)].slice(Number(start), Number(end)));
}

/** The cost of a call does not count the elements of inner lists. */
const maxFlattened = 4_000_000;

function flatten(list: CelList, depth: Value = 1n): Value {
  if (typeof depth !== 'bigint') return noSuchOverload;
  if (depth < 0n) return new CelError('level must be non-negative');
  const values: Value[] = [];
  const collect = (from: CelList, level: bigint): void => {
    for (const element of elementsOf(from)) {
      if (level > 0n && isList(element)) collect(element, level - 1n);
      else values.push(element);
      if (values.length > maxFlattened) return;
    }
  };
  collect(list, depth);
  return values.length > maxFlattened ? costExceeded : new ArrayList(values);
}

function sortBy(list: CelList, keys: CelList): Value {
  if (list.listSize !== keys.listSize)
    return new CelError(
      `@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got ${list.listSize} and ${keys.listSize} elements respectively`,
    );
  if (list.listSize === 0) return list;
  const first = keys.at(0);
  if (compare(first, first) === undefined) return new CelError('list elements must be comparable');
  const keyed = [...elementsOf(keys)];
  const type = typeOf(first);
  if (keyed.some((key) => typeOf(key) !== type)) return new CelError('list elements must have the same type');
  const order = keyed.map((_key, i) => i).sort((a, b) => compare(keyed[a] as Value, keyed[b] as Value) as number);
  return new ArrayList(order.map((i) => list.at(i)));
}

function distinct(list: CelList): Value {
  const values: Value[] = [];
  for (const element of elementsOf(list)) if (listHas(new ArrayList(values), element) !== true) values.push(element);
  return new ArrayList(values);
}

function range(count: Value): Value {
  if (typeof count !== 'bigint') return noSuchOverload;
  return new ArrayList(Array.from({ length: Math.max(0, Number(count)) }, (_, i) => BigInt(i)));
}

function containsAll(list: CelList, part: CelList): Value {
  for (const element of elementsOf(part)) {
    const found = listHas(list, element);
    if (found !== true) return found;
  }
  return true;
}

function intersects(left: CelList, right: CelList): Value {
  for (const element of elementsOf(left)) if (listHas(right, element) === true) return true;
  return false;
}

function unwrap(list: CelList): Value {
  const values: Value[] = [];
  for (const element of elementsOf(list)) {
    if (!(element instanceof Optional)) return new CelError(`value ${String(element)} is not optional`);
    if (element.value !== undefined) values.push(element.value);
  }
  return new ArrayList(values);
}

function isZero(value: Value): boolean {
  if (value === null || value === false || value === '' || value === 0n || value === 0) return true;
  if (value instanceof Uint) return value.value === 0n;
  if (value instanceof Duration) return value.nanos === 0n;
  if (typeof value !== 'object' || isOpaque(value)) return false;
  if (value instanceof Uint8Array) return value.length === 0;
  // Lists and maps of the object have no zero value, only those that an expression made.
  return (value instanceof ArrayList && value.listSize === 0) || (value instanceof EntryMap && value.mapSize === 0);
}

export const lists: Readonly<Record<string, CelFunction>> = {
  isSorted: onList(isSorted),
  max: onList(extreme('max', 1)),
  min: onList(extreme('min', -1)),
  sum: onList(sum),
  indexOf: (value, ...args) =>
    typeof value === 'string' ? textIndexOf(value, ...(args as [Value])) : onList(indexOf)(value, ...args),
  lastIndexOf: (value, ...args) =>
    typeof value === 'string' ? textLastIndexOf(value, ...(args as [Value])) : onList(lastIndexOf)(value, ...args),
  slice: onList(slice),
  flatten: onList(flatten),
  sort: onList((list) => sortBy(list, list)),
  '@sortByAssociatedKeys': onLists(sortBy),
  distinct: onList(distinct),
  reverse: onList((list) => new ArrayList([...elementsOf(list)].reverse())),
  first: onList((list) => (list.listSize === 0 ? Optional.none : Optional.of(list.at(0)))),
  last: onList((list) => (list.listSize === 0 ? Optional.none : Optional.of(list.at(list.listSize - 1)))),
  'lists.range': range,
  'sets.contains': onLists(containsAll),
  'sets.intersects': onLists(intersects),
  'sets.equivalent': onLists((left, right) => {
    const contained = containsAll(left, right);
    return contained === true ? containsAll(right, left) : contained;
  }),
};

function onOptional(body: (optional: Optional) => Value): CelFunction {
  return (value) => (value instanceof Optional ? body(value) : noSuchOverload);
}

export const optionals: Readonly<Record<string, CelFunction>> = {
  'optional.none': () => Optional.none,
  'optional.of': (value) => Optional.of(value),
  'optional.ofNonZeroValue': (value) => (isZero(value) ? Optional.none : Optional.of(value)),
  'optional.unwrap': onList(unwrap),
  unwrapOpt: onList(unwrap),
  hasValue: onOptional((optional) => optional.value !== undefined),
  value: onOptional((optional) =>
    optional.value === undefined ? new CelError('optional.none() dereference') : optional.value,
  ),
};
