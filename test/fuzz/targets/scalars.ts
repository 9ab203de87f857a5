import assert from 'node:assert/strict';
import { nextTime } from '../../../src/apiserver/controllers/workloads/jobs/cron-times.js';
import { scheduleProblem } from '../../../src/apiserver/resources/kinds/workloads/cron-schedule.js';
import {
  canonicalQuantity,
  milliQuantity,
  parseQuantity,
  QuantityError,
  quantityNanos,
} from '../../../src/meta/quantity.js';
import { compareResourceVersions, isOrderedResourceVersion } from '../../../src/meta/resource-version.js';
import { mutateText } from '../mutate.js';
import type { Random } from '../random.js';
import { accepted, target } from '../target.js';

const versions = [
  '0',
  '1',
  '9',
  '10',
  '007',
  '',
  '-1',
  '18446744073709551616',
  '9007199254740993',
  '1e3',
  ' 1',
  '٣',
  'abc',
  '4294967295',
];

function version(random: Random): string {
  if (random.oneIn(3)) return random.pick(versions);
  return random.text(1, 22, ['0', '1', '2', '5', '8', '9', '10', '00', ...(random.oneIn(20) ? ['-', 'x', ' '] : [])]);
}

const suffixes = [
  '',
  '',
  'n',
  'u',
  'm',
  'k',
  'M',
  'G',
  'T',
  'P',
  'E',
  'Ki',
  'Mi',
  'Gi',
  'Ti',
  'Pi',
  'Ei',
  'e3',
  'E-2',
  'e+9',
  'e30',
  'K',
  'i',
];

/** The billionths of a quantity, rounded away from zero, by arithmetic of fractions; undefined for exponents that take long. */
function nanosOf(text: string): bigint | undefined {
  const match = /^([+-]?)([0-9]*)\.?([0-9]*)(.*)$/s.exec(text);
  const [, sign, whole = '', fraction = '', suffix = ''] = match ?? [];
  // A suffix without a number is zero of it.
  let numerator = BigInt(`0${whole}${fraction}`) * 1_000_000_000n;
  let denominator = 10n ** BigInt(fraction.length);
  const decimal = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'].indexOf(suffix);
  const binary = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'].indexOf(suffix);
  const exponent = /^[eE]([-+]?[0-9]+)$/.exec(suffix)?.[1];
  if (Math.abs(Number(exponent ?? 0)) > 60) return undefined;
  const power = exponent !== undefined ? Number(exponent) : decimal * 3 - 9;
  if (exponent !== undefined || decimal >= 0) {
    if (power >= 0) numerator *= 10n ** BigInt(power);
    else denominator *= 10n ** BigInt(-power);
  } else if (binary >= 0) numerator *= 1024n ** BigInt(binary + 1);
  else return undefined;
  const size = (numerator + denominator - 1n) / denominator;
  return sign === '-' ? -size : size;
}

/** Larger amounts with a binary suffix are cut to this. */
const MAX_NANOS = (2n ** 63n - 1n) * 1_000_000_000n;
/** There is no decimal suffix for larger amounts, and kube-apiserver prints them without one. */
const MAX_PRINTED_NANOS = 10n ** 30n;
const size = (nanos: bigint): bigint => (nanos < 0n ? -nanos : nanos);

const cronParts = [
  '*',
  '?',
  '*/2',
  '*/7',
  '0',
  '1',
  '5',
  '12',
  '23',
  '31',
  '59',
  '60',
  '1-5',
  '5-1',
  '2-20/3',
  'jan',
  'MON',
  'sun-tue',
  '1,2',
  '*,3',
  '3/4',
  ',',
  '/0',
];

const weekdays = 'sun mon tue wed thu fri sat'.split(' ');
const months = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');

/** The minutes of a valid schedule of five fields: for each field a table of its values. */
function scheduleOf(fields: readonly string[]): (time: Date) => boolean {
  const number = (text: string): number => {
    const lower = text.toLowerCase();
    if (months.includes(lower)) return months.indexOf(lower) + 1;
    return weekdays.includes(lower) ? weekdays.indexOf(lower) : Number(text);
  };
  const isInRange = (range: string, at: number, value: number): boolean => {
    const [bounds = '', step] = range.split('/');
    const isStar = /^[*?]/.test(bounds);
    const [low = '', high] = bounds.split('-');
    const least = isStar ? (at === 2 || at === 3 ? 1 : 0) : number(low);
    const most = isStar || (high === undefined && step !== undefined) ? 99 : number(high ?? low);
    return value >= least && value <= most && (value - least) % Number(step ?? 1) === 0;
  };
  const tables = fields.map((field, at) => {
    const ranges = field.split(',').filter((range) => range !== '');
    return Array.from({ length: 60 }, (_, value) => ranges.some((range) => isInRange(range, at, value)));
  });
  const isAny = (at: number): boolean => /^[*?]/.test(fields[at] as string);
  const needsBoth = isAny(2) || isAny(4);
  return (time) => {
    const isDate = tables[2]?.[time.getUTCDate()];
    const isWeekday = tables[4]?.[time.getUTCDay()];
    if (!(needsBoth ? isDate && isWeekday : isDate || isWeekday)) return false;
    if (!tables[3]?.[time.getUTCMonth() + 1]) return false;
    return Boolean(tables[0]?.[time.getUTCMinutes()] && tables[1]?.[time.getUTCHours()]);
  };
}

/** How far times are searched for minute by minute. */
const SEARCHED_MS = 8 * 3_600_000;
/** A Monday. */
const START = Date.UTC(2026, 10, 16, 8, 30, 30);

export const scalarTargets = [
  target(
    'resource-versions',
    'compares as BigInt does, in both directions; opaque versions have no order',
    (random): [string, string] => [version(random), version(random)],
    ([a, b]: [string, string]) => {
      const order = compareResourceVersions(a, b);
      const back = compareResourceVersions(b, a);
      const isNumber = (text: string): boolean => /^(?:0|[1-9][0-9]*)$/.test(text);
      assert.equal(isOrderedResourceVersion(a), isNumber(a));
      if (a === b) assert.equal(order, 0);
      else if (!isNumber(a) || !isNumber(b)) assert.deepEqual([order, back], [undefined, undefined]);
      else assert.deepEqual([order, back], BigInt(a) < BigInt(b) ? [-1, 1] : [1, -1]);
      return order !== undefined;
    },
  ),

  target(
    'quantities',
    'refuses with QuantityError; the amount is that of exact fractions; the canonical text is a fixed point of the same amount',
    (random) => {
      const number = random.text(1, 5, ['0', '1', '5', '9', '24', '000', '.', '1024', '999']);
      const text = random.pick(['', '', '-', '+']) + number + random.pick(suffixes);
      return random.oneIn(6) ? mutateText(random, text, ['.', 'e', '-', ' ', ...suffixes]) : text;
    },
    (text: string) => {
      const quantity = accepted(() => parseQuantity(text), [QuantityError]);
      if (quantity === undefined) return false;
      const exact = nanosOf(text);
      if (exact !== undefined && size(exact) <= MAX_NANOS) assert.equal(quantity.nanos, exact);
      if (size(quantity.nanos) >= MAX_PRINTED_NANOS) return true;
      const canonical = canonicalQuantity(text);
      assert.equal(quantityNanos(canonical), quantity.nanos, `another amount: ${canonical}`);
      assert.equal(canonicalQuantity(canonical), canonical);
      const milli = milliQuantity(text);
      const lost = size(quantityNanos(milli)) - size(quantity.nanos);
      assert.ok(lost >= 0n && lost < 1_000_000n, `rounded to ${milli}`);
      assert.equal(milliQuantity(milli), milli);
      return true;
    },
  ),

  target(
    'cron-schedules',
    'a valid schedule has the time that a search minute by minute finds',
    (random) => {
      if (random.oneIn(12))
        return random.pick([
          '@daily',
          '@every 90s',
          '@every 1h30m',
          '@yearly',
          '@every',
          'TZ=UTC 0 0 * * *',
          '@every 0.1s',
        ]);
      const text = random.list(5, 5, () => random.pick(cronParts)).join(' ');
      return random.oneIn(8) ? mutateText(random, text, [' ', '-', ',', '/', '*', 'TZ=', ...cronParts]) : text;
    },
    (schedule: string) => {
      if (scheduleProblem(schedule) !== undefined) return false;
      const time = nextTime(schedule, undefined, START);
      if (time !== undefined) assert.ok(time > START && Number.isFinite(time));
      const fields = schedule.trim().split(/\s+/);
      if (fields.length !== 5 || /[@=]/.test(schedule)) return true;
      const isIn = scheduleOf(fields);
      let expected = START - (START % 60_000) + 60_000;
      while (expected < START + SEARCHED_MS && !isIn(new Date(expected))) expected += 60_000;
      if (expected < START + SEARCHED_MS) assert.equal(time, expected);
      else if (time !== undefined) assert.ok(time >= expected && isIn(new Date(time)));
      return true;
    },
  ),
];
