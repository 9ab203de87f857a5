import {
  type InformerCacheOptions,
  type InformerErrorHandler,
  informerCacheNames,
  SharedInformer,
} from '../cache/informer/shared-informer.js';
import { ClientListWatch, type ClientListWatchOptions } from '../cache/source/client-list-watch.js';
import type { ListerWatcher } from '../cache/source/list-watch.js';
import { MappedListWatch } from '../cache/source/mapped-list-watch.js';
import { NamespacesListWatch } from '../cache/source/namespaces-list-watch.js';
import { rawView } from '../cache/store/item-view.js';
import { type ObjectItem, objectView, toObjectItem, unreadableItem } from '../cache/store/object-item.js';
import type { Client } from '../client/client.js';
import { type ByteTransform, droppedByDefault, type ObjectFilter } from '../codec/codec.js';
import { type FieldPath, type Raw, rawAccessorOf } from '../codec/raw.js';
import { SlabArena } from '../codec/slab.js';
import type { Accessor } from '../meta/accessor.js';
import type { LabelSelector } from '../meta/objects.js';
import { type OptionNames, pickOptions } from '../meta/options/known-options.js';
import { optionError, requireOneOf, requireString } from '../meta/options/validate.js';
import { apiVersionOf, printResource, type Resource } from '../meta/resource.js';
import { toLabelSelector } from '../meta/selectors/label-selector.js';
import { findResource } from '../resources/find.js';
import type { Clock } from '../time/clock.js';
import { InitialStreams } from './shards/initial-streams.js';
import { ShardFilter } from './shards/shard-filter.js';
import { type ShardOptions, shardPartOf } from './shards/shard-options.js';
import { ShardReader } from './shards/shard-reader.js';
import type { ShardPart } from './shards/shard-set.js';
import { ShardSupport } from './shards/shard-support.js';
import { type ShardedCache, ShardedListWatch } from './shards/sharded-list-watch.js';

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
  /**
   * Reads one part of the collection only: `{ index: 0, of: 3 }`. Servers with the feature gate `ShardedListAndWatch` send only
   * that part; of others, everything is received, and the objects of other parts are dropped before they are stored.
   * @default none: every object is selected
   */
  readonly shard?: ShardOptions | undefined;
}

export const informerNames: OptionNames<InformerOptions<never>> = {
  ...informerCacheNames,
  namespace: true,
  labelSelector: true,
  fieldSelector: true,
  storage: true,
  managedFields: true,
  transform: true,
  shard: true,
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
  const part = shardPartOf(options.shard, resource, droppedBy(options));
  const arena = new SlabArena();
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
    const view = rawView<T>();
    const mapped = (source: ListerWatcher<Raw<T>>) => source;
    const informer: SharedInformer<Raw<T>, T> = new SharedInformer<Raw<T>, T>({
      ...common,
      resource,
      arena,
      view,
      listWatch: (paths) =>
        listWatchOf(parts, options, { part, arena, paths, accessor: view.accessor, mapped, cache: informer }),
      truth: truthOf(parts, options, part),
    });
    return informer as unknown as SharedInformer<object, U>;
  }
  const accessor = rawAccessorOf<T>();
  const map = (raw: Raw<T>) =>
    toObjectItem<Raw<T>, T, U>(accessor, raw, typeof transform === 'function' ? transform : undefined);
  const mapped = (source: ListerWatcher<Raw<T>>) =>
    new MappedListWatch({
      source,
      map,
      unreadable: (raw, error) => unreadableItem<Raw<T>, U>(accessor, raw, error),
      clock,
    });
  const view = objectView<U>();
  const informer: SharedInformer<ObjectItem<U>, U> = new SharedInformer<ObjectItem<U>, U>({
    ...common,
    view,
    listWatch: (paths) =>
      listWatchOf(parts, options, { part, arena, paths, accessor: view.accessor, mapped, cache: informer }),
  });
  return informer as unknown as SharedInformer<object, U>;
}

/** Reads the collection of an informer: its namespaces and its shards, as items of its cache. */
function listWatchOf<T, U, I>(
  parts: InformerParts<T>,
  options: InformerOptions<T, U>,
  to: {
    readonly part: ShardPart | undefined;
    readonly arena: SlabArena;
    readonly paths: readonly FieldPath[];
    readonly accessor: Accessor<I>;
    readonly mapped: (source: ListerWatcher<Raw<T>>) => ListerWatcher<I>;
    readonly cache: ShardedCache<I>;
  },
): ListerWatcher<I> {
  const { part, arena, paths, accessor, mapped, cache } = to;
  const { client, resource } = parts;
  const sourceOf = (namespace: string | undefined, filter?: ObjectFilter) =>
    clientSource(parts, options, { arena, paths, namespace, filter });
  if (part === undefined) return mapped(ofNamespaces(options, rawAccessorOf<T>(), client.clock, sourceOf));
  const streams = new InitialStreams();
  // The source of shards maps below itself, so that its changes of the cache do not overtake events that wait to be mapped.
  return ofNamespaces(
    options,
    accessor,
    client.clock,
    (namespace) =>
      new ShardedListWatch({
        part,
        accessor,
        clock: client.clock,
        what: printResource(resource),
        cache,
        streams,
        sourceOf: (filter) => mapped(shardReader(parts, filter, sourceOf(namespace, filter))),
      }),
  );
}

/** Lists the metadata of the collection of an informer, for comparisons with its cache. */
function truthOf<T, U>(
  parts: InformerParts<T>,
  options: InformerOptions<T, U>,
  part: ShardPart | undefined,
): ListerWatcher<Raw<T>> {
  const metadata = { ...parts, metadataOnly: true };
  const arena = new SlabArena();
  return ofNamespaces(options, rawAccessorOf<T>(), parts.client.clock, (namespace) => {
    const filter = part && new ShardFilter(part.by, part.set.wanted);
    const source = clientSource(metadata, options, { arena, namespace, filter });
    return filter === undefined ? source : shardReader(metadata, filter, source);
  });
}

function shardReader<T>(
  { client, resource, metadataOnly = false }: InformerParts<T>,
  filter: ShardFilter,
  source: ListerWatcher<Raw<T>>,
): ListerWatcher<Raw<T>> {
  const hasEcho = !metadataOnly && findResource(resource) !== undefined;
  return new ShardReader({ source, filter, support: ShardSupport.of(client), hasEcho });
}

function clientSource<T, U>(
  { client, resource, metadataOnly }: InformerParts<T>,
  options: InformerOptions<T, U>,
  of: Pick<ClientListWatchOptions, 'arena' | 'paths' | 'namespace' | 'filter'>,
): ListerWatcher<Raw<T>> {
  const { labelSelector, fieldSelector } = options;
  return new ClientListWatch<T>(client, resource, {
    ...of,
    drop: droppedBy(options),
    metadataOnly,
    labelSelector,
    fieldSelector,
  });
}

/** The paths that are cut out of the bytes. */
function droppedBy<T, U>({ managedFields, transform }: InformerOptions<T, U>): readonly FieldPath[] {
  const dropped = managedFields === 'keep' ? [] : droppedByDefault;
  return typeof transform === 'object' ? [...dropped, ...transform.drop] : dropped;
}

/** One source, or one for each of several namespaces. */
function ofNamespaces<I>(
  { namespace }: Pick<InformerOptions<never>, 'namespace'>,
  accessor: Accessor<I>,
  clock: Clock,
  sourceOf: (namespace: string | undefined) => ListerWatcher<I>,
): ListerWatcher<I> {
  if (namespace === undefined || typeof namespace === 'string') return sourceOf(namespace || undefined);
  return namespace.length === 1
    ? sourceOf(namespace[0])
    : new NamespacesListWatch(namespace, accessor, clock, sourceOf);
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
  const { namespace, labelSelector, fieldSelector, shard } = options;
  const selected = [
    namespace ? `namespace=${typeof namespace === 'string' ? namespace : namespace.join('+')}` : undefined,
    labelSelector === undefined ? undefined : toLabelSelector(labelSelector).toString(),
    fieldSelector,
    shard !== undefined && 'index' in shard ? `shard=${shard.index}/${shard.of}` : undefined,
  ].filter((part) => part);
  return [printResource(resource), ...selected].join(' ');
}
