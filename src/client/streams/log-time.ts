/** A time of a log, which is more exact than a Date: nanoseconds since 1970. */
export type LogTime = bigint;

const RFC_3339 = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/;

/** Reads a time such as `2026-01-01T00:00:00.123456789Z`; undefined if the text is none. */
function parseLogTime(text: string): LogTime | undefined {
  const [, seconds, fraction = '', zone] = RFC_3339.exec(text) ?? [];
  const ms = seconds === undefined ? Number.NaN : Date.parse(`${seconds}${zone}`);
  return Number.isNaN(ms) ? undefined : BigInt(ms) * 1_000_000n + BigInt(fraction.padEnd(9, '0'));
}

/** A line with its time in front, as servers send it on request; without a time if there is none. */
export function splitLine(line: string): {
  readonly time: string;
  readonly at: LogTime | undefined;
  readonly text: string;
} {
  const space = line.indexOf(' ');
  const time = space < 0 ? line : line.slice(0, space);
  const at = parseLogTime(time);
  if (at === undefined) return { time: '', at, text: line };
  return { time, at, text: space < 0 ? '' : line.slice(space + 1) };
}
