// One measurement of bench/decode.mjs, in its own process so that each begins with an empty heap:
//
//   node bench/decode-child.mjs <what> <count> [url]
//
// It imports build/: run `npm run build` first.
import { droppedByDefault } from '../build/codec/codec.js';
import { DecodeFlow } from '../build/codec/decode-flow.js';
import { jsonCodec } from '../build/codec/json/json-codec.js';
import { JsonListDecoder } from '../build/codec/json/list-decoder.js';
import { JsonWatchDecoder } from '../build/codec/json/watch-decoder.js';
import { encodeDocument, eventStart } from '../build/codec/protobuf/document-writer.js';
import { protobufCodec } from '../build/codec/protobuf/protobuf-codec.js';
import { SlabArena } from '../build/codec/slab.js';
import { realClock } from '../build/time/real-clock.js';
import { lineSplitter, parsedList, receive } from './floors.mjs';
import { holdMeter } from './hold-meter.mjs';
import { eventBytes, podOf, typedPodOf } from './load-server/pods.mjs';

const [, , what, countText, url] = process.argv;
const count = Number(countText);
const pods = 10_000;
const dropped = droppedByDefault;

/** One chunk per event, of all pods in turn. */
function watchChunks() {
  const chunks = Array.from({ length: pods }, (_, i) => eventBytes('MODIFIED', typedPodOf(i, 1_000_000 + i)));
  return (i) => chunks[(i * 7919) % pods];
}

/** The same events as protobuf. */
function protobufChunks() {
  const chunks = Array.from({ length: pods }, (_, i) => {
    const document = encodeDocument(typedPodOf(i, 1_000_000 + i));
    return Buffer.concat([eventStart('MODIFIED', document.length), document]);
  });
  return (i) => chunks[(i * 7919) % pods];
}

/** A list in chunks of 64 KB, as a socket delivers them. */
function listChunks() {
  const items = [];
  for (let i = 0; i < count; i++)
    items.push(Buffer.from(`${i > 0 ? ',' : ''}${JSON.stringify(podOf(i, 1_000_000 + i))}`));
  const head = Buffer.from('{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[');
  const body = Buffer.concat([head, ...items, Buffer.from(']}\n')]);
  const chunks = [];
  for (let at = 0; at < body.length; at += 65_536) chunks.push(Buffer.from(body.subarray(at, at + 65_536)));
  return chunks;
}

/** Does with handles what a store does: keeps the newest of each object, and compacts when much memory is unused. */
class RawStore {
  arena = new SlabArena();
  map = new Map();
  #compaction;

  set(raw) {
    const old = this.map.get(raw.key);
    this.map.set(raw.key, raw);
    this.arena.retain(raw);
    if (old !== undefined) this.arena.release(old);
  }

  tidy() {
    if (this.arena.wantsCompaction) this.#compaction ??= this.arena.compaction(this.map.values());
    if (this.#compaction !== undefined && !this.#compaction.step(256)) this.#compaction = undefined;
  }
}

function watchFloor() {
  const chunkOf = watchChunks();
  return () => {
    const store = new Map();
    const split = lineSplitter((line) => {
      const { object } = JSON.parse(line);
      store.set(`${object.metadata.namespace}/${object.metadata.name}`, object);
    });
    for (let i = 0; i < count; i++) split(chunkOf(i));
  };
}

function watchRaw({ engine, drop = dropped, paths, use, isProtobuf = false }) {
  const chunkOf = isProtobuf ? protobufChunks() : watchChunks();
  return () => {
    const store = new RawStore();
    const options = { arena: store.arena, drop, paths };
    const decoder = isProtobuf ? protobufCodec.watchDecoder(options) : new JsonWatchDecoder(options, engine);
    const events = [];
    // As many as a socket's buffer holds are read at once.
    for (let i = 0; i < count; ) {
      for (const end = Math.min(i + 16, count); i < end; i++) decoder.push(chunkOf(i));
      while (decoder.read(events));
      for (const { object } of events) use(store, object);
      events.length = 0;
      store.tidy();
    }
  };
}

function watchDecoded(options) {
  const objects = new Map();
  return watchRaw({
    ...options,
    use(_, raw) {
      objects.set(raw.key, raw.decode());
    },
  });
}

function listFloor() {
  const chunks = listChunks();
  return () => {
    const { items } = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    const store = new Map();
    for (const item of items) store.set(`${item.metadata.namespace}/${item.metadata.name}`, item);
  };
}

function listRaw(engine, drop = dropped) {
  const chunks = listChunks();
  return () => {
    const store = new RawStore();
    const decoder = new JsonListDecoder({ arena: store.arena, drop }, engine);
    const items = [];
    for (const chunk of chunks) {
      decoder.push(chunk);
      while (decoder.read(items));
      for (const item of items) store.set(item);
      items.length = 0;
    }
    if (store.map.size !== count) throw new Error(`expected ${count} items, got ${store.map.size}`);
  };
}

/** A list over the network as an informer reads it: decoded in slices of the scheduler. */
async function listFromServer() {
  const store = new RawStore();
  let paused;
  const flow = new DecodeFlow({
    name: 'list',
    clock: realClock,
    decoder: jsonCodec.listDecoder({ arena: store.arena, drop: dropped }),
    sink: {
      batch(items) {
        for (const item of items) store.set(item);
        return true;
      },
    },
    onDrain: () => paused?.resume(),
  });
  await receive(url, '/api/v1/pods', (chunk, response) => {
    if (!flow.chunk(chunk)) paused = response.pause();
  });
  flow.end();
  await flow.done;
  if (store.map.size !== count) throw new Error(`expected ${count} items, got ${store.map.size}`);
  return store;
}

const keep = (store, raw) => store.set(raw);
const indexed = [
  ['spec', 'nodeName'],
  ['metadata', 'labels', 'app.kubernetes.io/name'],
  ['status', 'phase'],
];
const inProcess = {
  'watch-floor': watchFloor,
  'watch-raw': () => watchRaw({ use: keep }),
  'watch-protobuf': () => watchRaw({ use: keep, isProtobuf: true }),
  'watch-protobuf-read': () => watchRaw({ use: (_, raw) => raw.decode(), isProtobuf: true }),
  'watch-protobuf-decoded': () => watchDecoded({ isProtobuf: true }),
  'watch-read': () => watchRaw({ use: (_, raw) => raw.decode() }),
  'watch-raw-js': () => watchRaw({ engine: 'javascript', use: keep }),
  'watch-raw-kept': () => watchRaw({ drop: [], use: keep }),
  'watch-raw-indexed': () => watchRaw({ paths: indexed, use: keep }),
  'watch-decoded': () => watchDecoded({}),
  'watch-decoded-kept': () => watchDecoded({ drop: [] }),
  'list-floor': listFloor,
  'list-raw': () => listRaw(),
  'list-raw-js': () => listRaw('javascript'),
};

let result;
if (what in inProcess) {
  const run = inProcess[what]();
  // One round to warm up: the steady state is measured.
  run();
  const cpu = process.cpuUsage();
  const started = performance.now();
  run();
  const ms = performance.now() - started;
  const { user, system } = process.cpuUsage(cpu);
  result = { ms, micros: (ms * 1000) / count, cpuMicros: (user + system) / count };
} else {
  const meter = holdMeter();
  const started = performance.now();
  const store = what === 'list-server-floor' ? await parsedList(url, '/api/v1/pods') : await listFromServer();
  const ms = performance.now() - started;
  const holds = meter.stop();
  const { rss } = process.memoryUsage();
  result = { ms, ...holds, maxRssMb: process.resourceUsage().maxRSS / 1024, rssMb: rss / 1048576 };
  if (store === undefined) throw new Error('unreachable: keeps the store alive until it has been measured');
}
console.log(JSON.stringify(result));
process.exit(0);
