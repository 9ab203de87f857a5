import { quantityType } from '../check/declarations.js';
import type { CelType } from '../check/types.js';
import { CelError, noSuchOverload, type OpaqueValue, type Value } from '../eval/values.js';
import type { CelFunction } from './function.js';

const nano = 1_000_000_000n;
const maxInt64 = (1n << 63n) - 1n;

/** An amount of a resource, in billionths. */
class CelQuantity implements OpaqueValue {
  readonly opaqueType: CelType = quantityType;

  constructor(readonly nanos: bigint) {}

  equals(other: OpaqueValue): boolean {
    return other instanceof CelQuantity && other.nanos === this.nanos;
  }
}

const decimalSuffixes: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  '': 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};
const binarySuffixes = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const wrongFormat = new CelError(
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
);
const wrongSuffix = new CelError("unable to parse quantity's suffix");
/** Larger exponents would only cost time: no resource is as large. */
const maxExponent = 1000;

function parseQuantity(text: string): CelQuantity | CelError {
  const match = /^([+-]?)(\d*)(?:\.(\d*))?([eEinumkKMGTP]*[-+]?\d*)$/.exec(text);
  if (match === null || text === '') return wrongFormat;
  const [, sign, whole = '', fraction = '', suffix = ''] = match;
  const scale = scaleOf(suffix);
  if (scale === undefined) return wrongSuffix;
  const digits = BigInt(`0${whole}${fraction}`);
  let exponent = scale.decimal - fraction.length + 9;
  let value = digits * scale.factor;
  if (exponent < 0) {
    const divisor = 10n ** BigInt(-exponent);
    // Parts of a billionth are rounded up, away from zero.
    value = (value + divisor - 1n) / divisor;
    exponent = 0;
  }
  value *= 10n ** BigInt(exponent);
  if (scale.factor > 1n && value > maxInt64 * nano) value = maxInt64 * nano;
  return new CelQuantity(sign === '-' ? -value : value);
}

function scaleOf(suffix: string): { readonly decimal: number; readonly factor: bigint } | undefined {
  const decimal = Object.hasOwn(decimalSuffixes, suffix) ? decimalSuffixes[suffix] : undefined;
  if (decimal !== undefined) return { decimal, factor: 1n };
  const binary = binarySuffixes.indexOf(suffix);
  if (binary >= 0) return { decimal: 0, factor: 1n << BigInt(10 * (binary + 1)) };
  const exponent = /^[eE]([-+]?\d+)$/.exec(suffix)?.[1];
  if (exponent === undefined || Math.abs(Number(exponent)) > maxExponent) return undefined;
  return { decimal: Number(exponent), factor: 1n };
}

function onQuantity(body: (quantity: CelQuantity) => Value): CelFunction {
  return (value) => (value instanceof CelQuantity ? body(value) : noSuchOverload);
}

/** A sum with a quantity or an integer. */
function plus(sign: bigint): CelFunction {
  return (left, right) => {
    if (!(left instanceof CelQuantity)) return noSuchOverload;
    const other = right instanceof CelQuantity ? right.nanos : typeof right === 'bigint' ? right * nano : undefined;
    return other === undefined ? noSuchOverload : new CelQuantity(left.nanos + sign * other);
  };
}

function isInteger(quantity: CelQuantity): boolean {
  const whole = quantity.nanos / nano;
  return quantity.nanos % nano === 0n && whole <= maxInt64 && whole >= -maxInt64 - 1n;
}

/** The order of two quantities; undefined if the values are none. */
export function compareQuantities(left: Value, right: Value): number | undefined {
  if (!(left instanceof CelQuantity) || !(right instanceof CelQuantity)) return undefined;
  return left.nanos < right.nanos ? -1 : left.nanos > right.nanos ? 1 : 0;
}

export const quantities: Readonly<Record<string, CelFunction>> = {
  quantity: (text) => (typeof text === 'string' ? parseQuantity(text) : noSuchOverload),
  isQuantity: (text) => (typeof text === 'string' ? parseQuantity(text) instanceof CelQuantity : noSuchOverload),
  sign: onQuantity(({ nanos }) => (nanos > 0n ? 1n : nanos < 0n ? -1n : 0n)),
  add: plus(1n),
  sub: plus(-1n),
  asApproximateFloat: onQuantity(({ nanos }) => Number(nanos / nano) + Number(nanos % nano) / 1e9),
  asInteger: onQuantity((quantity) =>
    isInteger(quantity) ? quantity.nanos / nano : new CelError('cannot convert value to integer'),
  ),
  isInteger: onQuantity(isInteger),
};
