// Generated from Kubernetes v1.36.3 by `npm run generate`; do not edit.
// Types of batch-v1.
import type { LabelSelector, ListMeta, ObjectMeta, StoredObjectMeta } from '../../meta/objects.js';
import type { ObjectReference, PodTemplateSpec } from './core-v1.js';

/** `cronjobs`, `cj` of `batch/v1`, in a namespace. */
export interface CronJob {
  apiVersion: 'batch/v1';
  kind: 'CronJob';
  metadata: StoredObjectMeta;
  spec: CronJobSpec;
  status?: CronJobStatus;
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
  concurrencyPolicy?: 'Allow' | 'Forbid' | 'Replace';
  failedJobsHistoryLimit?: number;
  jobTemplate: JobTemplateSpec;
  schedule: string;
  startingDeadlineSeconds?: number;
  successfulJobsHistoryLimit?: number;
  suspend?: boolean;
  timeZone?: string;
}

/** Part of `batch/v1`. */
export interface CronJobStatus {
  active?: ObjectReference[];
  lastScheduleTime?: string;
  lastSuccessfulTime?: string;
}

/** `jobs` of `batch/v1`, in a namespace. */
export interface Job {
  apiVersion: 'batch/v1';
  kind: 'Job';
  metadata: StoredObjectMeta;
  spec?: JobSpec;
  status?: JobStatus;
}

/** Part of `batch/v1`. */
export interface JobCondition {
  lastProbeTime?: string;
  lastTransitionTime?: string;
  message?: string;
  reason?: string;
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
  activeDeadlineSeconds?: number;
  backoffLimit?: number;
  backoffLimitPerIndex?: number;
  completionMode?: 'Indexed' | 'NonIndexed';
  completions?: number;
  managedBy?: string;
  manualSelector?: boolean;
  maxFailedIndexes?: number;
  parallelism?: number;
  podFailurePolicy?: PodFailurePolicy;
  podReplacementPolicy?: 'Failed' | 'TerminatingOrFailed';
  selector?: LabelSelector;
  successPolicy?: SuccessPolicy;
  suspend?: boolean;
  template: PodTemplateSpec;
  ttlSecondsAfterFinished?: number;
}

/** Part of `batch/v1`. */
export interface JobStatus {
  active?: number;
  completedIndexes?: string;
  completionTime?: string;
  conditions?: JobCondition[];
  failed?: number;
  failedIndexes?: string;
  ready?: number;
  startTime?: string;
  succeeded?: number;
  terminating?: number;
  uncountedTerminatedPods?: UncountedTerminatedPods;
}

/** Part of `batch/v1`. */
export interface JobTemplateSpec {
  metadata?: ObjectMeta;
  spec?: JobSpec;
}

/** Part of `batch/v1`. */
export interface PodFailurePolicy {
  rules: PodFailurePolicyRule[];
}

/** Part of `batch/v1`. */
export interface PodFailurePolicyOnExitCodesRequirement {
  containerName?: string;
  operator: 'In' | 'NotIn';
  values: number[];
}

/** Part of `batch/v1`. */
export interface PodFailurePolicyOnPodConditionsPattern {
  status?: string;
  type: string;
}

/** Part of `batch/v1`. */
export interface PodFailurePolicyRule {
  action: 'Count' | 'FailIndex' | 'FailJob' | 'Ignore';
  onExitCodes?: PodFailurePolicyOnExitCodesRequirement;
  onPodConditions?: PodFailurePolicyOnPodConditionsPattern[];
}

/** Part of `batch/v1`. */
export interface SuccessPolicy {
  rules: SuccessPolicyRule[];
}

/** Part of `batch/v1`. */
export interface SuccessPolicyRule {
  succeededCount?: number;
  succeededIndexes?: string;
}

/** Part of `batch/v1`. */
export interface UncountedTerminatedPods {
  failed?: string[];
  succeeded?: string[];
}
