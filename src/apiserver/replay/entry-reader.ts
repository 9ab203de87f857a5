import { isJsonObject } from '../../meta/json-values.js';
import type { ChangeType } from '../storage/storage.js';
import { ByteReader, MalformedBytesError } from './bytes.js';
import { readDelta } from './object-delta.js';
import { ENTRY, type RecordedFailure, type RecordedObject, type RecordingEntry } from './recording.js';

/** Limits against files that a recorder has not written. */
export interface RecordingLimits {
  /** The most bytes of one object. */
  readonly objectBytes: number;
  /** The most bytes of all objects at one time. */
  readonly stateBytes: number;
}

export const RECORDING_LIMITS: RecordingLimits = { objectBytes: 16 * 1024 * 1024, stateBytes: 1024 * 1024 * 1024 };

interface KnownObject extends RecordedObject {
  readonly number: number;
  /** The number of the list that had it last. */
  readonly list: number;
}

interface ResourceState {
  readonly objects: Map<number, KnownObject>;
  /** The last object that was read, and its version. */
  last: Buffer;
  version: number;
  numbered: number;
  lists: number;
  /** How many items of the list are missing. */
  missing: number;
}

const TYPES: ReadonlyMap<number, ChangeType> = new Map(
  (['ADDED', 'MODIFIED', 'DELETED'] as const).map((type) => [ENTRY[type], type]),
);
const NOTHING = Buffer.alloc(0);
/** Two names of Kubernetes objects, and more than enough for others. */
const MAX_KEY = 1024;
/** A Status repeats parts of a request: those are not larger. */
const MAX_FAILURE = 4 * 1024 * 1024;

/**
 * Reads the entries of blocks, in the order of the file: the counterpart of the RecordingWriter. Throws a
 * {@link MalformedBytesError} for what no recorder writes; nothing can be read after it.
 */
export class EntryReader {
  readonly #states: ResourceState[];
  readonly #limits: RecordingLimits;
  /** The resource of the list that is not complete. */
  #listing: number | undefined;
  #stateBytes = 0;

  /** @param resources how many the header has */
  constructor(resources: number, limits: RecordingLimits = RECORDING_LIMITS) {
    this.#limits = limits;
    this.#states = Array.from({ length: resources }, () => ({
      objects: new Map(),
      last: NOTHING,
      version: 0,
      numbered: 0,
      lists: 0,
      missing: 0,
    }));
  }

  /** The entries of one block, which begins at `time`. */
  *read(block: Buffer, time: number): Generator<RecordingEntry, void, void> {
    const from = new ByteReader(block);
    for (let now = time; !from.isAtEnd; ) {
      const tag = from.number();
      const resource = Math.floor(tag / 8);
      const state = this.#states[resource];
      if (state === undefined)
        throw new MalformedBytesError(`an entry is about resource ${resource}, which is unknown`);
      if (this.#listing !== undefined && (this.#listing !== resource || tag % 8 !== ENTRY.item)) {
        throw new MalformedBytesError('a list is not complete before the next entry');
      }
      now += from.number();
      if (!Number.isSafeInteger(now)) throw new MalformedBytesError('a time is too large');
      yield this.#entry(from, tag % 8, state, now, resource);
    }
  }

  #entry(from: ByteReader, kind: number, state: ResourceState, time: number, resource: number): RecordingEntry {
    switch (kind) {
      case ENTRY.list: {
        const version = from.number();
        const count = from.number();
        state.lists++;
        state.missing = count;
        this.#noteListed(state, resource);
        return { kind: 'list', time, resource, version, count };
      }
      case ENTRY.item: {
        if (this.#listing === undefined) throw new MalformedBytesError('an item is in no list');
        const object = this.#object(from, state);
        state.missing--;
        this.#noteListed(state, resource);
        return { kind: 'item', time, resource, object };
      }
      case ENTRY.bookmark:
        return { kind: 'bookmark', time, resource, version: from.number() };
      case ENTRY.failure:
        return { kind: 'failure', time, resource, failure: failureOf(textOf(from, MAX_FAILURE)) };
      default: {
        const type = TYPES.get(kind);
        if (type === undefined) throw new MalformedBytesError(`an entry has the unknown kind ${kind}`);
        const object = this.#object(from, state);
        if (type === 'DELETED') this.#forget(state, object.number);
        return { kind: 'change', time, resource, type, object };
      }
    }
  }

  #object(from: ByteReader, state: ResourceState): KnownObject {
    const number = from.number();
    const known = state.objects.get(number);
    if (number !== 0 && known === undefined) throw new MalformedBytesError(`object ${number} is not known`);
    const key = known?.key ?? textOf(from, MAX_KEY);
    const version = state.version + from.signed();
    if (!Number.isSafeInteger(version) || version < 1) throw new MalformedBytesError('a resourceVersion is impossible');
    const bytes = readDelta(from, known?.bytes ?? state.last, this.#limits.objectBytes);
    this.#forget(state, number);
    this.#stateBytes += bytes.length;
    if (this.#stateBytes > this.#limits.stateBytes) {
      throw new MalformedBytesError(`the objects have more than ${this.#limits.stateBytes} bytes`);
    }
    const object = { key, version, bytes, number: known?.number ?? ++state.numbered, list: state.lists };
    state.objects.set(object.number, object);
    state.last = bytes;
    state.version = version;
    return object;
  }

  #forget(state: ResourceState, number: number): void {
    this.#stateBytes -= state.objects.get(number)?.bytes.length ?? 0;
    state.objects.delete(number);
  }

  /** After the last item of a list, forgets the objects that are not in it. */
  #noteListed(state: ResourceState, resource: number): void {
    this.#listing = state.missing > 0 ? resource : undefined;
    if (state.missing > 0) return;
    for (const [number, { list }] of state.objects) if (list !== state.lists) this.#forget(state, number);
  }
}

function textOf(from: ByteReader, limit: number): string {
  const length = from.number();
  if (length > limit) throw new MalformedBytesError(`a text has ${length} bytes, more than ${limit}`);
  return from.take(length).toString('utf8');
}

function failureOf(text: string): RecordedFailure {
  let failure: unknown;
  try {
    failure = JSON.parse(text);
  } catch {
    failure = undefined;
  }
  const { of, status, message, isTimeout } = (isJsonObject(failure) ? failure : {}) as Partial<RecordedFailure>;
  if ((of !== 'list' && of !== 'watch') || !(status === undefined || isFailureStatus(status))) {
    throw new MalformedBytesError('a failure is not readable');
  }
  return { of, status, message: typeof message === 'string' ? message : undefined, isTimeout: isTimeout === true };
}

/** Whether it can be sent as the answer to a request. */
export function isFailureStatus(value: unknown): boolean {
  const code = isJsonObject(value) ? value['code'] : undefined;
  return Number.isInteger(code) && (code as number) >= 400 && (code as number) <= 599;
}
