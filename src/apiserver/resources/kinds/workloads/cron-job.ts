import { fieldInvalid, fieldNotSupported, fieldRequired } from '../../../../meta/errors/field-cause.js';
import { dns1123SubdomainErrors } from '../../../../meta/names.js';
import type { CronJob, CronJobSpec } from '../../../../resources/types/batch-v1.js';
import type { Steps } from '../../../../time/steps.js';
import { type CauseSteps, nonNegative, oneOf } from '../../causes.js';
import { type Strategy, strategyFor } from '../../strategy.js';
import { fill } from '../fill.js';
import { isTimeZone, scheduleProblem } from './cron-schedule.js';
import { fillJobTemplate, jobSpecCauses } from './job.js';
import { NO_TEMPLATE } from './workload.js';

export const cronJobs: Partial<Strategy> = strategyFor<CronJob>({
  generation: 'content',
  nameErrors: cronJobNameErrors,
  dependents: 'orphan',
  *defaults({ spec }: CronJob): Steps<void> {
    if (spec === undefined) return;
    fill(spec, {
      concurrencyPolicy: 'Allow',
      suspend: false,
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 1,
    });
    if (spec.jobTemplate?.spec !== undefined) yield* fillJobTemplate(spec.jobTemplate.spec);
  },
  *causes({ spec }, old, subresource): CauseSteps {
    if (subresource === '') yield* specCauses(spec, old?.spec);
  },
});

/** A CronJob's name is limited to 52 characters: the names of its Jobs have eleven more. */
function cronJobNameErrors(name: string): readonly string[] {
  return name.length > 52 ? ['must be no more than 52 characters'] : dns1123SubdomainErrors(name);
}

function* specCauses(spec: CronJobSpec | undefined, old: CronJobSpec | undefined): CauseSteps {
  const { schedule = '', timeZone, jobTemplate } = spec ?? {};
  if (schedule === '') yield fieldRequired('spec.schedule');
  else yield* scheduleCauses(schedule, timeZone, old?.schedule.includes('TZ') === true);
  yield* nonNegative(spec?.startingDeadlineSeconds, 'spec.startingDeadlineSeconds');
  if (timeZone !== undefined && timeZone !== old?.timeZone) yield* timeZoneCauses(timeZone);
  yield* oneOf(spec?.concurrencyPolicy, ['Allow', 'Forbid', 'Replace'], 'spec.concurrencyPolicy');
  const path = 'spec.jobTemplate.spec';
  const job = jobTemplate?.spec ?? { template: NO_TEMPLATE };
  yield* jobSpecCauses(job, path);
  if (job.selector !== undefined) {
    yield fieldInvalid(`${path}.selector`, job.selector, '`selector` will be auto-generated');
  }
  if (job.manualSelector === true) yield fieldNotSupported(`${path}.manualSelector`, true, ['nil', 'false']);
  yield* nonNegative(spec?.successfulJobsHistoryLimit, 'spec.successfulJobsHistoryLimit');
  yield* nonNegative(spec?.failedJobsHistoryLimit, 'spec.failedJobsHistoryLimit');
}

function* scheduleCauses(schedule: string, timeZone: string | undefined, allowsZone: boolean): CauseSteps {
  const path = 'spec.schedule';
  const problem = scheduleProblem(schedule);
  if (problem !== undefined) yield fieldInvalid(path, schedule, problem);
  if (!schedule.includes('TZ')) return;
  if (!allowsZone) {
    yield fieldInvalid(path, schedule, 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead');
  } else if (timeZone !== undefined) {
    yield fieldInvalid(path, schedule, 'cannot use both timeZone field and TZ or CRON_TZ in schedule');
  }
}

function* timeZoneCauses(timeZone: string): CauseSteps {
  const path = 'spec.timeZone';
  const unknown = `unknown time zone ${timeZone}`;
  if (timeZone === '') yield fieldInvalid(path, timeZone, 'timeZone must be nil or non-empty string');
  else if (timeZone.split('/').some((part) => /^\.\.?$|^-/.test(part) || !/^[A-Za-z.\-_0-9+]{1,14}$/.test(part))) {
    yield fieldInvalid(path, timeZone, unknown);
  } else {
    if (timeZone.toLowerCase() === 'local') {
      const rule = 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones';
      yield fieldInvalid(path, timeZone, rule);
    }
    if (!isTimeZone(timeZone)) yield fieldInvalid(path, timeZone, unknown);
  }
}
