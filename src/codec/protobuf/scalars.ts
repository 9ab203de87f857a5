/** Scalars that are messages in protobuf and text in JSON: times, durations and quantities. */
import { canonicalQuantity } from '../../meta/quantity.js';

/** The zero time of Go, 1 January of year 1, which JSON shows as null. */
export const ZERO_TIME_SECONDS = -62_135_596_800;

const DAY = 86_400;
const CACHE_SIZE = 256;
const cachedSeconds = new Float64Array(CACHE_SIZE).fill(Number.NaN);
const cachedTimes: string[] = new Array<string>(CACHE_SIZE).fill('');

function digits(value: number, count: number): string {
  return String(value).padStart(count, '0');
}

/** Seconds since 1970 as RFC 3339 in UTC, without `Z`. Years beyond those of `Date` are printed too. */
function printSeconds(seconds: number): string {
  const slot = seconds & (CACHE_SIZE - 1);
  if (cachedSeconds[slot] === seconds) return cachedTimes[slot]!;
  const days = Math.floor(seconds / DAY);
  const rest = seconds - days * DAY;
  // A year begins in March here, so that the leap day is its last.
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1;
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  const sign = year < 0 ? '-' : '';
  const date = `${sign}${digits(Math.abs(year), 4)}-${digits(month, 2)}-${digits(day, 2)}`;
  const minutes = Math.floor(rest / 60);
  const text = `${date}T${digits(Math.floor(minutes / 60), 2)}:${digits(minutes % 60, 2)}:${digits(rest % 60, 2)}`;
  cachedSeconds[slot] = seconds;
  cachedTimes[slot] = text;
  return text;
}

const timeTexts: string[] = new Array<string>(CACHE_SIZE).fill('');
const timeSeconds = new Float64Array(CACHE_SIZE).fill(Number.NaN);

/** A time as JSON shows it: RFC 3339 with seconds; null for the zero time. */
export function printTime(seconds: number): string | null {
  const slot = seconds & (CACHE_SIZE - 1);
  if (timeSeconds[slot] === seconds) return timeTexts[slot]!;
  if (seconds === ZERO_TIME_SECONDS) return null;
  const text = `${printSeconds(seconds)}Z`;
  timeSeconds[slot] = seconds;
  timeTexts[slot] = text;
  return text;
}

/** A time with microseconds; null for the zero time. */
export function printMicroTime(seconds: number, nanos: number): string | null {
  const micros = Math.trunc(nanos / 1000);
  const whole = seconds + Math.floor(micros / 1_000_000);
  const part = micros - Math.floor(micros / 1_000_000) * 1_000_000;
  if (whole === ZERO_TIME_SECONDS && part === 0) return null;
  return `${printSeconds(whole)}.${digits(part, 6)}Z`;
}

const TIME = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:[.,](\d+))?(?:Z|([+-])(\d\d):(\d\d))$/;

/** Seconds and nanoseconds since 1970 of an RFC 3339 time, or undefined if the text is none. */
export function parseTime(text: string): { readonly seconds: number; readonly nanos: number } | undefined {
  const match = TIME.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second, fraction = '', sign, offsetHours = '0', offsetMinutes = '0'] = match;
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  // Date accepts February 30.
  if (date.getUTCMonth() !== Number(month) - 1 || date.getUTCDate() !== Number(day)) return undefined;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  if (Number(offsetHours) > 23 || Number(offsetMinutes) > 59) return undefined;
  const offset = (Number(offsetHours) * 3600 + Number(offsetMinutes) * 60) * (sign === '-' ? -1 : 1);
  const inDay = Number(hour) * 3600 + Number(minute) * 60 + Number(second);
  return { seconds: date.getTime() / 1000 + inDay - offset, nanos: Number(fraction.slice(0, 9).padEnd(9, '0')) };
}

const units: readonly (readonly [string, bigint])[] = [
  ['h', 3_600_000_000_000n],
  ['m', 60_000_000_000n],
  ['s', 1_000_000_000n],
  ['ms', 1_000_000n],
  ['us', 1000n],
  ['µs', 1000n],
  ['μs', 1000n],
  ['ns', 1n],
];

/** A duration as Go prints it, such as `1h0m0.5s`. */
export function printDuration(nanos: number): string {
  if (nanos === 0) return '0s';
  const size = BigInt(Math.abs(nanos));
  const sign = nanos < 0 ? '-' : '';
  if (size < 1_000_000_000n) {
    const [unit, nanosOfUnit] = size < 1000n ? ['ns', 1n] : size < 1_000_000n ? ['µs', 1000n] : ['ms', 1_000_000n];
    return `${sign}${decimal(size, nanosOfUnit as bigint)}${unit}`;
  }
  const minutes = size / 60_000_000_000n;
  const seconds = `${decimal(size % 60_000_000_000n, 1_000_000_000n)}s`;
  if (minutes === 0n) return sign + seconds;
  return minutes < 60n ? `${sign}${minutes}m${seconds}` : `${sign}${minutes / 60n}h${minutes % 60n}m${seconds}`;
}

function decimal(size: bigint, unit: bigint): string {
  const fraction =
    unit === 1n
      ? ''
      : (size % unit)
          .toString()
          .padStart(unit.toString().length - 1, '0')
          .replace(/0+$/, '');
  return `${size / unit}${fraction === '' ? '' : `.${fraction}`}`;
}

/** The nanoseconds of a duration as Go writes them, or undefined if the text is none. */
export function parseDuration(text: string): bigint | undefined {
  if (text === '0') return 0n;
  const match = /^([+-]?)((?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:h|ms|m|s|us|µs|μs|ns))+$/.exec(text);
  if (match === null || text.length > 200) return undefined;
  let total = 0n;
  for (const [, whole = '', fraction = '', name] of text.matchAll(/([0-9]*)(?:\.([0-9]*))?(h|ms|m|s|us|µs|μs|ns)/g)) {
    const unit = units.find(([unitName]) => unitName === name)![1];
    const shortened = fraction.slice(0, 18);
    total += BigInt(whole || '0') * unit + (BigInt(shortened || '0') * unit) / 10n ** BigInt(shortened.length);
  }
  if (total > 9_223_372_036_854_775_807n) return undefined;
  return match[1] === '-' ? -total : total;
}

const quantities = new Map<string, string>();
const MAX_QUANTITIES = 4096;

/** The text of a quantity as Go prints it after it has read it. A text that is no quantity stays as it is. */
export function printQuantity(text: string): string {
  const known = quantities.get(text);
  if (known !== undefined) return known;
  let canonical = text;
  try {
    canonical = canonicalQuantity(text);
  } catch {
    // A server of another version may know more quantities.
  }
  if (quantities.size >= MAX_QUANTITIES) quantities.clear();
  if (text.length <= 32) quantities.set(text, canonical);
  return canonical;
}

/** Whether a server would accept the text as a quantity. */
export function isQuantity(text: string): boolean {
  try {
    canonicalQuantity(text);
    return true;
  } catch {
    return false;
  }
}
