import { StatusError } from '../../meta/errors/errors.js';
import { notFound } from '../../meta/errors/status.js';
import { formatKey, type ObjectName } from '../../meta/key.js';
import type { Abortable, DeepReadonly, LabelSelector } from '../../meta/objects.js';
import { abortableNames, checkOptions, type OptionNames } from '../../meta/options/known-options.js';
import { requireObject } from '../../meta/options/validate.js';
import { toLabelSelector } from '../../meta/selectors/label-selector.js';
import type { Clock } from '../../time/clock.js';
import { inSlices, type Steps } from '../../time/steps.js';
import type { DecodedCache } from '../store/decoded-cache.js';
import { namespaceIndex } from '../store/index-spec.js';
import type { Indexer } from '../store/indexer.js';
import type { ItemView } from '../store/item-view.js';
import { type CacheEntry, ItemEntry } from './informer-event.js';

/** Which objects of a cache are read. */
export interface ReadOptions {
  /** @default all namespaces */
  readonly namespace?: string | undefined;
  /** @default none: every object is selected */
  readonly labelSelector?: string | LabelSelector | undefined;
}

const readNames: OptionNames<ReadOptions> = { namespace: true, labelSelector: true };

const scanNames: OptionNames<ReadOptions & Abortable> = { ...abortableNames, ...readNames };

/**
 * Reads a cache. All readers share the objects and must not change them. No call sends a request, and results are in no
 * particular order.
 */
export interface Lister<T> {
  /** By `namespace/name`, or `name` for a cluster-scoped object. Parses the object unless a recent read did. */
  get(key: string | ObjectName): DeepReadonly<T> | undefined;
  /** @throws StatusError for which `isNotFound` holds */
  getOrThrow(key: string | ObjectName): DeepReadonly<T>;
  /** The object with its metadata, unparsed: `entry(key)?.facts.resourceVersion`. */
  entry(key: string | ObjectName): CacheEntry<T> | undefined;
  /** Parses each object: for small results. */
  list(options?: ReadOptions): DeepReadonly<T>[];
  /** Never parses. */
  keys(options?: ReadOptions): string[];
  /** Never parses. */
  count(options?: ReadOptions): number;
  /** Parses the objects that are read from the entries. */
  entries(options?: ReadOptions): IterableIterator<CacheEntry<T>>;
  /** {@link entries} in slices, for large results. Returns the objects that were cached when it was first read. */
  scan(options?: ReadOptions & Abortable): AsyncIterableIterator<CacheEntry<T>>;
}

/** What an {@link IndexedLister} needs from its informer. */
export interface ListerSource<I extends object, T> {
  readonly clock: Clock;
  readonly view: ItemView<I, T>;
  readonly indexer: Indexer<I>;
  readonly decoded: DecodedCache<I, T>;
  /** Named in errors. */
  readonly resource: { readonly group: string; readonly resource: string };
  /** The name of an index over this label, if there is one that is built. */
  labelIndex(key: string): string | undefined;
  /** Called when a synchronous read took longer than 25 ms. */
  onSlowRead(what: string, durationMs: number): void;
}

/** A synchronous read that takes longer than this is reported. */
const slowReadMs = 25;
/** Entries that `scan` hands out per turn of the event loop: parsing so many takes a few milliseconds. */
const entriesPerTurn = 64;

/** The lister of an informer. It uses the namespace index, and an index over a label that the selector requires to be equal. */
export class IndexedLister<I extends object, T> implements Lister<T> {
  readonly #source: ListerSource<I, T>;

  constructor(source: ListerSource<I, T>) {
    this.#source = source;
  }

  get(key: string | ObjectName): DeepReadonly<T> | undefined {
    const item = this.#source.indexer.getByKey(textOf(key));
    return item === undefined ? undefined : this.#source.decoded.decode(item);
  }

  entry(key: string | ObjectName): CacheEntry<T> | undefined {
    const item = this.#source.indexer.getByKey(textOf(key));
    return item === undefined ? undefined : new ItemEntry(this.#source.view, item);
  }

  getOrThrow(key: string | ObjectName): DeepReadonly<T> {
    const object = this.get(key);
    if (object !== undefined) return object;
    const { resource } = this.#source;
    const text = textOf(key);
    throw new StatusError(notFound(resource, text), { verb: 'get', resource: resource.resource, objectName: text });
  }

  list(options: ReadOptions = {}): DeepReadonly<T>[] {
    checkReadOptions('lister.list', options, readNames);
    return this.#read('list()', () => this.#decodeAll(this.#select(options)));
  }

  /** @internal The objects that an index has under the value. */
  listIndex(name: string, value: string): DeepReadonly<T>[] {
    return this.#read(`list() of the index ${name}`, () => this.#decodeAll(this.#source.indexer.byIndex(name, value)));
  }

  #decodeAll(items: readonly I[]): DeepReadonly<T>[] {
    const { decoded } = this.#source;
    const objects: DeepReadonly<T>[] = new Array(items.length);
    for (let i = 0; i < items.length; i++) objects[i] = decoded.decode(items[i] as I);
    return objects;
  }

  /** Reads synchronously, and reports a slow read. */
  #read<R>(what: string, read: () => R): R {
    const { clock } = this.#source;
    const started = clock.monotonicNow();
    const found = read();
    const durationMs = clock.monotonicNow() - started;
    if (durationMs > slowReadMs) this.#source.onSlowRead(what, durationMs);
    return found;
  }

  keys(options: ReadOptions = {}): string[] {
    const { indexer, view } = this.#source;
    checkReadOptions('lister.keys', options, readNames);
    if (isEverything(options)) return indexer.listKeys();
    return this.#read('keys()', () => this.#select(options).map((item) => view.accessor.key(item)));
  }

  count(options: ReadOptions = {}): number {
    const { indexer } = this.#source;
    checkReadOptions('lister.count', options, readNames);
    if (isEverything(options)) return indexer.size;
    if (options.labelSelector === undefined && options.namespace) {
      return indexer.indexCount(namespaceIndex, options.namespace);
    }
    return this.#read('count()', () => this.#select(options).length);
  }

  *entries(options: ReadOptions = {}): IterableIterator<CacheEntry<T>> {
    checkReadOptions('lister.entries', options, readNames);
    const { items, matches } = this.#narrow(options);
    for (const item of items) if (matches(item)) yield new ItemEntry(this.#source.view, item);
  }

  async *scan(options: ReadOptions & Abortable = {}): AsyncIterableIterator<CacheEntry<T>> {
    checkReadOptions('lister.scan', options, scanNames);
    const { clock, resource } = this.#source;
    const { items, matches } = this.#narrow(options);
    const rest = items.values();
    for (;;) {
      const selecting = this.#nextEntries(rest, matches);
      const entries = await inSlices(clock, `scan of ${resource.resource}`, selecting, options.signal);
      yield* entries;
      if (entries.length < entriesPerTurn) return;
    }
  }

  /** The next entries of a scan. Selects in steps, because few of very many items may match. */
  *#nextEntries(items: IterableIterator<I>, matches: (item: I) => boolean): Steps<CacheEntry<T>[]> {
    const entries: CacheEntry<T>[] = [];
    for (let next = items.next(); next.done !== true; next = items.next()) {
      if (matches(next.value)) entries.push(new ItemEntry(this.#source.view, next.value));
      if (entries.length === entriesPerTurn) break;
      yield;
    }
    return entries;
  }

  #select(options: ReadOptions): I[] {
    const { items, matches } = this.#narrow(options);
    return matches === always ? items : items.filter(matches);
  }

  /** The items of the narrowest index, and the condition that remains to be checked for each. */
  #narrow(options: ReadOptions): { readonly items: I[]; matches(item: I): boolean } {
    const { indexer, view } = this.#source;
    const { namespace } = options;
    const selector = options.labelSelector === undefined ? undefined : toLabelSelector(options.labelSelector);
    if (selector?.matchesNothing === true) return { items: [], matches: always };
    if (selector === undefined || selector.matchesEverything) {
      return { items: namespace ? indexer.byIndex(namespaceIndex, namespace) : indexer.list(), matches: always };
    }
    let candidates: I[] | undefined;
    for (const { key, operator, values } of selector.requirements) {
      const index = values.length === 1 && isEquality(operator) ? this.#source.labelIndex(key) : undefined;
      if (index !== undefined) candidates = indexer.byIndex(index, values[0] as string);
    }
    const isIn = (item: I) => candidates === undefined || !namespace || view.accessor.namespace(item) === namespace;
    const items = candidates ?? (namespace ? indexer.byIndex(namespaceIndex, namespace) : indexer.list());
    return { items, matches: (item) => isIn(item) && selector.matches((key) => view.accessor.label(item, key)) };
  }
}

const always = (): boolean => true;

function textOf(key: string | ObjectName): string {
  return typeof key === 'string' ? key : formatKey(key.namespace, key.name);
}

/** A string instead of `{ namespace }` would select everything. */
function checkReadOptions<O extends ReadOptions>(call: string, options: O, names: OptionNames<O>): void {
  requireObject('options', options, 'an object such as { namespace, labelSelector }');
  checkOptions(call, options, names);
}

function isEverything(options: ReadOptions): boolean {
  return !options.namespace && options.labelSelector === undefined;
}

function isEquality(operator: string): boolean {
  return operator === '=' || operator === '==' || operator === 'in';
}
