import {
  type InformerCacheOptions,
  type InformerErrorHandler,
  informerCacheNames,
  SharedInformer,
} from '../cache/informer/shared-informer.js';
import { ClientListWatch } from '../cache/source/client-list-watch.js';
import type { ListerWatcher } from '../cache/source/list-watch.js';
import { MappedListWatch } from '../cache/source/mapped-list-watch.js';
import { NamespacesListWatch } from '../cache/source/namespaces-list-watch.js';
import { rawView } from '../cache/store/item-view.js';
import { type ObjectItem, objectView, toObjectItem, unreadableItem } from '../cache/store/object-item.js';
import type { Client } from '../client/client.js';
import { type ByteTransform, droppedByDefault } from '../codec/codec.js';
import { type FieldPath, type Raw, rawAccessorOf } from '../codec/raw.js';
import { SlabArena } from '../codec/slab.js';
import type { LabelSelector } from '../meta/objects.js';
import { type OptionNames, pickOptions } from '../meta/options/known-options.js';
import { optionError, requireOneOf, requireString } from '../meta/options/validate.js';
import { apiVersionOf, printResource, type Resource } from '../meta/resource.js';
import { toLabelSelector } from '../meta/selectors/label-selector.js';

/** Returns what the cache stores of an object. Called once per state of an object. */
export type Transform<T, U> = (object: T) => U;

/** Options of an informer: those of its cache and of the list and watch that fill it. */
export interface InformerOptions<T, U = T> extends InformerCacheOptions {
  /** One namespace or several. @default all namespaces */
  readonly namespace?: string | readonly string[] | undefined;
  /** Selects objects by their labels, on the server. @default none: every object is selected */
  readonly labelSelector?: string | LabelSelector | undefined;
  /** Selects objects by their fields, on the server. @default none: every object is selected */
  readonly fieldSelector?: string | undefined;
  /** Stores the bytes of each object and parses them when they are read, or stores parsed objects. @default 'raw' */
  readonly storage?: 'raw' | 'objects' | undefined;
  /** Whether the cache stores metadata.managedFields. @default 'drop' */
  readonly managedFields?: 'drop' | 'keep' | undefined;
  /** A function makes the cache store the objects it returns; `drop(…)` cuts fields out of the bytes. @default none: objects are stored as they arrive */
  readonly transform?: Transform<T, U> | ByteTransform | undefined;
}

export const informerNames: OptionNames<InformerOptions<never>> = {
  ...informerCacheNames,
  namespace: true,
  labelSelector: true,
  fieldSelector: true,
  storage: true,
  managedFields: true,
  transform: true,
};

/** What an informer is made from, besides its options. */
export interface InformerParts<T> {
  readonly client: Client;
  readonly resource: Resource<T>;
  readonly metadataOnly?: boolean | undefined;
  /** Put before the name of an informer that has no `name` option. */
  readonly factoryName?: string | undefined;
  readonly onError?: InformerErrorHandler | undefined;
}

/** Makes an informer of handles to bytes, or of objects with `storage: 'objects'` or a transform function. */
export function makeInformer<T, U = T>(
  parts: InformerParts<T>,
  options: InformerOptions<T, U>,
): SharedInformer<object, U> {
  const { client, resource, onError } = parts;
  const { clock } = client;
  const transform = checkedTransform<T, U>(options.transform);
  const storage = requireOneOf('storage', options.storage ?? 'raw', ['raw', 'objects']);
  requireOneOf('managedFields', options.managedFields ?? 'drop', ['drop', 'keep']);
  requireNamespaces(options.namespace);
  if (options.consistencyCheckMs && Array.isArray(options.namespace) && options.namespace.length > 1) {
    throw optionError(
      'consistencyCheckMs',
      '0 with several namespaces, whose watches have no common resourceVersion',
      options.consistencyCheckMs,
    );
  }
  const arena = new SlabArena();
  const sourceOf = (paths: readonly FieldPath[]) => clientSource(parts, options, arena, paths);
  const common = {
    ...pickOptions<InformerCacheOptions>(options, informerCacheNames),
    resource: resource as unknown as Resource<U>,
    clock,
    name: options.name ?? [parts.factoryName, defaultName(resource, options)].filter((part) => part).join(' '),
    host: client.rest.host,
    expected: expectedOf(parts),
    onError,
  };
  if (storage === 'raw' && typeof transform !== 'function') {
    const view = rawView<U>();
    const listWatch = sourceOf as unknown as (paths: readonly FieldPath[]) => ListerWatcher<Raw<U>>;
    const truth = clientSource(
      { ...parts, metadataOnly: true },
      options,
      new SlabArena(),
      [],
    ) as unknown as ListerWatcher<Raw<U>>;
    return new SharedInformer<Raw<U>, U>({ ...common, arena, view, listWatch, truth }) as unknown as SharedInformer<
      object,
      U
    >;
  }
  const accessor = rawAccessorOf<T>();
  const map = (raw: Raw<T>) =>
    toObjectItem<Raw<T>, T, U>(accessor, raw, typeof transform === 'function' ? transform : undefined);
  const informer: SharedInformer<ObjectItem<U>, U> = new SharedInformer<ObjectItem<U>, U>({
    ...common,
    view: objectView<U>(),
    listWatch: (paths) =>
      new MappedListWatch({
        source: sourceOf(paths),
        map,
        unreadable: (raw, error) => unreadableItem<Raw<T>, U>(accessor, raw, error),
        clock,
      }),
  });
  return informer as unknown as SharedInformer<object, U>;
}

function clientSource<T, U>(
  { client, resource, metadataOnly }: InformerParts<T>,
  options: InformerOptions<T, U>,
  arena: SlabArena,
  paths: readonly FieldPath[],
): ListerWatcher<Raw<T>> {
  const dropped = options.managedFields === 'keep' ? [] : droppedByDefault;
  const transform = options.transform as ByteTransform | Transform<T, U> | undefined;
  const drop = typeof transform === 'object' ? [...dropped, ...transform.drop] : dropped;
  const { namespace, labelSelector, fieldSelector } = options;
  const source = (only: string | undefined) =>
    new ClientListWatch<T>(client, resource, {
      arena,
      paths,
      drop,
      metadataOnly,
      labelSelector,
      fieldSelector,
      namespace: only,
    });
  if (namespace === undefined || typeof namespace === 'string') return source(namespace || undefined);
  return namespace.length === 1
    ? source(namespace[0])
    : new NamespacesListWatch(namespace, rawAccessorOf<T>(), client.clock, source);
}

function requireNamespaces(namespace: string | readonly string[] | undefined): void {
  if (namespace === undefined || typeof namespace === 'string') return;
  if (!Array.isArray(namespace) || namespace.length === 0)
    throw optionError('namespace', 'one or more names', namespace);
  for (const name of namespace) requireString('namespace', name);
}

function expectedOf<T>({ resource, metadataOnly }: Pick<InformerParts<T>, 'resource' | 'metadataOnly'>) {
  if (metadataOnly === true) return { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata' };
  return resource.kind === undefined ? undefined : { apiVersion: apiVersionOf(resource), kind: resource.kind };
}

function checkedTransform<T, U>(transform: unknown): Transform<T, U> | ByteTransform | undefined {
  if (transform === undefined || typeof transform === 'function') return transform as Transform<T, U> | undefined;
  if ((transform as Partial<ByteTransform> | null)?.kind === 'byteTransform') return transform as ByteTransform;
  throw optionError('transform', 'a function or drop(…)', transform);
}

/** Includes namespace and selectors, so that metrics distinguish informers of one resource. */
function defaultName<T, U>(resource: Resource<unknown>, options: InformerOptions<T, U>): string {
  const { namespace, labelSelector, fieldSelector } = options;
  const selected = [
    namespace ? `namespace=${typeof namespace === 'string' ? namespace : namespace.join('+')}` : undefined,
    labelSelector === undefined ? undefined : toLabelSelector(labelSelector).toString(),
    fieldSelector,
  ].filter((part) => part);
  return [printResource(resource), ...selected].join(' ');
}
