import type { Accessor } from '../../meta/accessor.js';
import { DeletedFinalStateUnknown, KeyError } from '../../meta/key.js';
import { checkOptions, type OptionNames } from '../../meta/options/known-options.js';
import { describeValue, requireFunction, requireString } from '../../meta/options/validate.js';
import { finish, type Steps } from '../../time/steps.js';
import { type ItemKey, itemKey } from './key-of.js';
import type { StoreChange, TransactionalStore } from './store.js';
import { TransactionError } from './store-errors.js';

/** Returns the values under which an index files an item. It must depend on the item alone and must not throw. */
export type ItemIndexFunction<T> = (item: T) => readonly string[];

/** Index functions by the name of their index. `N` are the names that `byIndex` accepts. */
export type Indexers<T, N extends string = string> = Readonly<Record<N, ItemIndexFunction<T>>>;

/** Options of an {@link Indexer}. */
export interface IndexerOptions<T, N extends string = string> {
  /** Reads facts and fields of items. */
  readonly accessor: Accessor<T>;
  /** Returns the key that an item is stored under. @default the accessor's key: `namespace/name` */
  readonly keyOf?: ((item: T) => string) | undefined;
  /** Index functions by the names of their indexes. @default {} */
  readonly indexers?: Indexers<T, N> | undefined;
  /** Called with each item before it is stored, in every kind of write; the key is that of the untransformed item. @default none: items are stored as they arrive */
  readonly transform?: ((item: T) => T) | undefined;
  /** @internal Called when the store starts and stops to hold an item: for the owner of the bytes. @default none */
  readonly retention?: Retention<T> | undefined;
}

const indexerNames: OptionNames<IndexerOptions<never>> = {
  accessor: true,
  keyOf: true,
  indexers: true,
  transform: true,
  retention: true,
};

/** Counts the items that a store holds. Calling `retain` or `release` twice for an item has no further effect. */
export interface Retention<T> {
  retain(item: T): void;
  release(item: T): void;
}

/** A single value needs no array: most indexes have one value per item. */
type Values = string | readonly string[];

/**
 * An item and its index values.
 *
 * ```
 *  #entries  key ──▶ Entry { key, item, values: [ 'worker-1', ['a','b'] ] }      one slot per index
 *                      ▲
 *  #indexes  value ──▶ Set of the same entries: an update that keeps its values touches no index at all
 * ```
 *
 * Values are stored, because computing them again from an item that is bytes would take a second scan.
 */
interface Entry<T> {
  readonly key: string;
  item: T;
  values: (Values | undefined)[];
}

/** The entries under each value of an index. */
type Sets<T> = Map<string, Set<Entry<T>>>;

interface IndexState<T> {
  readonly name: string;
  readonly slot: number;
  readonly valuesOf: ItemIndexFunction<T>;
  sets: Sets<T>;
  ready: boolean;
}

/** A replacement in progress: readers see the old contents until `commit`. */
export interface Replacement<T> {
  add(item: T): void;
  /** Takes over the stored item with this key, if there is one. */
  keep(key: string): void;
  /** Whether the replacement has an item with this key. */
  has(key: string): boolean;
  /** Fills the indexes that were added since it began, which `commit` does at once otherwise. */
  prepare(): Steps<void>;
  commit(resourceVersion: string): void;
  /** After `commit`: releases the items that were replaced. */
  settle(): Steps<void>;
  /** Releases all items instead of committing them. */
  abandon(): void;
}

/**
 * The store of an informer: items by key, and by the values of any number of indexes.
 *
 * If an index function throws, the write throws the error and the store stays as it was.
 */
export class Indexer<T, N extends string = string> implements TransactionalStore<T> {
  readonly #accessor: Accessor<T>;
  readonly #keyFor: ItemKey<T>;
  readonly #transform: ((item: T) => T) | undefined;
  readonly #retention: Retention<T> | undefined;
  #entries = new Map<string, Entry<T>>();
  readonly #indexes: IndexState<T>[] = [];
  readonly #byName = new Map<string, IndexState<T>>();
  #resourceVersion = '';

  constructor(options: IndexerOptions<T, N>) {
    const { accessor } = checkOptions('new Indexer', options, indexerNames);
    this.#accessor = accessor;
    this.#keyFor = itemKey(accessor, options.keyOf);
    if (options.transform !== undefined) requireFunction('transform', options.transform);
    this.#transform = options.transform;
    this.#retention = options.retention;
    if (options.indexers !== undefined) this.addIndexers(options.indexers);
  }

  get size(): number {
    return this.#entries.size;
  }

  get resourceVersion(): string {
    return this.#resourceVersion;
  }

  bookmark(resourceVersion: string): void {
    this.#resourceVersion = resourceVersion;
  }

  add(item: T): void {
    this.#write('add', item);
    this.#noteVersion(item);
  }

  update(item: T): void {
    this.add(item);
  }

  delete(item: T | DeletedFinalStateUnknown<T>): void {
    this.#write('delete', item);
    this.#noteVersion(item);
  }

  get(item: T): T | undefined {
    return this.#entries.get(this.#keyFor(item))?.item;
  }

  getByKey(key: string): T | undefined {
    return this.#entries.get(key)?.item;
  }

  list(): T[] {
    const items: T[] = new Array(this.#entries.size);
    let i = 0;
    for (const entry of this.#entries.values()) items[i++] = entry.item;
    return items;
  }

  listKeys(): string[] {
    return [...this.#entries.keys()];
  }

  iterate(): IterableIterator<T> {
    return this.list()[Symbol.iterator]();
  }

  /** Iterates over the live contents: removed items are skipped, added ones may be included. */
  *live(): IterableIterator<T> {
    for (const entry of this.#entries.values()) yield entry.item;
  }

  replace(items: T[], resourceVersion: string, isKept?: (key: string) => boolean): void {
    const replacement = this.beginReplace();
    try {
      for (const item of items) replacement.add(item);
      if (isKept !== undefined) {
        for (const key of this.#entries.keys()) if (!replacement.has(key) && isKept(key)) replacement.keep(key);
      }
    } catch (error) {
      replacement.abandon();
      throw error;
    }
    replacement.commit(resourceVersion);
    finish(replacement.settle());
  }

  /**
   * @internal `replace` in several steps; readers see the old contents until `commit`. The store must not be written in between.
   * If an item cannot be added, the replacement can be continued without it or be abandoned.
   */
  beginReplace(): Replacement<T> {
    const entries = new Map<string, Entry<T>>();
    const sets = this.#indexes.map(() => new Map<string, Set<Entry<T>>>());
    const begunWith = sets.length;
    let prepared = begunWith;
    let replaced: Iterable<Entry<T>> = [];
    const indexes = this.#indexes;
    const prepare = function* (): Steps<void> {
      while (prepared < indexes.length) {
        const added = indexes.slice(begunWith);
        while (sets.length < indexes.length) sets.push(new Map());
        for (const entry of entries.values()) {
          fileMissing(entry, added, (index) => sets[index.slot] as Sets<T>);
          yield;
        }
        prepared = begunWith + added.length;
      }
    };
    return {
      add: (item) => void this.#put(entries, this.#keyFor(item), this.#transformed(item), sets),
      keep: (key) => {
        const kept = this.#entries.get(key);
        // The stored item was transformed before.
        if (kept !== undefined) this.#put(entries, key, kept.item, sets);
      },
      has: (key) => entries.has(key),
      prepare,
      commit: (resourceVersion) => {
        // First, because an index function may throw.
        finish(prepare());
        replaced = this.#entries.values();
        this.#entries = entries;
        for (const index of this.#indexes) {
          index.sets = sets[index.slot] as Sets<T>;
          index.ready = true;
        }
        this.#resourceVersion = resourceVersion;
      },
      settle: () => this.#releaseGone(replaced),
      abandon: () => finish(this.#releaseGone(entries.values())),
    };
  }

  /** Does nothing: a store has no handlers. */
  resync(): void {}

  transaction(changes: readonly StoreChange<T>[], before?: (T | undefined)[]): void {
    let errors: unknown[] | undefined;
    let successful: number[] = [];
    for (let i = 0; i < changes.length; i++) {
      const { type, item } = changes[i] as StoreChange<T>;
      try {
        const found = this.#write(type, item);
        if (before !== undefined) before[i] = found;
        if (errors !== undefined) successful.push(i);
      } catch (error) {
        // The indices are collected from the first failure on, which is rare.
        if (errors === undefined) successful = Array.from({ length: i }, (_, n) => n);
        errors ??= [];
        errors.push(error);
      }
    }
    const last = changes[changes.length - 1];
    if (last !== undefined) this.#noteVersion(last.item);
    if (errors !== undefined) throw new TransactionError(successful, changes.length, errors);
  }

  // ── indexes ────────────────────────────────────────────────────────────────────────────────────────────────────────

  /** The index functions, by name. */
  get indexers(): Indexers<T> {
    return Object.fromEntries(this.#indexes.map((index) => [index.name, index.valuesOf]));
  }

  /** Adds indexes and fills them from the stored items. Adds none if a name is taken or a function throws. */
  addIndexers<M extends string>(indexers: Indexers<T, M>): Indexer<T, N | M> {
    const steps = this.beginIndexers(indexers);
    try {
      finish(steps);
    } catch (error) {
      this.#dropNewest(Object.keys(indexers).length);
      throw error;
    }
    return this as unknown as Indexer<T, N | M>;
  }

  /** @internal `addIndexers` in steps. Writes in between are indexed at once; reading the indexes throws until the last step. */
  beginIndexers(indexers: Indexers<T>): Steps<void> {
    const names = Object.keys(indexers);
    const taken = names.filter((name) => this.#byName.has(name));
    if (taken.length > 0) throw new TypeError(`indexer conflict: an index named ${taken.join(', ')} exists already`);
    for (const name of names) {
      requireString('index name', name);
      requireFunction(`index function ${name}`, indexers[name]);
    }
    const added = names.map((name, i): IndexState<T> => {
      const valuesOf = indexers[name] as ItemIndexFunction<T>;
      return { name, slot: this.#indexes.length + i, valuesOf, sets: new Map(), ready: this.#entries.size === 0 };
    });
    for (const index of added) {
      this.#indexes.push(index);
      this.#byName.set(index.name, index);
    }
    return this.#build(added);
  }

  /** The items that have a value of this index in common with `item`. */
  index(name: N, item: T): T[] {
    const index = this.#readable(name);
    const values = index.valuesOf(item);
    if (values.length === 1) return this.byIndex(name, values[0] as string);
    const found = new Set<Entry<T>>();
    for (const value of values) for (const entry of index.sets.get(value) ?? []) found.add(entry);
    return Array.from(found, (entry) => entry.item);
  }

  /** The items filed under this value. */
  byIndex(name: N, value: string): T[] {
    const set = this.#readable(name).sets.get(value);
    if (set === undefined) return [];
    const items: T[] = new Array(set.size);
    let i = 0;
    for (const entry of set) items[i++] = entry.item;
    return items;
  }

  /** The keys filed under this value, sorted. */
  indexKeys(name: N, value: string): string[] {
    const set = this.#readable(name).sets.get(value);
    return set === undefined ? [] : Array.from(set, (entry) => entry.key).sort();
  }

  /** The number of items filed under this value. */
  indexCount(name: N, value: string): number {
    return this.#readable(name).sets.get(value)?.size ?? 0;
  }

  /** @internal How many values each index has, and how many items all of them together. Takes time in proportion to the values. */
  get indexSizes(): readonly { readonly name: string; readonly values: number; readonly items: number }[] {
    return this.#indexes.map(({ name, sets }) => {
      let items = 0;
      for (const set of sets.values()) items += set.size;
      return { name, values: sets.size, items };
    });
  }

  /** The values of this index that at least one item has; none if the index does not exist. */
  indexValues(name: string): string[] {
    return this.#byName.has(name) ? [...this.#readable(name).sets.keys()] : [];
  }

  #readable(name: string): IndexState<T> {
    const index = this.#byName.get(name);
    if (index === undefined) throw new TypeError(`Index with name ${name} does not exist`);
    if (!index.ready) throw new Error(`index ${name} is still being built: await its whenReady() before reading it`);
    return index;
  }

  *#build(indexes: readonly IndexState<T>[]): Steps<void> {
    // Walks the live map: an entry that is written meanwhile has its slot filled and is skipped.
    let walked: Map<string, Entry<T>> | undefined;
    // A replacement exchanges the map: the entries of the old one must not be filed any more.
    while (walked !== this.#entries) {
      walked = this.#entries;
      for (const entry of walked.values()) {
        fileMissing(entry, indexes, (index) => index.sets);
        yield;
        if (walked !== this.#entries) break;
      }
    }
    for (const index of indexes) index.ready = true;
  }

  /** Removes the newest indexes. */
  #dropNewest(count: number): void {
    for (const { name } of this.#indexes.splice(-count)) this.#byName.delete(name);
    for (const { values } of this.#entries.values()) {
      if (values.length > this.#indexes.length) values.length = this.#indexes.length;
    }
  }

  // ── writing ────────────────────────────────────────────────────────────────────────────────────────────────────────

  /** Applies one change, and transforms the item if it is stored. Returns the item that was under the key before. */
  #write(type: StoreChange<T>['type'], item: T | DeletedFinalStateUnknown<T>): T | undefined {
    const key = this.#keyFor(item);
    if (type === 'delete') return this.#remove(key);
    if (item instanceof DeletedFinalStateUnknown) throw new KeyError(item, 'a tombstone can only be deleted');
    return this.#put(this.#entries, key, this.#transformed(item));
  }

  /** Returns the item that was under the key before. */
  #put(entries: Map<string, Entry<T>>, key: string, item: T, sets?: readonly Sets<T>[]): T | undefined {
    const indexes = this.#indexes;
    const count = sets === undefined ? indexes.length : sets.length;
    const known = entries.get(key);
    // All values before any change, because an index function may throw.
    const values: (Values | undefined)[] = count === 0 ? noValues : new Array(count);
    for (let i = 0; i < count; i++) values[i] = compact((indexes[i] as IndexState<T>).valuesOf(item));
    this.#retention?.retain(item);
    if (known === undefined) {
      const entry: Entry<T> = { key, item, values };
      entries.set(key, entry);
      for (let i = 0; i < count; i++) file(sets?.[i] ?? (indexes[i] as IndexState<T>).sets, entry, values[i] as Values);
      return undefined;
    }
    const before = known.item;
    // An item that a replacement has twice may still be in the live contents.
    const isLive = sets !== undefined && this.#entries.get(key)?.item === before;
    if (before !== item && !isLive) this.#retention?.release(before);
    known.item = item;
    const old = known.values;
    for (let i = 0; i < count; i++) {
      const wasUnder = old[i];
      const isUnder = values[i] as Values;
      if (wasUnder === isUnder) continue;
      const target = sets?.[i] ?? (indexes[i] as IndexState<T>).sets;
      if (wasUnder !== undefined) unfile(target, known, wasUnder);
      file(target, known, isUnder);
    }
    known.values = values;
    return before;
  }

  /** Returns what was under the key before. */
  #remove(key: string): T | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#retention?.release(entry.item);
    for (const index of this.#indexes) {
      const values = entry.values[index.slot];
      if (values !== undefined) unfile(index.sets, entry, values);
    }
    return entry.item;
  }

  /** Releases the items of these entries, except those that the store holds. */
  *#releaseGone(entries: Iterable<Entry<T>>): Steps<void> {
    if (this.#retention === undefined) return;
    for (const { key, item } of entries) {
      yield;
      if (this.#entries.get(key)?.item !== item) this.#retention.release(item);
    }
  }

  #transformed(item: T): T {
    if (this.#transform === undefined) return item;
    try {
      return this.#transform(item);
    } catch (error) {
      throw new Error(`transforming: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
    }
  }

  #noteVersion(item: T | DeletedFinalStateUnknown<T>): void {
    // A tombstone does not have the version of the deletion.
    if (item instanceof DeletedFinalStateUnknown) return;
    let version = '';
    try {
      version = this.#accessor.resourceVersion(item);
    } catch {
      // An item without metadata does not change the version of the store.
    }
    if (version !== '') this.#resourceVersion = version;
  }
}

/** Shared by all entries of a store without indexes. */
const noValues: (Values | undefined)[] = [];
Object.freeze(noValues);

const noStrings: readonly string[] = Object.freeze([]);

/** The values, checked and copied: an index function may reuse its array. */
function compact(values: readonly string[]): Values {
  requireIndexValues(values);
  if (values.length === 1) return values[0] as string;
  return values.length === 0 ? noStrings : values.slice();
}

/** Checks what an index function returned. */
export function requireIndexValues(values: readonly string[]): readonly string[] {
  if (Array.isArray(values) && values.every(isString)) return values;
  throw new TypeError(`an index function must return an array of strings, got ${describeValue(values)}`);
}

function isString(value: unknown): value is string {
  return typeof value === 'string';
}

/** Files an entry under those of the indexes that it is not filed under yet. */
function fileMissing<T>(
  entry: Entry<T>,
  indexes: readonly IndexState<T>[],
  setsOf: (index: IndexState<T>) => Sets<T>,
): void {
  for (const index of indexes) {
    if (entry.values[index.slot] !== undefined) continue;
    const values = compact(index.valuesOf(entry.item));
    if (entry.values === noValues) entry.values = [];
    entry.values[index.slot] = values;
    file(setsOf(index), entry, values);
  }
}

function file<T>(sets: Sets<T>, entry: Entry<T>, values: Values): void {
  if (typeof values === 'string') fileUnder(sets, entry, values);
  else for (const value of values) fileUnder(sets, entry, value);
}

function fileUnder<T>(sets: Sets<T>, entry: Entry<T>, value: string): void {
  const set = sets.get(value);
  if (set === undefined) sets.set(value, new Set([entry]));
  else set.add(entry);
}

function unfile<T>(sets: Sets<T>, entry: Entry<T>, values: Values): void {
  if (typeof values === 'string') unfileUnder(sets, entry, values);
  else for (const value of values) unfileUnder(sets, entry, value);
}

/** Removes an empty set, so that values that are no longer used do not accumulate. */
function unfileUnder<T>(sets: Sets<T>, entry: Entry<T>, value: string): void {
  const set = sets.get(value);
  if (set?.delete(entry) === true && set.size === 0) sets.delete(value);
}
