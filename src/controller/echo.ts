import type { DeepReadonly, KubernetesObject } from '../index.js';
import { equalJson, isExplained } from './json-equal.js';
import { statusOf } from './status.js';

/** Metadata that an own write of status or finalizers changes, or that caches do not store. */
const ignoredMetadata: ReadonlySet<string> = new Set(['resourceVersion', 'managedFields', 'finalizers', 'selfLink']);

/** An own write of the object of a run. */
export type OwnWrite = { readonly status: unknown } | { readonly finalizers: readonly string[] };

/**
 * Whether an answer differs from the object as it was known before only in what was written. If it does not, another client's
 * change is in it, and its event must wake the controller: a write that changes nothing is answered with the version of that
 * other change.
 *
 * @param known the object as the run read it, or as the server answered the write before
 */
export function isOwnChange(
  answer: DeepReadonly<KubernetesObject>,
  known: DeepReadonly<KubernetesObject>,
  write: OwnWrite,
): boolean {
  if (answer.metadata.uid !== known.metadata.uid) return false;
  for (const field of new Set([...Object.keys(answer), ...Object.keys(known)])) {
    if (field === 'metadata' || field === 'status') continue;
    if (!equalJson(fieldOf(answer, field), fieldOf(known, field))) return false;
  }
  for (const field of new Set([...Object.keys(answer.metadata), ...Object.keys(known.metadata)])) {
    if (ignoredMetadata.has(field)) continue;
    if (!equalJson(fieldOf(answer.metadata, field), fieldOf(known.metadata, field))) return false;
  }
  const finalizers = 'finalizers' in write ? write.finalizers : (known.metadata.finalizers ?? []);
  if (!equalJson(answer.metadata.finalizers ?? [], finalizers)) return false;
  return isExplained(statusOf(answer), statusOf(known), 'status' in write ? write.status : undefined);
}

function fieldOf(object: object, name: string): unknown {
  return (object as Readonly<Record<string, unknown>>)[name];
}
