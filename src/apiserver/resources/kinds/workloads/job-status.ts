import { isDeepStrictEqual } from 'node:util';
import {
  fieldDuplicate,
  fieldInvalid,
  fieldInvalidWithoutValue,
  fieldRequired,
} from '../../../../meta/errors/field-cause.js';
import type { Job, JobStatus } from '../../../../resources/types/batch-v1.js';
import { type CauseSteps, each } from '../../causes.js';
import { firstCommonIndex, indexesProblem } from './job-indexes.js';
import { countCauses } from './workload.js';

function isTrue({ conditions }: JobStatus, type: string): boolean {
  return (conditions ?? []).some((condition) => condition.type === type && condition.status === 'True');
}

/**
 * Causes for the status of a Job. Most rules hold only for the fields that a write changes, so that a status that was stored
 * before the rule existed can still be written.
 */
export function* jobStatusCauses({ spec, status = {} }: Job, { status: old = {} }: Job): CauseSteps {
  const changed = (field: keyof JobStatus): boolean => !isDeepStrictEqual(status[field], old[field]);
  const has = (type: string): boolean => isTrue(status, type);
  const turned = (type: string): boolean => has(type) !== isTrue(old, type);
  const isComplete = has('Complete');
  const isFailed = has('Failed');
  const isFinished = isComplete || isFailed;
  const isFinishing = isFinished !== (isTrue(old, 'Complete') || isTrue(old, 'Failed'));
  const { startTime, completionTime, active = 0, ready, terminating, failedIndexes } = status;
  const completed = status.completedIndexes ?? '';

  yield* countCauses(status, ['active', 'succeeded', 'failed', 'ready', 'terminating']);
  yield* uncountedCauses(status);
  const both = function* (a: string, b: string, when: boolean): CauseSteps {
    if (when && has(a) && has(b)) {
      yield fieldInvalidWithoutValue('status.conditions', `cannot set ${a}=True and ${b}=true conditions`);
    }
  };
  yield* both('Complete', 'Failed', turned('Complete') || turned('Failed'));
  yield* both('Complete', 'FailureTarget', turned('Complete') || turned('FailureTarget'));
  if (turned('Complete') || changed('completionTime')) {
    if (completionTime !== undefined && !isComplete) {
      const rule = 'cannot set completionTime when there is no Complete=True condition';
      yield fieldInvalid('status.completionTime', completionTime, rule);
    }
    if (completionTime === undefined && isComplete) {
      yield fieldRequired('status.completionTime', 'completionTime is required for Complete jobs');
    }
  }
  if ((changed('startTime') || changed('completionTime')) && startTime && completionTime) {
    if (Date.parse(completionTime) < Date.parse(startTime)) {
      yield fieldInvalid('status.completionTime', completionTime, 'must be equal to or after `startTime`');
    }
  }
  if ((turned('Failed') || changed('failedIndexes')) && isFailed && !has('FailureTarget')) {
    const rule = 'cannot set Failed=True condition without the FailureTarget=true condition';
    yield fieldInvalidWithoutValue('status.conditions', rule);
  }
  if ((turned('Complete') || turned('SuccessCriteriaMet')) && isComplete && !has('SuccessCriteriaMet')) {
    const rule = 'cannot set Complete=True condition without the SuccessCriteriaMet=true condition';
    yield fieldInvalidWithoutValue('status.conditions', rule);
  }
  if (isFinished) {
    if ((isFinishing || changed('active')) && active > 0) {
      yield fieldInvalid('status.active', active, 'active>0 is invalid for finished job');
    }
    const isIdle = spec?.suspend === true && spec.completions === 0;
    if ((isFinishing || changed('startTime')) && !isIdle && startTime === undefined) {
      yield fieldRequired('status.startTime', 'startTime is required for finished job');
    }
    const uncounted = status.uncountedTerminatedPods;
    const count = (uncounted?.failed ?? []).length + (uncounted?.succeeded ?? []).length;
    if ((isFinishing || changed('uncountedTerminatedPods')) && count > 0) {
      yield fieldInvalid('status.uncountedTerminatedPods', uncounted, 'must be empty for finished job');
    }
  }
  yield* indexCauses(completed, failedIndexes, spec, changed);
  if (isFinished && (isFinishing || changed('terminating')) && (terminating ?? 0) > 0) {
    yield fieldInvalid('status.terminating', terminating, 'terminating>0 is invalid for finished job');
  }
  if ((changed('ready') || changed('active')) && ready !== undefined && ready > active) {
    yield fieldInvalid('status.ready', ready, 'cannot set more ready pods than active');
  }
  yield* both('SuccessCriteriaMet', 'Failed', true);
  yield* both('SuccessCriteriaMet', 'FailureTarget', true);
  if (spec?.successPolicy !== undefined && isComplete && !has('SuccessCriteriaMet')) {
    const rule = 'cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True';
    yield fieldInvalidWithoutValue('status.conditions', rule);
  }
  yield* statusUpdateCauses(status, old, spec);
}

type Spec = Job['spec'];

function* uncountedCauses({ uncountedTerminatedPods }: JobStatus): CauseSteps {
  const seen = new Set<string>();
  for (const field of ['succeeded', 'failed'] as const) {
    const path = `status.uncountedTerminatedPods.${field}`;
    yield* each(uncountedTerminatedPods?.[field], path, function* (uid, place) {
      if (uid === '') yield fieldInvalid(place, uid, 'must not be empty');
      else if (seen.has(uid)) yield fieldDuplicate(place, uid);
      seen.add(uid);
    });
  }
}

function* indexCauses(
  completed: string,
  failed: string | undefined,
  spec: Spec,
  changed: (field: keyof JobStatus) => boolean,
): CauseSteps {
  const { completions, backoffLimitPerIndex } = spec ?? {};
  const isCompletedChanged = changed('completedIndexes');
  const isFailedChanged = changed('failedIndexes');
  if (isCompletedChanged && completions !== undefined) {
    const { problem } = indexesProblem(completed, completions);
    if (problem !== undefined) {
      yield fieldInvalid('status.completedIndexes', completed, `error parsing completedIndexes: ${problem}`);
    }
  }
  if (isFailedChanged && failed !== undefined && completions !== undefined && backoffLimitPerIndex !== undefined) {
    const { problem } = indexesProblem(failed, completions);
    if (problem !== undefined) {
      yield fieldInvalid('status.failedIndexes', failed, `error parsing failedIndexes: ${problem}`);
    }
  }
  if (isCompletedChanged && completed !== '' && spec?.completionMode !== 'Indexed') {
    const rule = 'cannot set non-empty completedIndexes when non-indexed completion mode';
    yield fieldInvalid('status.completedIndexes', completed, rule);
  }
  if (isFailedChanged && failed !== undefined && backoffLimitPerIndex === undefined) {
    const rule = 'cannot set non-null failedIndexes when backoffLimitPerIndex is null';
    yield fieldInvalid('status.failedIndexes', failed, rule);
  }
  if ((isFailedChanged || isCompletedChanged) && failed !== undefined && completions !== undefined) {
    const common = firstCommonIndex(completed, failed, completions);
    if (common === undefined) return;
    const rule = `failedIndexes and completedIndexes overlap at index: ${common}`;
    yield fieldInvalid('status.failedIndexes', failed, rule);
  }
}

function* statusUpdateCauses(status: JobStatus, old: JobStatus, spec: Spec): CauseSteps {
  for (const type of ['Failed', 'Complete', 'FailureTarget']) {
    if (!isTrue(old, type) || isTrue(status, type)) continue;
    yield fieldInvalidWithoutValue('status.conditions', `cannot disable the terminal ${type}=True condition`);
  }
  const { failed = 0, succeeded = 0, completionTime, startTime } = status;
  if (failed < (old.failed ?? 0)) yield fieldInvalid('status.failed', failed, 'cannot decrease the failed counter');
  const isElastic = spec?.completionMode === 'Indexed' && spec.completions === spec.parallelism;
  if (!isElastic && succeeded < (old.succeeded ?? 0)) {
    yield fieldInvalid('status.succeeded', succeeded, 'cannot decrease the succeeded counter');
  }
  if (completionTime && old.completionTime && completionTime !== old.completionTime) {
    yield fieldInvalid('status.completionTime', completionTime, 'field is immutable');
  }
  const isResuming =
    isTrue(old, 'Suspended') &&
    (status.conditions ?? []).some(({ type, status: value }) => type === 'Suspended' && value === 'False');
  if (old.startTime && old.startTime !== startTime && spec?.suspend !== true && !isResuming) {
    yield fieldInvalid('status.startTime', startTime ?? null, 'field is immutable for unsuspended job once set');
  }
  const [isMet, wasMet] = [isTrue(status, 'SuccessCriteriaMet'), isTrue(old, 'SuccessCriteriaMet')];
  if (wasMet && !isMet) {
    yield fieldInvalidWithoutValue('status.conditions', 'cannot disable the SuccessCriteriaMet=True condition');
  }
  if (isTrue(old, 'Complete') && !wasMet && isMet) {
    const rule = 'cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions';
    yield fieldInvalidWithoutValue('status.conditions', rule);
  }
}
