/** Numbers, durations, sizes and times as the page shows them: short, and of a width that changes little. */

/** A count, as 0, 940, 12.4k, 3.1M. */
export function count(value: number): string {
  const size = Math.abs(value);
  if (size < 10_000) return String(Math.round(value));
  return size < 1e6 ? `${digits(value / 1e3)}k` : `${digits(value / 1e6)}M`;
}

/** A rate per second without its unit: as a count, with one decimal below 10. */
export function rate(value: number): string {
  return value !== 0 && Math.abs(value) < 9.95 ? decimal(value) : count(value);
}

/** A duration, as 0.4 ms, 12 ms, 1.2 s, 3 min 10 s, 2 h 5 min, 3 d 4 h. */
export function duration(ms: number): string {
  if (ms < 9.95) return `${decimal(ms)} ms`;
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 9_950) return `${decimal(ms / 1000)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return pair(seconds, 60, 'min', 's');
  const minutes = Math.floor(seconds / 60);
  return minutes < 1440 ? pair(minutes, 60, 'h', 'min') : pair(Math.floor(minutes / 60), 24, 'd', 'h');
}

/** A size in bytes, as 512 B, 4.2 kB, 31 MB; 1 kB is 1024 bytes. */
export function bytes(value: number): string {
  const units = ['B', 'kB', 'MB', 'GB'];
  let unit = 0;
  let size = value;
  while (Math.abs(size) >= 1000 && unit < units.length - 1) {
    size /= 1024;
    unit++;
  }
  return `${unit === 0 ? Math.round(size) : digits(size)} ${units[unit]}`;
}

/** A part of a whole, as 0 %, 0.4 %, 12 %. */
export function percent(part: number, whole: number): string {
  if (whole <= 0) return '0 %';
  const value = (100 * part) / whole;
  return `${value > 0 && value < 9.95 ? decimal(value) : Math.round(value)} %`;
}

/** The local time of day of a timestamp, as 14:03:07.120. */
export function timeOfDay(at: number): string {
  const date = new Date(at);
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${String(date.getMilliseconds()).padStart(3, '0')}`;
}

/** How long before `now` something was, as "3 min 10 s ago"; "now" if it is less than a second or in the future. */
export function ago(at: number, now: number): string {
  return now - at < 1000 ? 'now' : `${duration(now - at)} ago`;
}

/** A number of things, with the right form of the noun. */
export function plural(value: number, noun: string, nouns: string = `${noun}s`): string {
  return `${count(value)} ${value === 1 ? noun : nouns}`;
}

const two = (value: number) => String(value).padStart(2, '0');
const decimal = (value: number) => value.toFixed(1).replace(/\.0$/, '');
const digits = (value: number) => (Math.abs(value) < 99.95 ? decimal(value) : String(Math.round(value)));

function pair(value: number, base: number, unit: string, part: string): string {
  const rest = value % base;
  return `${Math.floor(value / base)} ${unit}${rest === 0 ? '' : ` ${rest} ${part}`}`;
}
