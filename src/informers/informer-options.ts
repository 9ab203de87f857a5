import type { InformerErrorHandler, SharedIndexInformer } from '../cache/informer/shared-informer.js';
import type { ByteTransform } from '../codec/codec.js';
import { abortableNames, type OptionNames } from '../meta/known-options.js';
import type { Abortable, LabelSelector } from '../meta/objects.js';
import type { ResourceEntry } from '../resources/builtin-resource.js';
import type { BuiltinResources } from '../resources/tree.js';

/** Makes of each object what the cache keeps of it. Runs once per state of an object. */
export type Transform<T, U> = (object: T) => U;

/** What an informer and a factory can both be told; an informer's word goes before its factory's. */
interface CacheOptions {
  /** For reports and metrics; that of a factory stands before the names of its informers. @default the resource */
  readonly name?: string | undefined;
  /** One or several namespaces. @default all of them */
  readonly namespace?: string | readonly string[] | undefined;
  /** Selects objects by their labels, on the server. @default none: every object is selected */
  readonly labelSelector?: string | LabelSelector | undefined;
  /** Selects objects by their fields, on the server. @default none: every object is selected */
  readonly fieldSelector?: string | undefined;
  /** How often handlers are shown everything again; 0 never. @default 0 */
  readonly resyncMs?: number | undefined;
  /** Keep the bytes and parse what is looked at, or keep parsed objects. @default 'raw' */
  readonly storage?: 'raw' | 'objects' | undefined;
  /** What the cache hands out leaves metadata.managedFields out unless told to keep them. @default 'drop' */
  readonly managedFields?: 'drop' | 'keep' | undefined;
  /** In order across objects, or grouped by object as informers used to. @default 'real' */
  readonly queue?: 'real' | 'delta' | undefined;
  /** Whether to read the collection as the beginning of the watch, where the server can. @default true */
  readonly useWatchList?: boolean | undefined;
  /** Bytes of objects that are kept decoded for readers. @default 16 MiB */
  readonly decodedBudget?: number | undefined;
  /** How often caches are compared with the server (a list of metadata), and a difference reported; 0 never. @default 0 */
  readonly consistencyCheckMs?: number | undefined;
  /** Whether to look for handlers that change what is everybody's. @default KUBEFLECT_MUTATION_DETECTOR */
  readonly mutationDetector?: 'off' | 'check' | 'freeze' | undefined;
}

const cacheNames: OptionNames<CacheOptions> = {
  name: true,
  namespace: true,
  labelSelector: true,
  fieldSelector: true,
  resyncMs: true,
  storage: true,
  managedFields: true,
  queue: true,
  useWatchList: true,
  decodedBudget: true,
  consistencyCheckMs: true,
  mutationDetector: true,
};

/** Options of an informer of one's own. */
export interface InformerOptions<T, U = T> extends CacheOptions {
  /** A function keeps objects, of whatever type it returns; `drop(…)` keeps bytes. @default none: objects are kept as they come */
  readonly transform?: Transform<T, U> | ByteTransform | undefined;
}

export const informerNames: OptionNames<InformerOptions<never>> = { ...cacheNames, transform: true };

/** Options of a factory: those of all its informers. */
export interface FactoryOptions extends CacheOptions, Abortable {
  /** Fields that no informer keeps: `drop(…)`. @default none: objects are kept as they come */
  readonly transform?: ByteTransform | undefined;
  /** Other periods for some resources: `{ 'deployments.apps': 60_000, pods: 0 }`. @default resyncMs */
  readonly resyncMsOf?: Readonly<Record<string, number>> | undefined;
  /** Handler errors and watch failures. @default process.emitWarning */
  readonly onError?: InformerErrorHandler | undefined;
}

export const factoryNames: OptionNames<FactoryOptions> = {
  ...abortableNames,
  ...cacheNames,
  transform: true,
  resyncMsOf: true,
  onError: true,
};

/** Without options: the one informer everybody shares. With options: a new one, yours, with its own watch. */
export interface InformerAccessor<T> {
  (): SharedIndexInformer<T>;
  <U = T>(options: InformerOptions<T, U>): SharedIndexInformer<U>;
}

type Watchable<V> = {
  readonly [R in keyof V as V[R] extends ResourceEntry<infer _, infer _S, 'objects'> ? R : never]: V[R];
};
type ObjectOf<E> = E extends ResourceEntry<infer T, infer _S, infer _U> ? T : never;

/** Every built-in resource that can be watched, as a property: `factory.apps.v1.deployments`. */
export type BuiltinInformers = {
  readonly [G in keyof BuiltinResources]: {
    readonly [V in keyof BuiltinResources[G]]: {
      readonly [R in keyof Watchable<BuiltinResources[G][V]>]: InformerAccessor<ObjectOf<BuiltinResources[G][V][R]>>;
    };
  };
};
