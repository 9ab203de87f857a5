import {
  boolType,
  bytesType,
  CelType,
  doubleType,
  durationType,
  dynType,
  errorType,
  intType,
  listType,
  mapType,
  nullType,
  optionalType,
  stringType,
  timestampType,
  typeOfType,
  uintType,
} from '../check/types.js';

/**
 * A value of an expression. int is a bigint, double a number. A failed operation has a {@link CelError} as its value, because
 * `&&`, `||` and loops go on if the other side decides.
 */
export type Value =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint8Array
  | Uint
  | Timestamp
  | Duration
  | CelList
  | CelMap
  | CelType
  | Optional
  | CelError
  | OpaqueValue;

/** A failure. */
export class CelError {
  constructor(readonly message: string) {}
}

/** The failure of an evaluation that became too expensive. */
export const costExceeded: CelError = new CelError('operation cancelled: actual cost limit exceeded');

export const noSuchOverload: CelError = new CelError('no such overload');

/** An unsigned integer. */
export class Uint {
  constructor(readonly value: bigint) {}
}

/** A span of time, in nanoseconds. */
export class Duration {
  constructor(readonly nanos: bigint) {}
}

/** A point in time, in nanoseconds since 1970, and the offset of the zone in which it was written, which only its text shows. */
export class Timestamp {
  constructor(
    readonly nanos: bigint,
    readonly offsetMinutes = 0,
  ) {}
}

/** A value or none. */
export class Optional {
  static readonly none: Optional = new Optional(undefined);

  private constructor(readonly value: Value | undefined) {}

  static of(value: Value): Optional {
    return new Optional(value);
  }
}

/** A value of a library, such as a Quantity. */
export interface OpaqueValue {
  readonly opaqueType: CelType;
  equals(other: OpaqueValue): boolean;
  /** What {@link sizeOf} returns for it. */
  readonly size?: number;
}

/** A list. */
export interface CelList {
  readonly listSize: number;
  at(index: number): Value;
  equalsList(other: CelList): boolean | CelError;
  plus(other: CelList): CelList;
}

/** A map, or an object with named fields. */
export interface CelMap {
  readonly mapSize: number;
  keys(): readonly Value[];
  /** The value of a key; undefined if there is none. An error if the key cannot be one. */
  find(key: Value): Value | undefined;
  equalsMap(other: CelMap): boolean | CelError;
}

export function isList(value: Value): value is CelList {
  return typeof value === 'object' && value !== null && 'listSize' in value;
}

export function isMap(value: Value): value is CelMap {
  return typeof value === 'object' && value !== null && 'mapSize' in value;
}

export function isOpaque(value: Value): value is OpaqueValue {
  return typeof value === 'object' && value !== null && 'opaqueType' in value;
}

/** A list of values that an expression made. */
export class ArrayList implements CelList {
  constructor(readonly values: readonly Value[]) {}

  get listSize(): number {
    return this.values.length;
  }

  at(index: number): Value {
    return this.values[index] as Value;
  }

  equalsList(other: CelList): boolean | CelError {
    return equalInOrder(this, other);
  }

  plus(other: CelList): CelList {
    return new JoinedList(this, other);
  }
}

/** Two lists as one, without a copy: `+` costs the same for long lists as for short ones. */
export class JoinedList implements CelList {
  readonly listSize: number;

  constructor(
    readonly left: CelList,
    readonly right: CelList,
  ) {
    this.listSize = left.listSize + right.listSize;
  }

  at(index: number): Value {
    const boundary = this.left.listSize;
    return index < boundary ? this.left.at(index) : this.right.at(index - boundary);
  }

  equalsList(other: CelList): boolean | CelError {
    return equalInOrder(this, other);
  }

  plus(other: CelList): CelList {
    return new JoinedList(this, other);
  }
}

export function* elementsOf(list: CelList): Generator<Value, void, void> {
  for (let i = 0; i < list.listSize; i++) yield list.at(i);
}

export function equalInOrder(left: CelList, right: CelList): boolean | CelError {
  if (left.listSize !== right.listSize) return false;
  for (let i = 0; i < left.listSize; i++) {
    const result = equal(left.at(i), right.at(i));
    if (result !== true) return result;
  }
  return true;
}

/** A map that an expression made. */
export class EntryMap implements CelMap {
  readonly #entries = new Map<string, readonly [Value, Value]>();

  get mapSize(): number {
    return this.#entries.size;
  }

  set(key: Value, value: Value): void {
    this.#entries.set(mapKey(key) as string, [key, value]);
  }

  delete(key: Value): void {
    this.#entries.delete(mapKey(key) as string);
  }

  keys(): readonly Value[] {
    return [...this.#entries.values()].map(([key]) => key);
  }

  find(key: Value): Value | undefined {
    const normalized = mapKey(key);
    return normalized === undefined ? undefined : this.#entries.get(normalized)?.[1];
  }

  equalsMap(other: CelMap): boolean | CelError {
    if (this.mapSize !== other.mapSize) return false;
    for (const [key, value] of this.#entries.values()) {
      const found = other.find(key);
      if (found === undefined) return false;
      const result = equal(value, found);
      if (result !== true) return result;
    }
    return true;
  }
}

/** The same text for keys that are equal, `1`, `1u` and `1.0` among them. Undefined for what cannot be a key. */
export function mapKey(key: Value): string | undefined {
  switch (typeof key) {
    case 'string':
      return `s${key}`;
    case 'bigint':
      return `n${key}`;
    case 'boolean':
      return `b${key}`;
    case 'number':
      return Number.isInteger(key) ? `n${BigInt(key)}` : `n${key}`;
    default:
      return key instanceof Uint ? `n${key.value}` : undefined;
  }
}

/** Whether two values are equal. Numbers are compared by value, whatever their types. */
export function equal(left: Value, right: Value): boolean | CelError {
  if (left === right && typeof left !== 'number') return true;
  if (left === null || right === null) return false;
  const order = isNumeric(left) && isNumeric(right) ? compareNumbers(left, right) : undefined;
  if (order !== undefined) return order === 0;
  if (left instanceof CelError) return left;
  if (right instanceof CelError) return right;
  if (isList(left)) return isList(right) ? left.equalsList(right) : mixed(left);
  if (isMap(left)) return isMap(right) ? left.equalsMap(right) : mixed(left);
  if (left instanceof Uint8Array) return right instanceof Uint8Array && Buffer.compare(left, right) === 0;
  if (left instanceof Timestamp) return right instanceof Timestamp && left.nanos === right.nanos;
  if (left instanceof Duration) return right instanceof Duration && left.nanos === right.nanos;
  if (left instanceof CelType) return right instanceof CelType && left.name === right.name;
  if (left instanceof Optional) return right instanceof Optional && equalOptionals(left, right);
  if (isOpaque(left))
    return isOpaque(right) && left.opaqueType === right.opaqueType ? left.equals(right) : noSuchOverload;
  return false;
}

/** Lists and maps of the object refuse to be compared with other types, those of the expression are not equal to them. */
function mixed(left: CelList | CelMap): boolean | CelError {
  return left instanceof ArrayList || left instanceof JoinedList || left instanceof EntryMap ? false : noSuchOverload;
}

function equalOptionals(left: Optional, right: Optional): boolean | CelError {
  if (left.value === undefined || right.value === undefined) return left.value === right.value;
  return equal(left.value, right.value);
}

type Numeric = bigint | number | Uint;

function isNumeric(value: Value): value is Numeric {
  return typeof value === 'bigint' || typeof value === 'number' || value instanceof Uint;
}

function isNaNumber(value: bigint | number): boolean {
  return typeof value === 'number' && Number.isNaN(value);
}

function compareNumbers(left: Numeric, right: Numeric): number {
  const [a, b] = [left instanceof Uint ? left.value : left, right instanceof Uint ? right.value : right];
  if (a < b) return -1;
  return a > b ? 1 : isNaNumber(a) || isNaNumber(b) ? Number.NaN : 0;
}

/** The order of two values: negative, 0 or positive, NaN if one is NaN. Undefined if the types have no order. */
export function compare(left: Value, right: Value): number | undefined {
  if (isNumeric(left) && isNumeric(right)) return compareNumbers(left, right);
  if (typeof left === 'string' && typeof right === 'string') return compareStrings(left, right);
  if (typeof left === 'boolean' && typeof right === 'boolean') return Number(left) - Number(right);
  if (left instanceof Uint8Array && right instanceof Uint8Array) return Buffer.compare(left, right);
  if (left instanceof Timestamp && right instanceof Timestamp) return compareNumbers(left.nanos, right.nanos);
  if (left instanceof Duration && right instanceof Duration) return compareNumbers(left.nanos, right.nanos);
  return undefined;
}

const surrogate = /[\ud800-\udfff]/;

/** By code points, as bytes of UTF-8 compare, not by UTF-16 units. */
function compareStrings(left: string, right: string): number {
  if (left === right) return 0;
  if (surrogate.test(left) || surrogate.test(right)) return Buffer.compare(Buffer.from(left), Buffer.from(right));
  return left < right ? -1 : 1;
}

/** The number of code points. */
export function codePoints(text: string): number {
  if (!surrogate.test(text)) return text.length;
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** The number of characters, bytes, elements or entries; 1 for values without a size. */
export function sizeOf(value: Value): number {
  if (typeof value === 'string') return codePoints(value);
  if (typeof value !== 'object' || value === null) return 1;
  if (isList(value)) return value.listSize;
  if (isMap(value)) return value.mapSize;
  if (value instanceof Uint8Array) return value.length;
  return isOpaque(value) ? (value.size ?? 1) : 1;
}

const listOfAny = listType(dynType);
const mapOfAny = mapType(dynType, dynType);
const optionalOfAny = optionalType(dynType);
const anyType = typeOfType();

/** The type of a value, as `type(value)` has it: without the types of elements. */
export function typeOf(value: Value): CelType {
  switch (typeof value) {
    case 'string':
      return stringType;
    case 'bigint':
      return intType;
    case 'number':
      return doubleType;
    case 'boolean':
      return boolType;
  }
  if (value === null) return nullType;
  if (isList(value)) return listOfAny;
  if (isMap(value)) return mapOfAny;
  if (value instanceof Uint) return uintType;
  if (value instanceof Uint8Array) return bytesType;
  if (value instanceof Timestamp) return timestampType;
  if (value instanceof Duration) return durationType;
  if (value instanceof CelType) return anyType;
  if (value instanceof Optional) return optionalOfAny;
  return value instanceof CelError ? errorType : value.opaqueType;
}

/** Whether a list has an element. The error of a comparison, if no element is equal. */
export function listHas(list: CelList, value: Value): boolean | CelError {
  let failure: CelError | undefined;
  for (let i = 0; i < list.listSize; i++) {
    const result = equal(list.at(i), value);
    if (result === true) return true;
    if (result instanceof CelError) failure ??= result;
  }
  return failure ?? false;
}
