import { StatusError } from '../../meta/errors/errors.js';
import { conflict } from '../../meta/errors/status.js';
import { setValueAt, valueAt } from '../../meta/json-paths.js';
import { isJsonObject, type JsonObject } from '../../meta/json-values.js';
import type { LabelSelector, ObjectMeta } from '../../meta/objects.js';
import { labelSelectorFromObject } from '../../meta/selectors/label-selector.js';
import { setCondition } from './conditions.js';
import { metadataOf, orderedMetadata } from './object-meta.js';
import type { ApiResource, ScalePaths } from './registry.js';

/** Combines the stored object with the one that was sent to a subresource: only the subresource's part changes. */
export type Merge = (old: JsonObject, next: JsonObject) => JsonObject;

/** The subresources that write a part of the object itself. */
const MERGES: Readonly<Record<string, (resource: ApiResource) => Merge>> = {
  status: mergeStatus,
  finalize: () => mergePaths(['spec', 'finalizers']),
  approval: () => mergePaths(['status', 'conditions']),
  ephemeralcontainers: () => mergePaths(['spec', 'ephemeralContainers']),
  resize: () => mergeResize,
};

/** The merge of a subresource that writes a part of the object; undefined for other subresources. */
export function mergeOf(resource: ApiResource, subresource: string): Merge | undefined {
  return MERGES[subresource]?.(resource);
}

function mergeStatus(resource: ApiResource): Merge {
  const { statusWrites } = resource.strategy;
  return (old, next) => {
    const result: JsonObject = { ...old };
    if (next['status'] === undefined) delete result['status'];
    else result['status'] = next['status'];
    if (statusWrites === 'statusOnly') return result;
    const kept: Partial<ObjectMeta> = {};
    const oldMetadata = metadataOf(old);
    if (statusWrites === 'metadataButLabels') keep(kept, oldMetadata, 'labels');
    if (statusWrites === 'metadataButOwners') keep(kept, oldMetadata, 'ownerReferences');
    result['metadata'] = orderedMetadata({ ...metadataOf(next), ...kept });
    return result;
  };
}

function keep(kept: Partial<ObjectMeta>, old: ObjectMeta, field: 'labels' | 'ownerReferences'): void {
  (kept as Record<string, unknown>)[field] = old[field];
}

function mergePaths(...paths: readonly (readonly string[])[]): Merge {
  return (old, next) => {
    const result = structuredClone(old);
    result['metadata'] = next['metadata'];
    for (const path of paths) {
      const value = valueAt(next, path);
      if (value !== undefined || valueAt(result, path) !== undefined) setValueAt(result, path, value);
    }
    return result;
  };
}

/** Takes resources and resize policies, unless containers were added, removed or renamed, which is refused later. */
function mergeResize(old: JsonObject, next: JsonObject): JsonObject {
  const result = structuredClone(old);
  result['metadata'] = next['metadata'];
  const resources = valueAt(next, ['spec', 'resources']);
  if (resources !== undefined) setValueAt(result, ['spec', 'resources'], resources);
  for (const list of ['containers', 'initContainers']) {
    const [before, after] = [containersOf(old, list), containersOf(next, list)];
    const isSame = before.length === after.length && before.every(({ name }, at) => after[at]!['name'] === name);
    if (after.length === 0 && before.length === 0) continue;
    const resized = (container: JsonObject, at: number): JsonObject => {
      const { resources: _resources, resizePolicy: _policy, ...rest } = container;
      const { resources: wanted, resizePolicy } = after[at]!;
      return {
        ...rest,
        ...(wanted !== undefined && { resources: wanted }),
        ...(resizePolicy !== undefined && { resizePolicy }),
      };
    };
    setValueAt(result, ['spec', list], isSame ? before.map(resized) : after);
  }
  return result;
}

function containersOf(pod: JsonObject, list: string): JsonObject[] {
  return (valueAt(pod, ['spec', list]) as JsonObject[] | null | undefined) ?? [];
}

const BUILT_IN_SCALE: ScalePaths = {
  specReplicas: ['spec', 'replicas'],
  statusReplicas: ['status', 'replicas'],
  labelSelector: undefined,
};

/** Where the replicas of an object with a scale are. */
export function replicasPath(resource: ApiResource): readonly string[] {
  return (resource.scale ?? BUILT_IN_SCALE).specReplicas;
}

/** The Scale of an object. */
export function scaleOf(resource: ApiResource, object: JsonObject): JsonObject {
  const paths = resource.scale ?? BUILT_IN_SCALE;
  const { name, namespace, uid, resourceVersion, creationTimestamp } = metadataOf(object);
  const replicas = valueAt(object, paths.specReplicas);
  const selector = resource.scale === undefined ? selectorText(object) : textAt(object, paths.labelSelector);
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, ...(namespace === undefined ? {} : { namespace }), uid, resourceVersion, creationTimestamp },
    spec: typeof replicas === 'number' && replicas !== 0 ? { replicas } : {},
    status: {
      replicas: Number(valueAt(object, paths.statusReplicas) ?? 0),
      ...(selector === '' ? {} : { selector }),
    },
  };
}

/** Sets the replicas of an object to those of a Scale. */
export function applyScale(resource: ApiResource, object: JsonObject, scale: JsonObject): void {
  setValueAt(object, replicasPath(resource), Number(valueAt(scale, ['spec', 'replicas']) ?? 0));
}

function textAt(object: JsonObject, path: readonly string[] | undefined): string {
  const value = path === undefined ? undefined : valueAt(object, path);
  return typeof value === 'string' ? value : '';
}

function selectorText(object: JsonObject): string {
  const selector = valueAt(object, ['spec', 'selector']);
  if (!isJsonObject(selector)) return '';
  const isLabelSelector = 'matchLabels' in selector || 'matchExpressions' in selector;
  const parsed = labelSelectorFromObject((isLabelSelector ? selector : { matchLabels: selector }) as LabelSelector);
  return parsed.toString();
}

/** Assigns a pod to the node of a Binding; throws 409 if it is terminating or assigned already. */
export function bindPod(resource: ApiResource, pod: JsonObject, binding: JsonObject, timestamp: string): JsonObject {
  const metadata = metadataOf(pod);
  const assigned = valueAt(pod, ['spec', 'nodeName']);
  const name = metadata.name ?? '';
  if (metadata.deletionTimestamp !== undefined) {
    throw new StatusError(
      conflict(
        { group: resource.group, resource: 'pods/binding' },
        name,
        `pod ${name} is being deleted, cannot be assigned to a host`,
      ),
    );
  }
  if (typeof assigned === 'string' && assigned !== '') {
    throw new StatusError(
      conflict(
        { group: resource.group, resource: 'pods/binding' },
        name,
        `pod ${name} is already assigned to node ${JSON.stringify(assigned)}`,
      ),
    );
  }
  setValueAt(pod, ['spec', 'nodeName'], valueAt(binding, ['target', 'name']));
  const annotations = valueAt(binding, ['metadata', 'annotations']);
  if (isJsonObject(annotations)) {
    metadata.annotations = { ...metadata.annotations, ...(annotations as Record<string, string>) };
  }
  setCondition(pod, timestamp, { type: 'PodScheduled', status: 'True', reason: '', message: '' });
  const conditions = valueAt(pod, ['status', 'conditions']) as JsonObject[];
  const scheduled = conditions.find((condition) => condition['type'] === 'PodScheduled')!;
  delete scheduled['reason'];
  delete scheduled['message'];
  scheduled['lastProbeTime'] = null;
  return pod;
}
