import { crc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { FakeDisk } from '../../../../test/support/fake-disk.js';
import type { JsonObject } from '../../../meta/json-values.js';
import { FakeClock } from '../../../time/fake-clock.js';
import { seededRandom } from '../../../time/seeded-random.js';
import { type Revision, Storage } from '../storage.js';
import { aboutBatch } from './batch.js';
import { DataError } from './data-files.js';
import { type DataStore, openDataStore } from './data-store.js';

const KEY = 'ns/a';

/** A storage on a disk, as a server has it. */
interface Opened {
  readonly storage: Storage;
  readonly store: DataStore;
  readonly clock: FakeClock;
  readonly warnings: string[];
}

async function open(disk: FakeDisk, options: { compactBytes?: number; historyLimit?: number } = {}): Promise<Opened> {
  const clock = new FakeClock();
  const storage = new Storage({ historyLimit: options.historyLimit ?? 100, now: () => clock.now() });
  const warnings: string[] = [];
  const { compactBytes } = options;
  const store = await openDataStore({ files: disk, storage, clock, compactBytes, warn: (text) => warnings.push(text) });
  await storage.serve();
  return { storage, store, clock, warnings };
}

function newDisk(content?: ReadonlyMap<string, Buffer>): FakeDisk {
  return new FakeDisk(seededRandom(1), content);
}

function put({ storage }: Opened, name: string, value: unknown, collection = 'pods'): Revision {
  const object: JsonObject = { kind: 'Thing', metadata: { name, namespace: 'ns', uid: name }, value: value as string };
  return storage.collection(collection).put({ namespace: 'ns', name, object, fields: {} });
}

function stored({ storage }: Opened, key = KEY): unknown {
  return storage.collection('pods').published(key)?.decode()['value'];
}

describe('a storage on disk', () => {
  it('shows a commit to writers at once, and to clients once it is durable', async () => {
    const disk = newDisk();
    const opened = await open(disk);
    put(opened, 'a', 1);
    await opened.storage.flushed();
    let finishSync!: () => void;
    disk.delay = () =>
      new Promise((resolve) => {
        finishSync = resolve;
      });
    const pods = opened.storage.collection('pods');
    const published: number[] = [];
    pods.onPublish(() => published.push(opened.storage.version));
    const { version } = put(opened, 'a', 2);
    const end = pods.changesEnd;
    const flushed = opened.storage.flushed();
    await opened.clock.runUntilIdle();
    expect([pods.get(KEY)?.version, stored(opened), opened.storage.version]).toEqual([version, 1, version - 1]);
    expect([pods.changesAfter(version - 1), pods.changesEnd, published]).toEqual([end, end, []]);
    disk.delay = undefined;
    finishSync();
    await flushed;
    expect([stored(opened), opened.storage.version, pods.changesEnd, published]).toEqual([
      2,
      version,
      end + 1,
      [version],
    ]);
    expect(opened.storage.flushed()).toBeUndefined();
  });

  it('keeps changes that are not published, however short the history is', async () => {
    const disk = newDisk();
    const opened = await open(disk, { historyLimit: 1 });
    put(opened, 'a', 0);
    await opened.storage.flushed();
    for (let value = 1; value <= 5; value++) put(opened, 'a', value);
    expect(stored(opened)).toBe(0);
    await opened.storage.flushed();
    expect(stored(opened)).toBe(5);
  });

  it('needs one sync for all writes that come while another one is under way', async () => {
    const disk = newDisk();
    const opened = await open(disk);
    put(opened, 'a', 0);
    await opened.storage.flushed();
    const before = disk.operations;
    put(opened, 'a', 1);
    const first = opened.storage.flushed();
    await Promise.resolve();
    for (let i = 0; i < 500; i++) put(opened, `o-${i}`, i);
    await Promise.all([first, opened.storage.flushed()]);
    // An append and a sync for each of two batches.
    expect(disk.operations - before).toBe(4);
  });

  it('has everything after it was stopped, and says nothing about it', async () => {
    const disk = newDisk();
    const opened = await open(disk);
    put(opened, 'a', 1);
    put(opened, 'a', 2);
    put(opened, 'gone', 1);
    opened.storage.collection('pods').remove('ns/gone');
    await opened.store.stop();
    const again = await open(disk);
    expect([stored(again), stored(again, 'ns/gone'), again.storage.version]).toEqual([2, undefined, 5]);
    expect(again.warnings).toEqual([]);
    expect(put(again, 'b', 1).version).toBe(6);
  });

  it('writes all changes that are left when it stops', async () => {
    const disk = newDisk();
    const opened = await open(disk);
    for (let i = 0; i < 10; i++) put(opened, 'a', i);
    await opened.store.stop();
    expect(stored(await open(disk))).toBe(9);
  });

  it('refuses writes after it has stopped, and leaves the files alone', async () => {
    const disk = newDisk();
    const opened = await open(disk);
    put(opened, 'a', 1);
    await opened.store.stop();
    const { content } = disk;
    expect(() => put(opened, 'a', 2)).toThrow(/the write was refused: the server has stopped/);
    await opened.clock.advance(10_000);
    expect(disk.content).toEqual(content);
  });

  it('drops history that a lower limit does not allow', async () => {
    const disk = newDisk();
    const opened = await open(disk, { compactBytes: 2000 });
    for (let i = 0; i < 30; i++) {
      put(opened, 'a', i);
      await opened.storage.flushed();
      await opened.clock.runUntilIdle();
    }
    const pods = (await open(disk.kill(), { historyLimit: 3 })).storage.collection('pods');
    expect(pods.changesEnd - pods.changesStart).toBe(3);
  });

  it('lets watches resume from every version that they could resume from before', async () => {
    const disk = newDisk();
    const opened = await open(disk, { historyLimit: 10, compactBytes: 2000 });
    for (let i = 0; i < 60; i++) {
      put(opened, `o-${i % 7}`, i);
      await opened.storage.flushed();
      await opened.clock.runUntilIdle();
    }
    const pods = opened.storage.collection('pods');
    const again = (await open(disk.kill(), { historyLimit: 10 })).storage.collection('pods');
    expect([again.oldestVersion, again.oldestChange]).toEqual([pods.oldestVersion, pods.oldestChange]);
    expect(again.changesAfter(pods.oldestChange)).toBeDefined();
    expect(again.changesAfter(pods.oldestChange - 1)).toBeUndefined();
    expect([...disk.content.keys()].some((name) => name.startsWith('snapshot-'))).toBe(true);
  });

  it('has bounded files, however often objects change and however often it starts', async () => {
    let disk = newDisk();
    const options = { compactBytes: 20_000, historyLimit: 10 };
    for (let start = 0; start < 70; start++) {
      const opened = await open(disk, options);
      for (let i = 0; i < 5; i++) {
        put(opened, `o-${i}`, 'x'.repeat(500));
        await opened.storage.flushed();
        await opened.clock.runUntilIdle();
      }
      disk = disk.kill();
      const content = [...disk.content.values()];
      expect(content.length).toBeLessThan(40);
      expect(content.reduce((sum, { length }) => sum + length, 0)).toBeLessThan(70_000);
    }
    expect(stored(await open(disk), 'ns/o-4')).toHaveLength(500);
  });
});

describe('a full disk', () => {
  it('refuses writes with the reason, reads go on, and writes work again when there is space', async () => {
    const disk = newDisk();
    const opened = await open(disk);
    put(opened, 'a', 1);
    await opened.storage.flushed();
    disk.free = 50;
    put(opened, 'a', 2);
    await expect(opened.storage.flushed()).rejects.toMatchObject({
      status: 500,
      message: expect.stringMatching(/the write is not confirmed: \/data cannot be written \(ENOSPC.*free some space/),
    });
    expect(() => put(opened, 'a', 3)).toThrow(/the write was refused: \/data cannot be written \(ENOSPC/);
    expect(() => opened.storage.collection('pods').remove(KEY)).toThrow(/the write was refused/);
    expect(stored(opened)).toBe(1);
    await opened.clock.advance(60_000);
    expect(stored(opened)).toBe(1);
    expect([...disk.content.keys()]).toHaveLength(1);
    disk.free = 1e6;
    await opened.clock.advance(1000);
    expect(stored(opened)).toBe(2);
    put(opened, 'a', 4);
    await opened.storage.flushed();
    expect(opened.warnings).toEqual([
      expect.stringContaining('Writes are refused until then, reads go on'),
      '/data can be written again',
    ]);
    const again = await open(disk.kill());
    expect([stored(again), again.storage.version, again.warnings]).toEqual([4, 4, []]);
  });

  it('starts, and is read, without any write', async () => {
    const disk = newDisk();
    const opened = await open(disk);
    put(opened, 'a', 1);
    await opened.store.stop();
    disk.free = 0;
    expect(stored(await open(disk))).toBe(1);
  });

  it('without room for a snapshot lets the log grow, and writes the snapshot later', async () => {
    const disk = newDisk();
    disk.fault = (call, name) => (call === 'write' && name.startsWith('snapshot') ? 'ENOSPC' : undefined);
    const opened = await open(disk, { compactBytes: 2000 });
    const writeSome = async (): Promise<void> => {
      for (let i = 0; i < 20; i++) {
        put(opened, 'a', `${i}${'x'.repeat(300)}`);
        await opened.storage.flushed();
        await opened.clock.runUntilIdle();
      }
    };
    await writeSome();
    expect(opened.warnings[0]).toContain('no snapshot could be written, the log grows on (ENOSPC');
    disk.fault = undefined;
    await writeSome();
    expect([...disk.content.keys()].filter((name) => name.startsWith('snapshot'))).toHaveLength(1);
    expect(stored(await open(disk.kill()))).toBe(`19${'x'.repeat(300)}`);
  });
});

describe('a log file for a snapshot that fails and cannot be removed', () => {
  it('takes no change away that was written after it', async () => {
    const disk = newDisk();
    const opened = await open(disk, { compactBytes: 2000 });
    put(opened, 'a', 1);
    await opened.storage.flushed();
    const failing = new Set(['fsync .', 'unlink log-0000000002']);
    disk.fault = (call, name) => (failing.delete(`${call} ${name}`) ? 'EIO' : undefined);
    put(opened, 'a', 'x'.repeat(2000));
    await opened.storage.flushed();
    await opened.clock.runUntilIdle();
    expect([failing.size, [...disk.content.keys()]]).toEqual([0, ['log-0000000001', 'log-0000000002']]);
    put(opened, 'a', 3);
    await opened.storage.flushed();
    expect(stored(await open(disk.kill()))).toBe(3);
  });
});

describe('a failed sync', () => {
  it('gives its file up: the same changes go to a new one, and what the old one holds does not count', async () => {
    const disk = newDisk();
    const opened = await open(disk);
    put(opened, 'a', 1);
    await opened.storage.flushed();
    let syncs = 0;
    disk.fault = (call) => (call === 'fsync' && syncs++ === 0 ? 'EIO' : undefined);
    put(opened, 'a', 2);
    await expect(opened.storage.flushed()).rejects.toThrow(/EIO/);
    await opened.clock.advance(1000);
    expect(stored(opened)).toBe(2);
    expect([...disk.content.keys()]).toEqual(['log-0000000001', 'log-0000000002']);
    const again = await open(disk.kill());
    expect([stored(again), again.storage.version]).toEqual([2, 3]);
  });
});

describe('damaged files', () => {
  /** A directory with a snapshot, two log files, and the values of all versions. */
  async function damageable(): Promise<{ content: Map<string, Buffer>; values: Map<number, unknown> }> {
    let disk = newDisk();
    const values = new Map<number, unknown>();
    for (const compactBytes of [700, 1e6]) {
      const opened = await open(disk, { compactBytes, historyLimit: 2 });
      for (let i = 0; i < 4; i++) {
        const value = `${compactBytes}/${i}`;
        values.set(put(opened, 'a', value).version, value);
        await opened.storage.flushed();
        await opened.clock.runUntilIdle();
      }
      disk = disk.kill();
    }
    return { content: disk.content, values };
  }

  it('are recovered with a message or refused, whichever byte has changed', async () => {
    const { content, values } = await damageable();
    expect([...content.keys()].map((name) => name.replace(/\d/g, '')).sort()).toEqual(['log-', 'log-', 'snapshot-']);
    const newest = Math.max(...values.keys());
    const outcomes = { refused: 0, cut: 0 };
    for (const [name, bytes] of content) {
      for (let at = 0; at < bytes.length; at++) {
        const damaged = Buffer.from(bytes);
        damaged[at] = damaged[at]! ^ (1 << (at % 8));
        const disk = newDisk(new Map([...content, [name, damaged]]));
        let opened: Opened;
        try {
          opened = await open(disk);
        } catch (error) {
          expect(error).toBeInstanceOf(DataError);
          expect((error as Error).message).toMatch(/^\/data\/(log|snapshot)-\d+ is (damaged at offset \d+|missing)/);
          // Nothing is changed, so that a copy or a tool can still help.
          expect(disk.content.get(name)?.equals(damaged)).toBe(true);
          outcomes.refused++;
          continue;
        }
        const { version } = opened.storage;
        expect(opened.warnings.join()).toMatch(/^\/data\/log-\d+/);
        expect(stored(opened)).toBe(values.get(version));
        expect(version).toBeGreaterThanOrEqual(newest - 1);
        outcomes.cut++;
      }
    }
    expect(outcomes.refused).toBeGreaterThan(outcomes.cut);
    expect(outcomes.cut).toBeGreaterThan(100);
  });

  it('are recovered as far as they go, wherever the last log file is cut', async () => {
    const { content, values } = await damageable();
    const last = [...content.keys()]
      .filter((name) => name.startsWith('log'))
      .sort()
      .at(-1)!;
    const bytes = content.get(last)!;
    let newest = 0;
    for (let length = 1; length < bytes.length; length++) {
      const opened = await open(newDisk(new Map([...content, [last, bytes.subarray(0, length)]])));
      const { version } = opened.storage;
      expect(stored(opened)).toBe(values.get(version));
      expect(version).toBeGreaterThanOrEqual(newest);
      newest = version;
    }
    expect(newest).toBe(Math.max(...values.keys()) - 1);
  });

  it('are refused if a file is shorter than the next one says, or missing, and the message says what to do', async () => {
    const { content } = await damageable();
    const [first] = [...content.keys()].filter((name) => name.startsWith('log')).sort();
    const short = new Map([...content, [first!, content.get(first!)!.subarray(0, -1)]]);
    await expect(open(newDisk(short))).rejects.toThrow(
      new RegExp(`^/data/${first} is damaged at offset \\d+: .*Restore the directory from a copy.*truncate -s \\d+ `),
    );
    const without = new Map(content);
    without.delete(first!);
    await expect(open(newDisk(without))).rejects.toThrow(`/data/${first} is missing, but`);
  });

  it('go on after what the message says was done', async () => {
    const { content, values } = await damageable();
    const logs = [...content.keys()].filter((name) => name.startsWith('log')).sort();
    const name = logs[0]!;
    const damaged = Buffer.from(content.get(name)!);
    damaged[damaged.length - 20]! ^= 1;
    const error = await open(newDisk(new Map([...content, [name, damaged]]))).catch((thrown: Error) => thrown);
    const offset = Number(/truncate -s (\d+) /.exec((error as Error).message)?.[1]);
    const repaired = new Map([...content, [name, damaged.subarray(0, offset)]]);
    for (const log of logs.slice(1)) repaired.delete(log);
    const opened = await open(newDisk(repaired));
    expect(stored(opened)).toBe(values.get(opened.storage.version));
  });

  it('after an orderly stop are never taken for what a crash has left', async () => {
    const disk = newDisk();
    const opened = await open(disk);
    put(opened, 'a', 1);
    await opened.storage.flushed();
    put(opened, 'a', 2);
    await opened.store.stop();
    const [[name, bytes]] = [...disk.content] as [[string, Buffer]];
    const at = bytes.lastIndexOf('"value":2');
    bytes[at] = 0;
    await expect(open(newDisk(new Map([[name, bytes]])))).rejects.toThrow(/is damaged at offset \d+/);
  });

  it('with a complete batch of an unknown kind are never taken for what a crash has left', async () => {
    const disk = newDisk();
    const opened = await open(disk);
    put(opened, 'a', 1);
    await opened.storage.flushed();
    const [[name, bytes]] = [...disk.content] as [[string, Buffer]];
    const at = bytes.lastIndexOf(Buffer.from([0xff, 0x4b, 0x46]));
    bytes[at + 3] = 9;
    bytes.writeUInt32LE(crc32(bytes.subarray(at, at + 16)), at + 16);
    await expect(open(newDisk(new Map([[name, bytes]])))).rejects.toThrow('the kind of a batch is unknown: 9');
  });

  it('of another format version, or of another directory, are refused', async () => {
    const { content } = await damageable();
    const header = { format: 'kubeflect-log', formatVersion: 2, directory: 'd', number: 1, version: 1 };
    const future = new Map([['log-0000000001', Buffer.from(aboutBatch(0, header))]]);
    await expect(open(newDisk(future))).rejects.toThrow(
      '/data/log-0000000001 has format version 2, this kubeflect reads 1; use the kubeflect that wrote it',
    );
    const other = (await damageable()).content;
    const names = [...content.keys()].filter((name) => name.startsWith('log'));
    const mixed = new Map([...content, [names.at(-1)!, other.get(names.at(-1)!)!]]);
    await expect(open(newDisk(mixed))).rejects.toThrow(/belongs to another data directory/);
  });
});
