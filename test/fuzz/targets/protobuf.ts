import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { StreamDecoder } from '../../../src/codec/codec.js';
import { DecodeError } from '../../../src/codec/decode-error.js';
import { protobufCodec } from '../../../src/codec/protobuf/protobuf-codec.js';
import { Raw, rawAccessorOf } from '../../../src/codec/raw.js';
import { SlabArena } from '../../../src/codec/slab.js';
import type { JsonObject } from '../../../src/meta/json-values.js';
import { readGoldenLines } from '../../protobuf/golden-lines.js';
import type { Random } from '../random.js';
import { accepted, inPieces, target } from '../target.js';

interface Stream {
  readonly bytes: Uint8Array;
  readonly cuts: readonly number[];
}

/** Documents of all built-in kinds, as Go encodes them. */
const corpus = readGoldenLines(gunzipSync(readFileSync('test/protobuf/golden.txt.gz')).toString())
  .map(({ document }) => document)
  .filter((document) => document.length < 600);
const arena = new SlabArena({ maxSlabBytes: 65_536 });
const accessor = rawAccessorOf<unknown>();
const paths = [
  ['spec', 'nodeName'],
  ['metadata', 'labels', 'app'],
  ['status', 'phase'],
] as const;
const options = { arena, paths, drop: [['metadata', 'managedFields']], maxObjectBytes: 2000 };

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  bytes.push(rest);
  return Buffer.from(bytes);
}

const field = (tag: number, content: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from([tag]), varint(content.length), content]);

interface Field {
  readonly tag: number;
  readonly bytes: Buffer;
  /** Undefined for a number. */
  readonly content: Buffer | undefined;
}

/** The fields of a message; undefined if this is no message. */
function fieldsOf(bytes: Buffer): Field[] | undefined {
  const fields: Field[] = [];
  for (let at = 0; at < bytes.length; ) {
    const start = at;
    const tag = bytes[at++] as number;
    if (tag > 0x7f || tag < 8) return undefined;
    let length = 0;
    let byte: number | undefined;
    for (let shift = 0; byte === undefined || byte > 0x7f; shift += 7) {
      byte = bytes[at++];
      if (byte === undefined || shift > 28) return undefined;
      length += (byte & 0x7f) * 2 ** shift;
    }
    const content = at;
    const isText = (tag & 7) === 2;
    if (isText) at += length;
    else if ((tag & 7) !== 0) return undefined;
    if (at > bytes.length) return undefined;
    fields.push({ tag, bytes: bytes.subarray(start, at), content: isText ? bytes.subarray(content, at) : undefined });
  }
  return fields;
}

/** Repeats, moves, removes or changes a field, here or in a message below. */
function rearranged(random: Random, bytes: Buffer, depth: number): Buffer {
  const fields = fieldsOf(bytes);
  if (fields === undefined || fields.length === 0 || depth === 0) return damaged(random, bytes);
  const at = random.below(fields.length);
  const chosen = fields[at] as Field;
  const parts: Uint8Array[] = fields.map((one) => one.bytes);
  switch (random.below(8)) {
    case 0:
      parts.splice(random.below(parts.length + 1), 0, chosen.bytes);
      break;
    case 1:
      parts.splice(at, 1);
      break;
    case 2:
      parts.push(...parts.splice(at, 1));
      break;
    case 3:
      parts.splice(at, 0, Buffer.from([8 + random.below(120), random.below(256), random.below(256)]));
      break;
    default:
      parts[at] =
        chosen.content === undefined
          ? Buffer.concat([Buffer.from([chosen.tag]), varint(random.next())])
          : field(chosen.tag, rearranged(random, chosen.content, depth - 1));
  }
  return Buffer.concat(parts);
}

/** Changes single bytes. */
function damaged(random: Random, bytes: Uint8Array): Buffer {
  const changed = Buffer.from(bytes);
  for (let left = random.below(3); left >= 0 && changed.length > 0; left--) {
    const at = random.below(changed.length);
    changed[at] = random.pick([random.below(256), 0, 0xff, 0x80, (changed[at] as number) ^ (1 << random.below(8))]);
  }
  return random.oneIn(8) ? changed.subarray(0, random.below(changed.length + 1)) : changed;
}

function someDocument(random: Random): Buffer {
  const document = random.pick(corpus);
  if (random.oneIn(6)) return damaged(random, document);
  let body = document.subarray(4);
  for (let left = random.below(3); left > 0; left--) body = rearranged(random, body, 1 + random.below(7));
  return Buffer.concat([document.subarray(0, 4), body]);
}

const NULLS = /"(?:[^"\\]|\\.)*":null,?/g;

/** A pointer to the zero time is null in JSON, and no pointer after that. */
function withoutNulls(value: unknown): string {
  return JSON.stringify(value).replace(NULLS, '').replaceAll(',}', '}');
}

const own = (value: unknown, name: string): unknown =>
  value !== null && typeof value === 'object' && Object.hasOwn(value, name) ? (value as JsonObject)[name] : undefined;

function withoutManagedFields(object: JsonObject): JsonObject {
  if (object['metadata'] === undefined) return object;
  const { managedFields: _, ...metadata } = object['metadata'] as JsonObject;
  return { ...object, metadata };
}

/** An object that was accepted can be read by every way. */
function checkRaw(bytes: Uint8Array, object: JsonObject): void {
  const raw = accepted(
    () => protobufCodec.raw<JsonObject>(bytes, { ...options, maxObjectBytes: undefined }),
    [DecodeError],
  );
  if (raw === undefined) return;
  const whole = raw.decode();
  assert.equal(JSON.stringify(whole), JSON.stringify(withoutManagedFields(object)));
  for (const path of paths) assert.deepEqual(raw.value(path), path.reduce(own, whole as unknown));
  const metadata = own(whole, 'metadata');
  assert.deepEqual(raw.labels, own(metadata, 'labels') ?? {});
  assert.equal(raw.uid, own(metadata, 'uid') ?? '');
}

function describeRaw(raw: Raw<unknown>): string {
  const error = accessor.unreadable?.(raw);
  return error === undefined ? `${raw.key} ${raw.resourceVersion} ${raw.json()}` : `unreadable ${error.message}`;
}

/** What a decoder makes of a stream in chunks: entries as text, and the error at the end. */
function outcome(decoder: StreamDecoder<unknown>, bytes: Uint8Array, cuts: readonly number[]): string[] {
  const entries: unknown[] = [];
  const problems: string[] = [];
  try {
    inPieces(bytes, cuts, (piece) => {
      decoder.push(piece);
      while (decoder.read(entries, 1000));
    });
    decoder.end();
    while (decoder.read(entries));
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    problems.push(`error: ${error.truncated} ${error.message}`);
  }
  decoder.close();
  const describe = (entry: unknown): string => {
    if (entry instanceof Raw) return describeRaw(entry);
    const { type, object } = entry as { type: string; object: unknown };
    return `${type} ${object instanceof Raw ? describeRaw(object) : JSON.stringify(object)}`;
  };
  return entries.map(describe).concat(problems);
}

/** The entries are the same wherever the stream is cut. */
function checkStream(make: () => StreamDecoder<unknown>, { bytes, cuts }: Stream): boolean {
  const whole = outcome(make(), bytes, [bytes.length + 1]);
  assert.deepEqual(outcome(make(), bytes, cuts), whole);
  return whole.length > 0 && !(whole.at(-1) as string).startsWith('error');
}

export const protobufTargets = [
  target(
    'protobuf-objects',
    'refuses with DecodeError; encodes what it decoded to the same; reads an object by every way',
    someDocument,
    (bytes: Uint8Array) => {
      const object = accepted(() => protobufCodec.decode<JsonObject>(bytes), [DecodeError]);
      if (object === undefined) return false;
      const encoded = protobufCodec.encode(object);
      if (encoded !== undefined) {
        const again = withoutNulls(protobufCodec.decode(encoded));
        const before = withoutNulls(object);
        // Encoding sorts the keys of maps.
        if (again !== before) assert.deepEqual(JSON.parse(again), JSON.parse(before));
      }
      checkRaw(bytes, object);
      return true;
    },
  ),

  target(
    'protobuf-lists',
    'has the same items wherever the bytes are cut',
    (random) => {
      const items = random.list(0, 3, () => {
        const document = someDocument(random);
        return field(18, document.subarray(Math.min(document.length, 20)));
      });
      const list = Buffer.concat([Buffer.from([10, 4, 18, 2, 0x31, 0x32]), ...items]);
      const typeMeta = Buffer.concat([
        Buffer.from([10, 13, 10, 2]),
        Buffer.from('v1'),
        Buffer.from([18, 7]),
        Buffer.from('PodList'),
      ]);
      const bytes = Buffer.concat([Buffer.from('k8s\0'), typeMeta, field(18, list), Buffer.from([0x1a, 0])]);
      return { bytes: random.oneIn(3) ? damaged(random, bytes) : bytes, cuts: random.cuts() };
    },
    (stream: Stream) => checkStream(() => protobufCodec.listDecoder(options), stream),
  ),

  target(
    'protobuf-watches',
    'has the same events wherever the bytes are cut',
    (random) => {
      const frames = random.list(1, 3, () => {
        const type = Buffer.from(random.pick(['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR']));
        const event = Buffer.concat([field(10, type), field(18, field(10, someDocument(random)))]);
        const length = Buffer.alloc(4);
        length.writeUInt32BE(event.length);
        return Buffer.concat([length, event]);
      });
      const bytes = Buffer.concat(frames);
      return { bytes: random.oneIn(3) ? damaged(random, bytes) : bytes, cuts: random.cuts() };
    },
    (stream: Stream) => checkStream(() => protobufCodec.watchDecoder(options), stream),
  ),
];
