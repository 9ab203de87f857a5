import assert from 'node:assert/strict';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { BLOCK_HEAD, FORMAT, FORMAT_VERSION, RecordingError } from '../../../src/apiserver/replay/recording.js';
import { openRecording, recordingInMemory } from '../../../src/apiserver/replay/recording-file.js';
import { RecordingWriter } from '../../../src/apiserver/replay/recording-writer.js';
import { aboutBatch, changesBatch, HEADER_LENGTH } from '../../../src/apiserver/storage/disk/batch.js';
import { recorded } from '../../support/recordings.js';
import { jsonValue, objectText } from '../json-text.js';
import { mutateBytes } from '../mutate.js';
import type { Random } from '../random.js';
import { target } from '../target.js';

interface RecordingParts {
  /** JSON of the header. */
  readonly header: string;
  /** The entries of a block, before it is compressed. */
  readonly entries: Uint8Array;
  /** How many entries there are; -1 if the bytes were damaged. */
  readonly count: number;
  /** The number of a byte of the file that is changed; -1 for none. */
  readonly damageAt: number;
}

const START = Date.UTC(2026, 0, 1);
const resources = [recorded('pods'), recorded('nodes')];
const limits = { objectBytes: 64 * 1024, stateBytes: 1024 * 1024 };

/** Entries as a recorder writes them. */
function someEntries(random: Random): { entries: Buffer; count: number } {
  const writer = new RecordingWriter(START, resources);
  let count = 0;
  let version = 5;
  const object = (key: string) => ({ key, version: version++, bytes: Buffer.from(objectText(random)) });
  for (let left = 1 + random.below(5); left > 0; left--, count++) {
    const resource = random.below(2);
    const time = START + random.below(1000);
    switch (random.below(4)) {
      case 0: {
        const keys = ['a/x', 'a/y', 'b/x'].slice(random.below(3));
        writer.list(time, resource, version, keys.length);
        for (const key of keys) writer.item(resource, object(key));
        count += keys.length;
        break;
      }
      case 1:
        writer.bookmark(time, resource, version);
        break;
      case 2:
        writer.failure(time, resource, { of: 'watch', message: 'broken', status: undefined, isTimeout: false });
        break;
      default:
        writer.change(
          time,
          resource,
          random.pick(['ADDED', 'MODIFIED', 'DELETED']),
          object(random.pick(['a/x', 'b/x'])),
        );
    }
  }
  const block = Buffer.from(writer.cut() as Uint8Array);
  return { entries: inflateRawSync(block.subarray(HEADER_LENGTH + BLOCK_HEAD)), count };
}

function headerText(random: Random): string {
  const or = (good: unknown): unknown => (random.oneIn(40) ? jsonValue(random, 2) : good);
  return JSON.stringify({
    format: or(FORMAT),
    formatVersion: or(FORMAT_VERSION),
    startedAt: or(START),
    resources: or(
      resources.map((resource) =>
        or(Object.fromEntries(Object.entries(resource).map(([name, value]) => [name, or(value)]))),
      ),
    ),
  });
}

function fileOf({ header, entries, damageAt }: RecordingParts): Buffer {
  const head = Buffer.alloc(BLOCK_HEAD);
  head.writeDoubleLE(START, 0);
  head.writeDoubleLE(START + 1000, 8);
  head.writeUInt32LE(entries.length, 16);
  const bytes = Buffer.concat([
    aboutBatch(0, JSON.parse(header)),
    changesBatch(1, [head, deflateRawSync(entries)]),
    aboutBatch(2, { end: true }),
  ]);
  if (damageAt >= 0) bytes[damageAt % bytes.length]! ^= 0x41;
  return bytes;
}

export const recordingTargets = [
  target(
    'recordings',
    'has the entries that were recorded; refuses with RecordingError what no recorder writes',
    (random): RecordingParts => {
      const { entries, count } = someEntries(random);
      const isDamaged = random.oneIn(2);
      return {
        header: headerText(random),
        entries: isDamaged ? mutateBytes(random, entries) : entries,
        count: isDamaged ? -1 : count,
        damageAt: random.oneIn(10) ? random.below(1000) : -1,
      };
    },
    async (parts: RecordingParts) => {
      let count = 0;
      try {
        const recording = await openRecording(recordingInMemory(fileOf(parts)), limits);
        for (const entry of recording.entries()) {
          count++;
          assert.ok(entry.time >= 0);
        }
      } catch (error) {
        if (error instanceof RecordingError) return false;
        throw error;
      }
      if (parts.count >= 0 && parts.damageAt < 0) assert.equal(count, parts.count);
      return true;
    },
  ),
];
