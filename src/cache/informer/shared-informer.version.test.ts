import { describe, expect, it } from 'vitest';
import { type Thing, thing } from '../../../test/support/forms.js';
import { informerForms } from '../../../test/support/informers.js';
import { FakeControllerSource } from '../../testing/fake-controller-source.js';
import { FakeClock } from '../../time/fake-clock.js';

describe('the resourceVersion of an informer', () => {
  const form = informerForms[0] as (typeof informerForms)[number];

  async function setup() {
    const clock = new FakeClock({ seed: 9 });
    const source = new FakeControllerSource<Thing>();
    const informer = form.make(source, clock);
    const stop = new AbortController();
    for (const name of ['a', 'b', 'c']) source.add(thing(name, 1));
    // The first object of the list is the newest.
    source.modify(thing('a', 2));
    const running = informer.run(stop.signal);
    await clock.runUntilIdle();
    const end = async () => {
      stop.abort();
      await running;
    };
    return { clock, source, informer, end };
  }

  it('is that of the list, not of its newest object', async () => {
    const { informer, end } = await setup();
    expect(informer.resourceVersion).toBe('4');
    await informer.waitForResourceVersion('4');
    await end();
  });

  it('is reached when all changes up to it are in the cache', async () => {
    const { clock, source, informer, end } = await setup();
    const found: unknown[] = [];
    const wait = informer.waitForResourceVersion('6').then(() => found.push(informer.lister.get('b')?.value));
    source.modify(thing('a', 3));
    source.modify(thing('b', 2));
    source.modify(thing('a', 4));
    await clock.runUntilIdle();
    await wait;
    expect(found).toEqual([2]);
    expect(informer.resourceVersion).toBe('7');
    await end();
  });

  it('is reached by a bookmark', async () => {
    const { clock, source, informer, end } = await setup();
    source.add(thing('elsewhere', 1), { dropWatch: true });
    const waiting = informer.waitForResourceVersion('5');
    source.bookmark();
    await clock.runUntilIdle();
    await waiting;
    await end();
  });

  it('is one at which the server has the same objects', async () => {
    const { informer, end } = await setup();
    expect(await informer.checkConsistency()).toEqual({ outcome: 'consistent', compared: 3 });
    await end();
  });
});
