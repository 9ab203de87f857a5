import { describe, expect, it } from 'vitest';
import { ItemAdd, ItemDelete, ItemUpdate } from '../../cache/informer/informer-event.js';
import { type ItemView, rawView } from '../../cache/store/item-view.js';
import { ObjectItem, objectView } from '../../cache/store/object-item.js';
import { Raw } from '../../codec/raw.js';
import { SlabArena } from '../../codec/slab.js';
import type { InformerSource } from '../../observe/channels.js';
import { ChangeLog, type ChangeLogLimits } from './change-log.js';

const view = rawView<unknown>() as unknown as ItemView<object, unknown>;
const origin = {
  format: {
    decode: (raw: Raw<unknown>) => JSON.parse(textOf(raw)),
    json: (raw: Raw<unknown>) => textOf(raw),
    value: () => undefined,
  },
  kind: 'Thing',
  apiVersion: 'v1',
  paths: [],
};

function textOf({ slab, offset, length }: Raw<unknown>): string {
  return slab.bytes.toString('latin1', offset, offset + length);
}

/** An object in a slab of an arena, as decoders make them. */
function thing(arena: SlabArena, key: string, version: number, size = 1000): Raw<unknown> {
  const text = JSON.stringify({ version, text: 'x'.repeat(size) });
  const slab = arena.reserve(text.length);
  const offset = slab.used;
  slab.used += slab.bytes.write(text, offset, 'latin1');
  return new Raw(slab, offset, text.length, key, `${version}`, 0, origin, undefined);
}

function sourceNamed(name: string): InformerSource {
  return { name, host: 'a', group: '', version: 'v1', resource: 'things' };
}

/** A log of a process in which nothing has changed for a second. */
function restedLog(limits: ChangeLogLimits): ChangeLog {
  const log = new ChangeLog(limits);
  log.settle(-1000);
  log.settle(0);
  return log;
}

const versions = (log: ChangeLog, source: InformerSource, key: string) =>
  log.of(source, key).map(({ type, resourceVersion }) => `${type} ${resourceVersion}`);

describe('ChangeLog', () => {
  it('has the changes of an object with both states, oldest first', () => {
    const log = new ChangeLog();
    const source = sourceNamed('things');
    const arena = new SlabArena();
    const states = [1, 2, 3].map((version) => thing(arena, 'default/a', version)) as [
      Raw<unknown>,
      Raw<unknown>,
      Raw<unknown>,
    ];
    log.add(source, new ItemAdd(view, states[0], false), 10);
    log.add(source, new ItemAdd(view, thing(arena, 'default/b', 1), false), 11);
    log.add(source, new ItemUpdate(view, states[0], states[1], false, false), 20);
    log.add(source, new ItemDelete(view, states[1], states[2], true), 30);
    expect(versions(log, source, 'default/a')).toEqual(['add 1', 'update 2', 'delete 3']);
    const [, update] = log.of(source, 'default/a');
    expect([update?.view.decode(update.old as object), update?.view.decode(update.item)]).toMatchObject([
      { version: 1 },
      { version: 2 },
    ]);
    expect([log.size, log.oldestAt]).toEqual([4, 10]);
    expect(log.of(sourceNamed('others'), 'default/a')).toEqual([]);
  });

  it('copies the state before a change after ten seconds, and then keeps no slab of the store in memory for it', () => {
    const log = new ChangeLog();
    const source = sourceNamed('things');
    const listed = thing(new SlabArena(), 'default/a', 1);
    const arena = new SlabArena();
    const [second, third] = [thing(arena, 'default/a', 2), thing(arena, 'default/a', 3)];
    log.add(source, new ItemUpdate(view, listed, second, false, false), 1000);
    log.add(source, new ItemUpdate(view, second, third, false, false), 2000);
    const [one, two] = log.of(source, 'default/a');
    log.settle(10_999);
    expect(one?.old).toBe(listed);
    log.settle(11_000);
    const copy = one?.old as Raw<unknown>;
    expect(copy.slab).not.toBe(listed.slab);
    expect(view.json(copy)).toBe(view.json(listed));
    expect(two?.old).toBe(second);
    log.settle(12_000);
    expect([one?.old === copy, two?.old === second]).toEqual([true, false]);
  });

  it('copies what is left after some changes were dropped', () => {
    const log = new ChangeLog({ mostChanges: 5 });
    const source = sourceNamed('things');
    const arena = new SlabArena();
    const states = Array.from({ length: 20 }, (_, i) => thing(arena, 'default/a', i));
    for (let i = 1; i < states.length; i++) {
      log.add(
        source,
        new ItemUpdate(view, states[i - 1] as Raw<unknown>, states[i] as Raw<unknown>, false, false),
        i * 1000,
      );
      log.settle(i * 1000 + 7000);
    }
    log.settle(40_000);
    const kept = log.of(source, 'default/a');
    expect(kept.map(({ hasCopy }) => hasCopy)).toEqual(new Array(5).fill(true));
    expect(kept.map(({ old }) => view.decode(old as object))).toMatchObject(
      [14, 15, 16, 17, 18].map((version) => ({ version })),
    );
  });

  it('stays within its limits, and drops from the informer that has the most', () => {
    const log = restedLog({ mostChanges: 100, mostBytes: 1_000_000 });
    const [busy, quiet] = [sourceNamed('busy'), sourceNamed('quiet')];
    const arena = new SlabArena();
    for (let i = 0; i < 20; i++) log.add(quiet, new ItemAdd(view, thing(arena, `q/${i}`, i), false), i);
    let last = thing(arena, 'b/1', 0);
    for (let i = 1; i < 1000; i++) {
      const next = thing(arena, 'b/1', i);
      log.add(busy, new ItemUpdate(view, last, next, false, false), 100 + i);
      last = next;
      expect(log.size).toBeLessThanOrEqual(100);
    }
    expect([...log.all(quiet)]).toHaveLength(20);
    expect(log.of(busy, 'b/1').at(-1)?.resourceVersion).toBe('999');

    const small = restedLog({ mostBytes: 20_000 });
    for (let i = 0; i < 100; i++) small.add(busy, new ItemAdd(view, thing(arena, `b/${i}`, i, 2000), false), i);
    expect(small.bytes).toBeLessThanOrEqual(20_000);
    expect(small.size).toBeGreaterThan(5);
  });

  it('keeps less while many bytes arrive', () => {
    const log = new ChangeLog({ mostBytes: 3_200_000 });
    expect(log.mostBytes).toBe(200_000);
    log.settle(0);
    const source = sourceNamed('things');
    const arena = new SlabArena();
    let now = 0;
    /** Adds changes with so many bytes, and lets a second pass. */
    const addBytes = (bytes: number): number => {
      const before = log.mostBytes;
      for (let added = 0; added < bytes; ) {
        added += log.add(source, new ItemAdd(view, thing(arena, 'default/a', 1, 5000), false), now).bytes || 5300;
      }
      log.settle((now += 1000));
      expect(log.bytes).toBeLessThanOrEqual(Math.max(before, log.mostBytes));
      return log.mostBytes;
    };
    expect(addBytes(10_000)).toBe(3_200_000);
    expect(addBytes(90_000)).toBe(3_200_000);
    expect(addBytes(400_000)).toBeCloseTo(800_000, -5);
    expect(addBytes(5_000_000)).toBe(200_000);
    addBytes(200_000);
    expect(log.bytes).toBeLessThanOrEqual(200_000);
    expect(addBytes(10_000)).toBe(3_200_000);
  });

  it('keeps the changes of a followed object when it is full, for a minute', () => {
    const log = new ChangeLog({ mostChanges: 10 });
    const source = sourceNamed('things');
    const arena = new SlabArena();
    const fill = () => {
      for (let i = 0; i < 20; i++) log.add(source, new ItemAdd(view, thing(arena, `other/${i}`, i), false), i);
    };
    log.follow(source, 'default/a', 0);
    log.add(source, new ItemAdd(view, thing(arena, 'default/a', 1), false), 1);
    fill();
    expect(versions(log, source, 'default/a')).toEqual(['add 1']);
    log.follow(source, 'default/b', 61_000);
    expect(versions(log, source, 'default/a')).toEqual([]);
  });

  it('keeps at most 200 changes of a followed object, and follows at most 32 objects', () => {
    const log = new ChangeLog({ mostChanges: 10 });
    const source = sourceNamed('things');
    const arena = new SlabArena();
    log.follow(source, 'default/a', 0);
    for (let i = 0; i < 500; i++) log.add(source, new ItemAdd(view, thing(arena, 'default/a', i, 10), false), i);
    expect(log.of(source, 'default/a')).toHaveLength(210);
    for (let i = 0; i < 32; i++) log.follow(source, `other/${i}`, 1);
    expect(log.of(source, 'default/a')).toHaveLength(10);
  });

  it('counts objects that are no bytes by the JSON of some of them', () => {
    const log = restedLog({ mostBytes: 50_000 });
    const source = sourceNamed('things');
    const objects = objectView<unknown>() as unknown as ItemView<object, unknown>;
    const facts = {
      namespace: 'a',
      name: 'b',
      uid: '',
      resourceVersion: '1',
      generation: undefined,
      deletionTimestamp: undefined,
      labels: {},
      ownerReferences: [],
    };
    for (let i = 0; i < 100; i++) {
      const item = new ObjectItem(facts, 'v1', 'Thing', { text: 'x'.repeat(5000) });
      log.add(source, new ItemAdd(objects, item, false), i);
    }
    expect(log.size).toBeLessThan(10);
    expect(log.size).toBeGreaterThan(5);
  });
});
