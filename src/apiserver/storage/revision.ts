import { copyLarge, PIECE, parseLarge } from '../../codec/json/large-json.js';
import { type JsonObject, setField } from '../../meta/json-values.js';
import type { OwnerReference } from '../../meta/objects.js';
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

/** What a {@link Revision} keeps of its object: computed from a {@link Draft}, or read from a file, perhaps when it is first needed. */
export interface KeptState {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly fields: Readonly<Record<string, string>>;
  readonly owners: readonly OwnerReference[];
  readonly isTerminating: boolean;
  readonly line: Uint8Array;
  readonly versionAt: number;
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
  /** The wall time of the commit, in milliseconds since 1970. */
  readonly time: number;
  /** `{"type":"ADDED","object":{…}}` and a newline. */
  readonly line: Uint8Array;
  /** The object in other shapes (another version, metadata only), each made when it is first sent. */
  shapes: Map<object, Uint8Array> | undefined;
  /** The state before this one; undefined for the first one, and after the change has left the history. */
  previous: Revision | undefined;
  readonly #state: KeptState;
  #fields: Readonly<Record<string, string>> | undefined;
  #departureLine: Uint8Array | undefined;
  /** The fields of a large object that was the last to be written, so that the next update parses and prints what it changes. */
  printedFields: PrintedFields | undefined;

  constructor(
    type: ChangeType,
    version: number,
    state: Draft | KeptState,
    previous: Revision | undefined,
    time: number = 0,
  ) {
    const printed =
      'line' in state ? undefined : (state.json ?? finish(printObject(state.object, version !== UNCOMMITTED)));
    const kept = 'line' in state ? state : keptState(type, version, state, printed!);
    this.#state = kept;
    this.key = keyOf(kept.namespace, kept.name);
    this.namespace = kept.namespace;
    this.name = kept.name;
    this.version = version;
    this.type = type;
    this.time = time;
    this.line = kept.line;
    this.previous = previous;
    this.printedFields = kept.line.length > PIECE ? printed?.fields : undefined;
  }

  get uid(): string {
    return this.#state.uid;
  }

  get labels(): Readonly<Record<string, string>> {
    return this.#state.labels;
  }

  /** Changes when a definition changes its selectable fields. */
  get fields(): Readonly<Record<string, string>> {
    return this.#fields ?? this.#state.fields;
  }

  set fields(fields: Readonly<Record<string, string>>) {
    this.#fields = fields;
  }

  get owners(): readonly OwnerReference[] {
    return this.#state.owners;
  }

  /** Whether the object carries a deletionTimestamp. */
  get isTerminating(): boolean {
    return this.#state.isTerminating;
  }

  /** Where in `line` the resourceVersion is. */
  get versionAt(): number {
    return this.#state.versionAt;
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
    // Not by the length of `version`: an adopted change may have got another one than its object says.
    const versionEnd = this.line.indexOf(QUOTE, this.versionAt);
    return {
      before: decoder.decode(this.line.subarray(LINE_PREFIX[this.type].length, this.versionAt)),
      after: decoder.decode(this.line.subarray(versionEnd, end)),
    };
  }

  /** The DELETED state that follows this one. */
  deletion(version: number, time: number): Revision {
    const { namespace, name, fields, uid, labels, owners, isTerminating, printed } = this;
    const line = lineOf('DELETED', printed, version);
    const versionAt = versionPlace('DELETED', printed);
    const kept = { namespace, name, fields, uid, labels, owners, isTerminating, line, versionAt };
    return new Revision('DELETED', version, kept, this, time);
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

/** The version of a revision that is not stored, as of a dry run: its JSON keeps the resourceVersion of the object. */
export const UNCOMMITTED = 0;

const decoder = new TextDecoder();
const QUOTE = 0x22;
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

function versionPlace(type: ChangeType, { before }: PrintedObject): number {
  return LINE_PREFIX[type].length + Buffer.byteLength(before);
}

/** The key of an object in its collection. A list is in the order of keys. */
export function keyOf(namespace: string, name: string): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}

function keptState(type: ChangeType, version: number, draft: Draft, printed: PrintedObject): KeptState {
  const metadata = draft.object['metadata'] as {
    uid?: string;
    labels?: Record<string, string>;
    ownerReferences?: OwnerReference[];
    deletionTimestamp?: string | undefined;
  };
  return {
    namespace: draft.namespace,
    name: draft.name,
    uid: metadata.uid ?? '',
    labels: metadata.labels ?? NO_LABELS,
    fields: draft.fields,
    owners: metadata.ownerReferences ?? NO_OWNERS,
    isTerminating: metadata.deletionTimestamp !== undefined,
    line: lineOf(type, printed, version),
    versionAt: versionPlace(type, printed),
  };
}
