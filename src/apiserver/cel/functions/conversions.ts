import {
  formatDuration,
  formatTimestamp,
  parseDuration,
  parseTimestamp,
  timestampOfSeconds,
  unixSeconds,
} from '../eval/time.js';
import { CelError, Duration, isOpaque, noSuchOverload, Timestamp, typeOf, Uint, type Value } from '../eval/values.js';
import type { CelFunction } from './function.js';
import { Cidr, Ip } from './network.js';
import { checkedInt, checkedUint } from './operators.js';

/** A double in the shortest form, with an exponent if it is very small or large, as Go's %g prints it. */
function formatDouble(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  if (Object.is(value, -0)) return '-0';
  const [mantissa, exponent] = value.toExponential().split('e') as [string, string];
  const power = Number(exponent);
  if (power >= -4 && power < 6) return String(value);
  return `${mantissa}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}

function failure(value: Value, target: string): CelError {
  return new CelError(`type conversion error from '${typeOf(value).name}' to '${target}'`);
}

/** A whole number of Go's strconv: a sign and decimal digits. */
function decimal(text: string, signed: boolean): bigint | undefined {
  return (signed ? /^[+-]?\d+$/ : /^\d+$/).test(text) ? BigInt(text.replace(/^\+/, '')) : undefined;
}

function toInt(value: Value): Value {
  if (typeof value === 'bigint') return value;
  if (value instanceof Uint) return checkedInt(value.value);
  if (value instanceof Timestamp) return unixSeconds(value);
  if (value instanceof Duration) return value.nanos;
  if (typeof value === 'number')
    return Number.isNaN(value) || value <= -(2 ** 63) || value >= 2 ** 63
      ? new CelError('integer overflow')
      : BigInt(Math.trunc(value));
  if (typeof value !== 'string') return noSuchOverload;
  const parsed = decimal(value, true);
  return parsed === undefined || checkedInt(parsed) instanceof CelError ? failure(value, 'int') : parsed;
}

function toUint(value: Value): Value {
  if (value instanceof Uint) return value;
  if (typeof value === 'bigint') return checkedUint(value);
  if (typeof value === 'number')
    return Number.isNaN(value) || value < 0 || value >= 2 ** 64
      ? new CelError('unsigned integer overflow')
      : new Uint(BigInt(Math.trunc(value)));
  if (typeof value !== 'string') return noSuchOverload;
  const parsed = decimal(value, false);
  const checked = parsed === undefined ? undefined : checkedUint(parsed);
  return checked === undefined || checked instanceof CelError ? failure(value, 'uint') : checked;
}

const specialDoubles: Readonly<Record<string, number>> = {
  nan: Number.NaN,
  inf: Number.POSITIVE_INFINITY,
  infinity: Number.POSITIVE_INFINITY,
};

function toDouble(value: Value): Value {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof Uint) return Number(value.value);
  if (typeof value !== 'string') return noSuchOverload;
  const [, sign, rest] = /^([+-]?)(.*)$/s.exec(value) as unknown as [string, string, string];
  const special = Object.hasOwn(specialDoubles, rest.toLowerCase()) ? specialDoubles[rest.toLowerCase()] : undefined;
  if (special !== undefined && !(sign !== '' && Number.isNaN(special))) return sign === '-' ? -special : special;
  if (!/^(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(rest)) return failure(value, 'double');
  const parsed = Number(value);
  return Number.isFinite(parsed) ? parsed : failure(value, 'double');
}

function toText(value: Value): Value {
  switch (typeof value) {
    case 'string':
      return value;
    case 'bigint':
    case 'boolean':
      return String(value);
    case 'number':
      return formatDouble(value);
  }
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Timestamp) return formatTimestamp(value);
  if (value instanceof Duration) return formatDuration(value);
  if (value instanceof Uint8Array) return decodeUtf8(value);
  if (value !== null && isOpaque(value) && (value instanceof Ip || value instanceof Cidr)) return value.toString();
  return noSuchOverload;
}

function decodeUtf8(bytes: Uint8Array): Value {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return new CelError('invalid UTF-8 in bytes, cannot convert to string');
  }
}

const trueTexts = new Set(['1', 't', 'T', 'TRUE', 'true', 'True']);
const falseTexts = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False']);

export const conversions: Readonly<Record<string, CelFunction>> = {
  bool: (value) => {
    if (typeof value === 'boolean') return value;
    if (typeof value !== 'string') return noSuchOverload;
    if (trueTexts.has(value)) return true;
    return falseTexts.has(value) ? false : failure(value, 'bool');
  },
  bytes: (value) => {
    if (value instanceof Uint8Array) return value;
    return typeof value === 'string' ? Buffer.from(value) : noSuchOverload;
  },
  double: toDouble,
  duration: (value) => {
    if (value instanceof Duration) return value;
    if (typeof value === 'bigint') return new Duration(value);
    if (typeof value !== 'string') return noSuchOverload;
    return parseDuration(value) ?? failure(value, 'google.protobuf.Duration');
  },
  int: toInt,
  string: toText,
  timestamp: (value) => {
    if (value instanceof Timestamp) return value;
    if (typeof value === 'bigint') return timestampOfSeconds(value);
    if (typeof value !== 'string') return noSuchOverload;
    return parseTimestamp(value) ?? failure(value, 'google.protobuf.Timestamp');
  },
  uint: toUint,
};
