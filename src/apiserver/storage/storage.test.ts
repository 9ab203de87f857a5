import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../test/support/runs.js';
import type { JsonObject } from '../../meta/json-values.js';
import { finish } from '../../time/steps.js';
import { type Collection, keyOf, type Revision, Storage } from './storage.js';

interface Change {
  readonly version: number;
  readonly type: string;
  readonly key: string;
  readonly size: number;
}

/** A model of the storage that keeps a complete snapshot of every version. */
class Model {
  readonly states = new Map<number, ReadonlyMap<string, number>>();
  readonly changes: Change[] = [];
  current: ReadonlyMap<string, number> = new Map();

  commit(version: number, type: string, key: string, size: number): void {
    const next = new Map(this.current);
    if (type === 'DELETED') next.delete(key);
    else next.set(key, size);
    this.current = next;
    this.states.set(version, next);
    this.changes.push({ version, type, key, size });
  }

  at(version: number): [string, number][] {
    let state: ReadonlyMap<string, number> = new Map();
    for (const [at, candidate] of this.states) if (at <= version) state = candidate;
    return [...state].sort(([a], [b]) => (a < b ? -1 : 1));
  }
}

function draft(namespace: string, name: string, size: number) {
  const object: JsonObject = { kind: 'Thing', apiVersion: 'v1', metadata: { name, namespace, uid: name }, size };
  return { namespace, name, object, fields: {} };
}

function snapshot(collection: Collection, version: number, prefix = '', from = ''): [string, number][] {
  const seen: [string, number][] = [];
  collection.scan(version, prefix, from, (revision) => {
    seen.push([revision.key, revision.decode()['size'] as number]);
    return true;
  });
  return seen;
}

function changesAfter(collection: Collection, version: number): Change[] | undefined {
  const start = collection.changesAfter(version);
  if (start === undefined) return undefined;
  const changes: Change[] = [];
  for (let place = start; place < collection.changesEnd; place++) changes.push(described(collection.changeAt(place)));
  return changes;
}

function described(revision: Revision): Change {
  const { type, key, version } = revision;
  return { version, type, key, size: revision.decode()['size'] as number };
}

const step = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      op: fc.constantFrom('put' as const, 'put' as const, 'remove' as const),
      namespace: fc.constantFrom('a', 'a-b', 'b'),
      name: fc.constantFrom('x', 'y', 'z', 'x-1'),
      size: fc.integer({ min: 0, max: 9 }),
    }),
  },
  { weight: 3, arbitrary: fc.constant({ op: 'other' as const }) },
  { weight: 1, arbitrary: fc.constant({ op: 'compact' as const }) },
  { weight: 1, arbitrary: fc.constant({ op: 'forget' as const }) },
);

describe('Storage', () => {
  it('a scan in steps ends when its version is compacted, and one of the newest states does not', () => {
    for (const [version, isWhole] of [
      [100, false],
      [Number.POSITIVE_INFINITY, true],
    ] as const) {
      const storage = new Storage({ historyLimit: 1000 });
      const collection = storage.collection('things');
      for (let i = 0; i < 200; i++) collection.put(draft('n', `o${String(i).padStart(3, '0')}`, i));
      const at = version === 100 ? storage.version : version;
      const seen: string[] = [];
      const scan = collection.scanInSteps(at, '', '', (revision) => seen.push(revision.key) > 0);
      expect(scan.next().done).toBe(false);
      expect(seen.length).toBeLessThan(200);
      collection.put(draft('n', 'o000', 1));
      storage.compact();
      let step = scan.next();
      while (step.done !== true) step = scan.next();
      expect(step.value).toBe(isWhole);
      expect(seen.length === 200).toBe(isWhole);
    }
  });

  it('keeps nothing of a deleted object when its history is dropped', () => {
    const storage = new Storage({ historyLimit: 1000 });
    const collection = storage.collection('things');
    collection.put(draft('n', 'a', 1));
    collection.put(draft('n', 'b', 1));
    collection.remove('n/a');
    storage.compact();
    const kept: string[] = [];
    finish(collection.keptInSteps(storage.version, (revision) => kept.push(`${revision.type} ${revision.key}`)));
    expect(kept).toEqual(['ADDED n/b']);
  });

  it('agrees with a naive versioned map: snapshots, changes, compaction', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120, size: 'max' }), fc.integer({ min: 1, max: 20 }), (steps, limit) => {
        const storage = new Storage({ historyLimit: limit });
        const collection = storage.collection('things');
        const other = storage.collection('others');
        const model = new Model();
        let compacted = storage.version;
        let forgotten = storage.version;
        for (const step of steps) {
          if (step.op === 'other') other.put(draft('', 'o', 0));
          else if (step.op === 'compact') {
            storage.compact();
            compacted = storage.version;
          } else if (step.op === 'forget') {
            storage.forgetChanges();
            forgotten = storage.version;
          } else {
            const key = keyOf(step.namespace, step.name);
            const exists = model.current.has(key);
            if (step.op === 'remove' && !exists) {
              expect(() => collection.remove(key)).toThrow('is not stored');
              continue;
            }
            const last = model.current.get(key) ?? 0;
            const wanted = draft(step.namespace, step.name, step.size);
            const revision = step.op === 'put' ? collection.put(wanted) : collection.remove(key);
            expect(revision.version).toBe(storage.version);
            const type = step.op === 'remove' ? 'DELETED' : exists ? 'MODIFIED' : 'ADDED';
            expect(revision.type).toBe(type);
            model.commit(storage.version, type, key, step.op === 'put' ? step.size : last);
          }
        }

        const dropped = model.changes.at(-limit - 1)?.version ?? 0;
        expect(collection.oldestVersion).toBe(Math.max(compacted, dropped));
        expect(collection.oldestChange).toBe(Math.max(compacted, dropped, forgotten));
        expect(collection.size).toBe(model.current.size);
        for (let version = collection.oldestVersion; version <= storage.version; version++) {
          const state = model.at(version);
          expect(snapshot(collection, version)).toEqual(state);
          expect(snapshot(collection, version, 'a/')).toEqual(state.filter(([key]) => key.startsWith('a/')));
          expect(snapshot(collection, version, '', 'a/x\0')).toEqual(state.filter(([key]) => key > 'a/x'));
        }
        for (let version = 0; version <= storage.version + 1; version++) {
          const expected =
            version < collection.oldestChange ? undefined : model.changes.filter((change) => change.version > version);
          expect(changesAfter(collection, version)).toEqual(expected);
        }
        for (const key of ['a/x', 'b/z']) {
          expect(collection.get(key)?.decode()['size']).toBe(model.current.get(key));
        }
      }),
      { numRuns: runs(75) },
    );
  });

  it('removes deleted objects once their deletion has left the window', () => {
    const storage = new Storage({ historyLimit: 4 });
    const collection = storage.collection('things');
    for (let n = 0; n < 50; n++) {
      collection.put(draft('a', `n${n}`, n));
      collection.remove(`a/n${n}`);
    }
    const start = collection.changesAfter(collection.oldestChange)!;
    expect(collection.changesEnd - start).toBe(4);
    expect(collection.changeAt(start).previous).toBeUndefined();
    expect(snapshot(collection, storage.version)).toEqual([]);
  });

  it('calls listeners of the storage for every commit in order, and those of a collection for its own', () => {
    const storage = new Storage({ historyLimit: 10 });
    const log: string[] = [];
    const things = storage.collection('things');
    const stop = storage.subscribe((revision, collection) => log.push(`${collection.id} ${revision.version}`));
    things.subscribe(() => log.push('thing'));
    things.put(draft('', 'a', 1));
    storage.collection('others').put(draft('', 'b', 1));
    stop();
    things.put(draft('', 'a', 2));
    expect(log).toEqual(['things 2', 'thing', 'others 3', 'thing']);
  });

  it('keeps an object as one piece of bytes for watches and reads', () => {
    const storage = new Storage({ historyLimit: 10 });
    const revision = storage.collection('things').put(draft('ns', 'ü', 1));
    const text = Buffer.from(revision.line).toString();
    expect(text).toBe(`{"type":"ADDED","object":${Buffer.from(revision.bytes).toString()}}\n`);
    expect(revision.bytes.buffer).toBe(revision.line.buffer);
    expect(revision.decode()['metadata']).toEqual({ name: 'ü', namespace: 'ns', uid: 'ü', resourceVersion: '2' });
    expect(revision.decode()).not.toBe(revision.decode());
  });
});

describe('history in bytes', () => {
  const large = (name: string, state: number) => {
    const one = draft('a', name, state);
    return { ...one, object: { ...one.object, text: 'x'.repeat(1000) } };
  };

  it('is limited for all resources together: the one with the most drops its oldest changes', () => {
    const storage = new Storage({ historyLimit: 1000, historyBytes: 10_000 });
    const quiet = storage.collection('quiet');
    const busy = storage.collection('busy');
    quiet.put(large('q', 0));
    quiet.put(large('q', 1));
    const early = storage.version;
    for (let state = 0; state < 100; state++) busy.put(large('b', state));
    expect(busy.historyBytes + quiet.historyBytes).toBeLessThanOrEqual(10_000);
    expect(busy.changesEnd - busy.changesStart).toBeGreaterThan(5);
    expect(busy.changesAfter(early)).toBeUndefined();
    expect(quiet.changesAfter(1)).toBe(0);
    expect(snapshot(busy, storage.version)).toEqual([['a/b', 99]]);
    expect(snapshot(busy, busy.oldestVersion)[0]?.[0]).toBe('a/b');
    storage.compact();
    expect(busy.historyBytes + quiet.historyBytes).toBe(0);
  });

  it('counts former states and deletions, not present objects', () => {
    const storage = new Storage({ historyLimit: 1000, historyBytes: 100_000 });
    const things = storage.collection('things');
    for (let i = 0; i < 200; i++) things.put(large(`t${i}`, i));
    expect(things.historyBytes).toBe(0);
    expect(things.changesAfter(1)).toBe(0);
    for (let i = 0; i < 200; i++) things.remove(`a/t${i}`);
    expect(things.historyBytes).toBeGreaterThan(90_000);
    expect(things.historyBytes).toBeLessThanOrEqual(100_000);
    expect(things.size).toBe(0);
  });

  it('keeps the latest change of each resource, however large it is', () => {
    const storage = new Storage({ historyLimit: 1000, historyBytes: 0 });
    const things = storage.collection('things');
    things.put(large('t', 0));
    const before = storage.version;
    things.put(large('t', 1));
    expect(changesAfter(things, before)).toMatchObject([{ type: 'MODIFIED', key: 'a/t' }]);
  });

  it('computes selectable fields of states that lack one of them', () => {
    const storage = new Storage({ historyLimit: 10 });
    const things = storage.collection('things');
    things.put({ ...draft('n', 'a', 1), fields: { size: 'old' } });
    things.put({ ...draft('n', 'a', 2), fields: { size: 'old', color: 'red' } });
    things.completeFields(['size', 'color'], (object) => ({ size: String(object['size']), color: 'blue' }));
    expect(things.get('n/a')?.fields).toEqual({ size: 'old', color: 'red' });
    expect(things.get('n/a')?.previous?.fields).toEqual({ size: '1', color: 'blue' });
  });
});
