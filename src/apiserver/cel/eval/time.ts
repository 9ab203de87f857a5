import { CelError, Duration, Timestamp } from './values.js';

const maxInt64 = (1n << 63n) - 1n;
const minInt64 = -(1n << 63n);
const secondNanos = 1_000_000_000n;
const minNanos = -62_135_596_800n * secondNanos;
const maxNanos = 253_402_300_800n * secondNanos - 1n;

const unitNanos: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1000n,
  µs: 1000n,
  μs: 1000n,
  ms: 1_000_000n,
  s: secondNanos,
  m: 60n * secondNanos,
  h: 3600n * secondNanos,
};

/** A duration in Go's notation, `1h30m`; undefined if the text is none. */
export function parseDuration(text: string): Duration | undefined {
  const signed = /^([+-]?)(.*)$/s.exec(text) as RegExpExecArray;
  const body = signed[2] as string;
  if (body === '0') return new Duration(0n);
  if (!/^(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/.test(body)) return undefined;
  let nanos = 0n;
  for (const [, whole = '', fraction = '', unit] of body.matchAll(/(\d*)\.?(\d*)(ns|us|µs|μs|ms|s|m|h)/g)) {
    const scale = unitNanos[unit as string] as bigint;
    nanos += BigInt(whole === '' ? 0 : whole) * scale;
    const digits = fraction.slice(0, 18);
    if (digits !== '') nanos += (BigInt(digits) * scale) / 10n ** BigInt(digits.length);
  }
  if (signed[1] === '-') nanos = -nanos;
  return nanos > maxInt64 || nanos < minInt64 ? undefined : new Duration(nanos);
}

const wordUnits: readonly (readonly [RegExp, bigint])[] = [
  [/^(?:ns|nano.*)$/, 1n],
  [/^(?:us|µs|micro.*)$/, 1000n],
  [/^(?:ms|milli.*)$/, 1_000_000n],
  [/^(?:s|sec.*)$/, secondNanos],
  [/^(?:m|min.*)$/, 60n * secondNanos],
  [/^(?:h|hr|hour.*)$/, 3600n * secondNanos],
  [/^(?:d|day.*)$/, 86_400n * secondNanos],
  [/^(?:w|wk|week.*)$/, 604_800n * secondNanos],
];

/** A value of the format `duration`, which also has words: `2 days`. */
export function parseFormatDuration(text: string): Duration | CelError {
  const parsed = parseDuration(text);
  if (parsed !== undefined) return parsed;
  let nanos: bigint | undefined;
  for (const [, factor, unit] of text.matchAll(/(\d{1,18})\s*([A-Za-zµ]+)/g)) {
    const scale = wordUnits.find(([name]) => name.test((unit as string).toLowerCase()))?.[1];
    if (scale !== undefined) nanos = (nanos ?? 0n) + BigInt(factor as string) * scale;
  }
  if (nanos !== undefined) return new Duration(BigInt.asIntN(64, nanos));
  return new CelError(`Invalid duration ${text}: unable to parse ${text} as duration`);
}

const timestampPattern = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:[.,](\d+))?(?:([Zz])|([+-])(\d\d):(\d\d))?$/;

/** A point in time of RFC 3339; undefined if the text is none. A zone can be left out if `zoneOptional`. */
export function parseTimestamp(text: string, zoneOptional = false): Timestamp | undefined {
  const match = timestampPattern.exec(text);
  if (match === null || !text.includes('T')) return undefined;
  const [, year, month, day, hour, minute, second, fraction = '', zulu, sign, zoneHour, zoneMinute] = match;
  if (zulu === 'z' || (zulu === undefined && sign === undefined && !zoneOptional)) return undefined;
  const milliseconds = utc(Number(year), Number(month), Number(day));
  if (milliseconds === undefined || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  if (Number(zoneHour ?? 0) > 24 || Number(zoneMinute ?? 0) > 60) return undefined;
  const offset = (sign === '-' ? -1 : 1) * (Number(zoneHour ?? 0) * 60 + Number(zoneMinute ?? 0));
  const seconds = milliseconds / 1000 + Number(hour) * 3600 + Number(minute) * 60 + Number(second) - offset * 60;
  const nanos = BigInt(seconds) * secondNanos + BigInt(fraction.slice(0, 9).padEnd(9, '0'));
  return new Timestamp(nanos, offset);
}

/** A value of the format `date-time`. */
export function parseDateTime(text: string): Timestamp | CelError {
  if (text === '') return new Timestamp(0n);
  return parseTimestamp(text, true) ?? new CelError(`Invalid date-time formatted string ${text}: cannot parse it`);
}

/** A value of the format `date`. */
export function parseDate(text: string): Timestamp | CelError {
  const match = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text);
  const milliseconds = match === null ? undefined : utc(Number(match[1]), Number(match[2]), Number(match[3]));
  if (milliseconds === undefined) return new CelError(`Invalid date formatted string ${text}: cannot parse it`);
  return new Timestamp(BigInt(milliseconds) * 1_000_000n);
}

function utc(year: number, month: number, day: number): number | undefined {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? date.getTime() : undefined;
}

/** A duration that may be too large for 64 bits. */
export function checkedDuration(nanos: bigint): Duration | CelError {
  return nanos > maxInt64 || nanos < minInt64 ? new CelError('duration overflow') : new Duration(nanos);
}

/** A time that may be before the year 1 or after 9999. */
export function checkedTimestamp(nanos: bigint, offsetMinutes = 0): Timestamp | CelError {
  return nanos < minNanos || nanos > maxNanos
    ? new CelError('timestamp overflow')
    : new Timestamp(nanos, offsetMinutes);
}

export function timestampOfSeconds(seconds: bigint): Timestamp | CelError {
  return checkedTimestamp(seconds * secondNanos);
}

/** Whole seconds since 1970. */
export function unixSeconds(time: Timestamp): bigint {
  return floorDivide(time.nanos, secondNanos);
}

function floorDivide(value: bigint, by: bigint): bigint {
  const quotient = value / by;
  return value % by < 0n ? quotient - 1n : quotient;
}

/** RFC 3339 with as many digits of the second as needed, in the zone in which the time was written. */
export function formatTimestamp({ nanos, offsetMinutes }: Timestamp): string {
  const seconds = floorDivide(nanos, secondNanos);
  const local = dateOf(seconds + BigInt(offsetMinutes * 60)).toISOString();
  const fraction = (nanos - seconds * secondNanos).toString().padStart(9, '0').replace(/0+$/, '');
  const zone = Math.abs(offsetMinutes);
  const two = (value: number): string => String(value).padStart(2, '0');
  const suffix =
    offsetMinutes === 0 ? 'Z' : `${offsetMinutes < 0 ? '-' : '+'}${two(Math.floor(zone / 60))}:${two(zone % 60)}`;
  return `${local.slice(0, 19)}${fraction === '' ? '' : `.${fraction}`}${suffix}`;
}

function dateOf(seconds: bigint): Date {
  return new Date(Number(seconds) * 1000);
}

/** Seconds as a decimal number, with the precision of a double. */
export function formatDuration({ nanos }: Duration): string {
  const seconds = Number(nanos / secondNanos) + Number(nanos % secondNanos) / 1e9;
  return `${plainDecimal(seconds)}s`;
}

/** A double without exponent, with as many digits as needed. */
function plainDecimal(value: number): string {
  const text = String(value);
  const match = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(text);
  if (match === null) return text;
  const [, sign, first, fraction = '', exponent] = match;
  const shift = Number(exponent);
  const digits = `${first}${fraction}`;
  return shift < 0 ? `${sign}0.${'0'.repeat(-shift - 1)}${digits}` : `${sign}${digits.padEnd(shift + 1, '0')}`;
}

export type TimePart =
  | 'FullYear'
  | 'Month'
  | 'DayOfYear'
  | 'Date'
  | 'DayOfMonth'
  | 'DayOfWeek'
  | 'Hours'
  | 'Minutes'
  | 'Seconds'
  | 'Milliseconds';

/** A part of a time in a zone: UTC, an offset such as `-02:30`, or a name such as `Europe/Berlin`. */
export function timePart(time: Timestamp, part: TimePart, zone = 'UTC'): bigint | CelError {
  const seconds = unixSeconds(time);
  const offset = zoneOffset(zone, seconds);
  if (offset instanceof CelError) return offset;
  const date = dateOf(seconds + BigInt(offset));
  switch (part) {
    case 'FullYear':
      return BigInt(date.getUTCFullYear());
    case 'Month':
      return BigInt(date.getUTCMonth());
    case 'DayOfYear': {
      const start = new Date(date);
      start.setUTCMonth(0, 1);
      return BigInt(Math.round((date.getTime() - start.getTime()) / 86_400_000));
    }
    case 'Date':
      return BigInt(date.getUTCDate());
    case 'DayOfMonth':
      return BigInt(date.getUTCDate() - 1);
    case 'DayOfWeek':
      return BigInt(date.getUTCDay());
    case 'Hours':
      return BigInt(date.getUTCHours());
    case 'Minutes':
      return BigInt(date.getUTCMinutes());
    case 'Seconds':
      return BigInt(date.getUTCSeconds());
    case 'Milliseconds':
      return (time.nanos - seconds * secondNanos) / 1_000_000n;
  }
}

/** The whole hours, minutes, seconds or milliseconds of a duration. */
export function durationPart({ nanos }: Duration, part: TimePart): bigint {
  const unit = { Hours: 'h', Minutes: 'm', Seconds: 's' }[part as string] ?? 'ms';
  return nanos / (unitNanos[unit] as bigint);
}

function zoneOffset(zone: string, seconds: bigint): number | CelError {
  if (zone === '' || zone === 'UTC') return 0;
  const colon = zone.indexOf(':');
  if (colon < 0) return namedZoneOffset(zone, seconds);
  const [hours, minutes] = [zone.slice(0, colon), zone.slice(colon + 1)];
  for (const number of [hours, minutes])
    if (!/^[+-]?\d+$/.test(number))
      return new CelError(`strconv.Atoi: parsing ${JSON.stringify(number)}: invalid syntax`);
  const total = Number(hours) * 60 + (zone.startsWith('-') ? -1 : 1) * Number(minutes);
  return total * 60;
}

function namedZoneOffset(zone: string, seconds: bigint): number | CelError {
  try {
    const format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    const date = dateOf(seconds);
    const part = (type: string): number =>
      Number(format.formatToParts(date).find((found) => found.type === type)?.value ?? 0);
    const local = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
    return Math.round((local - date.getTime()) / 1000);
  } catch {
    return new CelError(`unknown time zone ${zone}`);
  }
}
