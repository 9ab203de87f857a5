// Checks that handles never change: a million updates of a store whose slabs are compacted all the time, while the program keeps
// every hundredth event and the object it replaced. At the end each of them must decode to the result of JSON.parse.
//
//   npm run build && node --expose-gc bench/decode-soak.mjs [--updates 1000000] [--objects 5000]
import { parseArgs } from 'node:util';
import { droppedByDefault } from '../build/codec/codec.js';
import { jsonCodec } from '../build/codec/json/json-codec.js';
import { SlabArena } from '../build/codec/slab.js';

const { values } = parseArgs({
  options: { updates: { type: 'string', default: '1000000' }, objects: { type: 'string', default: '5000' } },
});
const updates = Number(values.updates);
const objects = Number(values.objects);

/** Update `i` is always the same, so that the expected object can be made again instead of stored. */
function objectOf(i) {
  const n = (i * 2654435761) >>> 0;
  return {
    kind: 'ConfigMap',
    apiVersion: 'v1',
    metadata: {
      name: `object-${n % objects}`,
      namespace: `ns-${n % 7}`,
      uid: `uid-${n % objects}`,
      resourceVersion: String(i),
      managedFields: [{ manager: 'soak', fieldsV1: { 'f:data': { 'f:text': {} } } }],
    },
    data: { text: 'grüße "\\" '.repeat(n % 60), number: String(n) },
  };
}

const arena = new SlabArena({ slackBytes: 0 });
const decoder = jsonCodec.watchDecoder({ arena, drop: droppedByDefault });
const store = new Map();
const held = [];
const events = [];
let compaction;
let compactions = 0;
let moved = 0;
let peak = 0;
const started = performance.now();
for (let i = 0; i < updates; i++) {
  decoder.push(Buffer.from(`${JSON.stringify({ type: 'MODIFIED', object: objectOf(i) })}\n`));
  while (decoder.read(events));
  const { object: raw } = events.pop();
  const old = store.get(raw.key);
  store.set(raw.key, raw);
  arena.retain(raw);
  if (old !== undefined) arena.release(old);
  if (i % 100 === 0) held.push(raw, ...(old === undefined ? [] : [old]));
  // Compacts always, also when there is little to gain.
  compaction ??= arena.compaction(store.values());
  if (!compaction.step(8)) {
    compactions++;
    moved += compaction.moved;
    compaction = undefined;
  }
  if (i % 10_000 === 0) {
    const { slabBytes, liveBytes } = arena.usage;
    if (i > objects * 4) peak = Math.max(peak, slabBytes / liveBytes);
  }
}
const seconds = (performance.now() - started) / 1000;

let wrong = 0;
const check = (raw) => {
  const expected = JSON.parse(JSON.stringify(objectOf(Number(raw.resourceVersion))));
  delete expected.metadata.managedFields;
  if (JSON.stringify(raw.decode()) !== JSON.stringify(expected)) wrong++;
};
for (const raw of held) check(raw);
for (const raw of store.values()) check(raw);

const heldSlabs = new Set(held.map(({ slab }) => slab)).size;
console.log(
  `${updates} updates of ${store.size} objects in ${seconds.toFixed(1)} s; ${compactions} compactions moved ${moved}`,
);
console.log(`the store's slabs were at most ${peak.toFixed(2)} times what was live in them`);
console.log(
  `${held.length} handles kept by others pin ${heldSlabs} slabs; RSS ${(process.memoryUsage().rss / 1048576).toFixed(0)} MB`,
);
console.log(`${held.length + store.size} handles decoded, ${wrong} wrong`);
held.length = 0;
events.length = 0;
// Array buffers are freed after a collection: the second round sees the result of the first.
for (let round = 0; round < 3; round++) {
  globalThis.gc?.();
  await new Promise((resolve) => setImmediate(resolve));
}
console.log(
  `after letting go of them: external memory ${(process.memoryUsage().arrayBuffers / 1048576).toFixed(0)} MB`,
);
process.exit(wrong === 0 ? 0 : 1);
