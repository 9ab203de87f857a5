import { describe, expect, expectTypeOf, it } from 'vitest';
import { type Thing, thing } from '../../../test/support/forms.js';
import { informerRig } from '../../../test/support/informer-rig.js';
import { informerForms } from '../../../test/support/informers.js';
import type { DeepReadonly } from '../../meta/objects.js';
import { byLabel } from '../store/index-functions.js';
import type { InformerEvent } from './informer-event.js';
import type { SharedIndexInformer } from './shared-informer.js';

describe.each(informerForms)('reading an informer of $name', (form) => {
  const { setup } = informerRig(form);

  it('[S175] adds indexes before the start and on the running informer', async () => {
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
    // client-go builds the index before it returns; here it is built in slices, and an early read throws.
    expect(() => late.count('b')).toThrow('still being built');
    await late.whenReady();
    source.add(thing('ns/four', 'a'));
    await clock.runUntilIdle();
    for (const index of [byValue, late]) {
      expect([index.keys('a'), index.keys('b')]).toEqual([
        ['ns/four', 'ns/one'],
        ['ns/three', 'ns/two'],
      ]);
      expect(index.count('b')).toBe(2);
      expect(index.values().sort()).toEqual(['a', 'b']);
    }
    expect(() => informer.addIndex('late', ['value'])).toThrow('indexer conflict');
    await end();
    expect(() => informer.addIndex('more', ['value'])).toThrow('has stopped');
  });

  it('[S208] an error of an index function is reported, and the object is in the cache', async () => {
    const errors: Error[] = [];
    const { source, informer, start, end } = setup({ onError: (error) => errors.push(error) });
    const boom = new Error('boom');
    const index = informer.addIndex('picky', (object) => {
      if (object.value === 'bad') throw boom;
      return [object.value === 'none' ? (undefined as never) : 'ok'];
    });
    source.add(thing('a', 'bad'));
    source.add(thing('b', 'good'));
    source.add(thing('c', 'none'));
    await start();
    expect(informer.lister.keys().sort()).toEqual(['a', 'b', 'c']);
    expect(index.keys('ok')).toEqual(['b']);
    expect(errors.map(({ message }) => message)).toEqual([
      'the index picky failed on a: boom',
      expect.stringContaining('the index picky failed on c: an index function must return an array of strings'),
    ]);
    expect(errors[0]?.cause).toBe(boom);
    await end();
  });

  it('[S206] [S209] indexes are typed, and return objects, keys, counts and values', async () => {
    const { clock, informer, source, start, end } = setup();
    const typed: SharedIndexInformer<Thing> = informer;
    const byApp = typed.addIndex('app', byLabel('app'));
    // @ts-expect-error there is no such field
    typed.addIndex('typo', ['valeu']);
    source.add(thing('ns/a', 1, { labels: { app: 'web' } }));
    source.add(thing('ns/b', 2, { labels: { app: 'web' } }));
    source.add(thing('ns/c', 3));
    await start();
    expectTypeOf(byApp.list).returns.toEqualTypeOf<DeepReadonly<Thing>[]>();
    expect(byApp.list('web').map(({ value }) => value)).toEqual([1, 2]);
    expect([byApp.keys('web'), byApp.count('web'), byApp.values()]).toEqual([['ns/a', 'ns/b'], 2, ['web']]);
    expect([byApp.list('none'), byApp.count('none')]).toEqual([[], 0]);
    const later = typed.addIndex('value', ['value']);
    await Promise.all([later.whenReady(), clock.runUntilIdle()]);
    expect(later.list('2').map(({ metadata }) => metadata.name)).toEqual(['b']);
    expect(() => informer.addIndex('x', 7 as never)).toThrow(TypeError);
    await end();
  });

  it('[S207] options of a handler and their defaults', async () => {
    const { clock, informer, source, errors, start, end } = setup({ resyncMs: 1000 });
    source.add(thing('a', 1));
    let calls = 0;
    const fail = () => {
      calls++;
      throw new Error('boom');
    };
    informer.subscribe(fail);
    const seen: string[] = [];
    informer.addEventHandler(
      { onUpdate: ({ value }) => void seen.push(`update ${value}`) },
      { name: 'told', resyncMs: 2000, filter: (event) => event.type === 'update' },
    );
    await start();
    await clock.advance(2000);
    // Defaults: the name of the function, the resync period of the informer, further events after an error.
    expect([calls, errors]).toEqual([3, ['fail: boom', 'fail: boom', 'fail: boom']]);
    expect(seen).toEqual(['update 1']);
    // @ts-expect-error there is one options argument
    expect(() => informer.subscribe(undefined as never, {}, {})).toThrow('listener must be a function');
    expect(() => informer.subscribe(() => {}, { resyncMs: -1 })).toThrow('resyncMs must be a number');
    expect(() => informer.subscribe(() => {}, { onError: 'ignore' as never })).toThrow(
      "onError must be one of 'continue', 'stop'",
    );
    expect(() => informer.addEventHandler(null as never)).toThrow('handler must be an object with onAdd');
    expect(() => informer.enqueueInto({ add() {} }, { items: 'keys' as never })).toThrow('items must be a function');
    await clock.advance(1000);
    expect([calls, seen]).toEqual([4, ['update 1']]);
    await end();
  });

  it('the lister reads by key, namespace and selector, and parses only the objects it returns', async () => {
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

  it('[S151] lists by selector out of many objects, and nothing for a selector without matches', async () => {
    const { source, informer, start, end } = setup();
    for (let i = 0; i < 2000; i++) source.add(thing(`ns/p${i}`, i, { labels: { match: String(i % 10 === 0) } }));
    await start();
    expect(informer.lister.list({ labelSelector: 'match=true' })).toHaveLength(200);
    expect(informer.lister.list({ labelSelector: '' })).toHaveLength(2000);
    expect(informer.lister.list({ labelSelector: 'match=maybe' })).toEqual([]);
    expect(informer.lister.count({ labelSelector: 'match' })).toBe(2000);
    await end();
  });

  it('an event stays readable while it is referenced', async () => {
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

  it('the mutation detector names the handler that changed an object', async () => {
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
    const advice = 'all readers share the objects of a cache; change a mutableCopy() instead';
    expect(errors).toEqual([
      'changes: as well',
      `: the cached object a was changed at .metadata.labels.app (found after a call of the handler changes): ${advice}`,
      `: the cached object a was changed at .metadata.labels.late (found after a call of the handler changes later): ${advice}`,
    ]);
    await end();
  });
});
