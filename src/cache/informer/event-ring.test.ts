import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { plainForm, type Thing, thing } from '../../../test/support/forms.js';
import { Ring } from '../../structures/ring.js';
import type { ItemView } from '../store/item-view.js';
import { isInitial, MergingRing } from './event-ring.js';
import { ItemAdd, ItemDelete, type ItemEvent, ItemUpdate } from './informer-event.js';

const view = { accessor: plainForm.accessor } as unknown as ItemView<Thing, Thing>;
const object = (key: string) => thing(key);

describe('MergingRing', () => {
  it('keeps no room for objects that came and went while no event was taken', () => {
    const ring = new MergingRing<Thing, Thing>();
    for (let i = 0; i < 20_000; i++) {
      const item = object(`o${i}`);
      ring.push(new ItemAdd(view, item, false));
      ring.push(new ItemDelete(view, item, item, true));
    }
    const shift = vi.spyOn(Ring.prototype, 'shift');
    try {
      expect(ring.shift()).toBeUndefined();
      expect(shift.mock.calls.length).toBeLessThan(2000);
    } finally {
      shift.mockRestore();
    }
  });

  it('delivers every initial event, or reports it from push as merged away', () => {
    const step = fc.record({ key: fc.constantFrom('a', 'b'), initial: fc.boolean(), take: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), fc.array(fc.nat(2)), (steps, choices) => {
        const ring = new MergingRing<Thing, Thing>();
        let pending = 0;
        const push = (event: ItemEvent<Thing, Thing>) => {
          if (isInitial(event)) pending++;
          pending -= ring.push(event);
        };
        steps.forEach(({ key, initial, take }, i) => {
          const item = object(key);
          const choice = choices[i] ?? 0;
          if (choice === 0) push(new ItemAdd(view, item, initial));
          else if (choice === 1) push(new ItemUpdate(view, item, item, false, false));
          else push(new ItemDelete(view, item, item, true));
          const taken = take ? ring.shift() : undefined;
          if (taken !== undefined && isInitial(taken)) pending--;
        });
        for (let taken = ring.shift(); taken !== undefined; taken = ring.shift()) if (isInitial(taken)) pending--;
        expect(pending).toBe(0);
      }),
    );
  });

  it.each([
    ['an initial addition and an update', [add(true), update(false)], { type: 'add', isInInitialList: true }],
    ['an addition and an update', [add(false), update(false)], { type: 'add', isInInitialList: false }],
    ['two resyncs', [update(true), update(true)], { type: 'update', isResync: true }],
    ['a change and a resync', [update(false), update(true)], { type: 'update', isResync: false }],
    ['a resync and a change', [update(true), update(false)], { type: 'update', isResync: false }],
    ['an update and a deletion', [update(false), remove(true)], { type: 'delete', finalStateKnown: true }],
    ['an update and a missed deletion', [update(false), remove(false)], { type: 'delete', finalStateKnown: false }],
    ['a deletion and an addition', [remove(true), add(false)], { type: 'update', isResync: false }],
    ['an addition and a deletion', [add(true), remove(true)], undefined],
  ])('%s are merged into one event, or none', (_, events, merged) => {
    const ring = new MergingRing<Thing, Thing>();
    for (const event of events) ring.push(event);
    const [first, second] = [ring.shift(), ring.shift()];
    if (merged === undefined) expect(first).toBeUndefined();
    else expect(first).toMatchObject(merged);
    expect(second).toBeUndefined();
  });
});

function add(initial: boolean) {
  return new ItemAdd(view, object('a'), initial);
}

function update(isResync: boolean) {
  return new ItemUpdate(view, object('a'), object('a'), isResync, false);
}

function remove(finalStateKnown: boolean) {
  return new ItemDelete(view, object('a'), object('a'), finalStateKnown);
}
