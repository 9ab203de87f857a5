import { formatKey } from '../../meta/key.js';
import { requireInteger } from '../../meta/options/validate.js';
import type { DecoderOptions, ObjectFilter } from '../codec.js';
import { DecodeError, UnknownFieldError } from '../decode-error.js';
import {
  controllerUidOf,
  type FieldPath,
  leftOutRaw,
  RAW_LEFT_OUT,
  RAW_NO_METADATA,
  Raw,
  type RawOrigin,
  scalarText,
  unreadableRaw,
} from '../raw.js';
import type { SlabArena } from '../slab.js';
import { checkObject } from './check-message.js';
import { decodeDocument } from './decode-message.js';
import { documentType } from './document.js';
import { copy, copyRest, type DropPlan, dropPlanOf, planDrop } from './drop-fields.js';
import type { MessageType } from './message-type.js';
import { facts, findFacts } from './object-facts.js';
import { project, projectPath, valueAt, withoutPaths } from './projection.js';
import { formatOf } from './protobuf-format.js';
import { readAscii, readText } from './text.js';
import { MalformedError } from './wire.js';

/** Holds `namespace/name` while a key is made; longer keys are concatenated as strings. */
const scratch = Buffer.alloc(512);

/** All objects of one kind in a stream, and how they are read. */
export interface Origin extends RawOrigin {
  /** Undefined if the kind is not built in. */
  readonly type: MessageType | undefined;
  readonly drop: DropPlan | undefined;
  /** The type with only the fields of the index paths. */
  readonly facts: MessageType | undefined;
}

/** Makes a `Raw` of the bytes of an object: checks them, reads the facts, and copies them without the dropped fields to a slab. */
export class RawBuilder {
  readonly maxObjectBytes: number;
  readonly #arena: SlabArena;
  readonly #drop: readonly FieldPath[];
  readonly #paths: readonly FieldPath[];
  readonly #isStrict: () => boolean;
  readonly #filter: ObjectFilter | undefined;

  constructor(options: DecoderOptions) {
    this.maxObjectBytes = requireInteger('maxObjectBytes', options.maxObjectBytes ?? 134_217_728, 1, 500_000_000);
    this.#arena = options.arena;
    this.#drop = options.drop ?? [];
    this.#paths = options.paths ?? [];
    this.#isStrict = options.isStrict ?? (() => false);
    this.#filter = options.filter;
  }

  /** The origin of objects of a kind. */
  origin(apiVersion: string, kind: string): Origin {
    const found = documentType(apiVersion, kind);
    const type = found?.byNumber[1]?.type?.name === 'meta/v1.ObjectMeta' ? found : undefined;
    return {
      format: type === undefined ? unknownKind : formatOf(withoutPaths(type, this.#drop)),
      kind,
      apiVersion,
      paths: this.#paths,
      type,
      drop: type === undefined ? undefined : dropPlanOf(type, this.#drop),
      facts: type === undefined || this.#paths.length === 0 ? undefined : project(type, this.#paths),
    };
  }

  /**
   * The `Raw` of the object between `start` and `end`; an unreadable one if its bytes are malformed or its kind has no schema.
   *
   * @param offset the position of `bytes` in the stream, for errors
   * @throws UnknownFieldError if decoding is strict and the object has a field that the schema lacks
   */
  build<T>(bytes: Buffer, start: number, end: number, origin: Origin, offset: number): Raw<T> {
    const { type, drop } = origin;
    if (type === undefined) return this.unreadable(bytes, start, end, origin, offset + start, noSchema(origin));
    let unknown: string | undefined;
    try {
      unknown = checkObject(bytes, start, end, type, drop?.isManagedFields === true);
    } catch (error) {
      if (!(error instanceof MalformedError)) throw error;
      return this.unreadable(bytes, start, end, origin, offset + error.at, error.message);
    }
    if (unknown !== undefined && this.#isStrict()) {
      throw new UnknownFieldError('object', offset + start, `the schema does not have ${unknown}`);
    }
    let flags = facts.parts > 0 ? 0 : RAW_NO_METADATA;
    const key = keyOf(bytes);
    const { versionStart, versionEnd } = facts;
    const resourceVersion = versionStart < 0 ? '' : readAsciiOrText(bytes, versionStart, versionEnd);
    const filter = this.#filter;
    if (filter !== undefined && !isKept(filter, key, bytes, start, end, type)) {
      if (filter.needs?.(key) !== true) return leftOutRaw(this.#arena.reserve(0), key, resourceVersion, origin);
      flags |= RAW_LEFT_OUT;
    }
    const length = drop === undefined ? end - start : planDrop(bytes, start, end, drop);
    const slab = this.#arena.reserve(length);
    const at = slab.used;
    // Nothing is left out of an object without the dropped fields.
    if (length === end - start) copy(bytes, start, end, slab.bytes, at);
    else copyRest(bytes, start, end, slab.bytes, at);
    slab.used = at + length;
    const texts = origin.facts === undefined ? undefined : this.#texts(bytes, start, end, origin, origin.facts);
    return new Raw<T>(slab, at, length, key, resourceVersion, flags, origin, texts);
  }

  /**
   * An {@link unreadableRaw} with the key and resourceVersion, if these were found.
   *
   * @param offset the position of the error in the stream
   */
  unreadable<T>(bytes: Buffer, start: number, end: number, origin: Origin, offset: number, reason: string): Raw<T> {
    try {
      findFacts(bytes, start, end);
    } catch (error) {
      // What comes after the metadata is malformed, or missing.
      if (!(error instanceof MalformedError)) throw error;
    }
    const { nameStart, versionStart, versionEnd } = facts;
    const key = nameStart < 0 ? undefined : keyOf(bytes);
    const version = nameStart < 0 || versionStart < 0 ? '' : readText(bytes, versionStart, versionEnd);
    const error = new DecodeError(key === undefined ? 'an object' : JSON.stringify(key), offset, reason);
    return unreadableRaw(this.#arena.reserve(0), key, version, origin, error);
  }

  #texts(bytes: Buffer, start: number, end: number, origin: Origin, facts: MessageType): (string | undefined)[] {
    const object = decodeDocument(bytes, start, end, facts, origin.kind, origin.apiVersion);
    return this.#paths.map((path) => scalarText(valueAt(object, path)));
  }
}

const ownerReferences: FieldPath = ['metadata', 'ownerReferences'];

/** Whether the filter keeps the object whose facts were found. */
function isKept(
  filter: ObjectFilter,
  key: string,
  bytes: Buffer,
  start: number,
  end: number,
  type: MessageType,
): boolean {
  if (filter.by === 'controllerUid') {
    const object = decodeDocument(bytes, start, end, projectPath(type, ownerReferences), '', '');
    const uid = Buffer.from(controllerUidOf(valueAt(object, ownerReferences)));
    return filter.keeps(key, uid, 0, uid.length);
  }
  const { uidStart, uidEnd, namespaceStart, namespaceEnd } = facts;
  const from = filter.by === 'uid' ? uidStart : namespaceStart;
  if (from < 0) return filter.keeps(key, bytes, 0, 0);
  return filter.keeps(key, bytes, from, filter.by === 'uid' ? uidEnd : namespaceEnd);
}

/** Why an object of this kind cannot be decoded. */
export function noSchema({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): string {
  return `there is no schema of the kind ${JSON.stringify(kind)} of ${JSON.stringify(apiVersion)}`;
}

/** Why an object larger than the limit cannot be decoded. */
export function tooLarge(maxObjectBytes: number): string {
  return `it is larger than the ${maxObjectBytes} bytes that maxObjectBytes allows`;
}

const unknownKind: RawOrigin['format'] = {
  decode: () => undefined,
  json: () => '',
  value: () => undefined,
};

/** Copies ASCII bytes into the scratch buffer and returns the new end; -1 if they are not ASCII or too long. */
function copyAscii(bytes: Buffer, from: number, to: number, at: number): number {
  if (at + (to - from) >= scratch.length) return -1;
  let next = at;
  for (let i = from; i < to; i++) {
    const byte = bytes[i]!;
    if (byte > 0x7f) return -1;
    scratch[next++] = byte;
  }
  return next;
}

/** The key of the object whose facts were found. */
function keyOf(bytes: Buffer): string {
  const { nameStart, nameEnd, namespaceStart, namespaceEnd } = facts;
  let at = 0;
  // Decoded from one buffer the key is a flat string; concatenating two strings would make a rope, which takes more memory.
  if (namespaceStart >= 0 && namespaceEnd > namespaceStart) {
    at = copyAscii(bytes, namespaceStart, namespaceEnd, 0);
    if (at > 0) scratch[at++] = 0x2f;
  }
  if (at >= 0 && nameStart >= 0) at = copyAscii(bytes, nameStart, nameEnd, at);
  if (at >= 0) return readAscii(scratch, 0, at);
  const namespace = namespaceStart < 0 ? '' : readText(bytes, namespaceStart, namespaceEnd);
  return formatKey(namespace, nameStart < 0 ? '' : readText(bytes, nameStart, nameEnd));
}

function readAsciiOrText(bytes: Buffer, from: number, to: number): string {
  for (let i = from; i < to; i++) if (bytes[i]! > 0x7f) return readText(bytes, from, to);
  return readAscii(bytes, from, to);
}
