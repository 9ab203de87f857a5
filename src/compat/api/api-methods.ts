import type { ResourceEntry } from '../../resources/builtin-resource.js';
import type { ModelOf, V1DeleteOptions, V1Scale, V1Status } from '../models.js';
import type { RequestOptions } from './request-options.js';

/** The parameters of a list, as in the official client. */
export interface ListParams {
  readonly pretty?: string | undefined;
  readonly allowWatchBookmarks?: boolean | undefined;
  readonly _continue?: string | undefined;
  readonly fieldSelector?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly limit?: number | undefined;
  readonly resourceVersion?: string | undefined;
  readonly resourceVersionMatch?: string | undefined;
  readonly sendInitialEvents?: boolean | undefined;
  readonly timeoutSeconds?: number | undefined;
}

/** The parameters of a create or replace, besides the object. */
export interface WriteParams {
  readonly pretty?: string | undefined;
  readonly dryRun?: string | undefined;
  readonly fieldManager?: string | undefined;
  readonly fieldValidation?: string | undefined;
}

/** The parameters of a patch. An array is a JSON patch; anything else is a strategic merge patch unless the options say otherwise. */
export interface PatchParams extends WriteParams {
  readonly force?: boolean | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: programs were written against this type
  readonly body: any;
}

/** The parameters of a delete. */
export interface DeleteParams {
  readonly pretty?: string | undefined;
  readonly dryRun?: string | undefined;
  readonly gracePeriodSeconds?: number | undefined;
  readonly orphanDependents?: boolean | undefined;
  readonly propagationPolicy?: string | undefined;
  readonly body?: V1DeleteOptions | undefined;
}

/** The parameters of a log. */
export interface LogParams {
  readonly container?: string | undefined;
  readonly follow?: boolean | undefined;
  readonly insecureSkipTLSVerifyBackend?: boolean | undefined;
  readonly limitBytes?: number | undefined;
  readonly pretty?: string | undefined;
  readonly previous?: boolean | undefined;
  readonly sinceSeconds?: number | undefined;
  readonly tailLines?: number | undefined;
  readonly timestamps?: boolean | undefined;
}

interface Named {
  readonly name: string;
}
interface Namespaced {
  readonly namespace: string;
}
interface Body<T> {
  readonly body: T;
}

type Method<Params, Result> =
  Record<never, never> extends Params
    ? (param?: Params, options?: RequestOptions) => Promise<Result>
    : (param: Params, options?: RequestOptions) => Promise<Result>;

type KindOf<E> =
  E extends ResourceEntry<infer T, infer _S, infer _U>
    ? T extends { readonly kind: infer K extends string }
      ? K
      : never
    : never;
type ModelOfEntry<E> = E extends ResourceEntry<infer T, infer _S, infer _U> ? ModelOf<T> : never;
/** The kind of a resource with objects in this scope; never for others. */
type StoredKind<E, Scope> =
  E extends ResourceEntry<infer _T, Scope & ('namespaced' | 'cluster'), 'objects'> ? KindOf<E> : never;
/** `Pod` in the names of methods: `NamespacedPod` or `Node`. */
type Scoped<E> = StoredKind<E, 'cluster'> | `Namespaced${StoredKind<E, 'namespaced'>}`;
type Place<E> = E extends ResourceEntry<infer _T, 'namespaced', infer _U> ? Namespaced : unknown;
type WithStatus<E> =
  E extends ResourceEntry<infer T, infer _S, infer _U> ? ('status' extends keyof T ? Scoped<E> : never) : never;
type WithScale<E> =
  E extends ResourceEntry<infer T, infer _S, infer _U>
    ? T extends { readonly kind: 'Deployment' | 'ReplicaSet' | 'StatefulSet' | 'ReplicationController' }
      ? Scoped<E>
      : never
    : never;
/** What the server creates without storing it: reviews and bindings. */
type RequestKind<E> =
  E extends ResourceEntry<infer _T, infer Scope, 'requests'>
    ? Scope extends 'namespaced'
      ? `Namespaced${KindOf<E>}`
      : KindOf<E>
    : never;
/** Kinds whose deletion answers with the object; the others answer with a Status. */
type AnsweredKind =
  | 'Pod'
  | 'PodTemplate'
  | 'PersistentVolume'
  | 'PersistentVolumeClaim'
  | 'ResourceQuota'
  | 'Service'
  | 'ServiceAccount'
  | 'CSIDriver'
  | 'CSINode'
  | 'StorageClass'
  | 'VolumeAttachment'
  | 'VolumeAttributesClass'
  | 'DeviceClass'
  | 'ResourceClaim'
  | 'ResourceClaimTemplate'
  | 'ResourceSlice';
type Deleted<E> = KindOf<E> extends AnsweredKind ? ModelOfEntry<E> : V1Status;

/** A resource in the answer of `getAPIResources`. */
export interface V1APIResource {
  name: string;
  singularName: string;
  namespaced: boolean;
  kind: string;
  verbs: string[];
  group?: string;
  version?: string;
  shortNames?: string[];
  categories?: string[];
}
/** The resources of a group and version. */
export interface V1APIResourceList {
  apiVersion?: string;
  kind?: string;
  groupVersion: string;
  resources: V1APIResource[];
}

/** A list in the form of the official client. */
export interface ModelList<T> {
  apiVersion?: string;
  kind?: string;
  metadata?: {
    _continue?: string;
    remainingItemCount?: number;
    resourceVersion?: string;
    selfLink?: string;
  };
  items: T[];
}

/** The methods of the resources of a group and version, by the names of the official client. */
export type ApiMethods<G> = {
  [R in keyof G as `list${Scoped<G[R]>}`]: Method<ListParams & Place<G[R]>, ModelList<ModelOfEntry<G[R]>>>;
} & {
  [R in keyof G as `list${StoredKind<G[R], 'namespaced'>}ForAllNamespaces`]: Method<
    ListParams,
    ModelList<ModelOfEntry<G[R]>>
  >;
} & {
  [R in keyof G as `create${Scoped<G[R]> | RequestKind<G[R]>}`]: Method<
    WriteParams & Body<ModelOfEntry<G[R]>> & Place<G[R]>,
    ModelOfEntry<G[R]>
  >;
} & {
  [R in keyof G as `read${Scoped<G[R]>}`]: Method<
    { readonly pretty?: string | undefined } & Named & Place<G[R]>,
    ModelOfEntry<G[R]>
  >;
} & {
  [R in keyof G as `replace${Scoped<G[R]>}`]: Method<
    WriteParams & Body<ModelOfEntry<G[R]>> & Named & Place<G[R]>,
    ModelOfEntry<G[R]>
  >;
} & {
  [R in keyof G as `patch${Scoped<G[R]>}`]: Method<PatchParams & Named & Place<G[R]>, ModelOfEntry<G[R]>>;
} & {
  [R in keyof G as `delete${Scoped<G[R]>}`]: Method<DeleteParams & Named & Place<G[R]>, Deleted<G[R]>>;
} & {
  [R in keyof G as `deleteCollection${Scoped<G[R]>}`]: Method<ListParams & DeleteParams & Place<G[R]>, V1Status>;
} & {
  [R in keyof G as `read${WithStatus<G[R]>}Status`]: Method<
    { readonly pretty?: string | undefined } & Named & Place<G[R]>,
    ModelOfEntry<G[R]>
  >;
} & {
  [R in keyof G as `replace${WithStatus<G[R]>}Status`]: Method<
    WriteParams & Body<ModelOfEntry<G[R]>> & Named & Place<G[R]>,
    ModelOfEntry<G[R]>
  >;
} & {
  [R in keyof G as `patch${WithStatus<G[R]>}Status`]: Method<PatchParams & Named & Place<G[R]>, ModelOfEntry<G[R]>>;
} & {
  [R in keyof G as `read${WithScale<G[R]>}Scale`]: Method<
    { readonly pretty?: string | undefined } & Named & Place<G[R]>,
    V1Scale
  >;
} & {
  [R in keyof G as `replace${WithScale<G[R]>}Scale`]: Method<
    WriteParams & Body<V1Scale> & Named & Place<G[R]>,
    V1Scale
  >;
} & {
  [R in keyof G as `patch${WithScale<G[R]>}Scale`]: Method<PatchParams & Named & Place<G[R]>, V1Scale>;
} & {
  /** The resources of this group and version. */
  getAPIResources(): Promise<V1APIResourceList>;
};
