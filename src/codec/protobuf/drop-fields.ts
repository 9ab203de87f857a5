import type { FieldPath } from '../raw.js';
import { Kind, type MessageType } from './message-type.js';
import { inlineOf } from './projection.js';
import { BYTES, cursor, readLength, readTag, skipValue, varintSize, writeVarint } from './wire.js';

/** What to leave out of a message: the whole field, or parts of the message in it. By number of the field. */
export type DropPlan = Map<number, DropNode>;

type DropNode =
  | 'all'
  | { readonly kind: 'message'; readonly plan: DropPlan }
  | { readonly kind: 'keys'; readonly keys: Set<string> };

/** The plan for paths of a type; undefined if none of them leads to a field. Paths lead through objects, not into arrays. */
export function dropPlanOf(type: MessageType, paths: readonly FieldPath[]): DropPlan | undefined {
  const plan: DropPlan = new Map();
  for (const path of paths) addPath(plan, type, path);
  return plan.size === 0 ? undefined : plan;
}

function addPath(plan: DropPlan, type: MessageType, path: FieldPath): void {
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
function messageIn(plan: DropPlan, number: number): DropPlan {
  const node = plan.get(number);
  if (typeof node === 'object' && node.kind === 'message') return node.plan;
  const inner: DropPlan = new Map();
  // Everything of the field is left out already: what is added to this plan has no effect.
  if (node === undefined) plan.set(number, { kind: 'message', plan: inner });
  return inner;
}

/** Changes of the bytes, in order: `from` to `to` is left out, and replaced by a length unless that is -1. */
class Edits {
  readonly from: number[] = [];
  readonly to: number[] = [];
  readonly length: number[] = [];

  add(from: number, to: number, length: number): number {
    this.from.push(from);
    this.to.push(to);
    return this.length.push(length) - 1;
  }

  clear(): void {
    this.from.length = this.to.length = this.length.length = 0;
  }
}

const edits = new Edits();

/**
 * Finds what is to be left out of the checked message between `start` and `end`, for {@link copyRest}. Returns the length of
 * the rest: messages around a field that is left out get a smaller length.
 */
export function planDrop(bytes: Buffer, start: number, end: number, plan: DropPlan): number {
  edits.clear();
  return measure(bytes, start, end, plan);
}

function measure(bytes: Buffer, start: number, end: number, plan: DropPlan): number {
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
        const length = measure(bytes, content, to, node.plan);
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
  for (let i = 0; i < edits.from.length; i++) {
    at += copy(bytes, next, edits.from[i]!, into, at);
    next = edits.to[i]!;
    if (edits.length[i]! >= 0) at = writeVarint(into, at, edits.length[i]!);
  }
  copy(bytes, next, end, into, at);
}

/** `Buffer.copy` without its checks: this runs a few times per object. */
export function copy(source: Buffer, from: number, to: number, target: Buffer, at: number): number {
  target.set(new Uint8Array(source.buffer, source.byteOffset + from, to - from), at);
  return to - from;
}
