import type { Job, JobCondition, JobStatus } from '../../../../resources/types/batch-v1.js';
import type { Pod } from '../../../../resources/types/core-v1.js';
import type { Steps } from '../../../../time/steps.js';
import { claim, selectorOf } from '../claim.js';
import { controllerOf } from '../object-view.js';
import { inOrderOfDeletion, isActive, isFinished, isReady, isTerminating } from '../pod-facts.js';
import { type PodObject, podOf } from '../pod-template.js';
import { type WorkloadController, type World } from '../world.js';
import { parseIndexes, printIndexes } from './indexes.js';

const COMPONENT = 'job-controller';
const TRACKING = 'batch.kubernetes.io/job-tracking';
const INDEX = 'batch.kubernetes.io/job-completion-index';
const MANAGED_BY = 'kubernetes.io/job-controller';
const FIRST_BACKOFF_MS = 10_000;
const LAST_BACKOFF_MS = 600_000;

/** A condition without its times. */
type Verdict = Pick<JobCondition, 'type' | 'reason' | 'message'>;

/** Runs the pods of Jobs until enough of them have succeeded, or too many have failed. */
export function addJobs(world: World): void {
  const { jobs, pods } = world.views;

  const controller: WorkloadController = {
    name: COMPONENT,
    *reconcile(key): Steps<void> {
      const job = jobs.get(key);
      if (job === undefined || (job.spec?.managedBy ?? MANAGED_BY) !== MANAGED_BY) return;
      if (isOver(job)) {
        yield* releasePods(pods.ownedBy(job.metadata.uid));
        yield* expire(key, job);
        return;
      }
      if (job.metadata.deletionTimestamp !== undefined) return;
      yield* claim(world, pods, job, selectorOf(job.spec?.selector));
      yield* start(job);
      yield* countEnded(key);
      yield* act(key);
    },
  };
  world.add(controller);
  world.follow('jobs', controller);
  world.on('pods', (revision) => {
    const owner = controllerOf(revision);
    if (owner?.kind === 'Job') {
      if (jobs.find(revision.namespace, owner.name)?.metadata.uid === owner.uid) {
        world.enqueue(controller, `${revision.namespace}/${owner.name}`);
      } else if (revision.type !== 'DELETED') world.enqueue(orphans, revision.key);
    } else if (owner === undefined && revision.type !== 'DELETED') world.enqueue(orphans, revision.key);
  });

  /** A pod without its Job must not be held by the finalizer of the Job controller. */
  const orphans: WorkloadController = {
    name: 'job-orphans',
    *reconcile(key): Steps<void> {
      const pod = pods.get(key);
      if (pod === undefined || pod.metadata.finalizers?.includes(TRACKING) !== true) return;
      const owner = pod.metadata.ownerReferences?.find((one) => one.controller === true && one.kind === 'Job');
      const job = owner && jobs.find(pod.metadata.namespace ?? '', owner.name);
      if (job === undefined || job.metadata.uid !== owner?.uid) yield* releasePods([pod]);
    },
  };
  world.add(orphans);
  world.on('jobs', (revision) => {
    if (revision.type !== 'DELETED') return;
    for (const key of pods.keysOwnedBy(revision.uid)) world.enqueue(orphans, key);
  });

  /** Notes when the Job starts, and whether it is suspended. */
  function* start(job: Job): Steps<void> {
    const isSuspended = job.spec?.suspend === true;
    const known = job.status?.conditions?.find(({ type }) => type === 'Suspended');
    const wasSuspended = known?.status === 'True';
    if (isSuspended !== wasSuspended && (isSuspended || known !== undefined)) {
      const reason = isSuspended ? 'JobSuspended' : 'JobResumed';
      const message = isSuspended ? 'Job suspended' : 'Job resumed';
      yield* world.updateStatus(jobs, job, (latest) => {
        const status = latest.status ?? {};
        const next = condition({ type: 'Suspended', reason, message }, isSuspended ? 'True' : 'False');
        const { startTime: _startTime, ...rest } = status;
        latest.status = {
          ...(isSuspended ? rest : { ...status, startTime: world.timestamp() }),
          conditions: [...(status.conditions ?? []).filter(({ type }) => type !== 'Suspended'), next],
        };
      });
      const event = { about: job, reason: isSuspended ? 'Suspended' : 'Resumed', message, component: COMPONENT };
      yield* world.record(event);
    } else if (!isSuspended && job.status?.startTime === undefined) {
      yield* world.updateStatus(jobs, job, (latest) => {
        latest.status = { ...latest.status, startTime: world.timestamp() };
      });
    }
  }

  /**
   * Counts pods that have ended, each once: first their uids are noted in the status, then their finalizers are removed,
   * then they are counted.
   */
  function* countEnded(key: string): Steps<void> {
    const job = jobs.get(key);
    if (job === undefined) return;
    const ended = pods
      .ownedBy(job.metadata.uid)
      .filter((pod) => pod.metadata.finalizers?.includes(TRACKING) === true && hasEnded(pod));
    const noted = job.status?.uncountedTerminatedPods;
    const hasNoted = (noted?.succeeded?.length ?? 0) + (noted?.failed?.length ?? 0) > 0;
    if (ended.length === 0 && !hasNoted) return;
    const done = parseIndexes(job.status?.completedIndexes);
    const isIndexed = job.spec?.completionMode === 'Indexed';
    const succeeded = new Set(noted?.succeeded);
    const failed = new Set(noted?.failed);
    for (const pod of ended) {
      if (pod.status?.phase !== 'Succeeded') failed.add(pod.metadata.uid);
      else if (!isIndexed) succeeded.add(pod.metadata.uid);
      else if (isValidIndex(job, indexOf(pod)) && !done.has(indexOf(pod))) done.add(indexOf(pod));
    }
    yield* world.updateStatus(jobs, job, (latest) => {
      latest.status = {
        ...latest.status,
        ...(isIndexed && { completedIndexes: printIndexes(done), succeeded: done.size }),
        uncountedTerminatedPods: { succeeded: [...succeeded], failed: [...failed] },
      };
    });
    yield* releasePods(ended);
    yield* world.updateStatus(jobs, job, (latest) => {
      const status = latest.status ?? {};
      latest.status = {
        ...status,
        ...(!isIndexed && succeeded.size > 0 && { succeeded: (status.succeeded ?? 0) + succeeded.size }),
        ...(failed.size > 0 && { failed: (status.failed ?? 0) + failed.size }),
        uncountedTerminatedPods: {},
      };
    });
  }

  function* releasePods(held: readonly Pod[]): Steps<void> {
    for (const pod of held) {
      if (pod.metadata.finalizers?.includes(TRACKING) !== true) continue;
      yield* world.update(pods, pod, (latest) => {
        latest.metadata.finalizers = (latest.metadata.finalizers ?? []).filter((name) => name !== TRACKING);
      });
    }
  }

  /** Decides whether the Job is over; if not, creates or deletes pods. */
  function* act(key: string): Steps<void> {
    const job = jobs.get(key);
    if (job === undefined) return;
    const active = pods.ownedBy(job.metadata.uid).filter(isActive);
    const verdict = yield* judge(key, job, active);
    if (verdict !== undefined) {
      yield* conclude(key, job, active, verdict);
      return;
    }
    if (job.spec?.suspend === true) for (const pod of active) yield* deletePod(job, pod);
    else yield* scale(key, job, active);
    yield* writeCounts(key, []);
  }

  function* judge(key: string, job: Job, active: readonly Pod[]): Steps<Verdict | undefined> {
    const { status = {} } = job;
    const target = status.conditions?.find(({ type, status: value }) => isTarget(type) && value === 'True');
    if (target !== undefined) return target;
    if (isComplete(job, active)) {
      return { type: 'SuccessCriteriaMet', reason: 'CompletionsReached', message: 'Reached expected number of succeeded pods' };
    }
    const { backoffLimit = 6, activeDeadlineSeconds, template } = job.spec ?? {};
    const restarts = template?.spec?.restartPolicy === 'OnFailure' ? restartsOf(active) : 0;
    const isExceeded = (status.failed ?? 0) > backoffLimit || (restarts > 0 && restarts >= backoffLimit);
    if (isExceeded) {
      const message = 'Job has reached the specified backoff limit';
      return { type: 'FailureTarget', reason: 'BackoffLimitExceeded', message };
    }
    if (activeDeadlineSeconds !== undefined && status.startTime !== undefined && job.spec?.suspend !== true) {
      const leftMs = activeDeadlineSeconds * 1000 - world.since(status.startTime);
      if (leftMs <= 0) {
        const message = 'Job was active longer than specified deadline';
        return { type: 'FailureTarget', reason: 'DeadlineExceeded', message };
      }
      world.enqueue(controller, key, leftMs);
    }
    return undefined;
  }

  /** Ends the Job: its last pods first, then the conditions that clients wait for. */
  function* conclude(key: string, job: Job, active: readonly Pod[], verdict: Verdict): Steps<void> {
    const isSuccess = verdict.type === 'SuccessCriteriaMet';
    for (const pod of active) yield* deletePod(job, pod);
    const target = condition({ ...verdict }, 'True');
    yield* writeCounts(key, [target]);
    const latest = jobs.get(key);
    if (latest === undefined) return;
    const isWaiting = pods
      .ownedBy(job.metadata.uid)
      .some((pod) => pod.metadata.finalizers?.includes(TRACKING) === true && !hasEnded(pod));
    if (isWaiting) return;
    const { reason, message } = verdict;
    const final = condition({ type: isSuccess ? 'Complete' : 'Failed', reason, message }, 'True');
    yield* world.updateStatus(jobs, latest, (one) => {
      const status = one.status ?? {};
      one.status = {
        ...status,
        conditions: [...(status.conditions ?? []).filter(({ type }) => type !== final.type), final],
        ...(isSuccess && { completionTime: world.timestamp() }),
      };
      delete one.status.active;
      one.status.ready = 0;
      one.status.terminating = 0;
    });
    const event = isSuccess
      ? { about: job, reason: 'Completed', message: 'Job completed', component: COMPONENT }
      : { about: job, type: 'Warning' as const, reason: reason ?? '', message: message ?? '', component: COMPONENT };
    yield* world.record(event);
  }

  function* scale(key: string, job: Job, active: readonly Pod[]): Steps<void> {
    const wanted = wantedOf(job, active.length);
    const surplus = active.length - wanted;
    if (surplus > 0) for (const pod of inOrderOfDeletion(active).slice(0, surplus)) yield* deletePod(job, pod);
    if (surplus >= 0) return;
    const waitMs = backoffMs(job);
    if (waitMs > 0) {
      world.enqueue(controller, key, waitMs);
      return;
    }
    const free = job.spec?.completionMode === 'Indexed' ? freeIndexes(job, -surplus) : undefined;
    for (let n = 0; n < -surplus; n++) {
      const index = free?.[n];
      if (free !== undefined && index === undefined) return;
      const pod = yield* world.create(pods, job.metadata.namespace ?? '', podFor(job, index));
      const message = `Created pod: ${pod.metadata.name}`;
      yield* world.record({ about: job, reason: 'SuccessfulCreate', message, component: COMPONENT });
    }
  }

  /** How long the next pod waits after a failure: 10 seconds, then twice as long after each. */
  function backoffMs(job: Job): number {
    const failures = job.status?.failed ?? 0;
    if (failures === 0) return 0;
    const ends = pods
      .ownedBy(job.metadata.uid)
      .filter(({ status }) => status?.phase === 'Failed')
      .flatMap(({ status }) => status?.containerStatuses ?? [])
      .map(({ state }) => Date.parse(state?.terminated?.finishedAt ?? '') || 0);
    const delayMs = Math.min(LAST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (failures - 1));
    return Math.max(0, Math.max(0, ...ends) + delayMs - world.clock.now());
  }

  function freeIndexes(job: Job, count: number): number[] {
    const taken = parseIndexes(job.status?.completedIndexes);
    for (const pod of pods.ownedBy(job.metadata.uid)) if (isActive(pod)) taken.add(indexOf(pod));
    const free: number[] = [];
    for (let index = 0; index < (job.spec?.completions ?? 0) && free.length < count; index++) {
      if (!taken.has(index)) free.push(index);
    }
    return free;
  }

  function* deletePod(job: Job, pod: Pod): Steps<void> {
    yield* world.remove(pods, pod);
    const message = `Deleted pod: ${pod.metadata.name}`;
    yield* world.record({ about: job, reason: 'SuccessfulDelete', message, component: COMPONENT });
  }

  function* writeCounts(key: string, added: readonly JobCondition[]): Steps<void> {
    const job = jobs.get(key);
    if (job === undefined) return;
    const owned = pods.ownedBy(job.metadata.uid);
    const active = owned.filter(isActive);
    const { active: _active, ...rest } = job.status ?? {};
    const missing = added.filter(({ type }) => !rest.conditions?.some((one) => one.type === type));
    const status: JobStatus = {
      ...rest,
      ...(active.length > 0 && { active: active.length }),
      ready: active.filter(isReady).length,
      terminating: owned.filter((pod) => isTerminating(pod) && !isFinished(pod)).length,
      uncountedTerminatedPods: rest.uncountedTerminatedPods ?? {},
      ...(missing.length > 0 && { conditions: [...(rest.conditions ?? []), ...missing] }),
    };
    yield* world.writeStatus(jobs, job, status);
  }

  /** Deletes a finished Job after `ttlSecondsAfterFinished`. */
  function* expire(key: string, job: Job): Steps<void> {
    const ttl = job.spec?.ttlSecondsAfterFinished;
    if (ttl === undefined || job.metadata.deletionTimestamp !== undefined) return;
    const ended = job.status?.conditions?.find(({ type }) => type === 'Complete' || type === 'Failed');
    const leftMs = ttl * 1000 - world.since(ended?.lastTransitionTime);
    if (leftMs > 0) world.enqueue(controller, key, leftMs);
    else yield* world.remove(jobs, job, { propagationPolicy: 'Foreground' });
  }

  function condition({ type, reason, message }: Verdict, status: 'True' | 'False'): JobCondition {
    const now = world.timestamp();
    return { type, status, lastProbeTime: now, lastTransitionTime: now, reason, message };
  }
}

function isOver({ status }: Job): boolean {
  return (status?.conditions ?? []).some(
    (one) => (one.type === 'Complete' || one.type === 'Failed') && one.status === 'True',
  );
}

function isTarget(type: string): boolean {
  return type === 'SuccessCriteriaMet' || type === 'FailureTarget';
}

/** A deleted pod of a Job counts as failed once its containers have ended. */
function hasEnded(pod: Pod): boolean {
  return isFinished(pod) || (isTerminating(pod) && !pod.spec?.nodeName);
}

function indexOf({ metadata }: Pod): number {
  return Number(metadata.annotations?.[INDEX] ?? -1);
}

function isValidIndex({ spec }: Job, index: number): boolean {
  return index >= 0 && index < (spec?.completions ?? 0);
}

function isComplete({ spec, status }: Job, active: readonly Pod[]): boolean {
  const succeeded = status?.succeeded ?? 0;
  // Without `completions` the first success tells the others to end by themselves.
  return spec?.completions === undefined ? succeeded > 0 && active.length === 0 : succeeded >= spec.completions;
}

function wantedOf({ spec, status }: Job, active: number): number {
  const { completions, parallelism = 1 } = spec ?? {};
  const succeeded = status?.succeeded ?? 0;
  if (completions === undefined) return succeeded > 0 ? Math.min(active, parallelism) : parallelism;
  return Math.max(0, Math.min(parallelism, completions - succeeded));
}

function restartsOf(pods: readonly Pod[]): number {
  const statuses = pods.flatMap(({ status }) => [
    ...(status?.initContainerStatuses ?? []),
    ...(status?.containerStatuses ?? []),
  ]);
  return statuses.reduce((sum, { restartCount }) => sum + restartCount, 0);
}

function podFor(job: Job, index: number | undefined): PodObject {
  const pod = podOf(job, job.spec!.template);
  pod.metadata.finalizers = [...(pod.metadata.finalizers ?? []), TRACKING];
  if (index === undefined) return pod;
  const name = `${job.metadata.name}-${index}`;
  pod.metadata.generateName = `${name}-`;
  pod.metadata.labels = { ...pod.metadata.labels, [INDEX]: String(index) };
  pod.metadata.annotations = { ...pod.metadata.annotations, [INDEX]: String(index) };
  pod.spec.hostname ??= name;
  const fieldPath = `metadata.labels['${INDEX}']`;
  for (const container of [...(pod.spec.initContainers ?? []), ...pod.spec.containers]) {
    const env = (container.env ?? []).filter((one) => one.name !== 'JOB_COMPLETION_INDEX');
    container.env = [...env, { name: 'JOB_COMPLETION_INDEX', valueFrom: { fieldRef: { fieldPath } } }];
  }
  return pod;
}

