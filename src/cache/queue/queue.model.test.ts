import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Form, forms, show, type Thing, thing } from '../../../test/support/forms.js';
import { runs } from '../../../test/support/runs.js';
import { DeletedFinalStateUnknown } from '../../meta/key.js';
import type { Delta, ObjectDelta } from './delta.js';
import { DeltaFIFO } from './delta-fifo.js';
import type { Queue, QueueBatch } from './queue.js';
import { RealFIFO } from './real-fifo.js';

/** `a=1`; `gone a=1` for a tombstone with its last state, `gone a` without one. */
type Item = string;
/** `Added a=1`, `Bookmark 5`, `ReplacedAll 5 [a=1,b=2]`. */
type Said = string;

/** An object with this name has no key. */
const nameless = 'x';

function keyOf(item: Item): string | undefined {
  const key = item.replace(/^gone /, '').replace(/=.*/, '');
  return key === nameless && !item.startsWith('gone ') ? undefined : key;
}

const isGone = (item: Item) => item.startsWith('gone ');
const typeOf = (said: Said) => said.slice(0, said.indexOf(' '));
const itemOf = (said: Said) => said.slice(said.indexOf(' ') + 1);
const isAboutOne = (said: Said) => /^(Added|Updated|Deleted|Replaced|Sync) /.test(said);
/** A tombstone of this key, with the last state of this item if there is one. */
const goneOf = (key: string, item: Item | undefined) =>
  item === undefined ? `gone ${key}` : `gone ${item.replace(/^gone /, '')}`;

/** A model of a queue, written for clarity: one list of deltas, searched from the start. */
abstract class Model {
  said: Said[] = [];
  initialLeft = 0;
  hasSynced = false;
  #populated = false;
  readonly known: ReadonlyMap<string, Item>;
  readonly transform: (item: Item) => Item;

  constructor(known: ReadonlyMap<string, Item>, transforms: boolean) {
    this.known = known;
    this.transform = (item) => (transforms && !isGone(item) ? `${item}'` : item);
  }

  abstract get length(): number;
  /** Returns whether it was accepted. */
  abstract change(type: 'Added' | 'Updated' | 'Deleted', item: Item): boolean;
  abstract replace(items: readonly Item[], version: string): boolean;
  abstract resync(): void;
  abstract progress(version: string): void;
  /** Takes the next batch. Returns how many items of the first list are in it. */
  abstract take(most: number): { readonly said: Said[]; readonly counts: number };

  populate(initial: number): void {
    if (!this.#populated) this.initialLeft = initial;
    this.#populated = true;
    this.finish(0);
  }

  finish(counts: number): void {
    this.initialLeft = Math.max(0, this.initialLeft - counts);
    if (this.#populated && this.initialLeft === 0) this.hasSynced = true;
  }

  /** The deltas of this object, oldest first. */
  about(key: string): Said[] {
    return this.said.filter((each) => isAboutOne(each) && keyOf(itemOf(each)) === key);
  }
}

class DeltaModel extends Model {
  override get length(): number {
    return this.#keys().length;
  }

  override change(type: 'Added' | 'Updated' | 'Deleted', item: Item): boolean {
    const key = keyOf(item);
    // A deletion without a key is refused before it is counted; other changes are counted first.
    if (key !== undefined || type !== 'Deleted') this.populate(0);
    if (key === undefined) return false;
    if (type === 'Deleted' && this.about(key).length === 0 && !this.known.has(key)) return true;
    this.said.push(`${type} ${this.transform(item)}`);
    return true;
  }

  override replace(items: readonly Item[]): boolean {
    const listed = new Set(items.map(keyOf));
    if (listed.has(undefined)) return false;
    const queuedBefore = this.#keys();
    for (const item of items) this.said.push(`Replaced ${this.transform(item)}`);
    const gone = queuedBefore.filter((key) => !listed.has(key));
    for (const key of gone) this.said.push(`Deleted ${goneOf(key, itemOf(this.#merged(key).at(-1) as Said))}`);
    const goneUnseen = [...this.known].filter(([key]) => !listed.has(key) && !queuedBefore.includes(key));
    for (const [key, item] of goneUnseen) this.said.push(`Deleted ${goneOf(key, item)}`);
    this.populate(listed.size + gone.length + goneUnseen.length);
    return true;
  }

  override resync(): void {
    for (const [key, item] of this.known) if (this.about(key).length === 0) this.said.push(`Sync ${item}`);
  }

  override progress(): void {}

  override take(): { said: Said[]; counts: number } {
    const [key] = this.#keys();
    if (key === undefined) return { said: [], counts: 0 };
    const said = this.#merged(key);
    this.said = this.said.filter((each) => keyOf(itemOf(each)) !== key);
    return { said, counts: 1 };
  }

  #keys(): string[] {
    return [...new Set(this.said.map((each) => keyOf(itemOf(each)) as string))];
  }

  /** The deltas of the object; of two deletions in a row the one with the last state is kept. */
  #merged(key: string): Said[] {
    const merged: Said[] = [];
    for (const each of this.about(key)) {
      const last = merged.at(-1);
      if (last === undefined || typeOf(last) !== 'Deleted' || typeOf(each) !== 'Deleted') merged.push(each);
      else if (isGone(itemOf(last))) merged[merged.length - 1] = each;
    }
    return merged;
  }
}

class RealModel extends Model {
  readonly atomic: boolean;

  constructor(known: ReadonlyMap<string, Item>, transforms: boolean, atomic: boolean) {
    super(known, transforms);
    this.atomic = atomic;
  }

  override get length(): number {
    return this.said.length;
  }

  override change(type: 'Added' | 'Updated' | 'Deleted', item: Item): boolean {
    this.populate(0);
    this.said.push(`${type} ${this.transform(item)}`);
    return true;
  }

  override replace(items: readonly Item[], version: string): boolean {
    const transformed = items.map(this.transform);
    if (this.atomic) this.said.push(`ReplacedAll ${version} [${transformed}]`);
    else if (!this.#replaceOneByOne(items, transformed)) return false;
    this.populate(this.said.length);
    return true;
  }

  #replaceOneByOne(items: readonly Item[], transformed: readonly Item[]): boolean {
    const listed = new Set(items.map(keyOf));
    if (listed.has(undefined)) return false;
    const queued = new Set(this.said.map((each) => keyOf(itemOf(each))));
    for (const key of queued) {
      if (key === undefined || listed.has(key)) continue;
      const newest = this.about(key).at(-1) as Said;
      if (typeOf(newest) !== 'Deleted') this.said.push(`Deleted ${goneOf(key, itemOf(newest))}`);
    }
    for (const [key, item] of this.known) {
      if (!listed.has(key) && !queued.has(key)) this.said.push(`Deleted ${goneOf(key, item)}`);
    }
    for (const item of transformed) this.said.push(`Replaced ${item}`);
    return true;
  }

  override resync(): void {
    if (this.atomic) {
      this.said.push('SyncAll');
      return;
    }
    for (const [key, item] of this.known) if (this.about(key).length === 0) this.said.push(`Sync ${item}`);
  }

  override progress(version: string): void {
    if (this.atomic) this.said.push(`Bookmark ${version}`);
  }

  /** The longest start of the queue that may be one batch. */
  override take(most: number): { said: Said[]; counts: number } {
    let length = 0;
    while (length < this.said.length && this.#mayComeOut(this.said.slice(0, length + 1), most)) length++;
    const said = this.said.splice(0, length);
    return { said, counts: length };
  }

  #mayComeOut(batch: readonly Said[], most: number): boolean {
    if (batch.length > most) return false;
    if (this.initialLeft > 0 && batch.length > this.initialLeft) return false;
    if (batch.length === 1) return true;
    if (!batch.every(isAboutOne)) return false;
    const keys = batch.map((each) => keyOf(itemOf(each)));
    // An object without a key ends the batch.
    return new Set(keys).size === keys.length && !keys.slice(0, -1).includes(undefined);
  }
}

const item = fc.tuple(fc.constantFrom('a', 'b', 'c', 'd', nameless), fc.nat(9)).map(([key, n]): Item => `${key}=${n}`);
const keyed = item.filter((each) => keyOf(each) !== undefined);
const gone = fc
  .tuple(keyed, fc.boolean())
  .map(([each, seen]) => goneOf(keyOf(each) as string, seen ? each : undefined));
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ op: fc.constantFrom('Added' as const, 'Updated' as const), item }) },
  { weight: 3, arbitrary: fc.record({ op: fc.constant('Deleted' as const), item: fc.oneof(item, gone) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      op: fc.constant('replace' as const),
      items: fc.array(fc.oneof({ weight: 15, arbitrary: keyed }, { weight: 1, arbitrary: item }), { maxLength: 5 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constantFrom('resync' as const, 'progress' as const) }) },
  { weight: 4, arbitrary: fc.record({ op: fc.constant('take' as const), most: fc.constantFrom(1, 2, 3, 1000) }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('finish' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

const kinds = ['DeltaFIFO', 'RealFIFO', 'atomic RealFIFO'] as const;

/** A queue and its model, with the same input. Batches that are taken fill the store behind both. */
class Pair<T> {
  readonly #form: Form<T>;
  readonly #stored = new Map<string, T>();
  readonly #known = new Map<string, Item>();
  readonly #queue: Queue<T>;
  readonly #model: Model;
  #open: { readonly taken: QueueBatch<T>; readonly counts: number } | undefined;

  constructor(form: Form<T>, kind: (typeof kinds)[number], transforms: boolean) {
    this.#form = form;
    const { accessor } = form;
    const options = {
      accessor,
      keyOf: (each: T) => {
        if (accessor.name(each) === nameless) throw new Error('it has no name');
        return accessor.key(each);
      },
      transform: transforms ? (each: T) => this.#make(`${show(form, each)}'`) : undefined,
    };
    const knownObjects = {
      listKeys: () => [...this.#stored.keys()],
      getByKey: (key: string) => this.#stored.get(key),
    };
    if (kind === 'DeltaFIFO') {
      this.#queue = new DeltaFIFO<T>({ ...options, knownObjects, emitReplaced: true });
      this.#model = new DeltaModel(this.#known, transforms);
    } else if (kind === 'RealFIFO') {
      this.#queue = new RealFIFO<T>({ ...options, knownObjects, atomic: false });
      this.#model = new RealModel(this.#known, transforms, false);
    } else {
      this.#queue = new RealFIFO<T>(options);
      this.#model = new RealModel(this.#known, transforms, true);
    }
  }

  run(each: Step, version: string): void {
    const [queue, model] = [this.#queue, this.#model];
    if (each.op === 'take') this.#take(each.most);
    else if (each.op === 'finish') this.#finish();
    else if (each.op === 'resync') {
      queue.resync();
      model.resync();
    } else if (each.op === 'progress') {
      queue.progress?.(version);
      model.progress(version);
    } else if (each.op === 'replace') {
      const made = each.items.map((one) => this.#make(one));
      this.#expectSame(model.replace(each.items, version), () => queue.replace(made, version));
    } else if ('item' in each) {
      const made = isGone(each.item) ? this.#makeGone(each.item) : this.#make(each.item);
      this.#expectSame(model.change(each.op, each.item), () => {
        if (each.op === 'Deleted') queue.delete(made);
        else if (each.op === 'Added') queue.add(made as T);
        else queue.update(made as T);
      });
    }
    expect({ length: queue.length, hasSynced: queue.hasSynced }).toEqual({
      length: model.length,
      hasSynced: model.hasSynced,
    });
  }

  drain(): void {
    while (this.#queue.length > 0) this.#take(1000);
    this.#finish();
    expect(this.#model.length).toBe(0);
    expect(this.#queue.hasSynced).toBe(this.#model.hasSynced);
  }

  #expectSame(accepted: boolean, act: () => void): void {
    if (accepted) act();
    else expect(act).toThrow('it has no name');
  }

  #take(most: number): void {
    this.#finish();
    const isInInitialList = !this.#model.hasSynced;
    // A batch that is taken before the first list does not count as part of it.
    const { initialLeft } = this.#model;
    const expected = this.#model.take(most);
    const taken = this.#queue.take(most);
    expect(taken?.deltas.map((delta) => this.#say(delta)) ?? []).toEqual(expected.said);
    if (taken === undefined) return;
    expect(taken.isInInitialList).toBe(isInInitialList);
    this.#open = { taken, counts: Math.min(expected.counts, initialLeft) };
  }

  /** Applies the batch, then finishes it. */
  #finish(): void {
    if (this.#open === undefined) return;
    const { taken, counts } = this.#open;
    this.#open = undefined;
    for (const delta of taken.deltas) this.#apply(delta);
    taken.finish();
    taken.finish();
    this.#model.finish(counts);
  }

  #apply(delta: Delta<T>): void {
    if (delta.type === 'ReplacedAll') {
      this.#stored.clear();
      this.#known.clear();
      for (const object of delta.objects) this.#store(object);
    } else if (delta.type === 'Deleted') {
      const key = keyOf(this.#shown(delta));
      if (key === undefined) return;
      this.#stored.delete(key);
      this.#known.delete(key);
    } else if ('object' in delta) this.#store(delta.object as T);
  }

  #store(object: T): void {
    const shown = show(this.#form, object);
    const key = keyOf(shown);
    if (key === undefined) return;
    this.#stored.set(key, object);
    this.#known.set(key, shown);
  }

  #say(delta: Delta<T>): Said {
    if (delta.type === 'SyncAll' || delta.type === 'PartChanged') return delta.type;
    if (delta.type === 'Bookmark') return `Bookmark ${delta.resourceVersion}`;
    if (delta.type === 'ReplacedAll') {
      return `ReplacedAll ${delta.resourceVersion} [${delta.objects.map((object) => show(this.#form, object))}]`;
    }
    return `${delta.type} ${this.#shown(delta)}`;
  }

  #shown(delta: ObjectDelta<T>): Item {
    return show(this.#form, delta.object);
  }

  #make(one: Item): T {
    const [key, value] = one.split('=') as [string, string];
    return this.#form.make(thing(key, value));
  }

  #makeGone(one: Item): DeletedFinalStateUnknown<T> {
    const last = one.slice('gone '.length);
    return new DeletedFinalStateUnknown(keyOf(one) as string, last.includes('=') ? this.#make(last) : undefined);
  }
}

describe.each(forms)('queues of $name', (form: Form<Thing>) => {
  it.each(kinds)('a %s agrees with its model', (kind) => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), fc.boolean(), (steps, transforms) => {
        const pair = new Pair(form, kind, transforms);
        for (const [i, each] of steps.entries()) pair.run(each, String(i));
        pair.drain();
      }),
      { numRuns: runs(form.name === 'plain objects' ? 400 : 100) },
    );
  });
});
