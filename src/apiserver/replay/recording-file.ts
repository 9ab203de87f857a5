import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { inflateRawSync } from 'node:zlib';
import { isJsonObject, type JsonObject } from '../../meta/json-values.js';
import { HEADER_LENGTH, payloadOf, readBatches } from '../storage/disk/batch.js';
import { EntryReader, RECORDING_LIMITS, type RecordingLimits } from './entry-reader.js';
import {
  BLOCK_HEAD,
  DICTIONARY_BYTES,
  FORMAT,
  FORMAT_VERSION,
  type RecordedResource,
  type RecordingEntry,
  RecordingError,
  type RecordingHeader,
} from './recording.js';

/** The bytes of a recording: a file, or memory. */
export interface RecordingBytes {
  /** For messages. */
  readonly path: string;
  readonly size: number;
  /** Up to `length` bytes; fewer at the end only. */
  read(position: number, length: number): Buffer;
  close(): void;
}

/** A recording that is open for reading. */
export interface Recording {
  readonly path: string;
  readonly header: RecordingHeader;
  /** The times of the first and the last entry, in ms since 1970; the same without entries. */
  readonly start: number;
  readonly end: number;
  /** Says what is missing at the end, because the recorder did not end in order; undefined if nothing is. */
  readonly warning: string | undefined;
  /**
   * All entries. Blocks are read when their first entry is needed, synchronously: a fake clock does not wait for files. Throws a
   * {@link RecordingError} for contents that no recorder writes.
   */
  entries(): Generator<RecordingEntry, void, void>;
  close(): void;
}

/** Where a block is in the file. */
interface BlockPlace {
  readonly offset: number;
  readonly length: number;
  readonly start: number;
}

/** The most bytes of a header: some thousand resources. */
const MAX_HEADER = 1024 * 1024;
const MAX_RESOURCES = 1000;
/** The most milliseconds since 1970 that a Date can have. */
const MAX_TIME = 8.64e15;

/** The bytes of a file on disk. Throws a {@link RecordingError} if it cannot be opened. */
export function recordingOnDisk(path: string): RecordingBytes {
  let file: number;
  let size: number;
  try {
    file = openSync(path, 'r');
    const stats = fstatSync(file);
    if (!stats.isFile()) {
      closeSync(file);
      throw new Error('it is no file');
    }
    size = stats.size;
  } catch (error) {
    throw new RecordingError(`the recording ${path} cannot be opened: ${(error as Error).message}`, { cause: error });
  }
  let isOpen = true;
  return {
    path,
    size,
    read(position, length) {
      const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(length, size - position)));
      let filled = 0;
      while (filled < bytes.length) {
        const count = readSync(file, bytes, filled, bytes.length - filled, position + filled);
        if (count === 0) break;
        filled += count;
      }
      return bytes.subarray(0, filled);
    },
    close() {
      if (isOpen) closeSync(file);
      isOpen = false;
    },
  };
}

/** The bytes of a recording in memory. @internal */
export function recordingInMemory(bytes: Uint8Array, path = 'the recording'): RecordingBytes {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return {
    path,
    size: buffer.length,
    read: (position, length) => buffer.subarray(position, position + length),
    close: () => {},
  };
}

/**
 * Reads the header of a recording and checks the frames of all blocks. Rejects with a {@link RecordingError} if it is no recording,
 * or damaged. What a crash of the recorder has left of its last write is left out: see {@link Recording.warning}.
 */
export async function openRecording(
  bytes: RecordingBytes,
  limits: RecordingLimits = RECORDING_LIMITS,
): Promise<Recording> {
  try {
    return await readFrames(bytes, limits);
  } catch (error) {
    bytes.close();
    throw error;
  }
}

async function readFrames(bytes: RecordingBytes, limits: RecordingLimits): Promise<Recording> {
  const { path } = bytes;
  const maxBlock = blockLimit(limits);
  const file = {
    size: bytes.size,
    read: async (at: number, length: number) => bytes.read(at, length),
    close: async () => {},
  };
  const batches = readBatches(file, bytes.size, maxBlock);
  const blocks: BlockPlace[] = [];
  let header: RecordingHeader | undefined;
  let isComplete = false;
  let end = 0;
  for (;;) {
    const next = await batches.next();
    if (next.done === true) {
      const { value } = next;
      if (header === undefined) throw notRecording(path);
      if (value.kind === 'broken' && !value.isTorn) throw damaged(path, value.offset, value.problem);
      const warning = isComplete ? undefined : warningOf(path, bytes.size - value.offset, end);
      const start = blocks[0]?.start ?? header.startedAt;
      const entries = (): Generator<RecordingEntry, void, void> => readBlocks(bytes, header!, blocks, limits);
      return { path, header, start, end, warning, entries, close: () => bytes.close() };
    }
    const batch = next.value;
    if (header === undefined) {
      header = headerOf(path, batch.kind === 'about' && batch.offset === 0 ? batch.about : {});
      end = header.startedAt;
    } else if (isComplete) throw damaged(path, batch.offset, 'a batch follows the end of the recording');
    else if (batch.kind === 'about') isComplete = true;
    else {
      const times = timesOf(batch.payload);
      if (times === undefined || times.start < end) throw damaged(path, batch.offset, 'a block has impossible times');
      blocks.push({ offset: batch.offset, length: HEADER_LENGTH + batch.payload.length, start: times.start });
      end = times.end;
    }
  }
}

/** The most bytes of a block: the recorder cuts one after the entry that makes it too long. */
function blockLimit({ objectBytes }: RecordingLimits): number {
  return Math.max(2 * objectBytes, MAX_HEADER);
}

function timesOf(payload: Uint8Array): { readonly start: number; readonly end: number } | undefined {
  if (payload.length < BLOCK_HEAD) return undefined;
  const bytes = Buffer.from(payload.buffer, payload.byteOffset, payload.length);
  const start = bytes.readDoubleLE(0);
  const end = bytes.readDoubleLE(8);
  return Number.isInteger(start) && Number.isInteger(end) && start <= end && end <= MAX_TIME
    ? { start, end }
    : undefined;
}

function headerOf(path: string, about: JsonObject): RecordingHeader {
  const { format, formatVersion, startedAt, resources } = about as Partial<RecordingHeader>;
  if (format !== FORMAT) throw notRecording(path);
  if (formatVersion !== FORMAT_VERSION) {
    const message = `${path} has format version ${JSON.stringify(formatVersion)}, this kubeflect reads ${FORMAT_VERSION}; use the kubeflect that recorded it`;
    throw new RecordingError(message);
  }
  const isTime = Number.isInteger(startedAt) && startedAt! >= 0 && startedAt! <= MAX_TIME;
  if (!isTime || !Array.isArray(resources) || resources.length > MAX_RESOURCES || !resources.every(isResource)) {
    throw damaged(path, 0, 'its header is not readable');
  }
  const names = new Set(resources.map(({ group, version, resource }) => `${group}/${version}/${resource}`));
  if (names.size < resources.length) throw damaged(path, 0, 'its header has a resource twice');
  return { format: FORMAT, formatVersion, startedAt: startedAt!, resources };
}

const TEXTS = ['group', 'version', 'resource', 'singular', 'kind'] as const;
const OPTIONAL_TEXTS = ['namespace', 'labelSelector', 'fieldSelector'] as const;
const LISTS = ['shortNames', 'categories'] as const;

function isResource(value: unknown): value is RecordedResource {
  if (!isJsonObject(value)) return false;
  const isText = (field: unknown): boolean => typeof field === 'string';
  return (
    TEXTS.every((name) => isText(value[name])) &&
    [value['version'], value['resource'], value['kind']].every((name) => name !== '') &&
    OPTIONAL_TEXTS.every((name) => value[name] === undefined || isText(value[name])) &&
    LISTS.every((name) => Array.isArray(value[name]) && (value[name] as unknown[]).every(isText)) &&
    typeof value['namespaced'] === 'boolean'
  );
}

function* readBlocks(
  bytes: RecordingBytes,
  header: RecordingHeader,
  blocks: readonly BlockPlace[],
  limits: RecordingLimits,
): Generator<RecordingEntry, void, void> {
  const reader = new EntryReader(header.resources.length, limits);
  let dictionary: Buffer | undefined;
  for (const { offset, length, start } of blocks) {
    try {
      const payload = payloadOf(bytes.read(offset, length));
      if (payload === undefined) throw new Error('the file has changed while it was read');
      const entries = inflate(payload, dictionary, blockLimit(limits));
      dictionary = entries.subarray(Math.max(0, entries.length - DICTIONARY_BYTES));
      yield* reader.read(entries, start);
    } catch (error) {
      throw damaged(bytes.path, offset, (error as Error).message, error);
    }
  }
}

function inflate(payload: Buffer, dictionary: Buffer | undefined, limit: number): Buffer {
  const length = payload.readUInt32LE(16);
  if (length > limit) throw new Error(`a block has ${length} bytes, more than ${limit}`);
  let entries: Buffer;
  try {
    entries = inflateRawSync(payload.subarray(BLOCK_HEAD), { dictionary, maxOutputLength: Math.max(1, length) });
  } catch {
    throw new Error('a block cannot be decompressed');
  }
  if (entries.length !== length) throw new Error('a block is shorter than it says');
  return entries;
}

function notRecording(path: string): RecordingError {
  return new RecordingError(`${path} is no recording: it does not begin as a file of kubeflect record`);
}

function damaged(path: string, offset: number, problem: string, cause?: unknown): RecordingError {
  const advice = offset === 0 ? '' : `; to use what is before it, cut the file: truncate -s ${offset} ${path}`;
  return new RecordingError(`${path} is damaged at offset ${offset}: ${problem}${advice}`, { cause });
}

function warningOf(path: string, left: number, end: number): string {
  const cut = left === 0 ? '' : ` The last ${left} bytes are no whole block and are left out.`;
  return `${path} was not ended in order: changes after ${new Date(end).toISOString()} may be missing.${cut}`;
}
