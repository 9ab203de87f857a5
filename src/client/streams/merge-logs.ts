import type { Clock, Timer } from '../../time/clock.js';
import type { TimedLine } from './container-log.js';
import type { LogLine } from './pod-client.js';

/** How long a line of a followed log waits for older ones of other logs. */
const ORDER_MS = 200;

/** A log, and its next line. */
interface Source {
  readonly lines: AsyncGenerator<TimedLine, void>;
  /** The next line, once it has come, and when it came. */
  next: { readonly line: TimedLine; readonly cameAt: number } | undefined;
  isReading: boolean;
  isDone: boolean;
}

/**
 * Merges logs by the times of their lines. It keeps one line of each log: the oldest is yielded when every other log has a line
 * or has ended. A log that is followed may never have another line, so that a line then waits for {@link ORDER_MS} at most.
 */
export async function* mergeByTime(
  logs: readonly AsyncGenerator<TimedLine, void>[],
  clock: Clock,
  follow: boolean,
): AsyncGenerator<LogLine, void> {
  const sources: Source[] = logs.map((lines) => ({ lines, next: undefined, isReading: false, isDone: false }));
  let failure: { readonly error: unknown } | undefined;
  let wake: () => void = () => {};
  const read = (source: Source): void => {
    source.isReading = true;
    source.lines.next().then(
      ({ done, value }) => {
        source.isReading = false;
        if (done === true) source.isDone = true;
        else source.next = { line: value, cameAt: clock.monotonicNow() };
        wake();
      },
      (error: unknown) => {
        failure ??= { error };
        wake();
      },
    );
  };
  while (sources.some(({ isDone }) => !isDone)) {
    for (const source of sources) if (!source.isDone && !source.isReading && source.next === undefined) read(source);
    const first = oldest(sources);
    const waitMs = first === undefined ? Number.POSITIVE_INFINITY : waitOf(sources, first, clock, follow);
    if (failure !== undefined) throw failure.error;
    if (first?.next !== undefined && waitMs <= 0) {
      const { line } = first.next.line;
      first.next = undefined;
      yield line;
      continue;
    }
    let timer: Timer | undefined;
    await new Promise<void>((resolve) => {
      wake = resolve;
      if (waitMs < Number.POSITIVE_INFINITY) timer = clock.setTimer(waitMs, resolve);
    });
    timer?.cancel();
  }
}

/** How long the oldest line still waits for lines of other logs. */
function waitOf(sources: readonly Source[], first: Source, clock: Clock, follow: boolean): number {
  if (sources.every((source) => source.isDone || source.next !== undefined)) return 0;
  return follow ? first.next!.cameAt + ORDER_MS - clock.monotonicNow() : Number.POSITIVE_INFINITY;
}

function oldest(sources: readonly Source[]): Source | undefined {
  let found: Source | undefined;
  for (const source of sources) {
    if (source.next === undefined) continue;
    if (found?.next === undefined || source.next.line.at < found.next.line.at) found = source;
  }
  return found;
}
