import { copyLarge, PIECE, parseLarge } from '../../codec/json/large-json.js';
import { type JsonObject, setField } from '../../meta/json-values.js';
import type { OwnerReference } from '../../meta/objects.js';
import { type Undo, undoOnce } from '../../meta/undo.js';
import { OrderedMap } from '../../structures/ordered-map.js';
import { finish, type Steps } from '../../time/steps.js';
import { type PrintedFields, type PrintedObject, printObject } from './printed-object.js';

/** The type of a change, as in watch events. */
export type ChangeType = 'ADDED' | 'MODIFIED' | 'DELETED';

/** An object to be stored. Its `metadata` is complete except for the resourceVersion, which the commit adds to the JSON. */
export interface Draft {
  /** Empty for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
  readonly object: JsonObject;
  /** The values of selectable fields besides name and namespace. */
  readonly fields: Readonly<Record<string, string>>;
  /** The object as JSON. @default printed by the commit */
  readonly json?: PrintedObject | undefined;
}

/**
 * One state of one object. The object and its version never change. `previous` is cleared when history is compacted, `fields` is
 * computed again when the definition changes, and `shapes`, `printedFields` and the departure line are caches.
 *
 * The object is kept as the bytes of its watch event, so that it is serialised once: watches send {@link line}, lists and
 * gets a part of it. The fields that selectors and the garbage collector read are kept beside it, so that they need not parse it.
 */
export class Revision {
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  readonly version: number;
  readonly type: ChangeType;
  readonly uid: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Changes when a definition changes its selectable fields. */
  fields: Readonly<Record<string, string>>;
  readonly owners: readonly OwnerReference[];
  /** Whether the object carries a deletionTimestamp. */
  readonly isTerminating: boolean;
  /** `{"type":"ADDED","object":{…}}` and a newline. */
  readonly line: Uint8Array;
  /** Where in `line` the resourceVersion is. */
  readonly #versionAt: number;
  /** The object in other shapes (another version, metadata only), each made when it is first sent. */
  shapes: Map<object, Uint8Array> | undefined;
  /** The state before this one; undefined for the first one, and after the change has left the history. */
  previous: Revision | undefined;
  #departureLine: Uint8Array | undefined;
  /** The fields of a large object that was the last to be written, so that the next update parses and prints what it changes. */
  printedFields: PrintedFields | undefined;

  constructor(type: ChangeType, version: number, draft: Draft, previous: Revision | undefined) {
    const metadata = draft.object['metadata'] as {
      uid?: string;
      labels?: Record<string, string>;
      ownerReferences?: OwnerReference[];
      deletionTimestamp?: string | undefined;
    };
    const printed = draft.json ?? finish(printObject(draft.object, version !== UNCOMMITTED));
    this.key = keyOf(draft.namespace, draft.name);
    this.namespace = draft.namespace;
    this.name = draft.name;
    this.version = version;
    this.type = type;
    this.uid = metadata.uid ?? '';
    this.labels = metadata.labels ?? NO_LABELS;
    this.fields = draft.fields;
    this.owners = metadata.ownerReferences ?? NO_OWNERS;
    this.isTerminating = metadata.deletionTimestamp !== undefined;
    this.line = lineOf(type, printed, version);
    this.#versionAt = LINE_PREFIX[type].length + Buffer.byteLength(printed.before);
    this.previous = previous;
    if (this.line.length > PIECE) this.printedFields = printed.fields;
  }

  /** The object as JSON text in UTF-8: a view, not a copy. */
  get bytes(): Uint8Array {
    return this.line.subarray(LINE_PREFIX[this.type].length, this.line.length - LINE_SUFFIX.length);
  }

  /** The DELETED event for watches that no longer select the object: its state before, with this version. */
  get departureLine(): Uint8Array {
    if (this.#departureLine === undefined) {
      this.#departureLine = lineOf('DELETED', this.previous!.printed, this.version);
    }
    return this.#departureLine;
  }

  /** The object as JSON, around its resourceVersion. */
  get printed(): PrintedObject {
    const end = this.line.length - LINE_SUFFIX.length;
    return {
      before: decoder.decode(this.line.subarray(LINE_PREFIX[this.type].length, this.#versionAt)),
      after: decoder.decode(this.line.subarray(this.#versionAt + String(this.version).length, end)),
    };
  }

  /** The object, parsed on each call, so that the caller may change it. */
  decode(): JsonObject {
    return JSON.parse(decoder.decode(this.bytes));
  }

  /** Like {@link decode}, for objects of any size. */
  *decodeInSteps(): Steps<JsonObject> {
    if (this.printedFields === undefined) return (yield* parseLarge(decoder.decode(this.bytes))) as JsonObject;
    const object: JsonObject = {};
    for (const [name, field] of this.printedFields) {
      field.value ??= yield* parseLarge(field.text);
      setField(object, name, yield* copyLarge(field.value));
    }
    (object['metadata'] as JsonObject)['resourceVersion'] = String(this.version);
    return object;
  }
}

/** Objects per step of a scan. `visit` may be slow: a selector may have hundreds of requirements. */
const SCAN_STEP = 64;

/** The version of a revision that is not stored, as of a dry run: its JSON keeps the resourceVersion of the object. */
export const UNCOMMITTED = 0;

const decoder = new TextDecoder();
const NO_LABELS: Readonly<Record<string, string>> = {};
const NO_OWNERS: readonly OwnerReference[] = [];
/** The text before the object in a watch event. */
export const LINE_PREFIX: Readonly<Record<ChangeType | 'BOOKMARK' | 'ERROR', Uint8Array>> = {
  ADDED: Buffer.from('{"type":"ADDED","object":'),
  MODIFIED: Buffer.from('{"type":"MODIFIED","object":'),
  DELETED: Buffer.from('{"type":"DELETED","object":'),
  BOOKMARK: Buffer.from('{"type":"BOOKMARK","object":'),
  ERROR: Buffer.from('{"type":"ERROR","object":'),
};
/** The text after it. */
export const LINE_SUFFIX: Uint8Array = Buffer.from('}\n');

/** A watch event of an object as JSON text. */
export function eventLine(type: keyof typeof LINE_PREFIX, json: string): Uint8Array {
  return Buffer.from(`{"type":"${type}","object":${json}}\n`, 'utf8');
}

function lineOf(type: ChangeType, { before, after }: PrintedObject, version: number): Uint8Array {
  return eventLine(type, `${before}${version === UNCOMMITTED ? '' : version}${after}`);
}

/** The key of an object in its collection. A list is in the order of keys. */
export function keyOf(namespace: string, name: string): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}

/** Options of {@link Storage}. */
export interface StorageOptions {
  /** How many changes of one resource are kept, for watches and for lists of older versions. */
  readonly historyLimit: number;
  /** How many bytes of former states are kept, of all resources together. @default no limit */
  readonly historyBytes?: number | undefined;
  /** The version of the empty storage. @default 1, because resourceVersion 0 means any version */
  readonly firstVersion?: number | undefined;
}

/**
 * The objects of the server, in memory: one {@link Collection} for each resource and one version counter for all.
 *
 * Every commit increments the version, so that a version identifies one change in the whole server and the state of every
 * collection after it. Listeners of `subscribe` are called with each commit, in order.
 */
export class Storage {
  readonly #historyLimit: number;
  readonly #historyBytes: number;
  readonly #collections = new Map<string, Collection>();
  readonly #ledger: Ledger;

  constructor(options: StorageOptions) {
    this.#historyLimit = options.historyLimit;
    this.#historyBytes = options.historyBytes ?? Number.POSITIVE_INFINITY;
    this.#ledger = {
      version: options.firstVersion ?? 1,
      historyBytes: 0,
      large: undefined,
      listeners: new Set(),
      trim: () => this.#trim(),
    };
  }

  /** The version of the latest commit. */
  get version(): number {
    return this.#ledger.version;
  }

  /** The collection of a resource; created by the first call. */
  collection(id: string): Collection {
    let collection = this.#collections.get(id);
    if (collection === undefined) {
      collection = new Collection(id, this.#historyLimit, this.#ledger);
      this.#collections.set(id, collection);
    }
    return collection;
  }

  collections(): Iterable<Collection> {
    return this.#collections.values();
  }

  /** Calls `listener` within every commit of any collection, before `put` or `remove` returns. */
  subscribe(listener: (revision: Revision, collection: Collection) => void): Undo {
    this.#ledger.listeners.add(listener);
    return undoOnce(() => void this.#ledger.listeners.delete(listener));
  }

  /** Drops the oldest change of the collection with the most bytes of history, until all fit into the limit. */
  #trim(): void {
    while (this.#ledger.historyBytes > this.#historyBytes) {
      let largest: Collection | undefined;
      for (const collection of this.#collections.values()) {
        if (collection.historyBytes > (largest?.historyBytes ?? 0)) largest = collection;
      }
      if (largest?.forgetOldest() !== true) return;
    }
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

/** What the collections of one storage share: counters and listeners. */
interface Ledger {
  version: number;
  /** Bytes of former states of all collections. */
  historyBytes: number;
  /** The large object that was written last: the only one that keeps its printed fields. */
  large: Revision | undefined;
  /** Drops history beyond the limit. */
  trim(): void;
  readonly listeners: Set<(revision: Revision, collection: Collection) => void>;
}

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
 * snapshot copies nothing, and writers never wait for readers. When the window overflows, the oldest change leaves it: its
 * `previous` is cleared, and an entry whose newest revision is a deletion is removed. Memory is therefore bounded by the
 * objects and by the window, which is limited in changes and in the bytes that only it keeps: former states and deletions.
 */
export class Collection {
  readonly id: string;
  readonly #entries = new OrderedMap<Revision>();
  readonly #listeners = new Set<() => void>();
  readonly #historyLimit: number;
  readonly #ledger: Ledger;
  /** Changes in order; those before `#dead` have left the window and are cut off in bulk. */
  #window: (Revision | undefined)[] = [];
  #dead = 0;
  /** The place of `#window[0]`, counted from the first change ever. */
  #base = 0;
  #oldestVersion: number;
  #oldestChange: number;
  #size = 0;
  #historyBytes = 0;

  constructor(id: string, historyLimit: number, ledger: Ledger) {
    this.id = id;
    this.#historyLimit = historyLimit;
    this.#ledger = ledger;
    this.#oldestVersion = ledger.version;
    this.#oldestChange = ledger.version;
  }

  /** The number of objects. */
  get size(): number {
    return this.#size;
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

  /** The present state of an object. */
  get(key: string): Revision | undefined {
    const newest = this.#entries.get(key);
    return newest === undefined || newest.type === 'DELETED' ? undefined : newest;
  }

  /** Commits a new state, as ADDED or MODIFIED, and calls the listeners. */
  put(draft: Draft): Revision {
    const previous = this.#entries.get(keyOf(draft.namespace, draft.name));
    const isNew = previous === undefined || previous.type === 'DELETED';
    if (isNew) this.#size++;
    return this.#append(new Revision(isNew ? 'ADDED' : 'MODIFIED', ++this.#ledger.version, draft, previous));
  }

  /** Removes an object. The DELETED event has its last state with the version of the removal. */
  remove(key: string): Revision {
    const last = this.get(key);
    if (last === undefined) throw new Error(`${this.id} ${key} is not stored`);
    this.#size--;
    const { namespace, name, fields, uid, labels, owners } = last;
    const metadata = { uid, labels, ownerReferences: owners, deletionTimestamp: last.isTerminating ? '' : undefined };
    const draft: Draft = { namespace, name, fields, object: { metadata }, json: last.printed };
    return this.#append(new Revision('DELETED', ++this.#ledger.version, draft, last));
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

  /** The place after the latest change. */
  get changesEnd(): number {
    return this.#base + this.#window.length;
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
    this.#listeners.add(listener);
    return undoOnce(() => void this.#listeners.delete(listener));
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

  /** Drops the history before `version`, for lists and watches. */
  compact(version: number): void {
    while (this.#dead < this.#window.length && this.#window[this.#dead]!.version <= version) this.#dropOldest();
    this.#cutDead();
    this.#oldestVersion = Math.max(this.#oldestVersion, version);
    this.#oldestChange = Math.max(this.#oldestChange, version);
  }

  /** Drops the oldest change unless it is the latest; returns whether it did. */
  forgetOldest(): boolean {
    if (this.#window.length - this.#dead <= 1) return false;
    this.#dropOldest();
    return true;
  }

  /** Lets watches start no earlier than `version`; lists of older versions still work. */
  forgetChanges(version: number): void {
    this.#oldestChange = Math.max(this.#oldestChange, version);
  }

  #append(revision: Revision): Revision {
    this.#entries.set(revision.key, revision);
    this.#window.push(revision);
    this.#count(historyBytesOf(revision));
    if (revision.printedFields !== undefined) {
      if (this.#ledger.large !== undefined) this.#ledger.large.printedFields = undefined;
      this.#ledger.large = revision;
    }
    if (this.#window.length - this.#dead > this.#historyLimit) this.#dropOldest();
    this.#ledger.trim();
    for (const listener of this.#ledger.listeners) listener(revision, this);
    for (const listener of this.#listeners) listener();
    return revision;
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
