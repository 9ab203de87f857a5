import type { ContainerStatus, Pod, PodStatus } from '../../resources/types/core-v1.js';
import { age, ageOf, conditionStatus } from './cell-text.js';
import { AGE, kindTable, NAME, text, wide } from './columns.js';
import type { KindTable, RowCondition } from './kind-table.js';

const CONDITIONS: Readonly<Record<string, readonly RowCondition[]>> = {
  Succeeded: [
    { type: 'Completed', status: 'True', reason: 'Succeeded', message: 'The pod has completed successfully.' },
  ],
  Failed: [{ type: 'Completed', status: 'True', reason: 'Failed', message: 'The pod failed.' }],
};

export const podTable: KindTable = kindTable<Pod>(
  [
    NAME,
    text('Ready'),
    text('Status', 'The aggregate status of the containers in this pod.'),
    text('Restarts'),
    AGE,
    ...['IP', 'Node', 'Nominated Node', 'Readiness Gates'].map((name) => wide(name)),
  ],
  (pod, now) => {
    const { spec, status } = pod;
    const { ready, reason, restarts, lastRestart } = summarize(pod);
    const sidecars = spec?.initContainers?.filter(isSidecar).length ?? 0;
    return [
      pod.metadata.name,
      `${ready}/${(spec?.containers?.length ?? 0) + sidecars}`,
      reason,
      restarts === 0 || lastRestart === '' ? `${restarts}` : `${restarts} (${age(lastRestart, now)} ago)`,
      ageOf(pod, now),
      status?.podIPs?.[0]?.ip || '<none>',
      spec?.nodeName || '<none>',
      status?.nominatedNodeName || '<none>',
      readinessGates(pod),
    ];
  },
  ({ status }) => CONDITIONS[status?.phase ?? ''],
);

interface Summary {
  ready: number;
  reason: string;
  restarts: number;
  /** Empty if there was none. */
  lastRestart: string;
}

/** The state of all containers in one word, as `kubectl get pods` shows it. */
function summarize(pod: Pod): Summary {
  const status: PodStatus = pod.status ?? {};
  const init = summarizeInit(pod);
  const isInitialized = conditionStatus(status.conditions, 'Initialized') === 'True';
  const summary = init.isInitializing && !isInitialized ? init : summarizeContainers(pod, init);
  if (pod.metadata.deletionTimestamp !== undefined) {
    const isOver = status.phase === 'Succeeded' || status.phase === 'Failed';
    if (status.reason === 'NodeLost') return { ...summary, reason: 'Unknown' };
    if (!isOver) return { ...summary, reason: 'Terminating' };
  }
  return summary;
}

type InitSummary = Summary & { isInitializing: boolean; sidecarRestarts: number; lastSidecarRestart: string };

/** The init containers up to the first that has not finished. */
function summarizeInit({ spec, status }: Pod): InitSummary {
  const isGated = status?.conditions?.some(
    ({ type, reason }) => type === 'PodScheduled' && reason === 'SchedulingGated',
  );
  const summary: InitSummary = {
    ready: 0,
    reason: isGated === true ? 'SchedulingGated' : status?.reason || (status?.phase ?? ''),
    restarts: 0,
    lastRestart: '',
    isInitializing: false,
    sidecarRestarts: 0,
    lastSidecarRestart: '',
  };
  const containers = spec?.initContainers ?? [];
  for (const [i, container] of (status?.initContainerStatuses ?? []).entries()) {
    const sidecar = containers.find(({ name }) => name === container.name);
    const isRestartable = sidecar !== undefined && isSidecar(sidecar);
    summary.restarts += container.restartCount;
    summary.lastRestart = later(summary.lastRestart, container);
    if (isRestartable) {
      summary.sidecarRestarts += container.restartCount;
      summary.lastSidecarRestart = later(summary.lastSidecarRestart, container);
    }
    const { terminated, waiting } = container.state ?? {};
    if (terminated?.exitCode === 0) continue;
    if (isRestartable && container.started === true) {
      if (container.ready) summary.ready++;
      continue;
    }
    summary.isInitializing = true;
    if (terminated !== undefined) summary.reason = `Init:${endOf(terminated)}`;
    else if (waiting?.reason && waiting.reason !== 'PodInitializing') summary.reason = `Init:${waiting.reason}`;
    else summary.reason = `Init:${i}/${containers.length}`;
    break;
  }
  return summary;
}

function summarizeContainers({ status }: Pod, init: InitSummary): Summary {
  let { ready, reason, sidecarRestarts: restarts, lastSidecarRestart: lastRestart } = init;
  let isAnyRunning = false;
  let failure = '';
  for (const container of [...(status?.containerStatuses ?? [])].reverse()) {
    restarts += container.restartCount;
    lastRestart = later(lastRestart, container);
    const { terminated, waiting, running } = container.state ?? {};
    if (waiting?.reason) reason = waiting.reason;
    else if (terminated !== undefined) {
      reason = endOf(terminated);
      if (terminated.exitCode !== 0) failure = reason;
    } else if (container.ready && running !== undefined) {
      isAnyRunning = true;
      ready++;
    }
  }
  if (reason === 'Completed') {
    const isReady = conditionStatus(status?.conditions, 'Ready') === 'True';
    if (isAnyRunning && isReady) reason = 'Running';
    else if (failure !== '') reason = failure;
    else if (isAnyRunning) reason = 'NotReady';
  }
  return { ready, reason, restarts, lastRestart };
}

function endOf(end: { reason?: string | undefined; signal?: number | undefined; exitCode: number }): string {
  return end.reason || (end.signal ? `Signal:${end.signal}` : `ExitCode:${end.exitCode}`);
}

/** The later one of a time and that of the container's last termination. */
function later(time: string, { lastState }: ContainerStatus): string {
  const finished = lastState?.terminated?.finishedAt ?? '';
  return finished > time ? finished : time;
}

function isSidecar({ restartPolicy }: { restartPolicy?: string | undefined }): boolean {
  return restartPolicy === 'Always';
}

function readinessGates({ spec, status }: Pod): string {
  const gates = spec?.readinessGates ?? [];
  if (gates.length === 0) return '<none>';
  const passed = gates.filter(({ conditionType }) => conditionStatus(status?.conditions, conditionType) === 'True');
  return `${passed.length}/${gates.length}`;
}
