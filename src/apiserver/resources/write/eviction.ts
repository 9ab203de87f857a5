import { StatusError } from '../../../meta/errors/errors.js';
import { internal, type Status } from '../../../meta/errors/status.js';
import { isJsonObject, type JsonObject } from '../../../meta/json-values.js';
import { labelSelectorFromObject, ParsedLabelSelector } from '../../../meta/selectors/label-selector.js';
import type { Pod } from '../../../resources/types/core-v1.js';
import type { PodDisruptionBudget } from '../../../resources/types/policy-v1.js';
import type { Steps } from '../../../time/steps.js';
import { keyOf } from '../../storage/storage.js';
import { setCondition } from '../conditions.js';
import type { ApiResource, Registry } from '../registry.js';
import { mergeOf } from '../subresources.js';
import type { Deletion, ObjectWriter } from './object-writer.js';

/** Seconds after which a client may try again. */
const RETRY_AFTER = 10;

/**
 * Evicts a pod, as the subresource `eviction` does: if a PodDisruptionBudget selects it, the budget must allow one more
 * disruption, which is then taken from it. Throws 429 otherwise. Whether budgets count is up to a controller: it keeps
 * their status.
 */
export function* evictPod(
  writer: ObjectWriter,
  registry: Registry,
  pods: ApiResource,
  namespace: string,
  name: string,
  options: Deletion,
): Steps<void> {
  const pod = pods.collection.get(keyOf(namespace, name))?.decode() as unknown as Pod | undefined;
  const budget = pod && needsBudget(pod) ? budgetOf(registry, pod) : undefined;
  if (pod !== undefined && budget !== undefined && !isSpare(pod, budget)) {
    yield* takeDisruption(writer, registry, pod, budget, options.dryRun);
  }
  if (pod !== undefined && pod.metadata.deletionTimestamp === undefined && !options.dryRun) {
    yield* markDisrupted(writer, pods, pod);
  }
  yield* writer.delete(pods, namespace, name, options);
}

/** Pods that have ended, never ran or are terminating are no loss. */
function needsBudget({ metadata, status }: Pod): boolean {
  return metadata.deletionTimestamp === undefined && (status?.phase === 'Running' || status?.phase === 'Unknown');
}

function budgetOf(registry: Registry, { metadata }: Pod): PodDisruptionBudget | undefined {
  const budgets = registry.find('policy', 'v1', 'poddisruptionbudgets')!;
  const found: PodDisruptionBudget[] = [];
  budgets.collection.scan(Number.POSITIVE_INFINITY, keyOf(metadata.namespace ?? '', ''), '', (revision) => {
    const budget = revision.decode() as unknown as PodDisruptionBudget;
    const { selector } = budget.spec ?? {};
    const parsed = selector === undefined ? ParsedLabelSelector.nothing : labelSelectorFromObject(selector);
    if (parsed.matches(metadata.labels)) found.push(budget);
    return true;
  });
  if (found.length > 1) {
    const message = 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.';
    throw new StatusError({ ...internal(message), message });
  }
  return found[0];
}

/** Whether a pod that is not ready may be evicted beside the budget. */
function isSpare({ status }: Pod, { spec, status: counted }: PodDisruptionBudget): boolean {
  const isReady = status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true;
  if (isReady) return false;
  if (spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow') return true;
  const { currentHealthy = 0, desiredHealthy = 0 } = counted ?? {};
  return currentHealthy > 0 && currentHealthy >= desiredHealthy;
}

function* takeDisruption(
  writer: ObjectWriter,
  registry: Registry,
  pod: Pod,
  { metadata }: PodDisruptionBudget,
  dryRun: boolean,
): Steps<void> {
  const budgets = registry.find('policy', 'v1', 'poddisruptionbudgets')!;
  const { name } = metadata;
  const timestamp = writer.timestamp();
  const update = writer.update(budgets, metadata.namespace ?? '', name, {
    change(old) {
      const latest = old as unknown as PodDisruptionBudget;
      const {
        disruptionsAllowed = 0,
        observedGeneration = 0,
        desiredHealthy = 0,
        currentHealthy = 0,
      } = latest.status ?? {};
      if (observedGeneration < (latest.metadata.generation ?? 0)) {
        throw refusal(`The disruption budget ${name} is still being processed by the server.`);
      }
      if (disruptionsAllowed <= 0) {
        throw refusal(
          `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`,
        );
      }
      latest.status = {
        ...latest.status!,
        disruptionsAllowed: disruptionsAllowed - 1,
        disruptedPods: { ...latest.status?.disruptedPods, [pod.metadata.name]: timestamp },
      };
      const value = disruptionsAllowed > 1 ? 'True' : 'False';
      const reason = disruptionsAllowed > 1 ? 'SufficientPods' : 'InsufficientPods';
      setCondition(old, timestamp, { type: 'DisruptionAllowed', status: value, reason, message: '' });
      const conditions = (old['status'] as JsonObject)['conditions'] as JsonObject[];
      const changed = conditions.find((one) => isJsonObject(one) && one['type'] === 'DisruptionAllowed');
      if (changed !== undefined) changed['observedGeneration'] = latest.metadata.generation;
      return old;
    },
    merge: mergeOf(budgets, 'status'),
    subresource: 'status',
    dryRun,
  });
  yield* update;
}

function* markDisrupted(writer: ObjectWriter, pods: ApiResource, pod: Pod): Steps<void> {
  const timestamp = writer.timestamp();
  yield* writer.update(pods, pod.metadata.namespace ?? '', pod.metadata.name, {
    change(old) {
      const condition = { type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI' };
      setCondition(old, timestamp, { ...condition, message: 'Eviction API: evicting' });
      return old;
    },
    merge: mergeOf(pods, 'status'),
    subresource: 'status',
  });
}

function refusal(why: string): StatusError {
  const message = "Cannot evict pod as it would violate the pod's disruption budget.";
  const status: Status = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason: 'TooManyRequests',
    details: { causes: [{ reason: 'DisruptionBudget', message: why }], retryAfterSeconds: RETRY_AFTER },
    code: 429,
  };
  return new StatusError(status);
}
