import { describe, expect, it } from 'vitest';
import { startApiServer } from '../apiserver/server.js';
import { FakeClock } from '../time/fake-clock.js';
import { SharedInformerFactory } from './shared-informer-factory.js';

describe('an informer whose transform fails', () => {
  it('keeps an object as it was last transformed, until the transform succeeds again or the object is deleted', async () => {
    const clock = new FakeClock({ seed: 4 });
    const api = await startApiServer({ clock, listen: false });
    const client = api.client();
    const errors: string[] = [];
    const factory = new SharedInformerFactory(client, { onError: ({ message }) => errors.push(message) });
    const configMaps = client.core.v1.configMaps('default');
    await configMaps.create({ metadata: { name: 'changes' }, data: { size: '1' } });
    await configMaps.create({ metadata: { name: 'goes' }, data: { size: '1' } });
    const sizes = factory.core.v1.configMaps({
      transform: ({ data, metadata }) => {
        if (data?.['size'] === 'none' || metadata.deletionTimestamp !== undefined) throw new Error('no size');
        return { size: Number(data?.['size']) };
      },
    });
    const seen: string[] = [];
    sizes.subscribe((event) => {
      const known = event.type === 'delete' && !event.finalStateKnown ? ' last known' : '';
      seen.push(`${event.type} ${event.facts.name} ${event.object.size}${known}`);
    });
    factory.start();
    await clock.until(() => sizes.hasSynced);
    await clock.runUntilIdle();
    seen.length = 0;

    const { metadata } = await configMaps.patch('changes', { data: { size: 'none' } });
    await sizes.waitForResourceVersion(metadata.resourceVersion);
    await clock.runUntilIdle();
    expect(sizes.lister.get('default/changes')).toEqual({ size: 1 });
    expect(sizes.status.skipped).toEqual({ total: 1, keys: ['default/changes'], withoutKey: 0 });
    const back = await configMaps.patch('changes', { data: { size: '2' } });
    await sizes.waitForResourceVersion(back.metadata.resourceVersion);
    await clock.runUntilIdle();
    expect(seen).toEqual(['update changes 2']);
    expect(sizes.status.skipped).toEqual({ total: 1, keys: [], withoutKey: 0 });
    expect(errors).toEqual([
      'an object of configmaps.v1 ("default/changes") cannot be read: the transform failed: no size; it is left out',
    ]);

    await configMaps.patch('goes', { metadata: { finalizers: ['example.com/hold'] } });
    await configMaps.delete('goes');
    await clock.runUntilIdle();
    await configMaps.patch('goes', { metadata: { finalizers: null } });
    await clock.runUntilIdle();
    expect(seen.slice(1)).toEqual(['update goes 1', 'delete goes 1 last known']);
    expect(sizes.lister.keys()).toEqual(['default/changes']);
    await factory.stop();
    await client.close();
    await api.stop();
  });
});
