import type { OwnerReference } from '../../../meta/objects.js';
import type { StoredChange } from '../collection.js';
import { type ChangeType, type KeptState, keyOf, LINE_PREFIX, LINE_SUFFIX, type Revision } from '../revision.js';

/**
 * A change in a file: two lengths of four bytes each, the facts as JSON, and the object as JSON. The facts are what a
 * revision keeps beside its object, so that no object has to be parsed at a start. A deletion has no object: its state is
 * the last one before it.
 */
interface Facts {
  /** The version, the wall time in milliseconds, and the type of the change. */
  readonly v: number;
  readonly t: number;
  readonly k: keyof typeof TYPES;
  /** The id of the collection, the namespace and the name. */
  readonly c: string;
  readonly s?: string | undefined;
  readonly n: string;
  /** uid, labels, selectable fields, owners, whether it is terminating. */
  readonly u?: string | undefined;
  readonly l?: Readonly<Record<string, string>> | undefined;
  readonly f?: Readonly<Record<string, string>> | undefined;
  readonly o?: readonly OwnerReference[] | undefined;
  readonly d?: true | undefined;
  /** Where in the object the resourceVersion is. */
  readonly p?: number | undefined;
}

const TYPES = { A: 'ADDED', M: 'MODIFIED', D: 'DELETED' } as const satisfies Record<string, ChangeType>;
const LETTERS = { ADDED: 'A', MODIFIED: 'M', DELETED: 'D' } as const;
const LENGTHS = 8;
const NO_LABELS: Readonly<Record<string, string>> = {};
const NO_OWNERS: readonly OwnerReference[] = [];

/** A change as the parts of a batch. */
export function encodeChange(revision: Revision, collection: string): readonly Uint8Array[] {
  const { version, time, type, namespace, name, uid, labels, fields, owners, isTerminating, bytes } = revision;
  const place = { v: version, t: time, k: LETTERS[type], c: collection, s: namespace || undefined, n: name };
  const facts: Facts =
    type === 'DELETED'
      ? place
      : {
          ...place,
          u: uid,
          l: isEmpty(labels) ? undefined : labels,
          f: isEmpty(fields) ? undefined : fields,
          o: owners.length === 0 ? undefined : owners,
          d: isTerminating || undefined,
          p: revision.versionAt - LINE_PREFIX[type].length,
        };
  const object = type === 'DELETED' ? bytes.subarray(0, 0) : bytes;
  const text = JSON.stringify(facts);
  const length = Buffer.byteLength(text);
  const head = Buffer.allocUnsafe(LENGTHS + length);
  head.writeUInt32LE(length, 0);
  head.writeUInt32LE(object.length, 4);
  head.write(text, LENGTHS);
  return [head, object];
}

function isEmpty(record: Readonly<Record<string, string>>): boolean {
  for (const _ in record) return false;
  return true;
}

/** Reads the changes of a batch. Copies what it keeps of `payload`. */
export function* decodeChanges(payload: Uint8Array): Generator<StoredChange, void, void> {
  const bytes = Buffer.from(payload.buffer, payload.byteOffset, payload.length);
  for (let at = 0; at < bytes.length; ) {
    const factsAt = at + LENGTHS;
    const objectAt = factsAt + bytes.readUInt32LE(at);
    const end = objectAt + bytes.readUInt32LE(at + 4);
    if (end > bytes.length) throw new Error('a change is longer than its batch');
    const facts = JSON.parse(bytes.toString('utf8', factsAt, objectAt)) as Facts;
    const { v: version, t: time, k, c: collection, s: namespace = '', n: name } = facts;
    const type = TYPES[k];
    const key = keyOf(namespace, name);
    const state = type === 'DELETED' ? undefined : stateOf(type, facts, bytes.subarray(objectAt, end));
    yield { type, version, time, collection, key, state };
    at = end;
  }
}

function stateOf(type: ChangeType, facts: Facts, object: Uint8Array): KeptState {
  const prefix = LINE_PREFIX[type];
  const line = Buffer.allocUnsafe(prefix.length + object.length + LINE_SUFFIX.length);
  line.set(prefix);
  line.set(object, prefix.length);
  line.set(LINE_SUFFIX, prefix.length + object.length);
  return {
    namespace: facts.s ?? '',
    name: facts.n,
    uid: facts.u ?? '',
    labels: facts.l ?? NO_LABELS,
    fields: facts.f ?? NO_LABELS,
    owners: facts.o ?? NO_OWNERS,
    isTerminating: facts.d ?? false,
    line,
    versionAt: prefix.length + (facts.p ?? 0),
  };
}
