import { deflateRawSync } from 'node:zlib';
import { aboutBatch, changesBatch } from '../storage/disk/batch.js';
import { LOG_END } from '../storage/disk/file-names.js';
import type { ChangeType } from '../storage/storage.js';
import { ByteWriter } from './bytes.js';
import { writeDelta } from './object-delta.js';
import {
  BLOCK_HEAD,
  DICTIONARY_BYTES,
  ENTRY,
  FORMAT,
  FORMAT_VERSION,
  type RecordedFailure,
  type RecordedObject,
  type RecordedResource,
  type RecordingHeader,
} from './recording.js';

/** A state of an object, to be written. */
type WrittenObject = Omit<RecordedObject, 'bytes'> & { readonly bytes: Uint8Array };

/** The last state of a recorded object. */
interface KnownObject {
  readonly number: number;
  readonly version: number;
  readonly bytes: Uint8Array;
  /** The number of the list that had it last. */
  readonly list: number;
}

interface ResourceState {
  readonly objects: Map<string, KnownObject>;
  /** The last object that was written, and its version. */
  last: Uint8Array;
  version: number;
  /** How many objects have got a number. */
  numbered: number;
  lists: number;
  /** How many items of the list are missing. */
  missing: number;
}

const NOTHING = new Uint8Array(0);

/**
 * Turns what lists and watches receive into the bytes of a recording: entries are collected, and each {@link cut} makes a block of
 * them. It keeps the last state of every object, to write differences.
 */
export class RecordingWriter {
  readonly #header: RecordingHeader;
  readonly #states: ResourceState[];
  readonly #entries = new ByteWriter();
  #batches = 0;
  #firstTime = 0;
  #time: number;
  #dictionary: Buffer = Buffer.alloc(0);

  constructor(startedAt: number, resources: readonly RecordedResource[]) {
    this.#header = { format: FORMAT, formatVersion: FORMAT_VERSION, startedAt: Math.round(startedAt), resources };
    this.#time = this.#header.startedAt;
    this.#states = resources.map(() => ({
      objects: new Map(),
      last: NOTHING,
      version: 0,
      numbered: 0,
      lists: 0,
      missing: 0,
    }));
  }

  /** The bytes that the file begins with. */
  begin(): Uint8Array {
    return aboutBatch(this.#batches++, { ...this.#header });
  }

  /** The size of the entries that wait for {@link cut}. */
  get waitingBytes(): number {
    return this.#entries.length;
  }

  /** Begins a list; `count` calls of {@link item} follow. */
  list(time: number, resource: number, version: number, count: number): void {
    this.#head(time, resource, ENTRY.list);
    this.#entries.number(version);
    this.#entries.number(count);
    const state = this.#states[resource]!;
    state.lists++;
    state.missing = count;
    this.#forgetUnlisted(state);
  }

  item(resource: number, object: WrittenObject): void {
    this.#head(this.#time, resource, ENTRY.item);
    const state = this.#states[resource]!;
    this.#object(state, object);
    state.missing--;
    this.#forgetUnlisted(state);
  }

  change(time: number, resource: number, type: ChangeType, object: WrittenObject): void {
    this.#head(time, resource, ENTRY[type]);
    const state = this.#states[resource]!;
    this.#object(state, object);
    if (type === 'DELETED') state.objects.delete(object.key);
  }

  bookmark(time: number, resource: number, version: number): void {
    this.#head(time, resource, ENTRY.bookmark);
    this.#entries.number(version);
  }

  failure(time: number, resource: number, failure: RecordedFailure): void {
    this.#head(time, resource, ENTRY.failure);
    this.#text(JSON.stringify(failure));
  }

  /** The last known state of an object. */
  known(resource: number, key: string): Omit<WrittenObject, 'key'> | undefined {
    return this.#states[resource]!.objects.get(key);
  }

  /** The entries since the last call, as bytes to append to the file; undefined if there are none. */
  cut(): Uint8Array | undefined {
    const entries = this.#entries.bytes;
    if (entries.length === 0) return undefined;
    const head = Buffer.allocUnsafe(BLOCK_HEAD);
    head.writeDoubleLE(this.#firstTime, 0);
    head.writeDoubleLE(this.#time, 8);
    head.writeUInt32LE(entries.length, 16);
    const dictionary = this.#dictionary.length === 0 ? undefined : this.#dictionary;
    const block = changesBatch(this.#batches++, [head, deflateRawSync(entries, { dictionary })]);
    this.#dictionary = Buffer.from(entries.subarray(Math.max(0, entries.length - DICTIONARY_BYTES)));
    this.#entries.clear();
    return block;
  }

  /** The bytes that the file ends with. */
  end(): Uint8Array {
    return aboutBatch(this.#batches++, LOG_END);
  }

  /** Times never go back: the entries are in the order in which they were received. */
  #head(time: number, resource: number, entry: number): void {
    const next = Math.max(this.#time, Math.round(time));
    if (this.#entries.length === 0) {
      this.#firstTime = next;
      this.#time = next;
    }
    this.#entries.number(entry + 8 * resource);
    this.#entries.number(next - this.#time);
    this.#time = next;
  }

  #object(state: ResourceState, { key, version, bytes }: WrittenObject): void {
    const known = state.objects.get(key);
    this.#entries.number(known?.number ?? 0);
    if (known === undefined) this.#text(key);
    this.#entries.signed(version - state.version);
    writeDelta(this.#entries, known?.bytes ?? state.last, bytes);
    state.objects.set(key, { number: known?.number ?? ++state.numbered, version, bytes, list: state.lists });
    state.last = bytes;
    state.version = version;
  }

  #text(text: string): void {
    const bytes = Buffer.from(text);
    this.#entries.number(bytes.length);
    this.#entries.append(bytes);
  }

  /** After the last item of a list, forgets the objects that are not in it. */
  #forgetUnlisted({ objects, missing, lists }: ResourceState): void {
    if (missing > 0) return;
    for (const [key, { list }] of objects) if (list !== lists) objects.delete(key);
  }
}
