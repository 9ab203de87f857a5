import { CRON_DESCRIPTORS, CRON_FIELDS } from '../../../resources/kinds/workloads/cron-schedule.js';

/* The times of a schedule in the format of cron. The server has validated the schedule. */

const UNITS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** A schedule such as 30 February has no times; the search ends after so many days. */
const MOST_DAYS = 366 * 5;

/** The first time of the schedule after `after`; undefined if there is none within five years. */
export function nextTime(schedule: string, timeZone: string | undefined, after: number): number | undefined {
  const zoned = /^(?:CRON_)?TZ=(\S*)\s+(.*)$/s.exec(schedule);
  const text = (zoned?.[2] ?? schedule).trim();
  const zone = timeZone ?? zoned?.[1] ?? 'UTC';
  if (text.startsWith('@every ')) return after + Math.max(1000, durationMs(text.slice('@every '.length)));
  const fields = (CRON_DESCRIPTORS.get(text) ?? text).split(/\s+/).filter((field) => field !== '');
  const [minutes, hours, days, months, weekdays] = fields.map(valuesOf) as [Values, Values, Values, Values, Values];
  const isDay = (local: Date): boolean => {
    const [byDay, byWeekday] = [days.values.has(local.getUTCDate()), weekdays.values.has(local.getUTCDay())];
    // With both fields given either one is enough.
    return days.isAny || weekdays.isAny ? byDay && byWeekday : byDay || byWeekday;
  };
  const first = Math.floor(toLocal(after, zone) / MINUTE_MS) * MINUTE_MS + MINUTE_MS;
  let day = Math.floor(first / DAY_MS) * DAY_MS;
  for (let searched = 0; searched < MOST_DAYS; searched++, day += DAY_MS) {
    const local = new Date(day);
    if (!months.values.has(local.getUTCMonth() + 1) || !isDay(local)) continue;
    for (let minute = Math.max(first, day); minute < day + DAY_MS; minute += MINUTE_MS) {
      const at = new Date(minute);
      if (!hours.values.has(at.getUTCHours()) || !minutes.values.has(at.getUTCMinutes())) continue;
      const time = fromLocal(minute, zone);
      if (time > after) return time;
    }
  }
  return undefined;
}

interface Values {
  readonly values: ReadonlySet<number>;
  readonly isAny: boolean;
}

function valuesOf(field: string, at: number): Values {
  const { least, most, names } = CRON_FIELDS[at]!;
  const values = new Set<number>();
  for (const range of field.split(',')) {
    if (range === '') continue;
    const [bounds = '', step] = range.split('/');
    const [low = '', high] = bounds.split('-');
    const isStar = low === '*' || low === '?';
    const first = isStar ? least : numberOf(low, names);
    const last = isStar ? most : high === undefined ? (step === undefined ? first : most) : numberOf(high, names);
    for (let value = first; value <= last; value += Number(step ?? 1)) values.add(value);
  }
  return { values, isAny: /^[*?]/.test(field) };
}

function numberOf(text: string, names: readonly string[] | undefined): number {
  const named = names?.indexOf(text.toLowerCase()) ?? -1;
  return named >= 0 ? named : Number(text);
}

function durationMs(text: string): number {
  return [...text.matchAll(/(\d+\.?\d*|\.\d+)(ms|h|m|s)/g)].reduce(
    (sum, [, number, unit]) => sum + Number(number) * UNITS[unit!]!,
    0,
  );
}

/** The wall clock of a time zone, as if it were UTC. */
function toLocal(time: number, zone: string): number {
  return time + offsetMs(time, zone);
}

function fromLocal(local: number, zone: string): number {
  const guess = local - offsetMs(local, zone);
  return local - offsetMs(guess, zone);
}

function offsetMs(time: number, zone: string): number {
  if (zone === 'UTC' || zone === '' || zone === 'Local') return 0;
  const parts = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' }).formatToParts(time);
  const text = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign, hours, minutes = '0'] = /GMT([+-])(\d\d):?(\d\d)?/.exec(text) ?? [];
  if (sign === undefined) return 0;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * MINUTE_MS;
}
