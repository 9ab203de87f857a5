import type { DeepReadonly } from '../../meta/objects.js';
import { optionError } from '../../meta/options/validate.js';
import type { Pod } from '../../resources/types/core-v1.js';
import type { Clock } from '../../time/clock.js';
import { linkSignals } from '../../time/signals.js';
import { containerLog } from './container-log.js';
import { LogMerge } from './merge-logs.js';
import type { LogLine, LogSource, LogsOptions, PodClient } from './pod-client.js';

const DEFAULT_MAX_REQUESTS = 50;

/** The lines of the containers of one or more pods, in the order of their times. */
export async function* podLogs(
  pods: PodClient,
  source: LogSource,
  options: LogsOptions,
  clock: Clock,
): AsyncGenerator<LogLine, void> {
  const { containers, maxRequests = DEFAULT_MAX_REQUESTS, follow = false, signal, ...rest } = options;
  using link = linkSignals([signal]);
  const found = await podsOf(pods, source, link.signal);
  const logs = found.flatMap((pod) => containersOf(pod, containers).map((container) => ({ pod, container })));
  if (logs.length > maxRequests) {
    throw new TypeError(
      `${logs.length} logs would be read at once, more than maxRequests (${maxRequests}): raise it, or name containers`,
    );
  }
  const merge = new LogMerge(clock, follow);
  for (const { pod, container } of logs) {
    const where = { name: pod.metadata.name, uid: pod.metadata.uid, container };
    merge.add(containerLog(pods, where, { ...rest, follow }, clock, link.signal));
  }
  merge.close();
  try {
    yield* merge.lines();
  } finally {
    link.abort();
  }
}

async function podsOf(pods: PodClient, source: LogSource, signal: AbortSignal): Promise<readonly DeepReadonly<Pod>[]> {
  if (typeof source === 'string') return [await pods.get(source, { signal })];
  const { items } = await pods.list({ labelSelector: source.labelSelector, signal });
  return items;
}

function containersOf({ metadata, spec }: DeepReadonly<Pod>, wanted: readonly string[] | undefined): readonly string[] {
  const own = (spec?.containers ?? []).map(({ name }) => name);
  if (wanted === undefined) return own;
  const other = [...(spec?.initContainers ?? []), ...(spec?.ephemeralContainers ?? [])].map(({ name }) => name);
  const unknown = wanted.find((name) => !own.includes(name) && !other.includes(name));
  if (unknown === undefined) return wanted;
  throw optionError(`containers of pod ${metadata.name}`, `some of ${[...own, ...other].join(', ')}`, unknown);
}
