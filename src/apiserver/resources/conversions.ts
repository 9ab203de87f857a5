import { setValueAt, valueAt } from '../../meta/json-paths.js';
import { isJsonObject, type JsonObject } from '../../meta/json-values.js';
import type { Steps } from '../../time/steps.js';
import type { Revision } from '../storage/storage.js';
import type { ApiResource, Conversion } from './registry.js';

/** The fields of an Event with different names in the core group and in events.k8s.io. */
const EVENT_FIELDS: readonly (readonly [core: string, events: string])[] = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
  ['reportingComponent', 'reportingController'],
];

/** Events are stored as core/v1 and served as events.k8s.io/v1 too. */
export const eventConversion: Conversion = {
  fromStorage: (event) => renamed(event, 'events.k8s.io/v1', new Map(EVENT_FIELDS)),
  toStorage: (event) =>
    completeEvent(renamed(event, 'v1', new Map(EVENT_FIELDS.map(([core, events]) => [events, core])))),
};

/** Adds the fields of an Event that are sent even if they are empty. */
export function completeEvent(event: JsonObject): JsonObject {
  for (const field of ['firstTimestamp', 'lastTimestamp', 'eventTime']) event[field] ??= null;
  for (const field of ['reportingComponent', 'reportingInstance']) event[field] ??= '';
  event['source'] ??= {};
  return event;
}

function renamed(object: JsonObject, apiVersion: string, names: ReadonlyMap<string, string>): JsonObject {
  const entries = Object.entries({ ...object, apiVersion });
  return Object.fromEntries(entries.map(([name, value]) => [names.get(name) ?? name, value]));
}

/** The utilization that an autoscaler aims at if it names no metric, in percent. */
const DEFAULT_CPU = 80;
const CPU = ['resource', 'target', 'averageUtilization'];

/** HorizontalPodAutoscalers are stored as autoscaling/v2; v1 has one metric only, CPU utilization. */
export const autoscalerConversion: Conversion = {
  fromStorage(object) {
    const spec = { ...(isJsonObject(object['spec']) ? object['spec'] : {}) };
    const metrics = Array.isArray(spec['metrics']) ? spec['metrics'].filter(isJsonObject) : [];
    const cpu = metrics.find(
      (metric) => valueAt(metric, ['resource', 'name']) === 'cpu' && valueAt(metric, CPU) !== undefined,
    );
    delete spec['metrics'];
    if (cpu !== undefined) spec['targetCPUUtilizationPercentage'] = valueAt(cpu, CPU);
    return { ...object, apiVersion: 'autoscaling/v1', spec };
  },
  toStorage(object) {
    const spec = { ...(isJsonObject(object['spec']) ? object['spec'] : {}) };
    const percentage = spec['targetCPUUtilizationPercentage'] ?? DEFAULT_CPU;
    delete spec['targetCPUUtilizationPercentage'];
    const metric: JsonObject = { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization' } } };
    setValueAt(metric, CPU, percentage);
    spec['metrics'] = [metric];
    return { ...object, apiVersion: 'autoscaling/v2', spec };
  },
};

/** Converts an object from one version of a resource to another. */
export function* convertObject(object: JsonObject, from: ApiResource, to: ApiResource): Steps<JsonObject> {
  if (from === to) return object;
  const remote = (from.conversion ?? to.conversion)?.remote;
  if (remote !== undefined) return (yield* remote.convert([object], to.apiVersion))[0]!;
  // Conversions may change their argument.
  const copy = structuredClone(object);
  const stored = from.conversion === undefined ? copy : from.conversion.toStorage(copy);
  return to.conversion === undefined ? stored : to.conversion.fromStorage(stored);
}

/** Revisions as versions with a conversion webhook have them, once the webhook has converted them. */
const converted = new WeakMap<ApiResource, WeakMap<Revision, JsonObject>>();

/**
 * Has the conversion webhook of a resource convert the revisions that it has not seen in this version, with one call.
 * {@link objectIn} needs that. Undefined if there is nothing to wait for, as for most resources.
 */
export function prepareRevisions(resource: ApiResource, revisions: Iterable<Revision>): Steps<void> | undefined {
  const remote = resource.conversion?.remote;
  if (remote === undefined) return undefined;
  let known = converted.get(resource);
  if (known === undefined) converted.set(resource, (known = new WeakMap()));
  const missing = [...new Set(revisions)].filter((revision) => !known.has(revision));
  return missing.length === 0 ? undefined : prepare(remote, known, missing, resource.apiVersion);
}

function* prepare(
  remote: NonNullable<Conversion['remote']>,
  known: WeakMap<Revision, JsonObject>,
  revisions: readonly Revision[],
  apiVersion: string,
): Steps<void> {
  const stored: JsonObject[] = [];
  for (const revision of revisions) stored.push(yield* revision.decodeInSteps());
  const objects = yield* remote.convert(stored, apiVersion);
  for (const [at, revision] of revisions.entries()) known.set(revision, objects[at]!);
}

/** A revision as a version of its resource has it. The caller may change it. */
export function objectIn(resource: ApiResource, revision: Revision): JsonObject {
  const { conversion } = resource;
  if (conversion === undefined) return revision.decode();
  if (conversion.remote === undefined) return conversion.fromStorage(revision.decode());
  const object = converted.get(resource)?.get(revision);
  if (object === undefined) throw new Error(`revision ${revision.version} was not converted to ${resource.apiVersion}`);
  return structuredClone(object);
}
