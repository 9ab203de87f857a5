import { isDeepStrictEqual } from 'node:util';
import { fieldInvalid, fieldNotSupported, fieldRequired, fieldTooLong } from '../../../../meta/errors/field-cause.js';
import { valueAt } from '../../../../meta/json-paths.js';
import { dns1123LabelErrors, dns1123SubdomainErrors } from '../../../../meta/names.js';
import type { Job, JobSpec } from '../../../../resources/types/batch-v1.js';
import type { Container, PodTemplateSpec } from '../../../../resources/types/core-v1.js';
import type { Steps } from '../../../../time/steps.js';
import { type CauseSteps, invalids, nonNegative, oneOfIfSet } from '../../causes.js';
import { type Strategy, strategyFor, text } from '../../strategy.js';
import { fill } from '../fill.js';
import { immutableCauses, selectorCauses, selects } from '../label-rules.js';
import { fillTemplate } from '../pods/pod-defaults.js';
import { templateCauses, unselectedCauses } from '../pods/pod-template.js';
import { failurePolicyCauses, successPolicyCauses } from './job-policies.js';
import { jobStatusCauses } from './job-status.js';
import { NO_TEMPLATE } from './workload.js';

export const jobs: Partial<Strategy> = strategyFor<Job>({
  generation: 'content',
  dependents: 'orphan',
  fields: { 'status.successful': (object) => text(valueAt(object, ['status', 'succeeded'])) || '0' },
  unknownField: (field) => `field label ${JSON.stringify(field)} not supported for Job`,
  *defaults(job: Job): Steps<void> {
    if (job.spec === undefined) return;
    fillLabels(job);
    const { spec } = job;
    if (spec.parallelism === undefined) fill(spec, { completions: 1 });
    fill(spec, {
      parallelism: 1,
      backoffLimit: spec.backoffLimitPerIndex === undefined ? 6 : MAX_INT32,
      completionMode: 'NonIndexed',
      suspend: false,
      podReplacementPolicy: spec.podFailurePolicy === undefined ? 'TerminatingOrFailed' : 'Failed',
      manualSelector: false,
    });
    yield* fillJobTemplate(spec);
  },
  prepareCreate(job) {
    if (job.spec === undefined || job.spec.manualSelector === true) return;
    const isShared = job.metadata.labels === job.spec.template?.metadata?.labels;
    generateSelector(job, job.spec);
    if (isShared) job.metadata.labels = { ...job.spec.template.metadata?.labels };
    fillLabels(job);
  },
  // kube-apiserver sets this default again when it reads the stored object.
  prepareStatus: fillLabels,
  causes: jobCauses,
});

const MAX_INT32 = 2 ** 31 - 1;

/** Defaults within a JobSpec that the template of a CronJob has too. */
export function* fillJobTemplate({ podFailurePolicy, template }: JobSpec): Steps<void> {
  for (const { onPodConditions } of podFailurePolicy?.rules ?? []) {
    // Always printed in Go, so that a missing status is empty.
    for (const condition of onPodConditions ?? []) condition.status ||= 'True';
  }
  yield* fillTemplate(template);
}

/** A Job without labels has those of its template: the same object, so that it gets those that are generated too. */
function fillLabels({ metadata, spec }: Job): void {
  const labels = spec?.template?.metadata?.labels;
  if (labels !== undefined && Object.keys(metadata.labels ?? {}).length === 0) metadata.labels = labels;
}

const CONTROLLER_UID = 'batch.kubernetes.io/controller-uid';
const JOB_NAME = 'batch.kubernetes.io/job-name';
const OLD_CONTROLLER_UID = 'controller-uid';
const OLD_JOB_NAME = 'job-name';

function ownLabels({ metadata }: Job): Record<string, string> {
  const [uid, name] = [metadata.uid ?? '', metadata.name ?? ''];
  return { [CONTROLLER_UID]: uid, [JOB_NAME]: name, [OLD_CONTROLLER_UID]: uid, [OLD_JOB_NAME]: name };
}

/** Selects the pods of a Job by labels that no other object has. */
function generateSelector(job: Job, spec: JobSpec): void {
  const template = (spec.template ??= { metadata: {} });
  const own = ownLabels(job);
  const metadata = (template.metadata ??= {});
  metadata.labels = { ...own, ...metadata.labels };
  spec.selector ??= {};
  const selected = { [CONTROLLER_UID]: own[CONTROLLER_UID]!, ...spec.selector.matchLabels };
  // Messages show the selector, with its keys in order.
  spec.selector.matchLabels = Object.fromEntries(Object.entries(selected).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function* jobCauses(job: Job, old: Job | undefined, subresource: string): CauseSteps {
  if (subresource === 'status') {
    yield* jobStatusCauses(job, old!);
    return;
  }
  const spec = job.spec ?? { template: NO_TEMPLATE };
  yield* generatedSelectorCauses(job, spec);
  yield* wholeSpecCauses(spec);
  const { name = '' } = job.metadata;
  if (spec.completionMode === 'Indexed' && (spec.completions ?? 0) > 0) {
    const host = `${name}-${spec.completions! - 1}`;
    if (dns1123LabelErrors(host).length > 0) {
      const rule = `will not able to create pod with invalid DNS label: ${host}`;
      yield fieldInvalid('metadata.name', name, rule);
    }
  }
  if (old !== undefined) yield* updateCauses(spec, old);
}

function* generatedSelectorCauses(job: Job, spec: JobSpec): CauseSteps {
  if (spec.manualSelector === true || spec.selector === undefined) return;
  const labels = spec.template?.metadata?.labels ?? {};
  for (const [key, value] of Object.entries(ownLabels(job))) {
    const path = `spec.template.metadata.labels[${key}]`;
    if (labels[key] === undefined) yield fieldRequired(path, `must be '${value}'`);
    else if (labels[key] !== value) yield fieldInvalid(path, labels, `must be '${value}'`);
  }
  if (selects(spec.selector, ownLabels(job)) === false) {
    yield fieldInvalid('spec.selector', spec.selector, '`selector` not auto-generated');
  }
}

function* wholeSpecCauses(spec: JobSpec): CauseSteps {
  yield* jobSpecCauses(spec, 'spec');
  if (spec.selector === undefined) yield fieldRequired('spec.selector');
  else yield* selectorCauses(spec.selector, 'spec.selector');
  yield* unselectedCauses(spec.selector, spec.template ?? NO_TEMPLATE, 'spec.template');
}

const MAX_MANAGED_BY = 63;
const MAX_INDEXED_PARALLELISM = 100_000;
const MANY_COMPLETIONS = 100_000;
const MAX_OF_MANY = 10_000;

/** Causes for the spec of a Job or of the template of a CronJob; those about its selector are elsewhere. */
export function* jobSpecCauses(spec: JobSpec, path: string): CauseSteps {
  const { completions, backoffLimitPerIndex, maxFailedIndexes, managedBy, podFailurePolicy } = spec;
  for (const field of [
    'parallelism',
    'completions',
    'activeDeadlineSeconds',
    'backoffLimit',
    'ttlSecondsAfterFinished',
    'backoffLimitPerIndex',
    'maxFailedIndexes',
  ] as const) {
    yield* nonNegative(spec[field], `${path}.${field}`);
  }
  if (maxFailedIndexes !== undefined && backoffLimitPerIndex === undefined) {
    yield fieldRequired(`${path}.backoffLimitPerIndex`, 'when maxFailedIndexes is specified');
  }
  if (managedBy !== undefined) yield* managerCauses(managedBy, `${path}.managedBy`);
  yield* oneOfIfSet(spec.completionMode, ['NonIndexed', 'Indexed'], `${path}.completionMode`);
  if (spec.completionMode === 'Indexed') {
    if (completions === undefined) yield fieldRequired(`${path}.completions`, 'when completion mode is Indexed');
    yield* indexedCauses(spec, path);
  } else if (spec.completionMode === undefined || spec.completionMode === 'NonIndexed') {
    for (const field of ['backoffLimitPerIndex', 'maxFailedIndexes'] as const) {
      if (spec[field] === undefined) continue;
      yield fieldInvalid(`${path}.${field}`, spec[field], 'requires indexed completion mode');
    }
  }
  if (podFailurePolicy !== undefined) yield* failurePolicyCauses(spec, `${path}.podFailurePolicy`);
  if (spec.successPolicy !== undefined) {
    if (spec.completionMode === 'Indexed') yield* successPolicyCauses(spec, `${path}.successPolicy`);
    else {
      // The internal type of kube-apiserver, by its Go names.
      const rules = spec.successPolicy.rules?.map(({ succeededIndexes = null, succeededCount = null }) => ({
        SucceededIndexes: succeededIndexes,
        SucceededCount: succeededCount,
      }));
      yield fieldInvalid(`${path}.successPolicy`, { Rules: rules ?? null }, 'requires indexed completion mode');
    }
  }
  const replacements = podFailurePolicy === undefined ? ['Failed', 'TerminatingOrFailed'] : ['Failed'];
  yield* oneOfIfSet(spec.podReplacementPolicy, replacements, `${path}.podReplacementPolicy`);
  yield* templateCauses(spec.template ?? NO_TEMPLATE, `${path}.template`);
  yield* restartCauses(spec, `${path}.template.spec.restartPolicy`);
}

function* restartCauses({ template, podFailurePolicy }: JobSpec, path: string): CauseSteps {
  const policy: string = template?.spec?.restartPolicy ?? '';
  if (policy === 'Always' || policy === '') yield fieldRequired(path, 'valid values: "OnFailure", "Never"');
  else if (policy !== 'OnFailure' && policy !== 'Never') yield fieldNotSupported(path, policy, ['OnFailure', 'Never']);
  else if (podFailurePolicy !== undefined && policy !== 'Never') {
    yield fieldInvalid(path, policy, 'only "Never" is supported when podFailurePolicy is specified');
  }
}

function* managerCauses(manager: string, path: string): CauseSteps {
  const slash = manager.indexOf('/');
  const [host, rest] = [manager.slice(0, slash), manager.slice(slash + 1)];
  if (manager === '') yield fieldRequired(path);
  else if (slash <= 0 || rest === '') {
    yield fieldInvalid(path, manager, 'must be a domain-prefixed path (such as "acme.io/foo")');
  } else {
    yield* invalids(path, host, dns1123SubdomainErrors(host));
    const pattern = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
    if (!/^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/.test(rest)) {
      yield fieldInvalid(path, rest, `Invalid path (regex used for validation is '${pattern}')`);
    }
  }
  if (manager.length > MAX_MANAGED_BY) yield fieldTooLong(path, MAX_MANAGED_BY);
}

function* indexedCauses(spec: JobSpec, path: string): CauseSteps {
  const { completions, parallelism = 0, maxFailedIndexes, backoffLimitPerIndex } = spec;
  if (parallelism > MAX_INDEXED_PARALLELISM) {
    const rule = `must be less than or equal to ${MAX_INDEXED_PARALLELISM} when completion mode is Indexed`;
    yield fieldInvalid(`${path}.parallelism`, parallelism, rule);
  }
  if (completions !== undefined && maxFailedIndexes !== undefined && maxFailedIndexes > completions) {
    yield fieldInvalid(`${path}.maxFailedIndexes`, maxFailedIndexes, 'must be less than or equal to completions');
  }
  if (maxFailedIndexes !== undefined && maxFailedIndexes > MAX_INDEXED_PARALLELISM) {
    const rule = `must be less than or equal to ${MAX_INDEXED_PARALLELISM}`;
    yield fieldInvalid(`${path}.maxFailedIndexes`, maxFailedIndexes, rule);
  }
  if (completions === undefined || completions <= MANY_COMPLETIONS || backoffLimitPerIndex === undefined) return;
  const rule = `must be less than or equal to ${MAX_OF_MANY} when completions are above ${MANY_COMPLETIONS} and used with backoff limit per index`;
  if (maxFailedIndexes === undefined) {
    yield fieldRequired(`${path}.maxFailedIndexes`, `must be specified when completions is above ${MANY_COMPLETIONS}`);
  }
  if (parallelism > MAX_OF_MANY) yield fieldInvalid(`${path}.parallelism`, parallelism, rule);
  if (maxFailedIndexes !== undefined && maxFailedIndexes > MAX_OF_MANY) {
    yield fieldInvalid(`${path}.maxFailedIndexes`, maxFailedIndexes, rule);
  }
}

function* updateCauses(spec: JobSpec, old: Job): CauseSteps {
  const before = old.spec ?? { template: NO_TEMPLATE };
  yield* wholeSpecCauses(spec);
  if (spec.completionMode !== 'Indexed') {
    yield* immutableCauses(spec.completions, before.completions, 'spec.completions');
  } else if (spec.completions !== before.completions && spec.completions !== undefined) {
    if (spec.completions !== spec.parallelism) {
      yield fieldInvalid('spec.completions', spec.completions, 'can only be modified in tandem with spec.parallelism');
    }
  }
  yield* immutableCauses(spec.selector, before.selector, 'spec.selector');
  yield* templateUpdateCauses(spec.template, before.template, old);
  for (const field of [
    'completionMode',
    'podFailurePolicy',
    'backoffLimitPerIndex',
    'managedBy',
    'successPolicy',
  ] as const) {
    yield* immutableCauses(spec[field], before[field], `spec.${field}`);
  }
}

/** Whether a Job is suspended and has no pods, so that where and with what they run may change. */
function isIdle({ spec, status }: Job): boolean {
  const isSuspended = (status?.conditions ?? []).some(
    ({ type, status: value }) => type === 'Suspended' && value === 'True',
  );
  return spec?.suspend === true && (status?.startTime === undefined || isSuspended) && !status?.active;
}

function* templateUpdateCauses(template: PodTemplateSpec, before: PodTemplateSpec, old: Job): CauseSteps {
  if (!isIdle(old)) {
    yield* immutableCauses(template, before, 'spec.template');
    return;
  }
  const [next, fixed] = [fixedPart(template), fixedPart(before)];
  if (!isDeepStrictEqual(next, fixed)) {
    yield fieldInvalid('spec.template.spec', template.spec, 'field is immutable');
  }
}

/** The part of the template's spec that stays the same even in a suspended Job. */
function fixedPart({ spec }: PodTemplateSpec): unknown {
  const {
    nodeSelector: _selector,
    tolerations: _tolerations,
    schedulingGates: _gates,
    affinity,
    ...rest
  } = spec ?? { containers: [] };
  const { nodeAffinity: _node, ...others } = affinity ?? {};
  const withoutResources = ({ resources: _resources, ...container }: Container): unknown => container;
  return {
    ...rest,
    affinity: others,
    containers: (rest.containers ?? []).map(withoutResources),
    initContainers: (rest.initContainers ?? []).map(withoutResources),
  };
}
