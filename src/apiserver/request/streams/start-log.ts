import { StatusError } from '../../../meta/errors/errors.js';
import { badRequest } from '../../../meta/errors/status.js';
import type { DeepReadonly } from '../../../meta/objects.js';
import type { Pod } from '../../../resources/types/core-v1.js';
import { onAbort } from '../../../time/signals.js';
import { type Collection, keyOf } from '../../storage/storage.js';
import type { LogCall, LogOutput } from './kubelet.js';

/**
 * The log of a container that nothing runs: a line that says when it started, and one that says how it ended, as its status
 * has them. A reader that follows it gets the second line when the container ends.
 */
export function startLog(pods: Collection): (call: LogCall) => LogOutput {
  return (call) => {
    const { pod, container, previous, timestamps, tailLines, follow } = call;
    const run = runOf(pod, container, previous);
    const lines = print(run, container, timestamps);
    const text = lines.slice(tailLines === undefined ? 0 : Math.max(0, lines.length - tailLines)).join('');
    return follow && run.end === undefined ? withEnd(text, call, pods) : text;
  };
}

/** One run of a container. */
interface Run {
  readonly start: string;
  readonly restarts: number;
  readonly image: string;
  readonly end?: { readonly time: string; readonly exitCode: number };
}

/** The last run of a container, or the one before; throws 400 if there is none. */
function runOf({ metadata, status }: DeepReadonly<Pod>, container: string, previous: boolean): Run {
  const statuses = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  const found = statuses.find(({ name }) => name === container);
  const running = previous ? undefined : found?.state?.running;
  const ended = (previous ? undefined : found?.state?.terminated) ?? found?.lastState?.terminated;
  const { restartCount = 0, image = '' } = found ?? {};
  if (running !== undefined) return { start: running.startedAt ?? '', restarts: restartCount, image };
  if (ended === undefined) {
    const what = `container "${container}" in pod "${metadata.name}"`;
    const why = found?.state?.waiting?.reason ?? 'ContainerCreating';
    const message = previous ? `previous terminated ${what} not found` : `${what} is waiting to start: ${why}`;
    throw new StatusError(badRequest(message));
  }
  const { startedAt = '', finishedAt = '', exitCode } = ended;
  const restarts = previous ? restartCount - 1 : restartCount;
  return { start: startedAt, restarts, image, end: { time: finishedAt, exitCode } };
}

function print({ start, restarts, image, end }: Run, container: string, timestamps: boolean): string[] {
  const line = (time: string, text: string): string => `${timestamps ? `${time} ` : ''}${text}\n`;
  const started = line(start, `${container} (${image}) started${restarts > 0 ? `, restart ${restarts}` : ''}`);
  return end === undefined ? [started] : [started, line(end.time, `${container} ended with exit code ${end.exitCode}`)];
}

/** Waits until the container has ended or its pod is gone. */
async function* withEnd(text: string, call: LogCall, pods: Collection): AsyncGenerator<string> {
  yield text;
  const { pod, container, timestamps, signal } = call;
  const { uid, namespace = '', name } = pod.metadata;
  const { restarts } = runOf(pod, container, false);
  const key = keyOf(namespace, name);
  const statusOf = (): Run | 'running' | 'gone' => {
    const latest = pods.get(key);
    if (latest === undefined || latest.uid !== uid) return 'gone';
    const present = latest.decode() as unknown as Pod;
    const run = runOf(present, container, false);
    if (run.end !== undefined) return run;
    return run.restarts > restarts ? runOf(present, container, true) : 'running';
  };
  let changed: () => void = () => {};
  using _subscription = pods.subscribe(() => changed());
  for (let state = statusOf(); !signal.aborted; state = statusOf()) {
    if (state === 'gone') return;
    if (state !== 'running') {
      yield print(state, container, timestamps).slice(1).join('');
      return;
    }
    const seen = pods.get(key);
    let undo = (): void => {};
    await new Promise<void>((resolve) => {
      changed = () => {
        if (pods.get(key) !== seen) resolve();
      };
      undo = onAbort(signal, resolve);
    });
    undo();
  }
}
