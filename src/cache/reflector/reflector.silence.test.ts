import { describe, expect, it } from 'vitest';
import { type Form, forms } from '../../../test/support/forms.js';
import { reflectorRig } from '../../../test/support/reflector-rig.js';

describe.each(forms)('A reflector and silence on $name', (form: Form<unknown>) => {
  const { pod, setup } = reflectorRig(form);

  it('a watch that says nothing is replaced, and after two that brought nothing everything is listed', async () => {
    const { clock, source, reflector, stop, reasons } = setup();
    const running = reflector.run(stop.signal);
    await clock.advance(10_000);
    for (let i = 0; i < 4; i++) {
      source.lastWatch.bookmark(String(10 + i));
      await clock.advance(5_000);
    }
    expect(source.traits.idleLimitMs).toBe(15_000);
    expect(reflector.status).toMatchObject({ state: 'watching', lastBookmarkAt: expect.any(Number), stalenessMs: 0 });
    // Bookmarks came every 5 s: the first 75 s of doubt are over, 15 are enough now.
    await clock.advance(75_000);
    expect(reasons()[0]).toBe('silent');
    expect(source.watches[1]?.options.resourceVersion).toBe('13');
    source.lastWatch.added(pod('alive', '14'));
    // What was learnt is in doubt now, so that a wrong lesson cannot end one watch after the other.
    expect(source.traits.idleLimitMs).toBe(75_000);
    expect(source.watches).toHaveLength(2);
    await clock.advance(76_000);
    expect(source.watches).toHaveLength(3);
    expect(source.lists).toHaveLength(1);
    await clock.advance(80_000);
    expect(source.lists).toHaveLength(2);
    stop.abort();
    await running;
  });

  it('a quiet watch whose connection breaks is taken up again once, and then everything is listed', async () => {
    const { clock, source, reflector, stop, reasons } = setup();
    const lost = () => Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
    const running = reflector.run(stop.signal);
    await clock.advance(30_000);
    source.lastWatch.fail(lost());
    await clock.advance(30_000);
    expect(source.watches).toHaveLength(2);
    expect(source.lists).toHaveLength(1);
    source.lastWatch.fail(lost());
    await clock.advance(10_000);
    expect(source.lists).toHaveLength(2);
    expect(reasons()).toEqual(['silent', 'silent']);
    stop.abort();
    await running;
  });

  it('two bookmarks that come close together do not make it believe that more will', async () => {
    const { clock, source, reflector, stop } = setup();
    const running = reflector.run(stop.signal);
    await clock.advance(59_000);
    source.lastWatch.bookmark('10');
    await clock.advance(1_000);
    source.lastWatch.bookmark('11');
    await clock.advance(60_000);
    expect(source.watches).toHaveLength(1);
    source.lastWatch.bookmark('12');
    expect(source.traits.idleLimitMs).toBe(180_000);
    stop.abort();
    await running;
  });

  it('bookmarks that were held up do not make it believe that silence is normal', async () => {
    const { clock, source, reflector, stop } = setup();
    const running = reflector.run(stop.signal);
    await clock.runUntilIdle();
    source.lastWatch.bookmark('10');
    await clock.advance(70_000);
    source.lastWatch.added(pod('a', '11'));
    await clock.advance(20_000);
    source.lastWatch.bookmark('12');
    expect(source.traits.idleLimitMs).toBe(75_000);
    stop.abort();
    await running;
  });

  it('a watch that falls silent after its bookmarks is noticed by what they taught, also the first one', async () => {
    const { clock, source, reflector, stop, reasons } = setup();
    const running = reflector.run(stop.signal);
    await clock.runUntilIdle();
    for (let i = 0; i < 3; i++) {
      await clock.advance(2_000);
      source.lastWatch.bookmark(String(10 + i));
    }
    await clock.advance(5_000);
    expect(reasons()).toEqual([]);
    await clock.advance(2_000);
    expect(reasons()).toEqual(['silent']);
    expect(source.watches).toHaveLength(2);
    stop.abort();
    await running;
  });

  it('a list lets silences be counted anew', async () => {
    const { clock, source, reflector, stop } = setup();
    const running = reflector.run(stop.signal);
    await clock.advance(155_000);
    expect(source.lists).toHaveLength(2);
    const watches = source.watches.length;
    await clock.advance(80_000);
    expect(source.lists).toHaveLength(2);
    expect(source.watches).toHaveLength(watches + 1);
    stop.abort();
    await running;
  });
});
