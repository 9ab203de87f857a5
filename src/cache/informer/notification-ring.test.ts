import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainForm, type Thing, thing } from '../../../test/support/forms.js';
import type { ItemView } from '../store/item-view.js';
import { ItemAdd, ItemDelete, type ItemEvent, ItemUpdate } from './informer-event.js';
import { CoalescingRing, isInitial } from './notification-ring.js';

const view = { accessor: plainForm.accessor } as unknown as ItemView<Thing, Thing>;
const object = (key: string) => thing(key);

describe('CoalescingRing', () => {
  it('accounts for every initial event: it comes out as such, or push says that it will not', () => {
    const step = fc.record({ key: fc.constantFrom('a', 'b'), initial: fc.boolean(), take: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), fc.array(fc.nat(2)), (steps, choices) => {
        const ring = new CoalescingRing<Thing, Thing>();
        let pending = 0;
        const push = (event: ItemEvent<Thing, Thing>) => {
          if (isInitial(event)) pending++;
          pending -= ring.push(event);
        };
        steps.forEach(({ key, initial, take }, i) => {
          const item = object(key);
          const choice = choices[i] ?? 0;
          if (choice === 0) push(new ItemAdd(view, item, initial));
          else if (choice === 1) push(new ItemUpdate(view, item, item, false));
          else push(new ItemDelete(view, item, item, true));
          const taken = take ? ring.shift() : undefined;
          if (taken !== undefined && isInitial(taken)) pending--;
        });
        for (let taken = ring.shift(); taken !== undefined; taken = ring.shift()) if (isInitial(taken)) pending--;
        expect(pending).toBe(0);
      }),
    );
  });
});
