import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../test/support/runs.js';
import { aboutBatch, changesBatch } from '../storage/disk/batch.js';
import type { ChangeType } from '../storage/storage.js';
import { RECORDING_LIMITS, type RecordingLimits } from './entry-reader.js';
import { FORMAT, FORMAT_VERSION, type RecordedResource, type RecordingEntry, RecordingError } from './recording.js';
import { openRecording, recordingInMemory, recordingOnDisk } from './recording-file.js';
import { RecordingWriter } from './recording-writer.js';

const START = Date.UTC(2026, 0, 1);

function resource(name: string): RecordedResource {
  const singular = name.slice(0, -1);
  return {
    group: '',
    version: 'v1',
    resource: name,
    singular,
    kind: singular,
    namespaced: true,
    shortNames: [],
    categories: [],
  };
}

/** An entry in a form that can be compared. */
function shown(entry: RecordingEntry): unknown {
  if (entry.kind !== 'item' && entry.kind !== 'change') return entry;
  const { key, version, bytes } = entry.object;
  return { ...entry, object: { key, version, text: bytes.toString() } };
}

async function entriesOf(bytes: Uint8Array, limits?: RecordingLimits): Promise<unknown[]> {
  const recording = await openRecording(recordingInMemory(bytes), limits);
  return [...recording.entries()].map(shown);
}

type Step =
  | { readonly do: 'list'; readonly resource: number; readonly names: readonly string[]; readonly text: string }
  | {
      readonly do: 'change';
      readonly resource: number;
      readonly type: ChangeType;
      readonly name: string;
      readonly text: string;
    }
  | { readonly do: 'bookmark' | 'failure' | 'cut' | 'wait'; readonly resource: number; readonly ms: number };

const names = fc.constantFrom('a/x', 'a/y', 'b/x', 'b/z');
const texts = fc
  .string({ maxLength: 60 })
  .map((text) => JSON.stringify({ metadata: { name: 'x' }, text, spec: 'the same in all' }));
const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    fc.record({ do: fc.constant('list' as const), resource: fc.nat(1), names: fc.uniqueArray(names), text: texts }),
    fc.record({
      do: fc.constant('change' as const),
      resource: fc.nat(1),
      type: fc.constantFrom<ChangeType>('ADDED', 'MODIFIED', 'DELETED'),
      name: names,
      text: texts,
    }),
    fc.record({
      do: fc.constantFrom('bookmark' as const, 'failure' as const, 'cut' as const, 'wait' as const),
      resource: fc.nat(1),
      ms: fc.nat(5000),
    }),
  ),
  { maxLength: 60 },
);

/** Writes the steps; returns the parts of the file, and the entries that it has. */
function write(given: readonly Step[], isEnded = true): { parts: Uint8Array[]; entries: unknown[] } {
  const writer = new RecordingWriter(START, [resource('pods'), resource('nodes')]);
  const parts = [writer.begin()];
  const entries: unknown[] = [];
  let time = START;
  let version = 10;
  const cut = (): void => {
    const block = writer.cut();
    if (block !== undefined) parts.push(block);
  };
  for (const step of given) {
    const at = step.resource;
    version++;
    switch (step.do) {
      case 'list':
        writer.list(time, at, version, step.names.length);
        entries.push({ kind: 'list', time, resource: at, version, count: step.names.length });
        for (const key of step.names) {
          const text = `${key}${step.text}`;
          writer.item(at, { key, version: version - 5, bytes: Buffer.from(text) });
          entries.push({ kind: 'item', time, resource: at, object: { key, version: version - 5, text } });
          if (step.text.length % 3 === 0) cut();
        }
        break;
      case 'change':
        writer.change(time, at, step.type, { key: step.name, version, bytes: Buffer.from(step.text) });
        entries.push({
          kind: 'change',
          time,
          resource: at,
          type: step.type,
          object: { key: step.name, version, text: step.text },
        });
        break;
      case 'bookmark':
        writer.bookmark(time, at, version);
        entries.push({ kind: 'bookmark', time, resource: at, version });
        break;
      case 'failure': {
        const failure = { of: 'watch', message: 'the connection broke', status: undefined, isTimeout: false } as const;
        writer.failure(time, at, failure);
        entries.push({ kind: 'failure', time, resource: at, failure });
        break;
      }
      case 'cut':
        cut();
        break;
      case 'wait':
        time += step.ms;
    }
  }
  cut();
  if (isEnded) parts.push(writer.end());
  return { parts, entries };
}

describe('a recording', () => {
  it('has the entries that were written, in any blocks', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (given) => {
        const { parts, entries } = write(given);
        const recording = await openRecording(recordingInMemory(Buffer.concat(parts)));
        expect([...recording.entries()].map(shown)).toEqual(entries);
        expect(recording.warning).toBeUndefined();
        const times = entries.map((entry) => (entry as RecordingEntry).time);
        expect(recording.start).toBe(times[0] ?? START);
        expect(recording.end).toBe(times.at(-1) ?? START);
      }),
      { numRuns: runs(100) },
    );
  });

  it('is read up to the last whole block, wherever the file ends', async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.double({ min: 0, max: 1, noNaN: true }), async (given, part) => {
        const { parts, entries } = write(given, false);
        const whole = Buffer.concat(parts);
        const length = Math.max(parts[0]!.length, Math.floor(part * whole.length));
        const recording = await openRecording(recordingInMemory(whole.subarray(0, length)));
        const read = [...recording.entries()].map(shown);
        expect(read).toEqual(entries.slice(0, read.length));
        expect(recording.warning).toContain('was not ended in order');
        let complete = 0;
        for (const one of parts) {
          if (complete + one.length > length) break;
          complete += one.length;
        }
        if (complete < length)
          expect(recording.warning).toContain(`The last ${length - complete} bytes are no whole block`);
        if (length === whole.length) expect(read).toEqual(entries);
      }),
      { numRuns: runs(100) },
    );
  });

  it('says where it is damaged, and never gives other entries', async () => {
    const given: Step[] = Array.from({ length: 40 }, (_, i) => ({
      do: i % 8 === 7 ? 'cut' : 'change',
      resource: 0,
      type: 'ADDED',
      name: 'a/x',
      text: `{"n":${i}}`,
      ms: 0,
    })) as Step[];
    const { parts, entries } = write(given);
    const whole = Buffer.concat(parts);
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), async (at, bits) => {
        const damaged = Buffer.from(whole);
        damaged[at]! ^= bits;
        try {
          const read = await entriesOf(damaged);
          // Only the end is missing: as if the recorder had been killed.
          expect(read).toEqual(entries.slice(0, read.length));
        } catch (error) {
          expect(error).toBeInstanceOf(RecordingError);
          expect((error as Error).message).toMatch(/is damaged at offset \d+: .*|is no recording/);
        }
      }),
      { numRuns: runs(200) },
    );
  });

  it('is refused if it is none, or of another version', async () => {
    const refused = (bytes: Uint8Array) => expect(entriesOf(bytes)).rejects;
    await refused(Buffer.alloc(0)).toThrow(
      'the recording is no recording: it does not begin as a file of kubeflect record',
    );
    await refused(Buffer.from('apiVersion: v1\nkind: Pod\n')).toThrow('is no recording');
    await refused(aboutBatch(0, { format: 'kubeflect-log', formatVersion: 1 })).toThrow('is no recording');
    const header = { format: FORMAT, formatVersion: FORMAT_VERSION, startedAt: START, resources: [resource('pods')] };
    await refused(aboutBatch(0, { ...header, formatVersion: 2 })).toThrow(
      'has format version 2, this kubeflect reads 1; use the kubeflect that recorded it',
    );
    // An object with a field toString cannot be converted to a text.
    for (const formatVersion of [{ toString: 1 }, [{ toString: 1 }], null]) {
      await refused(aboutBatch(0, { ...header, formatVersion })).toThrow(RecordingError);
    }
    for (const wrong of [
      { startedAt: 'now' },
      { startedAt: -1 },
      { resources: {} },
      { resources: [{ ...resource('pods'), kind: 7 }] },
      { resources: [{ ...resource('pods'), shortNames: 'po' }] },
      { resources: [{ ...resource('pods'), resource: '' }] },
      { resources: Array.from({ length: 1001 }, (_, i) => resource(`r${i}s`)) },
    ]) {
      await refused(aboutBatch(0, { ...header, ...wrong })).toThrow(
        'is damaged at offset 0: its header is not readable',
      );
    }
    await refused(aboutBatch(0, { ...header, resources: [resource('pods'), resource('pods')] })).toThrow(
      'a resource twice',
    );
  });

  it('is refused if it is a directory or does not exist', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'kubeflect-'));
    try {
      expect(() => recordingOnDisk(folder)).toThrow(/cannot be opened: .*/);
      expect(() => recordingOnDisk(join(folder, 'none'))).toThrow(/none cannot be opened: ENOENT/);
      await writeFile(join(folder, 'one'), Buffer.concat(write([]).parts));
      const recording = await openRecording(recordingOnDisk(join(folder, 'one')));
      expect([...recording.entries()]).toEqual([]);
      recording.close();
      recording.close();
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

describe('a file that no recorder has written', () => {
  const header = aboutBatch(0, {
    format: FORMAT,
    formatVersion: FORMAT_VERSION,
    startedAt: START,
    resources: [resource('pods')],
  });

  /** A file with one block of these entries. */
  function fileOf(
    entries: Uint8Array,
    part: { length?: number; start?: number; end?: number; packed?: Uint8Array } = {},
  ): Buffer {
    const head = Buffer.alloc(20);
    head.writeDoubleLE(part.start ?? START, 0);
    head.writeDoubleLE(part.end ?? START, 8);
    head.writeUInt32LE(part.length ?? entries.length, 16);
    return Buffer.concat([header, changesBatch(1, [head, part.packed ?? deflateRawSync(entries)])]);
  }

  const refused = (file: Uint8Array, limits?: RecordingLimits) => expect(entriesOf(file, limits)).rejects;

  it('gets an error for any entries', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
        try {
          await entriesOf(fileOf(bytes));
        } catch (error) {
          expect(error).toBeInstanceOf(RecordingError);
          expect((error as Error).message).toContain('; to use what is before it, cut the file: truncate -s ');
        }
      }),
      { numRuns: runs(300) },
    );
  });

  it('cannot make the reader take more memory than its limits', async () => {
    const zeros = Buffer.alloc(1 << 20);
    await refused(fileOf(zeros, { length: 1000 })).toThrow('a block cannot be decompressed');
    await refused(fileOf(zeros, { length: 2 ** 32 - 1 })).toThrow(/a block has 4294967295 bytes, more than \d+/);
    await refused(fileOf(Buffer.alloc(10), { length: 20 })).toThrow('a block is shorter than it says');
    await refused(fileOf(zeros, { packed: Buffer.from('nothing') })).toThrow('a block cannot be decompressed');
    // Each new object copies the one before it and is a few bytes in the file.
    const writer = new RecordingWriter(START, [resource('pods')]);
    const parts = [writer.begin()];
    for (let i = 0; i < 50; i++) {
      writer.change(START, 0, 'ADDED', { key: `a/${i}`, version: i + 1, bytes: Buffer.alloc(10_000, 'x') });
    }
    parts.push(writer.cut()!);
    const bomb = Buffer.concat(parts);
    expect(bomb.length).toBeLessThan(2000);
    await refused(bomb, { ...RECORDING_LIMITS, stateBytes: 100_000 }).toThrow(
      'the objects have more than 100000 bytes',
    );
    await refused(bomb, { ...RECORDING_LIMITS, objectBytes: 9999 }).toThrow(
      'an object has 10000 bytes, more than 9999',
    );
  });

  it('cannot have impossible times, or something after its end', async () => {
    for (const times of [
      { start: Number.NaN },
      { start: 1.5 },
      { end: START - 1 },
      { end: 1e300 },
      { start: START - 1, end: START },
    ]) {
      await refused(fileOf(Buffer.alloc(0), times)).toThrow('a block has impossible times');
    }
    await refused(Buffer.concat([header, aboutBatch(1, { end: true }), aboutBatch(2, { end: true })])).toThrow(
      'a batch follows the end of the recording',
    );
    await refused(Buffer.concat([header, changesBatch(1, [Buffer.from('short')])])).toThrow(
      'a block has impossible times',
    );
  });
});
