import type { CronJob, Job } from '../../../../resources/types/batch-v1.js';
import type { Steps } from '../../../../time/steps.js';
import { timestamp } from '../../../../time/timestamps.js';
import { controllerOf } from '../object-view.js';
import { controllerReference, type WorkloadController, type World } from '../world.js';
import { nextTime } from './cron-times.js';

const COMPONENT = 'cronjob-controller';
const SCHEDULED = 'batch.kubernetes.io/cronjob-scheduled-timestamp';
/** More missed times than this are not looked at one by one. */
const MOST_MISSED = 100;

/** Creates the Jobs of CronJobs at their times, and deletes old ones. */
export function addCronJobs(world: World): void {
  const { cronjobs, jobs } = world.views;

  const controller: WorkloadController = {
    name: COMPONENT,
    isPeriodic: true,
    *reconcile(key): Steps<void> {
      const cron = cronjobs.get(key);
      if (cron === undefined || cron.metadata.deletionTimestamp !== undefined) return;
      yield* writeActive(key);
      yield* trim(cron);
      const latest = cronjobs.get(key);
      if (latest === undefined || latest.spec?.suspend === true) return;
      yield* createDue(key, latest);
    },
  };
  world.add(controller);
  world.follow('cronjobs', controller);
  world.on('jobs', (revision) => {
    const owner = controllerOf(revision);
    if (owner?.kind === 'CronJob') world.enqueue(controller, `${revision.namespace}/${owner.name}`);
  });

  function* createDue(key: string, cron: CronJob): Steps<void> {
    const now = world.clock.now();
    const due = lastDue(cron, now);
    const next = nextTime(cron.spec!.schedule, cron.spec?.timeZone, now);
    if (next !== undefined) world.enqueue(controller, key, next - now);
    if (due === undefined) return;
    const { startingDeadlineSeconds, concurrencyPolicy } = cron.spec!;
    const isLate = startingDeadlineSeconds !== undefined && due + startingDeadlineSeconds * 1000 < now;
    if (isLate) {
      const message = `Missed scheduled time to start a job: ${new Date(due).toUTCString()}`;
      yield* world.record({ about: cron, type: 'Warning', reason: 'MissSchedule', message, component: COMPONENT });
      return;
    }
    const active = activeOf(cron);
    if (active.length > 0 && concurrencyPolicy === 'Forbid') {
      const message = 'Not starting job because prior execution is running and concurrency policy is Forbid';
      yield* world.record({ about: cron, reason: 'JobAlreadyActive', message, component: COMPONENT });
      return;
    }
    if (concurrencyPolicy === 'Replace') {
      for (const job of active) {
        yield* world.remove(jobs, job, { propagationPolicy: 'Background' });
        const message = `Deleted job ${job.metadata.name}`;
        yield* world.record({ about: cron, reason: 'SuccessfulDelete', message, component: COMPONENT });
      }
    }
    // The name says the minute, so that a time is never served twice.
    const name = `${cron.metadata.name}-${Math.floor(due / 60_000)}`;
    if (jobs.find(cron.metadata.namespace ?? '', name) === undefined) yield* createJob(cron, name, due);
    const updated = cronjobs.get(key);
    if (updated === undefined) return;
    yield* world.writeStatus(cronjobs, updated, { ...updated.status, lastScheduleTime: timestamp(due) });
    yield* writeActive(key);
  }

  function* createJob(cron: CronJob, name: string, due: number): Steps<void> {
    const { metadata: template, spec } = cron.spec!.jobTemplate;
    yield* world.create(jobs, cron.metadata.namespace ?? '', {
      metadata: {
        name,
        ...(template?.labels !== undefined && { labels: { ...template.labels } }),
        annotations: { ...template?.annotations, [SCHEDULED]: timestamp(due) },
        ownerReferences: [controllerReference(cron)],
      },
      spec: structuredClone(spec ?? {}),
    });
    const message = `Created job ${name}`;
    yield* world.record({ about: cron, reason: 'SuccessfulCreate', message, component: COMPONENT });
  }

  /** The last time of the schedule that has come and has not been served. */
  function lastDue({ metadata, spec, status }: CronJob, now: number): number | undefined {
    let after = Date.parse(status?.lastScheduleTime ?? metadata.creationTimestamp);
    const { startingDeadlineSeconds } = spec!;
    if (startingDeadlineSeconds !== undefined) after = Math.max(after, now - startingDeadlineSeconds * 1000);
    let due: number | undefined;
    for (let missed = 0; missed < MOST_MISSED; missed++) {
      const next = nextTime(spec!.schedule, spec?.timeZone, due ?? after);
      if (next === undefined || next > now) return due;
      due = next;
    }
    return due;
  }

  function activeOf(cron: CronJob): Job[] {
    return jobs.ownedBy(cron.metadata.uid).filter((job) => resultOf(job) === undefined);
  }

  function* writeActive(key: string): Steps<void> {
    const cron = cronjobs.get(key);
    if (cron === undefined) return;
    const active = activeOf(cron).map(({ metadata: { namespace, name, uid, resourceVersion } }) => {
      return { kind: 'Job', namespace, name, uid, apiVersion: 'batch/v1', resourceVersion };
    });
    const { active: known = [], ...rest } = cron.status ?? {};
    const succeeded = jobs
      .ownedBy(cron.metadata.uid)
      .flatMap((job) => (resultOf(job) === 'Complete' ? (job.status?.completionTime ?? []) : []))
      .sort()
      .at(-1);
    const isSame = known.length === active.length && known.every(({ uid }, at) => uid === active[at]!.uid);
    if (isSame && rest.lastSuccessfulTime === (succeeded ?? rest.lastSuccessfulTime)) return;
    yield* world.writeStatus(cronjobs, cron, {
      ...rest,
      ...(active.length > 0 && { active }),
      ...(succeeded !== undefined && { lastSuccessfulTime: succeeded }),
    });
  }

  /** Deletes finished Jobs beyond the limits of the history. */
  function* trim(cron: CronJob): Steps<void> {
    const { successfulJobsHistoryLimit = 3, failedJobsHistoryLimit = 1 } = cron.spec!;
    const byAge = jobs
      .ownedBy(cron.metadata.uid)
      .sort((a, b) => Date.parse(a.metadata.creationTimestamp) - Date.parse(b.metadata.creationTimestamp));
    for (const [result, limit] of [
      ['Complete', successfulJobsHistoryLimit],
      ['Failed', failedJobsHistoryLimit],
    ] as const) {
      const finished = byAge.filter((job) => resultOf(job) === result);
      for (const job of finished.slice(0, Math.max(0, finished.length - limit))) {
        yield* world.remove(jobs, job, { propagationPolicy: 'Background' });
        const message = `Deleted job ${job.metadata.name}`;
        yield* world.record({ about: cron, reason: 'SuccessfulDelete', message, component: COMPONENT });
      }
    }
  }
}

function resultOf({ status }: Job): 'Complete' | 'Failed' | undefined {
  const over = status?.conditions?.find(
    ({ type, status: value }) => (type === 'Complete' || type === 'Failed') && value === 'True',
  );
  return over?.type as 'Complete' | 'Failed' | undefined;
}
