import type { JsonObject } from '../../meta/json-values.js';
import { type Undo, undoOnce } from '../../meta/undo.js';
import { OrderedMap } from '../../structures/ordered-map.js';
import type { Steps } from '../../time/steps.js';
import { type ChangeType, type Draft, type KeptState, keyOf, Revision } from './revision.js';

/** A commit, and the collection that it belongs to. */
export interface Change {
  readonly revision: Revision;
  readonly collection: Collection;
}

/** A change as it was read from a file. */
export interface StoredChange {
  readonly type: ChangeType;
  readonly version: number;
  readonly time: number;
  /** The id of the collection. */
  readonly collection: string;
  readonly key: string;
  /** Undefined for a deletion: its state is the last one before it. */
  readonly state: KeptState | undefined;
}

/**
 * Makes commits durable. Without one, every commit is published at once.
 */
export interface Journal {
  /** Throws a StorageUnavailableError if no commit can be made durable at present. */
  check(): void;
  /** Takes a commit; calls {@link Storage.publish} once it is durable. */
  append(change: Change): void;
  /** Resolves once all commits so far are durable; rejects with a StorageUnavailableError if they cannot be. Undefined if they are. */
  flushed(): Promise<void> | undefined;
}

/** What the collections of one storage share: counters and listeners. */
export interface Ledger {
  /** The version of the latest published commit: what clients see. */
  version: number;
  /** The version of the latest commit. */
  head: number;
  /** The oldest version that a new collection has; undefined: the present one. */
  base: number | undefined;
  /** Bytes of former states of all collections. */
  historyBytes: number;
  /** The large object that was written last: the only one that keeps its printed fields. */
  large: Revision | undefined;
  journal: Journal | undefined;
  /** Whether commits are published before they are durable: while the server starts. */
  isStarting: boolean;
  now(): number;
  /** Drops history beyond the limit. */
  trim(): void;
  readonly commitListeners: Set<(revision: Revision, collection: Collection) => void>;
  readonly publishListeners: Set<() => void>;
}

/** Objects per step of a scan. `visit` may be slow: a selector may have hundreds of requirements. */
const SCAN_STEP = 64;

/**
 * The objects of one resource and their history.
 *
 * ```
 *   entries (in key order)          each entry leads to its newest revision, and that to the one before it
 *     a/x ──▶ v9 MODIFIED ─▶ v4 ADDED
 *     a/y ──▶ v7 DELETED  ─▶ v5 ADDED
 *     b/z ──▶ v8 ADDED
 *   window (in version order)       v4 v5 v7 v8 v9     the changes that watches can still get
 * ```
 *
 * The state at version V is, for each entry, the newest revision that is not newer than V, unless it is a deletion. A
 * snapshot copies nothing, and writers never wait for readers. With a journal the newest changes are not published yet: writers
 * see them, clients do not. When the window overflows, the oldest change leaves it: its
 * `previous` is cleared, and an entry whose newest revision is a deletion is removed. Memory is therefore bounded by the
 * objects and by the window, which is limited in changes and in the bytes that only it keeps: former states and deletions.
 */
export class Collection {
  readonly id: string;
  #entries = new OrderedMap<Revision>();
  readonly #commitListeners = new Set<() => void>();
  readonly #publishListeners = new Set<() => void>();
  readonly #historyLimit: number;
  readonly #ledger: Ledger;
  /** Changes in order; those before `#dead` have left the window and are cut off in bulk. */
  #window: (Revision | undefined)[] = [];
  #dead = 0;
  /** The place of `#window[0]`, counted from the first change ever. */
  #base = 0;
  /** How many changes at the end of the window are not published. */
  #unpublished = 0;
  #oldestVersion: number;
  #oldestChange: number;
  #size = 0;
  #historyBytes = 0;

  constructor(id: string, historyLimit: number, ledger: Ledger) {
    this.id = id;
    this.#historyLimit = historyLimit;
    this.#ledger = ledger;
    this.#oldestVersion = ledger.base ?? ledger.version;
    this.#oldestChange = this.#oldestVersion;
  }

  /** The number of objects. */
  get size(): number {
    return this.#size;
  }

  /** The version of the latest published state, as clients see it. */
  get version(): number {
    return this.#ledger.version;
  }

  /** How many bytes of former states the window keeps. */
  get historyBytes(): number {
    return this.#historyBytes;
  }

  /** The oldest version that can be listed. */
  get oldestVersion(): number {
    return this.#oldestVersion;
  }

  /** The oldest version that a watch can start after. */
  get oldestChange(): number {
    return this.#oldestChange;
  }

  /** The latest state of an object, for writers: its commit may not be published yet. */
  get(key: string): Revision | undefined {
    const newest = this.#entries.get(key);
    return newest === undefined || newest.type === 'DELETED' ? undefined : newest;
  }

  /** The latest published state of an object, for clients: nothing can take it back. */
  published(key: string): Revision | undefined {
    let revision = this.#entries.get(key);
    while (revision !== undefined && revision.version > this.#ledger.version) revision = revision.previous;
    return revision === undefined || revision.type === 'DELETED' ? undefined : revision;
  }

  /** Commits a new state, as ADDED or MODIFIED, and calls the listeners. Throws a StorageUnavailableError if the journal cannot take it. */
  put(draft: Draft): Revision {
    const ledger = this.#ledger;
    ledger.journal?.check();
    const previous = this.#entries.get(keyOf(draft.namespace, draft.name));
    const isNew = previous === undefined || previous.type === 'DELETED';
    return this.#commit(new Revision(isNew ? 'ADDED' : 'MODIFIED', ++ledger.head, draft, previous, ledger.now()));
  }

  /** Removes an object. The DELETED event has its last state with the version of the removal. Throws as {@link put}. */
  remove(key: string): Revision {
    const ledger = this.#ledger;
    ledger.journal?.check();
    const last = this.get(key);
    if (last === undefined) throw new Error(`${this.id} ${key} is not stored`);
    return this.#commit(last.deletion(++ledger.head, ledger.now()));
  }

  /**
   * Visits the objects as of `version`, in key order from `from` on, as long as keys begin with `prefix` and `visit` returns
   * true. A version before {@link oldestVersion} may give an incomplete state.
   */
  scan(version: number, prefix: string, from: string, visit: (revision: Revision) => boolean): void {
    this.#entries.scan(from > prefix ? from : prefix, (key, newest) => {
      if (!key.startsWith(prefix)) return false;
      let revision: Revision | undefined = newest;
      while (revision !== undefined && revision.version > version) revision = revision.previous;
      return revision === undefined || revision.type === 'DELETED' || visit(revision);
    });
  }

  /**
   * The same in steps, for collections of any size. Returns false if `version` was compacted before the end; with
   * `Number.POSITIVE_INFINITY` it visits the newest state of each object instead of one snapshot.
   */
  *scanInSteps(version: number, prefix: string, from: string, visit: (revision: Revision) => boolean): Steps<boolean> {
    for (let next: string | undefined = from; next !== undefined; yield) {
      if (version < this.#oldestVersion) return false;
      let seen = 0;
      const start: string = next;
      next = undefined;
      this.scan(version, prefix, start, (revision) => {
        if (seen++ < SCAN_STEP) return visit(revision);
        next = revision.key;
        return false;
      });
    }
    return true;
  }

  /**
   * The place of the first change after `version`, for {@link changeAt}; undefined if that change has left the window.
   */
  changesAfter(version: number): number | undefined {
    if (version < this.#oldestChange) return undefined;
    let low = this.#dead;
    let high = this.#window.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#window[middle]!.version <= version) low = middle + 1;
      else high = middle;
    }
    return this.#base + low;
  }

  /** The place after the latest published change. */
  get changesEnd(): number {
    return this.#base + this.#window.length - this.#unpublished;
  }

  /** The place of the oldest change in the window. */
  get changesStart(): number {
    return this.#base + this.#dead;
  }

  /** The change at a place between {@link changesStart} and {@link changesEnd}. */
  changeAt(place: number): Revision {
    return this.#window[place - this.#base]!;
  }

  /** Calls `listener` after every commit of this collection. */
  subscribe(listener: () => void): Undo {
    this.#commitListeners.add(listener);
    return undoOnce(() => void this.#commitListeners.delete(listener));
  }

  /** Calls `listener` when commits of this collection are published: when clients see them. */
  onPublish(listener: () => void): Undo {
    this.#publishListeners.add(listener);
    return undoOnce(() => void this.#publishListeners.delete(listener));
  }

  /** Calls `listener` when {@link version} has grown: with commits of other collections too, if they share their versions. */
  onVersion(listener: () => void): Undo {
    this.#ledger.publishListeners.add(listener);
    return undoOnce(() => void this.#ledger.publishListeners.delete(listener));
  }

  /** Computes `fields` of all kept revisions again, after a CustomResourceDefinition has changed its `selectableFields`. */
  refield(fieldsOf: (object: JsonObject) => Readonly<Record<string, string>>): void {
    this.#entries.scan('', (_key, newest) => {
      for (let state: Revision | undefined = newest; state !== undefined; state = state.previous) {
        state.fields = fieldsOf(state.decode());
      }
      return true;
    });
  }

  /** Like {@link refield}, for the revisions that lack one of these fields: a file has them as they were when it was written. */
  completeFields(names: readonly string[], fieldsOf: (object: JsonObject) => Readonly<Record<string, string>>): void {
    if (names.length === 0) return;
    this.#entries.scan('', (_key, newest) => {
      for (let state: Revision | undefined = newest; state !== undefined; state = state.previous) {
        const { fields } = state;
        if (names.some((name) => fields[name] === undefined)) state.fields = fieldsOf(state.decode());
      }
      return true;
    });
  }

  /** Drops the history before `version`, for lists and watches. */
  compact(version: number): void {
    while (this.#dead < this.#window.length && this.#window[this.#dead]!.version <= version) this.#dropOldest();
    this.#cutDead();
    this.#oldestVersion = Math.max(this.#oldestVersion, version);
    this.#oldestChange = Math.max(this.#oldestChange, version);
  }

  /** Drops the oldest change unless it is the latest published one; returns whether it did. */
  forgetOldest(): boolean {
    if (this.#window.length - this.#dead - this.#unpublished <= 1) return false;
    this.#dropOldest();
    return true;
  }

  /** Lets watches start no earlier than `version`; lists of older versions still work. */
  forgetChanges(version: number): void {
    this.#oldestChange = Math.max(this.#oldestChange, version);
  }

  /**
   * Visits the kept states of all objects up to `version`, key by key, each from its oldest to its newest: for a file that
   * {@link restore} reads. Commits and compactions may come between the steps. States that they drop meanwhile are older than
   * the `oldestVersion` after the last step.
   */
  *keptInSteps(version: number, visit: (revision: Revision) => void): Steps<void> {
    for (let next: string | undefined = ''; next !== undefined; yield) {
      let seen = 0;
      const start: string = next;
      next = undefined;
      this.#entries.scan(start, (key, newest) => {
        if (seen++ === SCAN_STEP) {
          next = key;
          return false;
        }
        const states: Revision[] = [];
        for (let state: Revision | undefined = newest; state !== undefined; state = state.previous) states.push(state);
        for (const state of states.reverse()) if (state.version <= version) visit(state);
        return true;
      });
    }
  }

  /** Puts a state back that {@link keptInSteps} has visited, in the same order. {@link completeRestore} must follow. */
  restore(change: StoredChange): void {
    const revision = this.#revisionOf(change, this.#entries.get(change.key));
    if (revision === undefined) return;
    this.#entries.set(revision.key, revision);
    this.#window.push(revision);
  }

  /** Completes {@link restore} with the `oldestVersion` after the last step of {@link keptInSteps}. */
  completeRestore(oldestVersion: number): void {
    this.#window.sort((a, b) => a!.version - b!.version);
    for (const revision of this.#window) {
      this.#count(historyBytesOf(revision!));
      this.#size += sizeChange(revision!);
    }
    this.#oldestVersion = oldestVersion;
    this.#oldestChange = oldestVersion;
    this.compact(oldestVersion);
    // The limits may be lower than those of the server before.
    this.#trim();
  }

  /**
   * Repeats a change of the log. One that is not newer than `oldestVersion` may lack the state before it: the snapshot was
   * written later.
   */
  replay(change: StoredChange): void {
    const { type, key, version } = change;
    const previous = this.#entries.get(key);
    const isPresent = previous !== undefined && previous.type !== 'DELETED';
    if (isPresent === (type === 'ADDED') && version > this.#oldestVersion) {
      throw new Error(
        `${this.id} ${key} ${isPresent ? 'exists' : 'does not exist'} before it is ${type} by version ${version}`,
      );
    }
    const revision = this.#revisionOf(change, previous);
    if (revision === undefined) return;
    this.#commit(revision);
    while (this.#dead < this.#window.length && this.#window[this.#dead]!.version <= this.#oldestVersion)
      this.#dropOldest();
  }

  /**
   * Repeats a change of another server, with the version that it had there. For a collection with its own versions. A version that
   * does not follow the present one is replaced by the next; a deletion of what is not stored is left out.
   */
  adopt(change: StoredChange): void {
    const isPresent = this.get(change.key) !== undefined;
    if (change.type === 'DELETED' && !isPresent) return;
    const version = Math.max(change.version, this.version + 1);
    this.#ledger.head = version;
    this.replay({ ...change, version });
  }

  /** Sets a version without a change, as the bookmark of another server does. */
  advance(version: number): void {
    if (version <= this.version) return;
    this.#ledger.head = version;
    this.#ledger.version = version;
    for (const listener of this.#ledger.publishListeners) listener();
  }

  /**
   * Replaces all objects by those of a list of another server, and drops the history: watches end, and get 410 Gone if they resume.
   * The objects are taken in steps; clients see the old ones until the last step.
   */
  *replaceInSteps(version: number, changes: Iterable<StoredChange>): Steps<void> {
    const entries = new OrderedMap<Revision>();
    for (const change of changes) {
      const revision = this.#revisionOf(change, undefined);
      if (revision !== undefined) entries.set(revision.key, revision);
      yield;
    }
    this.#entries = entries;
    this.#size = entries.size;
    this.#count(-this.#historyBytes);
    // One place more than there were changes: a watch that has sent all of them ends too.
    this.#base += this.#window.length + 1;
    this.#window = [];
    this.#dead = 0;
    const next = Math.max(version, this.version);
    this.#oldestVersion = next;
    this.#oldestChange = next;
    this.advance(next);
    this.notifyPublished();
  }

  /** Undefined for a deletion without a state before it. */
  #revisionOf({ type, version, time, state }: StoredChange, previous: Revision | undefined): Revision | undefined {
    if (state !== undefined) return new Revision(type, version, state, previous, time);
    return previous === undefined || previous.type === 'DELETED' ? undefined : previous.deletion(version, time);
  }

  #commit(revision: Revision): Revision {
    const ledger = this.#ledger;
    this.#entries.set(revision.key, revision);
    this.#window.push(revision);
    this.#unpublished++;
    this.#size += sizeChange(revision);
    this.#count(historyBytesOf(revision));
    if (revision.printedFields !== undefined) {
      if (ledger.large !== undefined) ledger.large.printedFields = undefined;
      ledger.large = revision;
    }
    ledger.journal?.append({ revision, collection: this });
    const isPublished = ledger.journal === undefined || ledger.isStarting;
    if (isPublished) this.publish(revision);
    for (const listener of ledger.commitListeners) listener(revision, this);
    for (const listener of this.#commitListeners) listener();
    if (isPublished) {
      this.notifyPublished();
      for (const listener of ledger.publishListeners) listener();
    }
    return revision;
  }

  /** Lets clients see the oldest commit that is not published: `revision`. For the storage. */
  publish(revision: Revision): void {
    this.#ledger.version = revision.version;
    this.#unpublished--;
    this.#trim();
  }

  /** Drops published changes beyond the limits. */
  #trim(): void {
    while (this.#window.length - this.#dead - this.#unpublished > this.#historyLimit) this.#dropOldest();
    this.#ledger.trim();
  }

  /** Calls the listeners of {@link onPublish}. For the storage. */
  notifyPublished(): void {
    for (const listener of this.#publishListeners) listener();
  }

  #count(bytes: number): void {
    this.#historyBytes += bytes;
    this.#ledger.historyBytes += bytes;
  }

  #dropOldest(): void {
    const oldest = this.#window[this.#dead]!;
    this.#window[this.#dead++] = undefined;
    this.#count(-historyBytesOf(oldest));
    oldest.previous = undefined;
    if (oldest.type === 'DELETED' && this.#entries.get(oldest.key) === oldest) this.#entries.delete(oldest.key);
    this.#oldestVersion = Math.max(this.#oldestVersion, oldest.version);
    this.#oldestChange = Math.max(this.#oldestChange, oldest.version);
    // Removing the first element of an array moves all others, so the dead ones are cut off together.
    if (this.#dead > this.#window.length / 2) this.#cutDead();
  }

  #cutDead(): void {
    this.#window = this.#window.slice(this.#dead);
    this.#base += this.#dead;
    this.#dead = 0;
  }
}

/** The bytes that are freed when a change leaves the window: the state before it, and a deletion itself. */
function historyBytesOf({ type, line, previous }: Revision): number {
  return (previous?.line.length ?? 0) + (type === 'DELETED' ? line.length : 0);
}

/** By how much a change changes the number of objects. */
function sizeChange({ type, previous }: Revision): number {
  const was = previous === undefined || previous.type === 'DELETED' ? 0 : 1;
  return (type === 'DELETED' ? 0 : 1) - was;
}
