/** Metadata of an object or a list, as a case reads it. */
export interface Meta {
  name: string;
  generateName?: string;
  namespace: string;
  uid: string;
  resourceVersion: string;
  generation: number;
  creationTimestamp: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  ownerReferences?: Record<string, unknown>[];
  managedFields?: ManagedFields[];
  continue?: string;
  remainingItemCount?: number;
  selfLink?: string;
}

/** An entry of `metadata.managedFields`. */
export interface ManagedFields {
  manager: string;
  operation: string;
  apiVersion: string;
  time: string;
  fieldsType: string;
  fieldsV1: Record<string, unknown>;
  subresource?: string;
}

/** One reason among several why a request failed. */
export interface Cause {
  reason: string;
  message: string;
  field: string;
}

/**
 * Any JSON document of the API: an object, a list, a Status or a Table.
 *
 * The fields are typed as if every document had them: a case that reads a missing one fails at
 * that very place. Deeper fields are read with {@link at}.
 */
export interface Doc {
  apiVersion: string;
  kind: string;
  metadata: Meta;
  spec: Record<string, unknown>;
  status: Record<string, unknown> | string;
  data: Record<string, string>;
  items: Doc[];
  code: number;
  reason: string;
  message: string;
  details: {
    name?: string;
    group?: string;
    kind?: string;
    uid?: string;
    retryAfterSeconds?: number;
    causes?: Cause[];
  };
  [field: string]: unknown;
}

/** The value at a path such as `spec.template.spec.containers.0.image`; undefined if the path ends before. */
export function at(doc: unknown, path: string): unknown {
  let value = doc;
  for (const step of path.split('.')) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<string, unknown>)[step];
  }
  return value;
}
