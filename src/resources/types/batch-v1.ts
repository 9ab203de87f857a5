// Generated from Kubernetes v1.36.3 by `npm run generate`; do not edit.
// Types of batch-v1.
import type { LabelSelector, ListMeta, ObjectMeta, StoredObjectMeta } from '../../meta/objects.js';
import type { ObjectReference, PodTemplateSpec } from './core-v1.js';

/** `cronjobs`, `cj` of `batch/v1`, namespaced. */
export interface CronJob {
  apiVersion: 'batch/v1';
  kind: 'CronJob';
  metadata: StoredObjectMeta;
  spec: CronJobSpec;
  status?: CronJobStatus | undefined;
}

/** A list of {@link CronJob}. */
export interface CronJobList {
  apiVersion: 'batch/v1';
  kind: 'CronJobList';
  items: CronJob[];
  metadata: ListMeta;
}

/** Part of `batch/v1`. */
export interface CronJobSpec {
  concurrencyPolicy?: 'Allow' | 'Forbid' | 'Replace' | undefined;
  failedJobsHistoryLimit?: number | undefined;
  jobTemplate: JobTemplateSpec;
  schedule: string;
  startingDeadlineSeconds?: number | undefined;
  successfulJobsHistoryLimit?: number | undefined;
  suspend?: boolean | undefined;
  timeZone?: string | undefined;
}

/** Part of `batch/v1`. */
export interface CronJobStatus {
  active?: ObjectReference[] | undefined;
  lastScheduleTime?: string | undefined;
  lastSuccessfulTime?: string | undefined;
}

/** `jobs` of `batch/v1`, namespaced. */
export interface Job {
  apiVersion: 'batch/v1';
  kind: 'Job';
  metadata: StoredObjectMeta;
  spec?: JobSpec | undefined;
  status?: JobStatus | undefined;
}

/** Part of `batch/v1`. */
export interface JobCondition {
  lastProbeTime?: string | undefined;
  lastTransitionTime?: string | undefined;
  message?: string | undefined;
  reason?: string | undefined;
  status: string;
  type: string;
}

/** A list of {@link Job}. */
export interface JobList {
  apiVersion: 'batch/v1';
  kind: 'JobList';
  items: Job[];
  metadata: ListMeta;
}

/** Part of `batch/v1`. */
export interface JobSpec {
  activeDeadlineSeconds?: number | undefined;
  backoffLimit?: number | undefined;
  backoffLimitPerIndex?: number | undefined;
  completionMode?: 'Indexed' | 'NonIndexed' | undefined;
  completions?: number | undefined;
  managedBy?: string | undefined;
  manualSelector?: boolean | undefined;
  maxFailedIndexes?: number | undefined;
  parallelism?: number | undefined;
  podFailurePolicy?: PodFailurePolicy | undefined;
  podReplacementPolicy?: 'Failed' | 'TerminatingOrFailed' | undefined;
  selector?: LabelSelector | undefined;
  successPolicy?: SuccessPolicy | undefined;
  suspend?: boolean | undefined;
  template: PodTemplateSpec;
  ttlSecondsAfterFinished?: number | undefined;
}

/** Part of `batch/v1`. */
export interface JobStatus {
  active?: number | undefined;
  completedIndexes?: string | undefined;
  completionTime?: string | undefined;
  conditions?: JobCondition[] | undefined;
  failed?: number | undefined;
  failedIndexes?: string | undefined;
  ready?: number | undefined;
  startTime?: string | undefined;
  succeeded?: number | undefined;
  terminating?: number | undefined;
  uncountedTerminatedPods?: UncountedTerminatedPods | undefined;
}

/** Part of `batch/v1`. */
export interface JobTemplateSpec {
  metadata?: ObjectMeta | undefined;
  spec?: JobSpec | undefined;
}

/** Part of `batch/v1`. */
export interface PodFailurePolicy {
  rules: PodFailurePolicyRule[];
}

/** Part of `batch/v1`. */
export interface PodFailurePolicyOnExitCodesRequirement {
  containerName?: string | undefined;
  operator: 'In' | 'NotIn';
  values: number[];
}

/** Part of `batch/v1`. */
export interface PodFailurePolicyOnPodConditionsPattern {
  status?: string | undefined;
  type: string;
}

/** Part of `batch/v1`. */
export interface PodFailurePolicyRule {
  action: 'Count' | 'FailIndex' | 'FailJob' | 'Ignore';
  onExitCodes?: PodFailurePolicyOnExitCodesRequirement | undefined;
  onPodConditions?: PodFailurePolicyOnPodConditionsPattern[] | undefined;
}

/** Part of `batch/v1`. */
export interface SuccessPolicy {
  rules: SuccessPolicyRule[];
}

/** Part of `batch/v1`. */
export interface SuccessPolicyRule {
  succeededCount?: number | undefined;
  succeededIndexes?: string | undefined;
}

/** Part of `batch/v1`. */
export interface UncountedTerminatedPods {
  failed?: string[] | undefined;
  succeeded?: string[] | undefined;
}
