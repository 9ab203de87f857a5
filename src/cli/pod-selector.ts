import { isJsonObject } from '../meta/json-values.js';
import type { LabelSelector } from '../meta/objects.js';
import { toLabelSelector } from '../meta/selectors/label-selector.js';

/** The label selector of the pods of a workload or Service; undefined if the object selects none. */
export function podSelectorOf(object: object): string | undefined {
  const { spec } = object as { readonly spec?: unknown };
  const selector = isJsonObject(spec) ? spec['selector'] : undefined;
  if (!isJsonObject(selector) || Object.keys(selector).length === 0) return undefined;
  // A Service and a ReplicationController have the labels themselves, other workloads a LabelSelector.
  const isPlain = Object.values(selector).every((value) => typeof value === 'string');
  return toLabelSelector((isPlain ? { matchLabels: selector } : selector) as LabelSelector).toString();
}
