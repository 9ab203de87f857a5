/** The fields of a schedule: their bounds, and names for their numbers. */
export const CRON_FIELDS: readonly {
  readonly least: number;
  readonly most: number;
  readonly names?: readonly string[];
}[] = [
  { least: 0, most: 59 },
  { least: 0, most: 23 },
  { least: 1, most: 31 },
  { least: 1, most: 12, names: ['', ...'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')] },
  { least: 0, most: 6, names: 'sun mon tue wed thu fri sat'.split(' ') },
];

/** The names of common schedules. */
export const CRON_DESCRIPTORS: ReadonlyMap<string, string> = new Map([
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
]);

const DURATION = /^[-+]?(?:0|(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/;

/** The problem of a schedule in the format of cron, in the words of kube-apiserver's parser; undefined if it is valid. */
export function scheduleProblem(schedule: string): string | undefined {
  let text = schedule;
  const zone = /^(?:CRON_)?TZ=(\S*)\s+(.*)$/s.exec(schedule);
  if (zone !== null) {
    if (!isTimeZone(zone[1]!)) return `provided bad location ${zone[1]}: unknown time zone ${zone[1]}`;
    text = zone[2]!.trim();
  }
  if (text.startsWith('@')) return descriptorProblem(text);
  const fields = text.split(/\s+/).filter((field) => field !== '');
  if (fields.length !== CRON_FIELDS.length) {
    return `expected exactly ${CRON_FIELDS.length} fields, found ${fields.length}: [${fields.join(' ')}]`;
  }
  for (const [at, field] of fields.entries()) {
    for (const range of field.split(',')) {
      const problem = range === '' ? undefined : rangeProblem(range, at);
      if (problem !== undefined) return problem;
    }
  }
  return undefined;
}

function descriptorProblem(text: string): string | undefined {
  if (CRON_DESCRIPTORS.has(text)) return undefined;
  if (!text.startsWith('@every ')) return `unrecognized descriptor: ${text}`;
  const duration = text.slice('@every '.length);
  if (DURATION.test(duration)) return undefined;
  return `failed to parse duration ${text}: time: invalid duration ${JSON.stringify(duration)}`;
}

function rangeProblem(range: string, at: number): string | undefined {
  const { least, most, names } = CRON_FIELDS[at]!;
  const [bounds = '', step, ...moreSteps] = range.split('/');
  const [low = '', high, ...moreBounds] = bounds.split('-');
  let start = least;
  let end = most;
  if (low !== '*' && low !== '?') {
    const first = numberOf(low, names);
    if (typeof first === 'string') return first;
    start = end = first;
    if (high !== undefined) {
      const last = numberOf(high, names);
      if (moreBounds.length > 0) return `too many hyphens: ${range}`;
      if (typeof last === 'string') return last;
      end = last;
    }
  }
  let every = 1;
  if (step !== undefined) {
    if (moreSteps.length > 0) return `too many slashes: ${range}`;
    const number = numberOf(step, undefined);
    if (typeof number === 'string') return number;
    every = number;
    if (high === undefined) end = most;
  }
  if (start < least) return `beginning of range (${start}) below minimum (${least}): ${range}`;
  if (end > most) return `end of range (${end}) above maximum (${most}): ${range}`;
  if (start > end) return `beginning of range (${start}) beyond end of range (${end}): ${range}`;
  return every === 0 ? `step of range should be a positive number: ${range}` : undefined;
}

/** The number of a text or name, or the problem of it. */
function numberOf(text: string, names: readonly string[] | undefined): number | string {
  const named = text === '' ? -1 : (names?.indexOf(text.toLowerCase()) ?? -1);
  if (named >= 0) return named;
  const failed = `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: `;
  if (!/^[-+]?\d+$/.test(text)) return `${failed}invalid syntax`;
  const number = Number(text);
  if (!Number.isSafeInteger(number)) return `${failed}value out of range`;
  return number < 0 ? `negative number (${number}) not allowed: ${text}` : number;
}

/** Whether a time zone is in the database of time zones. */
export function isTimeZone(name: string): boolean {
  if (name === '' || name === 'UTC' || name === 'Local') return true;
  try {
    // Names differ in case only on some platforms; the database knows one spelling.
    const resolved = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
    return resolved === name || resolved.toLowerCase() !== name.toLowerCase();
  } catch {
    return false;
  }
}
