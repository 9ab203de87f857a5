import { describe, expect, it } from 'vitest';
import { type Thing, thing } from '../../../test/support/forms.js';
import { informerRig } from '../../../test/support/informer-rig.js';
import { informerForms } from '../../../test/support/informers.js';
import type { DeepReadonly } from '../../meta/objects.js';
import { byLabel } from '../store/index-functions.js';
import { filteringHandler } from './event-handler.js';
import type { InformerEvent } from './informer-event.js';
import type { SharedIndexInformer } from './shared-informer.js';

describe.each(informerForms)('reading an informer of $name', (form) => {
  const { setup } = informerRig(form);

  it('[S175] indexes before the start and on the running informer', async () => {
    const { clock, source, informer, start, end } = setup();
    const byValue = informer.addIndex('value', (object) => [String(object.value)]);
    source.add(thing('ns/one', 'a'));
    source.add(thing('ns/two', 'b'));
    await start();
    expect(byValue.keys('a')).toEqual(['ns/one']);
    source.add(thing('ns/three', 'b'));
    await clock.runUntilIdle();
    expect(byValue.keys('b')).toEqual(['ns/three', 'ns/two']);
    expect(byValue.list('a').map((object) => object.metadata.name)).toEqual(['one']);
    expect(byValue.values().sort()).toEqual(['a', 'b']);
    const late = informer.addIndex('late', ['value']);
    expect(() => late.count('b')).toThrow('still being built');
    await late.whenReady();
    expect(late.count('b')).toBe(2);
    expect(() => informer.addIndex('late', ['value'])).toThrow('indexer conflict');
    await end();
    expect(() => informer.addIndex('more', ['value'])).toThrow('has stopped');
  });

  it('an index function that throws is reported, and the object is in the cache all the same', async () => {
    const { source, informer, errors, start, end } = setup();
    const index = informer.addIndex('picky', (object) => {
      if (object.value === 'bad') throw new Error('cannot');
      return [object.value === 'none' ? (undefined as never) : 'ok'];
    });
    source.add(thing('a', 'bad'));
    source.add(thing('b', 'good'));
    source.add(thing('c', 'none'));
    await start();
    expect(informer.lister.keys().sort()).toEqual(['a', 'b', 'c']);
    expect(index.keys('ok')).toEqual(['b']);
    expect(errors).toEqual([
      expect.stringContaining('the index picky failed on a: cannot'),
      expect.stringContaining('the index picky failed on c: an index function returns a list of strings'),
    ]);
    await end();
  });

  it('[S206] [S207] [S208] [S209] indexes and options are typed, and checked', async () => {
    const { informer, source, start, end } = setup();
    const typed: SharedIndexInformer<Thing> = informer;
    typed.addIndex('label', byLabel('app'));
    // @ts-expect-error there is no such field
    typed.addIndex('typo', ['valeu']);
    expect(() => informer.subscribe(() => {}, { resyncMs: -1 })).toThrow('resyncMs must be a number');
    expect(() => informer.subscribe(() => {}, { onError: 'ignore' as never })).toThrow(
      "onError must be one of 'continue', 'stop'",
    );
    expect(() => informer.subscribe(undefined as never)).toThrow('listener must be a function');
    expect(() => informer.addEventHandler(null as never)).toThrow('handler must be an object with onAdd');
    expect(() => filteringHandler({ filter: () => true, handler: undefined as never })).toThrow('handler must be');
    expect(() => informer.enqueueInto({ add() {} }, { items: 'keys' as never })).toThrow('items must be a function');
    expect(() => informer.addIndex('x', 7 as never)).toThrow(TypeError);
    source.add(thing('ns/a', 1, { labels: { app: 'web' } }));
    await start();
    expect(informer.lister.list({ labelSelector: 'app=web' })).toHaveLength(1);
    await end();
  });

  it('the lister reads by key, namespace and selector, and parses only what it must', async () => {
    const { clock, source, informer, start, end } = setup();
    source.add(thing('ns1/a', 1, { labels: { app: 'web', tier: 'front' } }));
    source.add(thing('ns1/b', 2, { labels: { app: 'web' } }));
    source.add(thing('ns2/c', 3, { labels: { app: 'db' } }));
    source.add(thing('d', 4));
    await start();
    const { lister } = informer;
    const names = (objects: readonly { metadata: { name: string } }[]) =>
      objects.map(({ metadata }) => metadata.name).sort();
    expect(lister.get('ns1/a')?.value).toBe(1);
    expect(lister.get({ namespace: 'ns2', name: 'c' })?.value).toBe(3);
    expect(lister.get('nope')).toBeUndefined();
    expect(() => lister.getOrThrow('ns1/x')).toThrow('things.example.com "ns1/x" not found');
    expect(names(lister.list())).toEqual(['a', 'b', 'c', 'd']);
    expect(names(lister.list({ namespace: 'ns1' }))).toEqual(['a', 'b']);
    expect(names(lister.list({ labelSelector: 'app=web' }))).toEqual(['a', 'b']);
    expect(names(lister.list({ labelSelector: { matchLabels: { app: 'web' } }, namespace: 'ns1' }))).toEqual([
      'a',
      'b',
    ]);
    expect(lister.list({ labelSelector: 'app=web', namespace: 'ns2' })).toEqual([]);
    informer.addIndex('app', byLabel('app'));
    await clock.runUntilIdle();
    expect(names(lister.list({ labelSelector: 'app=web,tier' }))).toEqual(['a']);
    expect(lister.list({ labelSelector: 'app=web', namespace: 'ns2' })).toEqual([]);
    expect(lister.keys({ namespace: 'ns1' }).sort()).toEqual(['ns1/a', 'ns1/b']);
    expect(lister.keys({ labelSelector: '!app' })).toEqual(['d']);
    expect([
      lister.count(),
      lister.count({ namespace: 'ns1' }),
      lister.count({ labelSelector: 'app in (db)' }),
    ]).toEqual([4, 2, 1]);
    expect(
      [...lister.entries({ namespace: 'ns2' })].map((entry) => [
        entry.key,
        entry.facts.labels,
        JSON.parse(entry.json()).value,
      ]),
    ).toEqual([['ns2/c', { app: 'db' }, 3]]);
    const scanned: string[] = [];
    for await (const entry of lister.scan()) scanned.push(entry.key);
    expect(scanned.sort()).toEqual(['d', 'ns1/a', 'ns1/b', 'ns2/c']);
    await expect(lister.scan({ signal: AbortSignal.abort(new Error('no')) }).next()).rejects.toThrow('no');
    await end();
  });

  it('[S151] lists by selector out of many, and nothing for a selector that selects nothing', async () => {
    const { source, informer, start, end } = setup();
    for (let i = 0; i < 2000; i++) source.add(thing(`ns/p${i}`, i, { labels: { match: String(i % 10 === 0) } }));
    await start();
    expect(informer.lister.list({ labelSelector: 'match=true' })).toHaveLength(200);
    expect(informer.lister.list({ labelSelector: '' })).toHaveLength(2000);
    expect(informer.lister.list({ labelSelector: 'match=maybe' })).toEqual([]);
    expect(informer.lister.count({ labelSelector: 'match' })).toBe(2000);
    await end();
  });

  it('an event stays readable for as long as somebody holds it', async () => {
    const { clock, source, informer, start, end } = setup();
    const kept: InformerEvent<Thing>[] = [];
    informer.subscribe((event) => void kept.push(event));
    source.add(thing('a', 0));
    await start();
    for (let i = 1; i <= 50; i++) source.modify(thing('a', i));
    await clock.runUntilIdle();
    await end();
    expect(kept.map((event) => event.object.value)).toEqual(Array.from({ length: 51 }, (_, i) => i));
    expect(kept.slice(1).map((event) => event.type === 'update' && event.old.value)).toEqual(
      Array.from({ length: 50 }, (_, i) => i),
    );
    expect(kept[3]?.object).toBe(kept[3]?.object);
  });

  it('[S218] the mutation detector names the object and the path', async () => {
    const { clock, source, informer, errors, start, end } = setup({ mutationDetector: 'check' });
    source.add(thing('a', 1, { labels: { app: 'web' } }));
    await start();
    const object = informer.lister.getOrThrow('a') as { metadata: { labels: Record<string, string> } };
    await clock.advance(1000);
    expect(errors).toEqual([]);
    object.metadata.labels['app'] = 'changed';
    await clock.advance(1000);
    expect(errors).toEqual([expect.stringContaining('the cached object a was changed at .metadata.labels.app')]);
    await end();
    const frozen = setup({ mutationDetector: 'freeze' });
    frozen.source.add(thing('a', 1, { labels: { app: 'web' } }));
    await frozen.start();
    const cold = frozen.informer.lister.getOrThrow('a') as { metadata: { labels: Record<string, string> } };
    expect(() => {
      cold.metadata.labels['app'] = 'changed';
    }).toThrow(TypeError);
    await frozen.end();
  });

  it('the mutation detector names the handler after whose call it found a change', async () => {
    const { clock, source, informer, errors, start, end } = setup({ mutationDetector: 'check' });
    const labels = (object: DeepReadonly<Thing>) => object.metadata.labels as Record<string, string>;
    informer.subscribe((event) => void labels(event.object), { name: 'reads' });
    informer.subscribe(
      (event) => {
        if (event.type !== 'add') return;
        labels(event.object)['app'] = 'changed';
        throw new Error('as well');
      },
      { name: 'changes' },
    );
    informer.subscribe(
      async (event) => {
        await Promise.resolve();
        if (event.type === 'update') labels(event.old)['late'] = 'yes';
      },
      { name: 'changes later' },
    );
    source.add(thing('a', 1, { labels: { app: 'web' } }));
    await start();
    source.modify(thing('a', 2, { labels: { app: 'web' } }));
    await clock.advance(5_000);
    const advice = "what a cache hands out is everybody's; change a mutableCopy() of it";
    expect(errors).toEqual([
      'changes: as well',
      `: the cached object a was changed at .metadata.labels.app (found after a call of the handler changes): ${advice}`,
      `: the cached object a was changed at .metadata.labels.late (found after a call of the handler changes later): ${advice}`,
    ]);
    await end();
  });
});
