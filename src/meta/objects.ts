/** What an owner is called from below: the garbage collector and `ownerKeys` follow these. */
export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean | undefined;
  blockOwnerDeletion?: boolean | undefined;
}

/** Which manager owns which fields, as server-side apply records it. */
export interface ManagedFieldsEntry {
  manager?: string | undefined;
  operation?: string | undefined;
  apiVersion?: string | undefined;
  time?: string | undefined;
  fieldsType?: string | undefined;
  fieldsV1?: Record<string, unknown> | undefined;
  subresource?: string | undefined;
}

/** Metadata as you write it, and as templates embed it. Dates are RFC 3339 strings, as on the wire. */
export interface ObjectMeta {
  name?: string | undefined;
  generateName?: string | undefined;
  namespace?: string | undefined;
  uid?: string | undefined;
  resourceVersion?: string | undefined;
  generation?: number | undefined;
  creationTimestamp?: string | undefined;
  deletionTimestamp?: string | undefined;
  deletionGracePeriodSeconds?: number | undefined;
  labels?: Record<string, string> | undefined;
  annotations?: Record<string, string> | undefined;
  ownerReferences?: OwnerReference[] | undefined;
  finalizers?: string[] | undefined;
  managedFields?: ManagedFieldsEntry[] | undefined;
  selfLink?: string | undefined;
}

/** Metadata as the server returns it: what it always sets is always there. */
export interface StoredObjectMeta extends ObjectMeta {
  name: string;
  uid: string;
  resourceVersion: string;
  creationTimestamp: string;
}

/** Metadata of a list: the version it shows, and how to ask for the rest of it. */
export interface ListMeta {
  resourceVersion: string;
  continue?: string | undefined;
  remainingItemCount?: number | undefined;
  selfLink?: string | undefined;
}

/** The two fields that say what an object is. */
export interface TypeMeta {
  apiVersion: string;
  kind: string;
}

/** What every answer of a server has. The type of a custom resource extends it. */
export interface KubernetesObject extends TypeMeta {
  metadata: StoredObjectMeta;
}

/** An object of which nothing but the metadata is known to TypeScript. */
export interface Unstructured extends KubernetesObject {
  [field: string]: unknown;
}

/** What a metadata-only read returns: an object without spec and status. */
export interface PartialObjectMetadata extends KubernetesObject {}

/** A list as a server returns it. */
export interface KubernetesList<T> extends TypeMeta {
  metadata: ListMeta;
  items: T[];
}

/** Selects objects by their labels; all of it must hold. */
export interface LabelSelector {
  matchLabels?: Record<string, string> | undefined;
  matchExpressions?: LabelSelectorRequirement[] | undefined;
}

/** One condition of a {@link LabelSelector}. */
export interface LabelSelectorRequirement {
  key: string;
  operator: string;
  values?: string[] | undefined;
}

/** One observation of an object's state, as most kinds report them in `status.conditions`. */
export interface Condition {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason?: string | undefined;
  message?: string | undefined;
  lastTransitionTime?: string | undefined;
  observedGeneration?: number | undefined;
}

/**
 * `T`, all the way down, for reading only: what caches hand out, since everybody shares it.
 *
 * Mapped outside and tested inside: it stays cheap to check, keeps `unknown` and branded types, and TypeScript can
 * infer `T` back from it.
 */
export type DeepReadonly<T> = { readonly [K in keyof T]: DeepReadonlyValue<T[K]> };
type DeepReadonlyValue<V> = V extends string | number | boolean | null | undefined
  ? V
  : V extends object
    ? DeepReadonly<V>
    : V;

/**
 * What you write of a `T`: `apiVersion` and `kind` may be left out, metadata needs only what you set. Of what is asked and not
 * stored, such as an access review, metadata may be left out too.
 */
export type New<T> = { [K in keyof T as K extends 'apiVersion' | 'kind' | 'metadata' ? never : K]: T[K] } & {
  [K in keyof T as K extends 'metadata' ? (ObjectMeta extends T[K] ? never : K) : never]: ObjectMeta;
} & {
  apiVersion?: string | undefined;
  kind?: string | undefined;
  metadata?: ObjectMeta | undefined;
};

/** A JSON merge patch (RFC 7386) of a `T`: what is named changes, `null` removes, arrays are replaced whole. */
export type MergePatch<T> = T extends readonly (infer E)[]
  ? readonly DeepReadonlyValue<E>[]
  : T extends object
    ? { readonly [K in keyof T]?: MergePatch<T[K]> | null }
    : T;

/** One step of a JSON patch (RFC 6902). */
export interface JsonPatchOperation {
  readonly op: 'add' | 'remove' | 'replace' | 'move' | 'copy' | 'test';
  readonly path: string;
  readonly from?: string | undefined;
  readonly value?: unknown;
}

/** An option object that can be stopped from outside. */
export interface Abortable {
  /** Stops the operation when it aborts. @default none: it runs to its end */
  readonly signal?: AbortSignal | undefined;
}

/**
 * A deep copy that is yours to change.
 *
 * Kubernetes objects are JSON trees, so arrays and plain objects are all that has to be copied.
 *
 * @example
 * const mine = mutableCopy(pods.lister.getOrThrow('default/web-0'));
 * mine.metadata.labels = { ...mine.metadata.labels, seen: 'yes' };
 */
export function mutableCopy<T>(object: DeepReadonly<T>): T {
  // No recursion: an object may be nested deeper than the stack is.
  const root: unknown[] = [object];
  const unfinished: object[] = [root];
  for (let into = unfinished.pop(); into !== undefined; into = unfinished.pop()) {
    for (const key of Object.keys(into)) {
      const value: unknown = into[key as never];
      if (typeof value !== 'object' || value === null) continue;
      const copy: object = Array.isArray(value) ? value.slice() : { ...value };
      setOwn(into, key, copy);
      unfinished.push(copy);
    }
  }
  return root[0] as T;
}

/** Assigning to `__proto__` would set the prototype instead of a field of that name. */
function setOwn(object: object, key: string, value: unknown): void {
  if (key === '__proto__')
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  else (object as Record<string, unknown>)[key] = value;
}
