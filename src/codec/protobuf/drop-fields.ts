import type { FieldPath } from '../raw.js';
import { Kind, type MessageType } from './message-type.js';
import { facts, MANAGED_FIELDS, METADATA } from './object-facts.js';
import { inlineOf } from './projection.js';
import { BYTES, cursor, readLength, readTag, skipValue, varintSize, writeVarint } from './wire.js';

/** What to leave out of objects of a type. */
export interface DropPlan {
  readonly fields: DropFields;
  /** Whether this is managedFields and nothing else, as by default: where they are is known from the check. */
  readonly isManagedFields: boolean;
}

/** What to leave out of a message: the whole field, or parts of the message in it. By number of the field. */
type DropFields = Map<number, DropNode>;

type DropNode =
  | 'all'
  | { readonly kind: 'message'; readonly fields: DropFields }
  | { readonly kind: 'keys'; readonly keys: Set<string> };

/** The plan for paths of a type; undefined if none of them leads to a field. Paths lead through objects, not into arrays. */
export function dropPlanOf(type: MessageType, paths: readonly FieldPath[]): DropPlan | undefined {
  const fields: DropFields = new Map();
  for (const path of paths) addPath(fields, type, path);
  if (fields.size === 0) return undefined;
  const metadata = fields.get(METADATA);
  const inMetadata = typeof metadata === 'object' && metadata.kind === 'message' ? metadata.fields : undefined;
  const isManagedFields = fields.size === 1 && inMetadata?.size === 1 && inMetadata.get(MANAGED_FIELDS) === 'all';
  return { fields, isManagedFields };
}

function addPath(plan: DropFields, type: MessageType, path: FieldPath): void {
  const field = type.byName.get(path[0] ?? '');
  if (field === undefined) return;
  const owner = inlineOf(type, field);
  if (owner !== undefined) {
    addPath(messageIn(plan, owner.number), owner.type!, path);
    return;
  }
  if (field.number === 0 || plan.get(field.number) === 'all') return;
  if (path.length === 1) plan.set(field.number, 'all');
  else if (field.kind === Kind.Message) addPath(messageIn(plan, field.number), field.type!, path.slice(1));
  else if (field.kind === Kind.Map && path.length === 2) {
    const node = plan.get(field.number);
    if (typeof node === 'object' && node.kind === 'keys') node.keys.add(path[1]!);
    else plan.set(field.number, { kind: 'keys', keys: new Set([path[1]!]) });
  }
}

/** The plan of the message in a field, which is added if there is none. */
function messageIn(plan: DropFields, number: number): DropFields {
  const node = plan.get(number);
  if (typeof node === 'object' && node.kind === 'message') return node.fields;
  const inner: DropFields = new Map();
  // Everything of the field is left out already: what is added to this plan has no effect.
  if (node === undefined) plan.set(number, { kind: 'message', fields: inner });
  return inner;
}

/** Changes of the bytes, in order: `from` to `to` is left out, and replaced by a length unless that is -1. */
class Edits {
  /** How many there are; the arrays are not shortened, since they would be allocated again. */
  count = 0;
  readonly from: number[] = [];
  readonly to: number[] = [];
  readonly length: number[] = [];

  add(from: number, to: number, length: number): number {
    const at = this.count++;
    this.from[at] = from;
    this.to[at] = to;
    this.length[at] = length;
    return at;
  }
}

const edits = new Edits();

/** The tag of `metadata`, as encoders write it. */
const METADATA_TAG = 10;

/**
 * Finds what is to be left out of the object between `start` and `end`, which was checked last, for {@link copyRest}. Returns
 * the length of the rest: messages around a field that is left out get a smaller length.
 */
export function planDrop(bytes: Buffer, start: number, end: number, plan: DropPlan): number {
  edits.count = 0;
  const { parts, isManagedWhole, fieldStart, managedStart, managedEnd } = facts;
  if (!plan.isManagedFields || parts !== 1 || !isManagedWhole || bytes[fieldStart] !== METADATA_TAG) {
    return measure(bytes, start, end, plan.fields);
  }
  if (managedStart < 0) return end - start;
  const managed = managedEnd - managedStart;
  const length = facts.end - facts.start - managed;
  edits.add(fieldStart + 1, facts.start, length);
  edits.add(managedStart, managedEnd, -1);
  return end - start - managed - (facts.start - fieldStart - 1) + varintSize(length);
}

function measure(bytes: Buffer, start: number, end: number, plan: DropFields): number {
  let rest = end - start;
  for (let at = start; at < end; ) {
    const tag = readTag(bytes, at, end);
    const from = cursor.at;
    const to = skipValue(bytes, from, end, tag);
    const node = plan.get(tag >>> 3);
    if (node !== undefined && (tag & 7) === BYTES) {
      readLength(bytes, from, end);
      const content = cursor.at;
      if (node === 'all' || (node.kind === 'keys' && hasKey(bytes, content, to, node.keys))) {
        edits.add(at, to, -1);
        rest -= to - at;
      } else if (node.kind === 'message') {
        const edit = edits.add(from, content, 0);
        const length = measure(bytes, content, to, node.fields);
        edits.length[edit] = length;
        rest -= to - from - varintSize(length) - length;
      }
    } else if (node === 'all') {
      edits.add(at, to, -1);
      rest -= to - at;
    }
    at = to;
  }
  return rest;
}

/** Whether the key of an entry is one of the names. */
function hasKey(bytes: Buffer, start: number, end: number, keys: ReadonlySet<string>): boolean {
  let from = start;
  let to = start;
  for (let at = start; at < end; ) {
    const tag = readTag(bytes, at, end);
    const value = cursor.at;
    at = skipValue(bytes, value, end, tag);
    if (tag !== 10) continue;
    readLength(bytes, value, end);
    from = cursor.at;
    to = at;
  }
  return keys.has(bytes.toString('utf8', from, to));
}

/** Copies the message between `start` and `end` without what {@link planDrop} found in it. */
export function copyRest(bytes: Buffer, start: number, end: number, into: Buffer, offset: number): void {
  let next = start;
  let at = offset;
  for (let i = 0; i < edits.count; i++) {
    at += copy(bytes, next, edits.from[i]!, into, at);
    next = edits.to[i]!;
    if (edits.length[i]! >= 0) at = writeVarint(into, at, edits.length[i]!);
  }
  copy(bytes, next, end, into, at);
}

/** Bytes up to this number are copied one by one: making a view of them costs more. */
const FEW_BYTES = 16;

/** `Buffer.copy` without its checks: this runs a few times per object. */
export function copy(source: Buffer, from: number, to: number, target: Buffer, at: number): number {
  const length = to - from;
  if (length <= FEW_BYTES) for (let i = 0; i < length; i++) target[at + i] = source[from + i]!;
  else target.set(new Uint8Array(source.buffer, source.byteOffset + from, length), at);
  return length;
}
