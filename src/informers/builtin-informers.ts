import type { SharedIndexInformer } from '../cache/informer/shared-informer.js';
import type { ResourceEntry } from '../resources/builtin-resource.js';
import type { BuiltinResources } from '../resources/tree.js';
import type { InformerOptions } from './make-informer.js';

/** Without options: the informer that all callers share. With options: a new informer with its own watch. */
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
