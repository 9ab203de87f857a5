import { isJsonObject } from '../../meta/json-values.js';
import type { Clock } from '../../time/clock.js';
import { inSlices, type Steps } from '../../time/steps.js';
import type { InformerSubject, Inventory } from '../inventory.js';
import type { IndexMemory, InformerMemory, MemoryAnswer, SampledMemory } from '../protocol.js';
import { printPath } from './differences.js';

/** Objects of each informer that are measured. */
const mostSampled = 200;
const mostFields = 10;
/** Fields that take less than this share of an object are not worth a transform. */
const leastShare = 0.02;
/**
 * What an object costs beside its bytes, on a heap of 64 bits: the handle (about 120 bytes), the entry of the store and its array of values
 * (100), its place in a Map (40), and a string for the key (24 and its characters).
 */
const entryBytes = 284;
/** A value of an index: its place in a Map, the Set and the string. An object under it: its place in the Set. */
const valueBytes = 300;
const indexedBytes = 32;

/** Where the memory is: measured now, in slices of the scheduler. */
export async function memoryAnswer(inventory: Inventory, clock: Clock): Promise<MemoryAnswer> {
  const informers: InformerMemory[] = [];
  for (const subject of inventory.informers)
    informers.push(await inSlices(clock, 'memory of the inspector', measure(subject)));
  const { rss, heapUsed, heapTotal, external, arrayBuffers } = process.memoryUsage();
  return {
    at: clock.now(),
    process: {
      rssBytes: rss,
      heapUsedBytes: heapUsed,
      heapTotalBytes: heapTotal,
      externalBytes: external,
      arrayBuffersBytes: arrayBuffers,
    },
    informers,
  };
}

function* measure({ id, informer }: InformerSubject): Steps<InformerMemory> {
  const { indexer, decoded, arena } = informer.internals;
  const objects = indexer.size;
  let keyLength = 0;
  for (const key of indexer.listKeys()) {
    keyLength += key.length;
    yield;
  }
  const sampled = yield* sample(informer);
  const usage = arena?.usage ?? { slabs: 0, slabBytes: 0, liveBytes: Math.round((sampled?.meanBytes ?? 0) * objects) };
  return {
    id,
    name: informer.name,
    objects,
    storage: arena === undefined ? 'objects' : 'raw',
    objectBytes: usage.liveBytes,
    slabBytes: usage.slabBytes,
    slabs: usage.slabs,
    decodedBytes: decoded.bytes,
    decodedBudget: decoded.budget,
    entryBytes: objects * entryBytes + keyLength,
    indexes: indexer.indexSizes.map(({ name, values, items }): IndexMemory => {
      return { name, values, entries: items, bytes: values * valueBytes + items * indexedBytes };
    }),
    sample: sampled === undefined ? null : projected(sampled, objects, usage.liveBytes),
  };
}

/** The JSON of some objects. */
interface Sample {
  readonly objects: number;
  readonly bytes: number;
  readonly meanBytes: number;
  readonly maxBytes: number;
  readonly maxKey: string;
  readonly metadataBytes: number;
  /** Bytes of fields, by path: of the first level, and of the second in spec, status and data. */
  readonly fields: ReadonlyMap<string, number>;
}

function* sample(informer: InformerSubject['informer']): Steps<Sample | undefined> {
  const { indexer, view } = informer.internals;
  const every = Math.max(1, Math.floor(indexer.size / mostSampled));
  const fields = new Map<string, number>();
  let [objects, bytes, maxBytes, metadataBytes, at] = [0, 0, 0, 0, 0];
  let maxKey = '';
  for (const item of indexer.iterate()) {
    yield;
    if (at++ % every !== 0 || objects >= mostSampled) continue;
    const size = view.json(item)?.length ?? 0;
    objects++;
    bytes += size;
    if (size > maxBytes) [maxBytes, maxKey] = [size, view.accessor.key(item)];
    metadataBytes += addFields(view.decode(item), fields);
  }
  if (objects === 0) return undefined;
  return { objects, bytes, meanBytes: bytes / objects, maxBytes, maxKey, metadataBytes, fields };
}

/** Adds the sizes of the fields of an object; returns that of what a metadata-only informer would have. */
function addFields(object: unknown, fields: Map<string, number>): number {
  if (!isJsonObject(object)) return 0;
  let metadata = 0;
  for (const [name, value] of Object.entries(object)) {
    const size = sizeOf(name, value);
    if (name === 'metadata' || name === 'kind' || name === 'apiVersion') metadata += size;
    if (name === 'kind' || name === 'apiVersion') continue;
    if (name !== 'metadata') add(fields, printPath([name]), size);
    if (!isJsonObject(value)) continue;
    for (const [inner, part] of Object.entries(value))
      if (name !== 'metadata' || inner === 'annotations' || inner === 'managedFields' || inner === 'labels')
        add(fields, printPath([name, inner]), sizeOf(inner, part));
  }
  return metadata;
}

function add(fields: Map<string, number>, path: string, size: number): void {
  // Names of keys come from objects: an object of many keys must not fill the map.
  if (fields.has(path) || fields.size < 10_000) fields.set(path, (fields.get(path) ?? 0) + size);
}

function sizeOf(name: string, value: unknown): number {
  return name.length + 4 + (JSON.stringify(value)?.length ?? 0);
}

/** What the sample means for all objects, whose bytes may be in another format than JSON. */
function projected(sampled: Sample, objects: number, allBytes: number): SampledMemory {
  const { bytes, metadataBytes, fields } = sampled;
  const share = (part: number): number => (bytes === 0 ? 0 : Math.min(1, part / bytes));
  const isMetadataOnly = fields.size === [...fields.keys()].filter((path) => path.startsWith('metadata')).length;
  return {
    objects: sampled.objects,
    meanBytes: objects === 0 ? 0 : allBytes / objects,
    maxBytes: sampled.maxBytes,
    maxKey: sampled.maxKey,
    metadataOnlySaves: isMetadataOnly ? 0 : Math.round(allBytes * share(bytes - metadataBytes)),
    fields: Array.from(fields, ([path, size]) => ({
      path,
      share: share(size),
      saves: Math.round(allBytes * share(size)),
    }))
      .filter((field) => field.share >= leastShare)
      .sort((a, b) => b.saves - a.saves)
      .slice(0, mostFields),
  };
}
