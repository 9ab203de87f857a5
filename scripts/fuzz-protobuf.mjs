// Decodes damaged and rearranged protobuf, and checks what must hold for any input.
//
//   npm run build && node scripts/fuzz-protobuf.mjs [--count 100000] [--seed 1]
//
// - Decoding ends with an object or a DecodeError, and an object that was accepted can be read by every way.
// - What was decoded, encoded and decoded again is the same.
// - A list and a watch give the same entries, wherever the stream is cut into chunks.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { DecodeError } from '../build/codec/decode-error.js';
import { protobufCodec } from '../build/codec/protobuf/protobuf-codec.js';
import { rawAccessorOf } from '../build/codec/raw.js';
import { SlabArena } from '../build/codec/slab.js';

const { values } = parseArgs({
  options: { count: { type: 'string', default: '100000' }, seed: { type: 'string', default: '1' } },
});
const count = Number(values.count);
// Most inputs fail, and their stack traces are not read.
Error.stackTraceLimit = 0;

/** Numbers from 0 to 2^32, always the same for a seed (mulberry32). */
function randomOf(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t ^= t + Math.imul(t ^ (t >>> 7), 61 | t);
    return (t ^ (t >>> 14)) >>> 0;
  };
}

const golden = gunzipSync(readFileSync(new URL('../test/protobuf/golden.txt.gz', import.meta.url)));
const corpus = golden
  .toString()
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => Buffer.from(line.slice(0, line.indexOf('\t')), 'base64'))
  .filter((document) => document.length < 600);

let random = randomOf(1);
const below = (limit) => random() % limit;

function varint(value) {
  const bytes = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  bytes.push(rest);
  return Buffer.from(bytes);
}

/** The fields of a message, as their bytes; undefined if this is no message. */
function fieldsOf(bytes) {
  const fields = [];
  for (let at = 0; at < bytes.length; ) {
    const start = at;
    const tag = bytes[at++];
    if (tag > 0x7f || tag < 8) return undefined;
    let length = 0;
    let shift = 0;
    let byte;
    do {
      byte = bytes[at++];
      if (byte === undefined || shift > 28) return undefined;
      length += (byte & 0x7f) * 2 ** shift;
      shift += 7;
    } while (byte > 0x7f);
    const content = at;
    if ((tag & 7) === 2) at += length;
    else if ((tag & 7) !== 0) return undefined;
    if (at > bytes.length) return undefined;
    fields.push({
      tag,
      bytes: bytes.subarray(start, at),
      content: (tag & 7) === 2 ? bytes.subarray(content, at) : undefined,
    });
  }
  return fields;
}

/** Repeats, moves, removes or changes a field, here or in a message below. */
function rearranged(bytes, depth) {
  const fields = fieldsOf(bytes);
  if (fields === undefined || fields.length === 0 || depth === 0) return damaged(bytes);
  const at = below(fields.length);
  const field = fields[at];
  const parts = fields.map((one) => one.bytes);
  switch (below(8)) {
    case 0:
      parts.splice(below(parts.length + 1), 0, field.bytes);
      break;
    case 1:
      parts.splice(at, 1);
      break;
    case 2:
      parts.push(parts.splice(at, 1)[0]);
      break;
    case 3:
      parts.splice(at, 0, Buffer.from([8 + below(120), below(256), below(256)]));
      break;
    default:
      if (field.content === undefined) parts[at] = Buffer.concat([Buffer.from([field.tag]), varint(random())]);
      else {
        const inner = rearranged(field.content, depth - 1);
        parts[at] = Buffer.concat([Buffer.from([field.tag]), varint(inner.length), inner]);
      }
  }
  return Buffer.concat(parts);
}

/** Changes single bytes. */
function damaged(bytes) {
  const changed = Buffer.from(bytes);
  for (let i = below(3); i >= 0 && changed.length > 0; i--) {
    const at = below(changed.length);
    changed[at] = [below(256), 0, 0xff, 0x80, changed[at] ^ (1 << below(8))][below(5)];
  }
  return below(8) === 0 ? changed.subarray(0, below(changed.length + 1)) : changed;
}

function mutated(document) {
  if (below(6) === 0) return damaged(document);
  let body = document.subarray(4);
  for (let i = below(3); i >= 0; i--) body = rearranged(body, 1 + below(7));
  return Buffer.concat([document.subarray(0, 4), body]);
}

function tryDecode(bytes) {
  try {
    return protobufCodec.decode(bytes);
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

const NULLS = /"(?:[^"\\]|\\.)*":null,?/g;
const accessor = rawAccessorOf();
const arena = new SlabArena();
const paths = [
  ['spec', 'nodeName'],
  ['metadata', 'labels', 'app'],
  ['status', 'phase'],
];
let accepted = 0;
let roundTrips = 0;

function checkDocument(bytes) {
  const object = tryDecode(bytes);
  if (object === undefined) return;
  accepted++;
  const encoded = protobufCodec.encode(object);
  if (encoded !== undefined) {
    roundTrips++;
    const again = withoutNulls(protobufCodec.decode(encoded));
    const before = withoutNulls(object);
    // Encoding sorts the keys of maps.
    if (again !== before) assert.deepEqual(JSON.parse(again), JSON.parse(before));
  }
  if (accepted % 8 > 0) return;
  let raw;
  try {
    raw = protobufCodec.raw(bytes, { arena, paths, drop: [['metadata', 'managedFields']] });
  } catch (error) {
    if (error instanceof DecodeError) return;
    throw error;
  }
  const whole = raw.decode();
  assert.equal(whole.metadata?.managedFields, undefined);
  assert.equal(JSON.stringify(whole), JSON.stringify(without(object, 'managedFields')));
  for (const path of paths)
    assert.deepEqual(
      raw.value(path),
      path.reduce((value, name) => own(value, name), whole),
    );
  assert.deepEqual(raw.labels, whole.metadata?.labels ?? {});
  assert.equal(raw.uid, whole.metadata?.uid ?? '');
}

const own = (value, name) =>
  value !== null && typeof value === 'object' && Object.hasOwn(value, name) ? value[name] : undefined;

function without(object, name) {
  if (object.metadata === undefined) return object;
  const { [name]: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** A pointer to the zero time is null in JSON, and no pointer after that. */
function withoutNulls(value) {
  return JSON.stringify(value).replace(NULLS, '').replaceAll(',}', '}');
}

/** What a decoder makes of a stream in chunks: entries as text, and the error at the end. */
function outcome(decoder, bytes, chunkOf) {
  const told = [];
  const entries = [];
  try {
    for (let at = 0; at < bytes.length; ) {
      const length = Math.min(chunkOf(), bytes.length - at);
      decoder.push(bytes.subarray(at, (at += length)));
      while (decoder.read(entries, 1000));
    }
    decoder.end();
    while (decoder.read(entries));
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    told.push(`${error.truncated} ${error.message}`);
  }
  decoder.close();
  const show = (raw) => {
    const error = accessor.unreadable(raw);
    return error === undefined ? `${raw.key} ${raw.resourceVersion} ${raw.json()}` : `unreadable ${error.message}`;
  };
  return entries
    .map((entry) => (entry.type === undefined ? show(entry) : `${entry.type} ${show2(entry.object)}`))
    .concat(told);
  function show2(object) {
    return object.slab === undefined ? JSON.stringify(object) : show(object);
  }
}

function checkStreams(documents) {
  const options = () => ({ arena, drop: [['metadata', 'managedFields']], maxObjectBytes: 2000 });
  const frames = documents.map((document) => {
    const type = Buffer.from(['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK'][below(4)]);
    const object = Buffer.concat([Buffer.from([10]), varint(document.length), document]);
    const event = Buffer.concat([
      Buffer.from([10, type.length]),
      type,
      Buffer.from([18]),
      varint(object.length),
      object,
    ]);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(event.length);
    return Buffer.concat([length, event]);
  });
  const typeMeta = Buffer.from([10, 13, 10, 2, 0x76, 0x31, 18, 7, ...Buffer.from('PodList')]);
  const items = documents.map((document) => {
    const item = document.subarray(Math.min(document.length, 20));
    return Buffer.concat([Buffer.from([18]), varint(item.length), item]);
  });
  const list = Buffer.concat([Buffer.from([10, 4, 18, 2, 0x31, 0x32]), ...items]);
  const streams = [
    [Buffer.concat(frames), () => protobufCodec.watchDecoder(options())],
    [
      Buffer.concat([
        Buffer.from('k8s\0'),
        typeMeta,
        Buffer.from([18]),
        varint(list.length),
        list,
        Buffer.from([0x1a, 0]),
      ]),
      () => protobufCodec.listDecoder(options()),
    ],
  ];
  for (const [stream, make] of streams) {
    const bytes = below(3) === 0 ? damaged(stream) : stream;
    const whole = outcome(make(), bytes, () => bytes.length);
    assert.deepEqual(
      outcome(make(), bytes, () => 1 + below(300)),
      whole,
    );
    if (bytes.length < 600)
      assert.deepEqual(
        outcome(make(), bytes, () => 1),
        whole,
      );
  }
}

const started = performance.now();
let slowest = 0;
for (let i = 0; i < count; i++) {
  const seed = Number(values.seed) * 1_000_003 + i;
  random = randomOf(seed);
  const begun = performance.now();
  try {
    if (i % 50 === 0) checkStreams(Array.from({ length: 1 + below(4) }, () => mutated(corpus[below(corpus.length)])));
    else checkDocument(mutated(corpus[below(corpus.length)]));
  } catch (error) {
    console.error(`input ${i} of seed ${values.seed}`);
    throw error;
  }
  slowest = Math.max(slowest, performance.now() - begun);
}
const seconds = ((performance.now() - started) / 1000).toFixed(0);
console.log(
  `${count} inputs of seed ${values.seed} in ${seconds} s: ${accepted} accepted, ${roundTrips} encoded again, the slowest took ${slowest.toFixed(0)} ms`,
);
