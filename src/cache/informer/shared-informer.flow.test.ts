import { describe, expect, it } from 'vitest';
import { thing } from '../../../test/support/forms.js';
import { informerRig, showEvent as show } from '../../../test/support/informer-rig.js';
import { informerForms } from '../../../test/support/informers.js';

describe.each(informerForms)('coalesce, maxPending and events() of an informer of $name', (form) => {
  const { setup } = informerRig(form);

  it('a slow handler with coalesce skips outdated states', async () => {
    const { clock, source, informer, start, end } = setup();
    const seen: string[] = [];
    let release: () => void = () => {};
    informer.subscribe(
      (event) => {
        seen.push(show(event));
        return new Promise<void>((resolve) => (release = resolve));
      },
      { coalesce: true },
    );
    const drain = async () => {
      for (let before = -1; before !== seen.length; ) {
        before = seen.length;
        release();
        await clock.runUntilIdle();
      }
    };
    source.add(thing('a', 1));
    await start();
    for (let i = 2; i <= 5; i++) source.modify(thing('a', i));
    source.add(thing('b', 1));
    source.delete(thing('b', 1));
    source.add(thing('c', 1));
    source.modify(thing('c', 2));
    await clock.runUntilIdle();
    await drain();
    expect(seen).toEqual(['add a=1 initial', 'update a=1>5', 'add c=2']);
    source.modify(thing('a', 6));
    await clock.runUntilIdle();
    source.modify(thing('c', 3));
    source.delete(thing('c', 3));
    source.add(thing('c', 9));
    source.modify(thing('a', 7));
    source.delete(thing('a', 7));
    await clock.runUntilIdle();
    await drain();
    expect(seen.slice(3)).toEqual(['update a=5>6', 'update c=2>9', 'delete a=7']);
    await end();
  });

  it('a handler with maxPending pauses the informer until it has caught up', async () => {
    const { clock, source, informer, start, end } = setup();
    let release: () => void = () => {};
    let calls = 0;
    informer.subscribe(
      () => {
        calls++;
        return new Promise<void>((resolve) => (release = resolve));
      },
      { maxPending: 2 },
    );
    await start();
    for (let i = 0; i < 10; i++) {
      source.add(thing(`p${i}`, i));
      await clock.runUntilIdle();
    }
    expect(informer.lister.count()).toBeLessThan(6);
    for (let i = 0; i < 40 && calls < 10; i++) {
      release();
      await clock.runUntilIdle();
    }
    expect(calls).toBe(10);
    expect(informer.lister.count()).toBe(10);
    release();
    await end();
  });

  it('the informer continues when half of maxPending events are left', async () => {
    const { clock, source, informer, start, end } = setup();
    let release: () => void = () => {};
    const slow = informer.subscribe(() => new Promise<void>((resolve) => (release = resolve)), { maxPending: 4 });
    await start();
    for (let i = 0; i < 20; i++) {
      source.add(thing(`p${i}`, i));
      await clock.runUntilIdle();
    }
    // One event is being handled; the fifth waiting one exceeds maxPending.
    const counts = [informer.lister.count()];
    for (let i = 0; i < 3; i++) {
      release();
      await clock.runUntilIdle();
      counts.push(informer.lister.count());
    }
    expect(counts).toEqual([6, 6, 6, 20]);
    const removed = slow.remove();
    release();
    await removed;
    await end();
  });

  it('removing a handler with maxPending resumes the informer', async () => {
    const { clock, source, informer, start, end } = setup();
    let release: () => void = () => {};
    const slow = informer.subscribe(() => new Promise<void>((resolve) => (release = resolve)), { maxPending: 1 });
    await start();
    for (let i = 0; i < 10; i++) {
      source.add(thing(`p${i}`, i));
      await clock.runUntilIdle();
    }
    expect(informer.lister.count()).toBe(3);
    const removed = slow.remove();
    await clock.runUntilIdle();
    expect(informer.lister.count()).toBe(10);
    release();
    await removed;
    await end();
  });

  it('events() yields events, with a mark after the first list, and ends on abort', async () => {
    const { clock, source, informer, start, end } = setup();
    source.add(thing('a', 1));
    source.add(thing('b', 1));
    const stop = new AbortController();
    const seen: string[] = [];
    const reading = (async () => {
      for await (const event of informer.events({ signal: stop.signal })) {
        seen.push(event.type === 'synced' ? `synced ${event.resourceVersion}` : show(event));
      }
      seen.push('end');
    })();
    await start();
    source.modify(thing('b', 2));
    await clock.runUntilIdle();
    expect(seen).toEqual(['add a=1 initial', 'add b=1 initial', 'synced 2', 'update b=1>2']);
    stop.abort();
    await reading;
    expect(seen.at(-1)).toBe('end');
    for await (const event of informer.events()) if (event.type === 'synced') break;
    await end();
  });
});
