/** A reference of an object to its owner; the garbage collector and `ownerKeys` read it. */
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

/** Metadata in requests and in templates. Dates are RFC 3339 strings, as in JSON. */
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

/** Metadata in responses: the fields that the server always sets are required. */
export interface StoredObjectMeta extends ObjectMeta {
  name: string;
  uid: string;
  resourceVersion: string;
  creationTimestamp: string;
}

/** Metadata of a list: its resourceVersion, and the token for its next page. */
export interface ListMeta {
  resourceVersion: string;
  continue?: string | undefined;
  remainingItemCount?: number | undefined;
  selfLink?: string | undefined;
  /** The shard selector, if the server has limited the list by it. */
  shardInfo?: { readonly selector: string } | undefined;
}

/** The two fields that identify the type of an object. */
export interface TypeMeta {
  apiVersion: string;
  kind: string;
}

/** The fields that every stored object has. The type of a custom resource extends it. */
export interface KubernetesObject extends TypeMeta {
  metadata: StoredObjectMeta;
}

/** An object whose fields other than the metadata have the type `unknown`. */
export interface Unstructured extends KubernetesObject {
  [field: string]: unknown;
}

/** The result of a metadata-only read: an object without spec and status. */
export interface PartialObjectMetadata extends KubernetesObject {}

/** A list as a server returns it. */
export interface KubernetesList<T> extends TypeMeta {
  metadata: ListMeta;
  items: T[];
}

/** Selects objects by their labels; all conditions must hold. */
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

/** One observation of an object's state, an item of `status.conditions`. */
export interface Condition {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason?: string | undefined;
  message?: string | undefined;
  lastTransitionTime?: string | undefined;
  observedGeneration?: number | undefined;
}

/**
 * `T` with all fields readonly at every level: the type of what caches return, because all readers share it.
 *
 * The mapped type is outside and the conditional type inside: this is cheap to check, keeps `unknown` and branded types, and
 * lets TypeScript infer `T` from it.
 */
export type DeepReadonly<T> = { readonly [K in keyof T]: DeepReadonlyValue<T[K]> };
type DeepReadonlyValue<V> = V extends string | number | boolean | null | undefined
  ? V
  : V extends object
    ? DeepReadonly<V>
    : V;

/**
 * The key of a type's written form: a kind whose type has a field of this key, for TypeScript only, is written in that form.
 * Types from `defineResource` have it, because fields with a default may be left out when an object is written.
 */
export declare const writtenAs: unique symbol;

/**
 * A `T` to be written: `apiVersion` and `kind` may be left out, and metadata holds only the fields that are set. A `T` that is
 * not stored, such as an access review, needs no metadata.
 */
export type New<T> = WrittenFields<T> & {
  [K in keyof T as K extends 'metadata' ? (ObjectMeta extends T[K] ? never : K) : never]: ObjectMeta;
} & {
  apiVersion?: string | undefined;
  kind?: string | undefined;
  metadata?: ObjectMeta | undefined;
};
type WrittenFields<T> = typeof writtenAs extends keyof T
  ? NonNullable<T[typeof writtenAs]>
  : { [K in keyof T as K extends 'apiVersion' | 'kind' | 'metadata' ? never : K]: T[K] };

/** A JSON merge patch (RFC 7386) of a `T`: given fields change, `null` removes a field, arrays are replaced as a whole. */
export type MergePatch<T> = T extends readonly (infer E)[]
  ? readonly DeepReadonlyValue<E>[]
  : T extends object
    ? { readonly [K in keyof T]?: MergePatch<T[K]> | null }
    : T;

/** One operation of a JSON patch (RFC 6902). */
export interface JsonPatchOperation {
  readonly op: 'add' | 'remove' | 'replace' | 'move' | 'copy' | 'test';
  readonly path: string;
  readonly from?: string | undefined;
  readonly value?: unknown;
}

/** Options of a call that an AbortSignal can stop. */
export interface Abortable {
  /** Stops the operation when it aborts. @default none */
  readonly signal?: AbortSignal | undefined;
}

/**
 * A deep copy that may be changed.
 *
 * Kubernetes objects are JSON trees: only arrays and plain objects are copied.
 *
 * @example
 * const mine = mutableCopy(pods.lister.getOrThrow('default/web-0'));
 * mine.metadata.labels = { ...mine.metadata.labels, seen: 'yes' };
 */
export function mutableCopy<T>(object: DeepReadonly<T>): T {
  // No recursion: an object may be nested deeper than the stack allows.
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

/** An assignment to `__proto__` would set the prototype instead of a field of that name. */
function setOwn(object: object, key: string, value: unknown): void {
  if (key === '__proto__')
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  else (object as Record<string, unknown>)[key] = value;
}
