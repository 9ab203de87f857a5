import { crc32 } from 'node:zlib';
import { isJsonObject, type JsonObject } from '../../../meta/json-values.js';
import type { ReadableFile } from './data-files.js';

/**
 * All files of a data directory are sequences of batches.
 *
 * ```
 *   offset  bytes
 *        0      3   FF 4B 46: never part of UTF-8 text, so that no stored object can contain it
 *        3      1   what the payload is: 1 a JSON object about the file, 2 changes
 *        4      4   length of the payload          (all numbers: little endian)
 *        8      4   place of the batch in its file, from 0
 *       12      4   CRC-32 of the payload
 *       16      4   CRC-32 of the 16 bytes before
 *       20          payload
 * ```
 *
 * A batch is written and synced before the next one is written. An incomplete batch with no other after it is therefore
 * what a crash leaves of the last write, and one with another after it is damage.
 */
export type Batch =
  | { readonly kind: 'about'; readonly offset: number; readonly about: JsonObject }
  | { readonly kind: 'changes'; readonly offset: number; readonly payload: Uint8Array };

/** How the batches of a file end. */
export type BatchesEnd =
  /** After a complete batch. */
  | { readonly kind: 'complete'; readonly offset: number }
  /** With bytes that are no complete batch. `isTorn`: they may be what a crash has left of the last write. */
  | { readonly kind: 'broken'; readonly offset: number; readonly problem: string; readonly isTorn: boolean };

const ABOUT = 1;
const CHANGES = 2;
/** The bytes of a batch before its payload. */
export const HEADER_LENGTH = 20;
const MAGIC = Buffer.from([0xff, 0x4b, 0x46]);
/** How many bytes are read at once, if a batch is not larger. */
const CHUNK = 4 * 1024 * 1024;

/** A batch with a JSON object about its file. */
export function aboutBatch(sequence: number, about: JsonObject): Uint8Array {
  return batchOf(ABOUT, sequence, [Buffer.from(JSON.stringify(about))]);
}

/** A batch of changes, each as `encodeChange` returns it. */
export function changesBatch(sequence: number, parts: readonly Uint8Array[]): Uint8Array {
  return batchOf(CHANGES, sequence, parts);
}

function batchOf(kind: number, sequence: number, parts: readonly Uint8Array[]): Uint8Array {
  let length = 0;
  for (const part of parts) length += part.length;
  const bytes = Buffer.allocUnsafe(HEADER_LENGTH + length);
  let at = HEADER_LENGTH;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  MAGIC.copy(bytes);
  bytes[3] = kind;
  bytes.writeUInt32LE(length, 4);
  bytes.writeUInt32LE(sequence, 8);
  bytes.writeUInt32LE(crc32(bytes.subarray(HEADER_LENGTH)), 12);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 16)), 16);
  return bytes;
}

interface Header {
  readonly kind: number;
  readonly length: number;
  readonly sequence: number;
  readonly checksum: number;
}

function readHeader(bytes: Buffer, at: number): Header | undefined {
  if (bytes.length - at < HEADER_LENGTH || MAGIC.compare(bytes, at, at + MAGIC.length) !== 0) return undefined;
  if (crc32(bytes.subarray(at, at + 16)) !== bytes.readUInt32LE(at + 16)) return undefined;
  return {
    kind: bytes[at + 3]!,
    length: bytes.readUInt32LE(at + 4),
    sequence: bytes.readUInt32LE(at + 8),
    checksum: bytes.readUInt32LE(at + 12),
  };
}

/**
 * Reads the batches of a file up to `limit`. A payload is valid until the next batch is read.
 *
 * @param limit the bytes of the file that count; a file that is shorter ends broken
 * @param maxPayload a batch with more bytes is broken: it is not read, so that a foreign file cannot fill the memory
 */
export async function* readBatches(
  file: ReadableFile,
  limit: number,
  maxPayload: number = Number.POSITIVE_INFINITY,
): AsyncGenerator<Batch, BatchesEnd, void> {
  const end = Math.min(limit, file.size);
  let buffer: Buffer = Buffer.alloc(0);
  let bufferOffset = 0;
  let offset = 0;
  /** The bytes of the file at `offset`: at least `length` of them, unless the file ends before. */
  const bytesAt = async (length: number): Promise<Buffer> => {
    if (offset + length > bufferOffset + buffer.length && bufferOffset + buffer.length < end) {
      const read = await file.read(offset, Math.min(Math.max(length, CHUNK), end - offset));
      buffer = Buffer.from(read.buffer, read.byteOffset, read.length);
      bufferOffset = offset;
    }
    return buffer.subarray(offset - bufferOffset);
  };
  for (let sequence = 0; offset < end; sequence++) {
    const header = readHeader(await bytesAt(HEADER_LENGTH), 0);
    let problem: string | undefined;
    /** A complete header in the wrong place, or a complete batch of an unknown kind, is no torn write. */
    let isTorn = true;
    if (header === undefined) problem = 'the header of a batch is incomplete or damaged';
    else if (header.sequence !== sequence) {
      problem = `batch ${header.sequence} stands in the place of batch ${sequence}`;
      isTorn = false;
    } else if (header.length > maxPayload) {
      problem = `a batch has ${header.length} bytes, more than ${maxPayload}`;
      isTorn = false;
    } else {
      const bytes = await bytesAt(HEADER_LENGTH + header.length);
      const payload = bytes.subarray(HEADER_LENGTH, HEADER_LENGTH + header.length);
      if (payload.length < header.length) problem = 'a batch is incomplete';
      else if (crc32(payload) !== header.checksum) problem = 'the checksum of a batch is wrong';
      else if (header.kind === CHANGES) yield { kind: 'changes', offset, payload };
      else if (header.kind === ABOUT) {
        const about = parseAbout(payload);
        if (about === undefined) {
          problem = 'a batch about the file is no JSON object';
          isTorn = false;
        } else yield { kind: 'about', offset, about };
      } else {
        problem = `the kind of a batch is unknown: ${header.kind}`;
        isTorn = false;
      }
    }
    if (problem !== undefined) {
      return {
        kind: 'broken',
        offset,
        problem,
        isTorn: isTorn && !(await isFollowed(file, offset, end, sequence)),
      };
    }
    offset += HEADER_LENGTH + header!.length;
  }
  if (file.size < limit) {
    const problem = `the file ends, but it had ${limit} bytes`;
    return { kind: 'broken', offset, problem, isTorn: false };
  }
  return { kind: 'complete', offset };
}

function parseAbout(payload: Buffer): JsonObject | undefined {
  try {
    const about: unknown = JSON.parse(payload.toString('utf8'));
    return isJsonObject(about) ? about : undefined;
  } catch {
    return undefined;
  }
}

/** The payload of one whole batch; undefined if it is damaged. */
export function payloadOf(bytes: Buffer): Buffer | undefined {
  const header = readHeader(bytes, 0);
  const payload = bytes.subarray(HEADER_LENGTH);
  return payload.length === header?.length && crc32(payload) === header.checksum ? payload : undefined;
}

/** Whether a batch after `sequence` begins after `offset`. */
async function isFollowed(file: ReadableFile, offset: number, end: number, sequence: number): Promise<boolean> {
  for (let start = offset + 1; start + HEADER_LENGTH <= end; start += CHUNK) {
    const read = await file.read(start, Math.min(CHUNK + HEADER_LENGTH, end - start));
    const bytes = Buffer.from(read.buffer, read.byteOffset, read.length);
    for (let at = bytes.indexOf(MAGIC); at >= 0; at = bytes.indexOf(MAGIC, at + 1)) {
      const header = readHeader(bytes, at);
      if (header !== undefined && header.sequence > sequence) return true;
    }
  }
  return false;
}
