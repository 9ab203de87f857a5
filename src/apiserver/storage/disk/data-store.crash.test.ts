import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { FakeDisk } from '../../../../test/support/fake-disk.js';
import { runs } from '../../../../test/support/runs.js';
import type { JsonObject } from '../../../meta/json-values.js';
import { FakeClock } from '../../../time/fake-clock.js';
import { seededRandom } from '../../../time/seeded-random.js';
import { type Collection, type Revision, Storage } from '../storage.js';
import { openDataStore } from './data-store.js';

const HISTORY = 12;
const COLLECTIONS = ['pods', 'services', 'widgets.example.com'];
const CRASHES = runs(1200);

/** A change as the model and the storage must agree on it. */
type Seen = readonly [version: number, type: string, collection: string, key: string, value: unknown, before: unknown];

/** All commits so far, whether or not they are durable. */
class History {
  changes: Seen[] = [];

  add(revision: Revision, collection: Collection): void {
    this.changes.push(seen(revision, collection));
  }

  /** The objects of a collection at a version. */
  stateAt(collection: string, version: number): [string, unknown][] {
    const state = new Map<string, unknown>();
    for (const [at, type, id, key, value] of this.changes) {
      if (at > version || id !== collection) continue;
      if (type === 'DELETED') state.delete(key);
      else state.set(key, value);
    }
    return [...state].sort(([a], [b]) => (a < b ? -1 : 1));
  }
}

function seen(revision: Revision, collection: Collection): Seen {
  const { version, type, key, previous } = revision;
  const before = previous === undefined || previous.type === 'DELETED' ? undefined : previous.decode()['value'];
  return [version, type, collection.id, key, revision.decode()['value'], before];
}

function newStorage(): Storage {
  return new Storage({ historyLimit: HISTORY, historyBytes: 2500 });
}

interface Rig {
  readonly random: () => number;
  readonly clock: FakeClock;
  readonly history: History;
  /** The newest version that a client has seen. */
  acknowledged: number;
}

/** Writes at random until `count` writes were made or the disk has no power; clients note what they are told. */
async function work(rig: Rig, disk: FakeDisk, storage: Storage, count: number): Promise<void> {
  const { random, clock, history } = rig;
  storage.subscribe((revision, collection) => history.add(revision, collection));
  const clients: Promise<void>[] = [];
  for (let n = 0; n < count; n++) {
    const collection = storage.collection(COLLECTIONS[Math.floor(random() * COLLECTIONS.length)]!);
    const name = `o-${Math.floor(random() * 6)}`;
    const key = `ns/${name}`;
    try {
      if (collection.get(key) !== undefined && random() < 0.3) collection.remove(key);
      else {
        const value = `${n}-${'x'.repeat(Math.floor(random() * 300))}`;
        const metadata = { name, namespace: 'ns', uid: `${name}-uid`, labels: { n: String(n) } };
        const object: JsonObject = { kind: 'Thing', apiVersion: 'v1', metadata, value };
        collection.put({ namespace: 'ns', name, object, fields: { n: String(n) } });
      }
    } catch (error) {
      expect(String(error)).toContain('the write was refused');
      await clock.advance(1000);
      continue;
    }
    const version = history.changes.at(-1)![0];
    const flushed = storage.flushed();
    const told = (): void => {
      expect(storage.version).toBeGreaterThanOrEqual(version);
      rig.acknowledged = Math.max(rig.acknowledged, storage.version);
    };
    if (flushed === undefined) told();
    else clients.push(flushed.then(told, (error) => expect(String(error)).toContain('the write is not confirmed')));
    // Sometimes many writes share a sync, sometimes each has its own.
    if (random() < 0.4) await clock.runUntilIdle();
    rig.acknowledged = Math.max(rig.acknowledged, storage.version);
  }
  for (let turn = 0; turn < 20; turn++) await clock.runUntilIdle();
  rig.acknowledged = Math.max(rig.acknowledged, storage.version);
  if (disk.operationsLeft >= 0) await Promise.all(clients);
}

/** Like `toEqual`, which takes too long to be called a million times. */
function same(actual: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(actual, expected)) expect(actual).toEqual(expected);
}

/** Checks that a storage holds a prefix of the history with everything that was acknowledged; forgets the rest. */
function compare({ history, acknowledged }: Rig, storage: Storage): void {
  const { version } = storage;
  expect(version).toBeGreaterThanOrEqual(acknowledged);
  expect(version).toBeLessThanOrEqual(history.changes.at(-1)?.[0] ?? 1);
  history.changes = history.changes.filter(([at]) => at <= version);
  for (const id of COLLECTIONS) {
    const collection = storage.collection(id);
    const state: [string, unknown][] = [];
    collection.scan(version, '', '', (revision) => {
      state.push([revision.key, revision.decode()['value']]);
      const { labels, fields, uid, name } = revision;
      const { metadata } = revision.decode() as { metadata: JsonObject };
      const facts = [metadata['labels'], metadata['labels'], metadata['uid'], metadata['resourceVersion']];
      same([labels, fields, uid, String(revision.version)], facts);
      same(uid, `${name}-uid`);
      return true;
    });
    same(state, history.stateAt(id, version));
    same(collection.size, state.length);
    const all = history.changes.filter(([, , of]) => of === id);
    const changes: Seen[] = [];
    for (let at = collection.changesStart; at < collection.changesEnd; at++) {
      changes.push(seen(collection.changeAt(at), collection));
    }
    for (let after = collection.oldestChange; after <= version; after++) {
      const from = collection.changesAfter(after)! - collection.changesStart;
      same(
        changes.slice(from),
        all.filter(([at]) => at > after),
      );
    }
    // The history is as long as its limits allow: at least the last change can be watched.
    const last = all.at(-1)?.[0];
    if (last !== undefined) expect(collection.changesAfter(last - 1)).toBeDefined();
  }
}

describe('after a power failure', () => {
  it('a storage holds all that was acknowledged', async () => {
    let crashes = 0;
    let cuts = 0;
    for (let seed = 1; crashes < CRASHES; seed++) {
      const random = seededRandom(seed);
      const clock = new FakeClock();
      const rig: Rig = { random, clock, history: new History(), acknowledged: 1 };
      let disk = new FakeDisk(random);
      // Each disk crashes a few times: recovery must also work on what a recovery has left.
      for (let life = 0; life < 4; life++) {
        disk.operationsLeft = Math.floor(random() * 60) + (random() < 0.3 ? 0 : 20);
        if (random() < 0.3)
          disk.fault = (call) => (random() < 0.05 ? (call === 'write' ? 'ENOSPC' : 'EIO') : undefined);
        const storage = newStorage();
        const warn = (message: string): void => {
          if (message.includes('are ignored')) cuts++;
        };
        // A crash may come while the directory is read.
        const opened = openDataStore({ files: disk, storage, clock, warn, compactBytes: 3000 }).then(
          () => true,
          (error: unknown) => {
            // Faults of reading refuse the start, and change nothing.
            expect(String(error)).toContain('injected');
            return false;
          },
        );
        if (await Promise.race([opened, disk.off.then(() => false)])) {
          try {
            compare(rig, storage);
            await storage.serve();
            await work(rig, disk, storage, 40);
          } catch (error) {
            throw new Error(`seed ${seed}, life ${life}: ${(error as Error).message}`, { cause: error });
          }
        }
        disk = random() < 0.8 ? disk.crash() : disk.kill();
        crashes++;
      }
    }
    expect(cuts).toBeGreaterThan(runs(80));
  });
});
