import {
  isConnectionLost,
  isConnectionRefused,
  isNetworkTimeout,
  isNotFound,
  statusErrorOf,
} from '../../meta/errors/error-predicates.js';
import type { DeepReadonly } from '../../meta/objects.js';
import type { ContainerStatus, Pod } from '../../resources/types/core-v1.js';
import { Backoff } from '../../time/backoff.js';
import type { Clock } from '../../time/clock.js';
import type { LogLineOptions } from '../resource-client.js';
import { type LogTime, splitLine } from './log-time.js';
import type { LogLine, PodClient } from './pod-client.js';

/** A line, and its time as a number. A line without a time has that of the line before it. */
export interface TimedLine {
  readonly line: LogLine;
  readonly at: LogTime;
}

/** A container of a pod. The uid tells it from a later pod of the same name. */
export interface LoggedContainer {
  readonly name: string;
  readonly uid: string;
  readonly container: string;
}

/** Delays before a log is opened again. */
const REOPEN = { initialMs: 500, capMs: 10_000, jitter: 0.5, resetAfterMs: 60_000 } as const;

/**
 * The log of one container, with times. A log that is followed is opened again when its connection broke and when its container
 * has restarted, from the time of the last line; lines that were read before are dropped. It ends when the pod is gone or its
 * container will not run again.
 */
export async function* containerLog(
  pods: PodClient,
  where: LoggedContainer,
  options: Omit<LogLineOptions, 'container' | 'timestamps' | 'signal'>,
  clock: Clock,
  signal: AbortSignal,
): AsyncGenerator<TimedLine, void> {
  const { name, container } = where;
  const log = pods.subresource('log');
  const prefix = `[pod/${name}/${container}]`;
  const { tailLines, sinceSeconds, sinceTime, ...rest } = options;
  const backoff = new Backoff(clock, REOPEN);
  const position = new LogPosition();
  let since: Pick<LogLineOptions, 'tailLines' | 'sinceSeconds' | 'sinceTime'> = { tailLines, sinceSeconds, sinceTime };
  for (let isFirst = true; ; isFirst = false) {
    try {
      for await (const text of log.lines(name, { ...rest, ...since, container, timestamps: true, signal })) {
        const { time, at, text: content } = splitLine(text);
        if (!position.isNew(at)) continue;
        yield { line: { pod: name, container, time, text: content, prefix }, at: position.at };
      }
      if (options.follow !== true || !(await mayGoOn(pods, where, signal))) return;
    } catch (error) {
      // A log that cannot be opened is an error; one that was open is opened again.
      if (signal.aborted || !isPassing(error) || (isFirst && !isConnectionLost(error))) throw error;
      if (isNotFound(error)) return;
    }
    await clock.sleep(backoff.next(), { signal });
    // Servers read whole seconds, so that the lines of the last one come again.
    if (position.time !== '') since = { sinceTime: position.time };
    position.rewind();
  }
}

/** How far a log was read: the time of its last line, and how many lines have this time. */
class LogPosition {
  at: LogTime = 0n;
  /** How many lines of the time `at` were read. */
  #count = 0;
  /** How many lines of the time `at` came again. */
  #again = 0;
  #isRewound = false;

  /** `at` as a server reads it; empty before the first line with a time. */
  get time(): string {
    return this.at === 0n ? '' : `${new Date(Number(this.at / 1_000_000n)).toISOString().slice(0, 19)}Z`;
  }

  /** The log is read from {@link time} again. */
  rewind(): void {
    this.#isRewound = true;
    this.#again = 0;
  }

  /** Counts a line; false if it was counted before. */
  isNew(at: LogTime | undefined): boolean {
    if (at === undefined) return true;
    if (this.#isRewound && (at < this.at || (at === this.at && ++this.#again <= this.#count))) return false;
    // Times of one log may go back when the clock of its node is set.
    if (at === this.at) this.#count++;
    else {
      this.#count = 1;
      this.#isRewound = false;
    }
    this.at = at;
    return true;
  }
}

/** Whether a log that was open before can be opened again later. */
function isPassing(error: unknown): boolean {
  if (isConnectionLost(error) || isConnectionRefused(error) || isNetworkTimeout(error) || isNotFound(error))
    return true;
  const status = statusErrorOf(error)?.status ?? 0;
  // 400: the container waits to start again.
  return status === 400 || status === 429 || status >= 500;
}

/** Whether a container may write more: it runs, or its pod will start it again. */
async function mayGoOn(
  pods: PodClient,
  { name, uid, container }: LoggedContainer,
  signal: AbortSignal,
): Promise<boolean> {
  let pod: DeepReadonly<Pod>;
  try {
    pod = await pods.get(name, { signal });
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
  const { metadata, spec, status } = pod;
  if (metadata.uid !== uid || status?.phase === 'Succeeded' || status?.phase === 'Failed') return false;
  const isInit = spec?.initContainers?.some((one) => one.name === container && one.restartPolicy !== 'Always');
  const statuses: readonly DeepReadonly<ContainerStatus>[] = [
    ...(status?.containerStatuses ?? []),
    ...(status?.initContainerStatuses ?? []),
    ...(status?.ephemeralContainerStatuses ?? []),
  ];
  const ended = statuses.find((one) => one.name === container)?.state?.terminated;
  if (ended === undefined) return true;
  if (metadata.deletionTimestamp !== undefined || spec?.restartPolicy === 'Never') return false;
  if (spec?.ephemeralContainers?.some((one) => one.name === container)) return false;
  return ended.exitCode !== 0 || !(isInit || spec?.restartPolicy === 'OnFailure');
}
