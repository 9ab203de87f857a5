/**
 * Amounts of resources such as `500m` and `1Gi`: parsed, compared and printed as kube-apiserver does, which stores them in
 * their canonical form.
 */

/** How a quantity was written: `1Gi`, `1G` or `1e9`. */
type QuantityFormat = 'BinarySI' | 'DecimalSI' | 'DecimalExponent';

/** A parsed quantity. */
export interface Quantity {
  /** The amount in billionths, the smallest part that a quantity can have. */
  readonly nanos: bigint;
  readonly format: QuantityFormat;
  /** The text that it was parsed from, if that is printed unchanged. */
  readonly text: string | undefined;
  /** Whether the text has digits after the thousandths. */
  readonly isFine: boolean;
}

/** A text that is no quantity; the message is kube-apiserver's. */
export class QuantityError extends Error {}

const DECIMAL: ReadonlyMap<string, number> = new Map(
  ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'].map((suffix, at) => [suffix, at * 3 - 9]),
);
const DECIMAL_SUFFIXES: ReadonlyMap<number, string> = new Map([...DECIMAL].map(([suffix, power]) => [power, suffix]));
const BINARY = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

const FORM = /^([+-]?)(?:0*)([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]*[-+]?[0-9]*)$/;
/** Most quantities: printed as they are, and no zeros to move into the suffix. */
const CANONICAL = /^[1-9][0-9]{0,2}(?:[mkMGT]?|[KMGT]i)$/;

const WRONG_FORMAT = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const BILLION = 1_000_000_000n;
const MAX_BINARY = (2n ** 63n - 1n) * BILLION;
/** Beyond these the digits cost time and have no meaning. */
const MOST_DIGITS = 60;
const MOST_EXPONENT = 60;

/**
 * Parses a quantity.
 *
 * @throws QuantityError
 */
export function parseQuantity(text: string): Quantity {
  const match = text === '' ? null : FORM.exec(text);
  if (match === null) throw new QuantityError(WRONG_FORMAT);
  const [, sign, whole = '', fraction = '', suffix = ''] = match;
  const { base, exponent, format } = suffixOf(suffix);
  if (whole.length > MOST_DIGITS) throw new QuantityError('unable to parse numeric part of quantity');
  const digits = whole + fraction.slice(0, MOST_DIGITS);
  const mantissa = BigInt(digits === '' ? '0' : digits);
  // Rounded up, so that an amount that is too small stays an amount.
  const scale = (base === 10 ? exponent : 0) - Math.min(fraction.length, MOST_DIGITS);
  const amount = base === 2 ? mantissa * 2n ** BigInt(exponent) : mantissa;
  let nanos = scale + 9 >= 0 ? amount * 10n ** BigInt(scale + 9) : divideUp(amount, 10n ** BigInt(-scale - 9));
  let shownAs = format;
  if (format === 'BinarySI') {
    if (nanos > MAX_BINARY) nanos = MAX_BINARY;
    if (nanos < BILLION && nanos > 0n) shownAs = 'DecimalSI';
  }
  const isKept = isKeptAsWritten(text, whole, fraction, exponent, scale, format);
  return {
    nanos: sign === '-' ? -nanos : nanos,
    format: shownAs,
    text: isKept ? text : undefined,
    isFine: scale < -3,
  };
}

function suffixOf(suffix: string): { base: 2 | 10; exponent: number; format: QuantityFormat } {
  const power = DECIMAL.get(suffix);
  if (power !== undefined) return { base: 10, exponent: power, format: 'DecimalSI' };
  const binary = BINARY.indexOf(suffix);
  if (binary > 0) return { base: 2, exponent: binary * 10, format: 'BinarySI' };
  if (/^[eE][-+]?[0-9]+$/.test(suffix)) {
    const exponent = Math.max(-MOST_EXPONENT, Math.min(MOST_EXPONENT, Number(suffix.slice(1))));
    return { base: 10, exponent, format: 'DecimalExponent' };
  }
  throw new QuantityError("unable to parse quantity's suffix");
}

/** kube-apiserver keeps the text of a quantity that is roughly canonical: `+1` and `1e3` stay. */
function isKeptAsWritten(
  text: string,
  whole: string,
  fraction: string,
  exponent: number,
  scale: number,
  format: QuantityFormat,
): boolean {
  if (text === '0') return true;
  const digits = (whole === '' ? '0' : whole) + fraction;
  if (format === 'BinarySI') {
    const isShort = 15 - digits.length - Math.trunc((exponent * 3) / 10) - 1 >= 0;
    return isShort && fraction === '' && (Number(digits) & 7) !== 0;
  }
  const isShort = digits.length <= 18 && scale >= -9;
  return isShort && scale % 3 === 0 && !digits.endsWith('000') && digits[0] !== '0';
}

function divideUp(value: bigint, by: bigint): bigint {
  return (value + by - 1n) / by;
}

/** The canonical text of a quantity. */
function printQuantity({ nanos, format, text }: Quantity): string {
  if (text !== undefined) return text;
  if (nanos === 0n) return '0';
  const size = nanos < 0n ? -nanos : nanos;
  const sign = nanos < 0n ? '-' : '';
  if (format === 'BinarySI' && size >= 1024n * BILLION && size % BILLION === 0n) {
    let amount = size / BILLION;
    let power = 0;
    for (; amount % 1024n === 0n && amount !== 0n; power++) amount /= 1024n;
    return `${sign}${amount}${BINARY[power] ?? ''}`;
  }
  let amount = size;
  let power = -9;
  for (; amount % 1000n === 0n; power += 3) amount /= 1000n;
  if (format === 'DecimalExponent') return `${sign}${amount}${power === 0 ? '' : `e${power}`}`;
  return `${sign}${amount}${DECIMAL_SUFFIXES.get(power) ?? ''}`;
}

/**
 * The canonical text of a quantity.
 *
 * @throws QuantityError
 */
export function canonicalQuantity(text: string): string {
  if (CANONICAL.test(text) && !text.endsWith('i')) return text;
  return printQuantity(parseQuantity(text.trim()));
}

/** The canonical text of a quantity, rounded up to thousandths: resources of containers have no smaller parts. */
export function milliQuantity(text: string): string {
  if (CANONICAL.test(text)) return text;
  const quantity = parseQuantity(text);
  if (!quantity.isFine) return text;
  const million = 1_000_000n;
  const { nanos } = quantity;
  const rounded = nanos < 0n ? -divideUp(-nanos, million) * million : divideUp(nanos, million) * million;
  return printQuantity({ ...quantity, nanos: rounded, text: undefined });
}

/** The amount of a valid quantity in billionths. */
export function quantityNanos(text: string): bigint {
  return parseQuantity(text).nanos;
}

/** The amount of a quantity as a number: cores for `250m` of CPU, bytes for `1Gi`. @throws QuantityError */
export function quantityNumber(text: string): number {
  const { nanos } = parseQuantity(text);
  return Number(nanos / BILLION) + Number(nanos % BILLION) / Number(BILLION);
}

/** The sum of two valid quantities. */
export function addQuantities(a: string, b: string): string {
  const [left, right] = [parseQuantity(a), parseQuantity(b)];
  const format = left.nanos === 0n ? right.format : left.format;
  return printQuantity({ nanos: left.nanos + right.nanos, format, text: undefined, isFine: false });
}

/** Whether a valid quantity is a whole number. */
export function isWholeQuantity(text: string): boolean {
  return parseQuantity(text).nanos % BILLION === 0n;
}
