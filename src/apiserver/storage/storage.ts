import { type Undo, undoOnce } from '../../meta/undo.js';
import { type Change, Collection, type Journal, type Ledger, type StoredChange } from './collection.js';
import type { Revision } from './revision.js';

export { Collection } from './collection.js';
export {
  type ChangeType,
  type Draft,
  eventLine,
  keyOf,
  LINE_PREFIX,
  LINE_SUFFIX,
  Revision,
  UNCOMMITTED,
} from './revision.js';

/** Options of {@link Storage}. */
export interface StorageOptions {
  /** How many changes of one resource are kept, for watches and for lists of older versions. */
  readonly historyLimit: number;
  /** How many bytes of former states are kept, of all resources together. @default no limit */
  readonly historyBytes?: number | undefined;
  /** The version of the empty storage. @default 1, because resourceVersion 0 means any version */
  readonly firstVersion?: number | undefined;
  /** The wall clock, for the times of commits. @default 0 */
  readonly now?: (() => number) | undefined;
  /** Whether each collection counts its own versions, as the changes of a recording do. @default false: one counter for all */
  readonly ownVersions?: boolean | undefined;
}

/**
 * The objects of the server: one {@link Collection} for each resource and one version counter for all.
 *
 * Every commit increments the version, so that a version identifies one change in the whole server and the state of every
 * collection after it. Listeners of `subscribe` are called with each commit, in order.
 *
 * ```
 *   commit      decides about the version and the order of a change; writers and controllers see it
 *   publish     clients see it: reads, lists, watches, the answer to the write
 * ```
 *
 * In memory both happen at once. With a {@link Journal} a commit is published once it is on the disk, so that no client
 * ever sees what a crash can take back. Commits are published in their order.
 */
export class Storage {
  readonly #historyLimit: number;
  readonly #historyBytes: number;
  readonly #collections = new Map<string, Collection>();
  readonly #now: () => number;
  readonly #ownVersions: boolean;
  readonly #ledger: Ledger;

  constructor(options: StorageOptions) {
    this.#historyLimit = options.historyLimit;
    this.#historyBytes = options.historyBytes ?? Number.POSITIVE_INFINITY;
    this.#now = options.now ?? (() => 0);
    this.#ownVersions = options.ownVersions ?? false;
    this.#ledger = this.#newLedger(options.firstVersion ?? 1);
  }

  #newLedger(version: number): Ledger {
    return {
      version,
      head: version,
      base: undefined,
      historyBytes: 0,
      large: undefined,
      journal: undefined,
      isStarting: false,
      now: this.#now,
      commitListeners: new Set(),
      publishListeners: new Set(),
      trim: () => this.#trim(),
    };
  }

  /** The version of the latest published commit. */
  get version(): number {
    return this.#ledger.version;
  }

  /** The collection of a resource; created by the first call. */
  collection(id: string): Collection {
    let collection = this.#collections.get(id);
    if (collection === undefined) {
      const ledger = this.#ownVersions ? this.#newLedger(this.version) : this.#ledger;
      collection = new Collection(id, this.#historyLimit, ledger);
      this.#collections.set(id, collection);
    }
    return collection;
  }

  collections(): Iterable<Collection> {
    return this.#collections.values();
  }

  /** Calls `listener` within every commit of any collection, before `put` or `remove` returns. */
  subscribe(listener: (revision: Revision, collection: Collection) => void): Undo {
    this.#ledger.commitListeners.add(listener);
    return undoOnce(() => void this.#ledger.commitListeners.delete(listener));
  }

  /** Calls `listener` when commits of any collection are published. */
  onPublish(listener: () => void): Undo {
    this.#ledger.publishListeners.add(listener);
    return undoOnce(() => void this.#ledger.publishListeners.delete(listener));
  }

  /**
   * Resolves once all commits so far are published; rejects with a StorageUnavailableError if the journal fails. Undefined if all are
   * published. An answer that depends on the latest state of an object waits for it.
   */
  flushed(): Promise<void> | undefined {
    return this.#ledger.head === this.#ledger.version ? undefined : this.#ledger.journal?.flushed();
  }

  /** Calls `callback` once all commits so far are published: at once if they are. */
  afterPublish(callback: () => void): void {
    const { head } = this.#ledger;
    if (this.version >= head) {
      callback();
      return;
    }
    const undo = this.onPublish(() => {
      if (this.version < head) return;
      undo();
      callback();
    });
  }

  /** Publishes commits that the journal has made durable: all up to the last of them, in their order. */
  publish(changes: readonly Change[]): void {
    if (this.#ledger.isStarting) return;
    const collections = new Set<Collection>();
    for (const { revision, collection } of changes) {
      collection.publish(revision);
      collections.add(collection);
    }
    for (const collection of collections) collection.notifyPublished();
    for (const listener of this.#ledger.publishListeners) listener();
  }

  /** Sets the version that the log begins after. The storage is empty, and gets the changes of the log by {@link replay}. */
  startAt(version: number): void {
    Object.assign(this.#ledger, { version, head: version, base: version });
  }

  /** Repeats a change that was read from the log. */
  replay(change: StoredChange): void {
    const { version, collection } = change;
    if (version !== this.#ledger.head + 1) {
      throw new Error(`version ${version} of ${collection} ${change.key} follows version ${this.#ledger.head}`);
    }
    const target = this.collection(collection);
    this.#ledger.head = version;
    target.replay(change);
    this.#ledger.version = version;
  }

  /** Hands all further commits to a journal. Until {@link serve} they are published at once: no client reads yet. */
  attach(journal: Journal): void {
    this.#ledger.journal = journal;
    this.#ledger.isStarting = true;
  }

  /** Waits until all commits so far are durable, and publishes only durable commits from now on. */
  async serve(): Promise<void> {
    // The controllers may commit while this waits.
    for (let flushed = this.#ledger.journal?.flushed(); flushed !== undefined; ) {
      await flushed;
      flushed = this.#ledger.journal?.flushed();
    }
    this.#ledger.isStarting = false;
    this.#ledger.base = undefined;
  }

  /** Drops the oldest change of the collection with the most bytes of history, until all fit into the limit. */
  #trim(): void {
    while (this.#keptBytes() > this.#historyBytes) {
      let largest: Collection | undefined;
      for (const collection of this.#collections.values()) {
        if (collection.historyBytes > (largest?.historyBytes ?? 0)) largest = collection;
      }
      if (largest?.forgetOldest() !== true) return;
    }
  }

  #keptBytes(): number {
    if (!this.#ownVersions) return this.#ledger.historyBytes;
    let bytes = 0;
    for (const collection of this.#collections.values()) bytes += collection.historyBytes;
    return bytes;
  }

  /** Drops all history: only the present state can be listed, and watched from. */
  compact(): void {
    for (const collection of this.#collections.values()) collection.compact(this.version);
  }

  /** Makes watches from older versions get 410 Gone, as after a restart; lists of older versions still work. */
  forgetChanges(): void {
    for (const collection of this.#collections.values()) collection.forgetChanges(this.version);
  }
}
