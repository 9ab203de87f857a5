import { copyLarge, PIECE, parseLarge } from '../../codec/json/large-json.js';
import { type JsonObject, setField } from '../../meta/json-values.js';
import type { OwnerReference } from '../../meta/objects.js';
import { type Undo, undoOnce } from '../../meta/undo.js';
import { OrderedMap } from '../../structures/ordered-map.js';
import { finish, type Steps } from '../../time/steps.js';
import { type PrintedFields, type PrintedObject, printObject } from './printed-object.js';

/** What happened to an object, in the words of a watch. */
export type ChangeType = 'ADDED' | 'MODIFIED' | 'DELETED';

/** An object about to be stored. Its `metadata` is complete but for the resourceVersion, which the commit puts into its JSON. */
export interface Draft {
  /** Empty for what lives outside namespaces. */
  readonly namespace: string;
  readonly name: string;
  readonly object: JsonObject;
  /** What field selectors may ask for, beyond name and namespace. */
  readonly fields: Readonly<Record<string, string>>;
  /** The object as JSON. @default printed by the commit */
  readonly json?: PrintedObject | undefined;
}

/**
 * One state of one object: a line of history. Nothing of the object ever changes; `previous` is let go when history is
 * compacted.
 *
 * The object is kept as the bytes of the watch line that announced it, so that it is serialised exactly once: watchers
 * get {@link line}, lists and gets a view of its middle. The few facts that selectors and the garbage collector look at
 * lie beside it, so that neither ever parses.
 */
export class Revision {
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  readonly version: number;
  readonly type: ChangeType;
  readonly uid: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Looked at anew when another field becomes one that can be selected by. */
  fields: Readonly<Record<string, string>>;
  readonly owners: readonly OwnerReference[];
  /** Whether the object carries a deletionTimestamp. */
  readonly isTerminating: boolean;
  /** `{"type":"ADDED","object":{…}}` and a newline. */
  readonly line: Uint8Array;
  /** Where in `line` the resourceVersion is. */
  readonly #versionAt: number;
  /** The object in other shapes (another version, metadata only), each made when first asked for. */
  shapes: Map<object, Uint8Array> | undefined;
  /** The state before this one; undefined for the first, and once history no longer reaches back beyond this one. */
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
    this.labels = metadata.labels ?? NOTHING;
    this.fields = draft.fields;
    this.owners = metadata.ownerReferences ?? NOBODY;
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

  /** The line that tells watchers who no longer select the object that it is gone for them: its state before, at this version. */
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

  /** The object, parsed anew: the caller's own, to change at will. */
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

/** The version of a revision that was never stored: what a dry run answers with keeps whatever version it has. */
export const UNCOMMITTED = 0;

const decoder = new TextDecoder();
const NOTHING: Readonly<Record<string, string>> = {};
const NOBODY: readonly OwnerReference[] = [];
/** What stands before the object in a line of a watch. */
export const LINE_PREFIX: Readonly<Record<ChangeType | 'BOOKMARK' | 'ERROR', Uint8Array>> = {
  ADDED: Buffer.from('{"type":"ADDED","object":'),
  MODIFIED: Buffer.from('{"type":"MODIFIED","object":'),
  DELETED: Buffer.from('{"type":"DELETED","object":'),
  BOOKMARK: Buffer.from('{"type":"BOOKMARK","object":'),
  ERROR: Buffer.from('{"type":"ERROR","object":'),
};
/** What stands after it. */
export const LINE_SUFFIX: Uint8Array = Buffer.from('}\n');

/** One line of a watch, of an object as JSON text. */
export function eventLine(type: keyof typeof LINE_PREFIX, json: string): Uint8Array {
  return Buffer.from(`{"type":"${type}","object":${json}}\n`, 'utf8');
}

function lineOf(type: ChangeType, { before, after }: PrintedObject, version: number): Uint8Array {
  return eventLine(type, `${before}${version === UNCOMMITTED ? '' : version}${after}`);
}

/** One line of a watch, of an object as bytes. */
export function eventLineOf(type: keyof typeof LINE_PREFIX, object: Uint8Array): Uint8Array {
  return Buffer.concat([LINE_PREFIX[type], object, LINE_SUFFIX]);
}

/** How an object is called within its collection. Sorted, these give the order of a list. */
export function keyOf(namespace: string, name: string): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}

/** What a {@link Storage} is made with. */
export interface StorageOptions {
  /** How many changes of one resource are remembered: watches may start, and lists may look, that far back. */
  readonly historyLimit: number;
  /** How many bytes of former states are remembered, of all resources together. @default no limit */
  readonly historyBytes?: number | undefined;
}

/**
 * Everything the server knows: one counter for all, one {@link Collection} for each resource.
 *
 * Every commit raises the version by one, so a version names one change in the whole server, and the state of any
 * collection just after it. All of it lives in memory; `subscribe` sees each commit in order, which is what a log on disk
 * would write down.
 */
export class Storage {
  readonly #historyLimit: number;
  readonly #historyBytes: number;
  readonly #collections = new Map<string, Collection>();
  readonly #ledger: Ledger;

  constructor(options: StorageOptions) {
    this.#historyLimit = options.historyLimit;
    this.#historyBytes = options.historyBytes ?? Number.POSITIVE_INFINITY;
    // Zero means "any version" on the wire, and a list of an empty server needs a version too.
    this.#ledger = { version: 1, historyBytes: 0, large: undefined, listeners: new Set(), trim: () => this.#trim() };
  }

  /** The version of the latest commit. */
  get version(): number {
    return this.#ledger.version;
  }

  /** The collection of that name, made when first asked for. */
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

  /** Has the collection with the most bytes of history forget its oldest change, until there is room. */
  #trim(): void {
    while (this.#ledger.historyBytes > this.#historyBytes) {
      let largest: Collection | undefined;
      for (const collection of this.#collections.values()) {
        if (collection.historyBytes > (largest?.historyBytes ?? 0)) largest = collection;
      }
      if (largest?.forgetOldest() !== true) return;
    }
  }

  /** Forgets all history: what is there now stays, what was before cannot be asked for any more. */
  compact(): void {
    for (const collection of this.#collections.values()) collection.compact(this.version);
  }

  /** Forgets the changes that watches resume from, as a restarted server does; lists may still look back. */
  forgetChanges(): void {
    for (const collection of this.#collections.values()) collection.forgetChanges(this.version);
  }
}

/** What the collections of one storage share: the counters, and whoever follows all of them. */
interface Ledger {
  version: number;
  /** Bytes of former states, of all collections. */
  historyBytes: number;
  /** The large object that was written last: the only one that keeps its printed fields. */
  large: Revision | undefined;
  /** Makes room for them. */
  trim(): void;
  readonly listeners: Set<(revision: Revision, collection: Collection) => void>;
}

/**
 * The objects of one resource, as they are and as they were.
 *
 * ```
 *   entries (in key order)          each entry leads to its newest revision, and that to the one before it
 *     a/x ──▶ v9 MODIFIED ─▶ v4 ADDED
 *     a/y ──▶ v7 DELETED  ─▶ v5 ADDED
 *     b/z ──▶ v8 ADDED
 *   window (in version order)       v4 v5 v7 v8 v9     the changes that can still be told
 * ```
 *
 * The state at version V is read off the chains: of each entry, the newest revision that is not newer than V, unless it
 * is a deletion. No copy is ever made for a snapshot, and writers never wait for readers. When the window overflows, the
 * oldest change leaves it: its revision lets go of its predecessor, which nobody can ask for any more, and an entry
 * whose newest revision is a deletion goes away whole. So memory is bounded by the objects there are and the window,
 * which is limited in changes and in the bytes of what it alone keeps: former states, and deletions.
 */
export class Collection {
  readonly id: string;
  readonly #entries = new OrderedMap<Revision>();
  readonly #listeners = new Set<() => void>();
  readonly #historyLimit: number;
  readonly #ledger: Ledger;
  /** Changes in order; those before `#dead` have left the window, and their places wait to be cut off in bulk. */
  #window: (Revision | undefined)[] = [];
  #dead = 0;
  /** The place in all of history of `#window[0]`. */
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

  /** How many objects there are now. */
  get size(): number {
    return this.#size;
  }

  /** How many bytes of former states the window keeps. */
  get historyBytes(): number {
    return this.#historyBytes;
  }

  /** Lists can show this version and later ones. */
  get oldestVersion(): number {
    return this.#oldestVersion;
  }

  /** Watches can start after this version and after later ones. */
  get oldestChange(): number {
    return this.#oldestChange;
  }

  /** The object as it is now. */
  get(key: string): Revision | undefined {
    const newest = this.#entries.get(key);
    return newest === undefined || newest.type === 'DELETED' ? undefined : newest;
  }

  /** Stores a new state and tells everybody. What kind of change it is follows from what was there. */
  put(draft: Draft): Revision {
    const previous = this.#entries.get(keyOf(draft.namespace, draft.name));
    const isNew = previous === undefined || previous.type === 'DELETED';
    if (isNew) this.#size++;
    return this.#append(new Revision(isNew ? 'ADDED' : 'MODIFIED', ++this.#ledger.version, draft, previous));
  }

  /** Removes an object. Watchers get its last state with the version of the removal. */
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
   * Visits the objects that existed just after `version`, in key order from `from` on, as long as keys begin with
   * `prefix` and `visit` answers true. Versions before {@link oldestVersion} give whatever is left of them.
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
   * Where the changes after `version` begin, as a place to read {@link changeAt} from; undefined if some of them are
   * forgotten already.
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

  /** The earliest place that can still be read. */
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

  /** Has every state that is remembered show other fields to selectors. */
  refield(fieldsOf: (object: JsonObject) => Readonly<Record<string, string>>): void {
    this.#entries.scan('', (_key, newest) => {
      for (let state: Revision | undefined = newest; state !== undefined; state = state.previous) {
        state.fields = fieldsOf(state.decode());
      }
      return true;
    });
  }

  /** Forgets what was before `version`, for lists and watches alike. */
  compact(version: number): void {
    while (this.#dead < this.#window.length && this.#window[this.#dead]!.version <= version) this.#dropOldest();
    this.#cutDead();
    this.#oldestVersion = Math.max(this.#oldestVersion, version);
    this.#oldestChange = Math.max(this.#oldestChange, version);
  }

  /** Forgets one change, unless it is the latest; says whether it did. */
  forgetOldest(): boolean {
    if (this.#window.length - this.#dead <= 1) return false;
    this.#dropOldest();
    return true;
  }

  /** Lets watches start no earlier than `version`; lists keep what they have. */
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
    // Cutting one element off the front of an array moves all the others, so the dead ones are cut off together.
    if (this.#dead > this.#window.length / 2) this.#cutDead();
  }

  #cutDead(): void {
    this.#window = this.#window.slice(this.#dead);
    this.#base += this.#dead;
    this.#dead = 0;
  }
}

/** What of memory goes away when a change is forgotten: the state before it, and all of a deletion. */
function historyBytesOf({ type, line, previous }: Revision): number {
  return (previous?.line.length ?? 0) + (type === 'DELETED' ? line.length : 0);
}
