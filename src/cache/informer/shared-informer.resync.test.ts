import { describe, expect, it } from 'vitest';
import { thing } from '../../../test/support/forms.js';
import { informerRig } from '../../../test/support/informer-rig.js';
import { informerForms } from '../../../test/support/informers.js';

describe.each(informerForms)('resyncs of an informer of $name', (form) => {
  const { setup } = informerRig(form);

  it('[S176] each handler gets all objects in its own period', async () => {
    const { clock, source, start, end, log } = setup({ resyncMs: 1000 });
    source.add(thing('pod1'));
    source.add(thing('pod2'));
    const never = log({ resyncMs: 0 });
    const every2 = log({ resyncMs: 2000 });
    const every3 = log({ resyncMs: 3000 });
    await start();
    for (const { seen } of [never, every2, every3])
      expect(seen.splice(0).sort()).toEqual(['add pod1= initial', 'add pod2= initial']);
    await clock.advance(2000);
    expect([never.seen.length, every2.seen.splice(0).length, every3.seen.length]).toEqual([0, 2, 0]);
    await clock.advance(1000);
    expect([never.seen.length, every2.seen.length, every3.seen.splice(0).length]).toEqual([0, 0, 2]);
    await clock.advance(1000);
    expect(every2.seen).toEqual(['update pod1=> resync', 'update pod2=> resync']);
    await end();
  });

  it('[S177] the same if the informer starts a second after the handlers were added', async () => {
    const { clock, source, start, end, log } = setup({ resyncMs: 1000 });
    source.add(thing('pod1'));
    source.add(thing('pod2'));
    const never = log({ resyncMs: 0 });
    const every2 = log({ resyncMs: 2000 });
    const every3 = log({ resyncMs: 3000 });
    await clock.advance(1000);
    await start();
    for (const { seen } of [never, every2, every3]) expect(seen.splice(0)).toHaveLength(2);
    // Periods count from the addition of a handler, checks from the start: due at 2 s and 3 s, checked at 2 s and 3 s.
    await clock.advance(1000);
    expect([never.seen.length, every2.seen.splice(0).length, every3.seen.length]).toEqual([0, 2, 0]);
    await clock.advance(1000);
    expect([never.seen.length, every2.seen.length, every3.seen.splice(0).length]).toEqual([0, 0, 2]);
    await end();
  });

  it('without resyncs a relist delivers unchanged objects to every handler, also to one that was added later', async () => {
    const { clock, source, start, end, log } = setup({ resyncMs: 0 });
    source.add(thing('same', 1));
    source.add(thing('changed', 1));
    const early = log({ resyncMs: 5000 });
    await start();
    const late = log();
    await clock.runUntilIdle();
    for (const { seen } of [early, late]) seen.length = 0;
    await clock.advance(11_000);
    expect([early.seen, late.seen]).toEqual([[], []]);
    source.modify(thing('changed', 2), { dropWatch: true });
    source.resetWatch();
    await clock.until(() => early.seen.length > 0);
    for (const { seen } of [early, late]) expect(seen).toEqual(['update same=1>1 resync', 'update changed=1>2']);
    await end();
  });

  it('a handler of a running informer gets resyncs no more often than the informer checks', async () => {
    const { clock, source, start, end, log } = setup({ resyncMs: 2000 });
    source.add(thing('a', 1));
    const early = log();
    await start();
    await clock.advance(500);
    const late = log({ resyncMs: 1000 });
    await clock.runUntilIdle();
    for (const { seen } of [early, late]) seen.length = 0;
    // The informer checks at 2 s and 4 s; the late handler is due 2 s after it was added, and so at 4 s.
    await clock.advance(1500);
    expect([early.seen.splice(0).length, late.seen.length]).toEqual([1, 0]);
    await clock.advance(2000);
    expect([early.seen.length, late.seen.length]).toEqual([1, 1]);
    await end();
  });

  it('[S178] the shortest period before the start decides how often the informer checks', async () => {
    const { clock, source, start, end, log } = setup({ resyncMs: 43_200_000 });
    source.add(thing('a'));
    const logs = [0, 60_000, 55_000, 5_000, 1].map((resyncMs) => log({ resyncMs }));
    await start();
    for (const { seen } of logs) seen.length = 0;
    await clock.advance(60_000);
    // The shortest period is 1 s, and each handler keeps its own.
    expect(logs.map(({ seen }) => seen.length)).toEqual([0, 1, 1, 12, 60]);
    await end();
  });

  it('[S180] after a disruption all handlers get the changes, and those whose resync is due all objects', async () => {
    const { clock, source, start, end, log } = setup({ resyncMs: 1000 });
    source.add(thing('pod1', 1));
    source.add(thing('pod2', 1));
    const plain = log({ resyncMs: 0 });
    const resyncing = log({ resyncMs: 1000 });
    await start();
    await clock.advance(500);
    plain.seen.length = 0;
    resyncing.seen.length = 0;
    source.add(thing('pod3', 1), { dropWatch: true });
    source.modify(thing('pod2', 2), { dropWatch: true });
    await clock.advance(600);
    plain.seen.length = 0;
    resyncing.seen.length = 0;
    source.resetWatch();
    await clock.until(() => plain.seen.length > 0, { withinMs: 10_000 });
    await clock.runUntilIdle();
    expect(plain.seen).toEqual(['update pod2=1>2', 'add pod3=1']);
    expect(resyncing.seen).toEqual(['update pod1=1>1 resync', 'update pod2=1>2', 'add pod3=1']);
    await end();
  });
});
