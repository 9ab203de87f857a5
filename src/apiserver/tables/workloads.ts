import type { LabelSelector, OwnerReference } from '../../meta/objects.js';
import type {
  ControllerRevision,
  DaemonSet,
  Deployment,
  ReplicaSet,
  StatefulSet,
} from '../../resources/types/apps-v1.js';
import type { Scale } from '../../resources/types/autoscaling-v1.js';
import type {
  HorizontalPodAutoscaler,
  MetricSpec,
  MetricStatus,
  MetricTarget,
  MetricValueStatus,
} from '../../resources/types/autoscaling-v2.js';
import type { CronJob, Job } from '../../resources/types/batch-v1.js';
import type { PodTemplate, ReplicationController } from '../../resources/types/core-v1.js';
import type { PodDisruptionBudget } from '../../resources/types/policy-v1.js';
import {
  age,
  ageOf,
  conditionStatus,
  containerCells,
  duration,
  firstOf,
  labelsText,
  selectorOrNone,
  selectorText,
} from './cell-text.js';
import {
  AGE,
  boolean,
  containerColumns,
  integer,
  kindTable,
  NAME,
  text,
  wide,
  wideContainerColumns,
} from './columns.js';
import type { KindTable } from './kind-table.js';
import { podTable } from './pods.js';

const READY = text('Ready', 'Number of the pod with ready state');
const REPLICAS = [NAME, integer('Desired'), integer('Current'), integer('Ready'), AGE];
const WIDE = [...wideContainerColumns, wide('Selector')];

/** The tables of pods and of what makes them, by `group/Kind`. */
export const workloadTables: Readonly<Record<string, KindTable>> = {
  '/Pod': podTable,
  '/PodTemplate': kindTable<PodTemplate>(
    [NAME, ...containerColumns, text('Pod Labels', 'The labels for the pod template.')],
    ({ metadata, template }) => [metadata.name, ...containerCells(template), labelsText(template?.metadata?.labels)],
  ),
  '/ReplicationController': kindTable<ReplicationController>([...REPLICAS, ...WIDE], (object, now) => {
    const { metadata, spec, status } = object;
    const counts = [spec?.replicas ?? 0, status?.replicas ?? 0, status?.readyReplicas ?? 0];
    return [
      metadata.name,
      ...counts,
      ageOf(object, now),
      ...containerCells(spec?.template),
      labelsText(spec?.selector),
    ];
  }),
  'apps/ReplicaSet': kindTable<ReplicaSet>([...REPLICAS, ...WIDE], (object, now) => {
    const { metadata, spec, status } = object;
    const counts = [spec?.replicas ?? 0, status?.replicas ?? 0, status?.readyReplicas ?? 0];
    return [metadata.name, ...counts, ageOf(object, now), ...templateCells(spec)];
  }),
  'apps/Deployment': kindTable<Deployment>(
    [NAME, READY, text('Up-to-date'), text('Available'), AGE, ...WIDE],
    (object, now) => {
      const { metadata, spec, status } = object;
      return [
        metadata.name,
        `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`,
        status?.updatedReplicas ?? 0,
        status?.availableReplicas ?? 0,
        ageOf(object, now),
        ...containerCells(spec?.template),
        selectorText(spec?.selector, '<invalid>'),
      ];
    },
  ),
  'apps/StatefulSet': kindTable<StatefulSet>([NAME, READY, AGE, ...wideContainerColumns], (object, now) => {
    const { metadata, spec, status } = object;
    const ready = `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`;
    return [metadata.name, ready, ageOf(object, now), ...containerCells(spec?.template)];
  }),
  'apps/DaemonSet': kindTable<DaemonSet>(
    [
      NAME,
      ...['Desired', 'Current', 'Ready', 'Up-to-date', 'Available'].map((name) => integer(name)),
      text('Node Selector'),
      AGE,
      ...WIDE,
    ],
    (object, now) => {
      const { metadata, spec, status } = object;
      return [
        metadata.name,
        status?.desiredNumberScheduled ?? 0,
        status?.currentNumberScheduled ?? 0,
        status?.numberReady ?? 0,
        status?.updatedNumberScheduled ?? 0,
        status?.numberAvailable ?? 0,
        labelsText(spec?.template.spec?.nodeSelector),
        ageOf(object, now),
        ...templateCells(spec),
      ];
    },
  ),
  'apps/ControllerRevision': kindTable<ControllerRevision>(
    [NAME, text('Controller', 'Controller of the object'), text('Revision'), AGE],
    (object, now) => {
      const { metadata, revision } = object;
      return [metadata.name, controllerOf(metadata.ownerReferences), revision ?? 0, ageOf(object, now)];
    },
  ),
  'batch/Job': kindTable<Job>(
    [
      NAME,
      text('Status', 'Status of the job.'),
      text('Completions'),
      text('Duration', 'Time required to complete the job.'),
      AGE,
      ...WIDE,
    ],
    (job, now) => [
      job.metadata.name,
      jobStatus(job),
      completions(job),
      jobDuration(job, now),
      ageOf(job, now),
      ...templateCells(job.spec),
    ],
  ),
  'batch/CronJob': kindTable<CronJob>(
    [
      NAME,
      text('Schedule'),
      text('Timezone'),
      boolean('Suspend'),
      integer('Active', 'A list of pointers to currently running jobs.'),
      text('Last Schedule'),
      AGE,
      ...WIDE,
    ],
    (object, now) => {
      const { metadata, spec, status } = object;
      return [
        metadata.name,
        spec?.schedule ?? '',
        spec?.timeZone ?? '<none>',
        spec?.suspend === undefined ? '<unset>' : spec.suspend ? 'True' : 'False',
        status?.active?.length ?? 0,
        status?.lastScheduleTime === undefined ? '<none>' : age(status.lastScheduleTime, now),
        ageOf(object, now),
        ...templateCells(spec?.jobTemplate.spec),
      ];
    },
  ),
  'policy/PodDisruptionBudget': kindTable<PodDisruptionBudget>(
    [
      NAME,
      text('Min Available', 'The minimum number of pods that must be available.'),
      text('Max Unavailable', 'The maximum number of pods that may be unavailable.'),
      integer('Allowed Disruptions'),
      AGE,
    ],
    (object, now) => {
      const { metadata, spec, status } = object;
      const limits = [spec?.minAvailable, spec?.maxUnavailable].map((limit) => String(limit ?? 'N/A'));
      return [metadata.name, ...limits, status?.disruptionsAllowed ?? 0, ageOf(object, now)];
    },
  ),
  'autoscaling/HorizontalPodAutoscaler': kindTable<HorizontalPodAutoscaler>(
    [NAME, ...['Reference', 'Targets', 'MinPods', 'MaxPods', 'Replicas'].map((name) => text(name)), AGE],
    (object, now) => {
      const { metadata, spec, status } = object;
      return [
        metadata.name,
        `${spec?.scaleTargetRef?.kind ?? ''}/${spec?.scaleTargetRef?.name ?? ''}`,
        metrics(spec?.metrics ?? [], status?.currentMetrics ?? []),
        String(spec?.minReplicas ?? '<unset>'),
        spec?.maxReplicas ?? 0,
        status?.currentReplicas ?? 0,
        ageOf(object, now),
      ];
    },
  ),
  'autoscaling/Scale': kindTable<Scale>([text('Name'), integer('Desired'), integer('Available'), AGE], (scale, now) => [
    scale.metadata.name,
    scale.spec?.replicas ?? 0,
    scale.status?.replicas ?? 0,
    ageOf(scale, now),
  ]),
};

function templateCells(
  spec: { template?: Parameters<typeof containerCells>[0]; selector?: LabelSelector | undefined } | undefined,
): string[] {
  return [...containerCells(spec?.template), selectorOrNone(spec?.selector)];
}

function controllerOf(owners: readonly OwnerReference[] | undefined): string {
  const owner = owners?.find(({ controller }) => controller === true);
  if (owner === undefined) return '<none>';
  const group = owner.apiVersion.includes('/') ? `.${owner.apiVersion.split('/')[0]}` : '';
  return `${owner.kind.toLowerCase()}${group.toLowerCase()}/${owner.name}`;
}

function jobStatus({ metadata, status }: Job): string {
  const holds = (type: string) => conditionStatus(status?.conditions, type) === 'True';
  if (holds('Complete')) return 'Complete';
  if (holds('Failed')) return 'Failed';
  if (metadata.deletionTimestamp !== undefined) return 'Terminating';
  return ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'].find(holds) ?? 'Running';
}

function completions({ spec, status }: Job): string {
  const succeeded = status?.succeeded ?? 0;
  if (spec?.completions !== undefined) return `${succeeded}/${spec.completions}`;
  const parallelism = spec?.parallelism ?? 0;
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function jobDuration({ status }: Job, now: number): string {
  if (status?.startTime === undefined) return '';
  const end = status.completionTime === undefined ? now : Date.parse(status.completionTime);
  return duration(end - Date.parse(status.startTime));
}

/** The current value and the target of each metric: `cpu: 55%/80%`. */
function metrics(specs: readonly MetricSpec[], statuses: readonly MetricStatus[]): string {
  if (specs.length === 0) return '<none>';
  return firstOf(
    specs.map((spec, i) => metric(spec, statuses[i])),
    2,
    ', ',
  );
}

function metric(spec: MetricSpec, status: MetricStatus | undefined): string {
  switch (spec.type) {
    case 'External':
      return valueOrAverage(spec.external?.target, status?.external?.current);
    case 'Object':
      return valueOrAverage(spec.object?.target, status?.object?.current);
    case 'Pods':
      return `${status?.pods?.current.averageValue ?? '<unknown>'}/${spec.pods?.target.averageValue ?? ''}`;
    case 'Resource':
      return `${spec.resource?.name}: ${averageOrShare(spec.resource?.target, status?.resource?.current)}`;
    case 'ContainerResource': {
      const current = status?.containerResource?.current;
      return `${spec.containerResource?.name}: ${averageOrShare(spec.containerResource?.target, current)}`;
    }
    default:
      return '<unknown type>';
  }
}

function valueOrAverage(target: MetricTarget | undefined, current: MetricValueStatus | undefined): string {
  if (target?.averageValue !== undefined) return `${current?.averageValue ?? '<unknown>'}/${target.averageValue} (avg)`;
  return `${current?.value ?? '<unknown>'}/${target?.value ?? ''}`;
}

function averageOrShare(target: MetricTarget | undefined, current: MetricValueStatus | undefined): string {
  if (target?.averageValue !== undefined) return `${current?.averageValue ?? '<unknown>'}/${target.averageValue}`;
  const share = (percent: number | undefined, none: string) => (percent === undefined ? none : `${percent}%`);
  return `${share(current?.averageUtilization, '<unknown>')}/${share(target?.averageUtilization, '<auto>')}`;
}
