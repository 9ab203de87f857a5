import { afterEach, describe, expect, it } from 'vitest';
import { startApiServer } from '../../apiserver/server.js';
import { byLabel } from '../../cache/store/index-functions.js';
import { SharedInformerFactory } from '../../informers/shared-informer-factory.js';
import { FakeClock } from '../../time/fake-clock.js';
import { Inspection } from '../inspection.js';
import { parseQuery } from './search.js';

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

async function setup(count = 10) {
  const clock = new FakeClock({ seed: 5 });
  const api = await startApiServer({ clock, listen: false });
  const client = api.client();
  const factory = new SharedInformerFactory(client);
  const maps = factory.core.v1.configMaps({ namespace: 'default' });
  maps.addIndex('by parity', byLabel('parity'));
  factory.core.v1.namespaces();
  factory.start();
  const resource = client.core.v1.configMaps('default');
  for (let i = 0; i < count; i++)
    await resource.create({ metadata: { name: `map-${i}`, labels: { parity: `${i % 2}`, number: `${i}` } } });
  await clock.advance(1000);
  const inspection = new Inspection({ factories: [factory], managers: [], queues: [], clock, onSnapshot: () => {} });
  ends.push(
    async () => inspection.close(),
    () => factory.stop(),
    () => client.close(),
    () => api.stop(),
  );
  const search = async (query: string) => {
    const asked = inspection.search(query);
    await clock.advance(10);
    return asked;
  };
  const keys = async (query: string) => (await search(query)).matches.map(({ key }) => key);
  return { search, keys };
}

describe('search', () => {
  it('finds by key, kind, label and index, and all words must match', async () => {
    const { search, keys } = await setup();
    expect(await keys('map-3')).toEqual(['default/map-3']);
    expect(await keys('DEFAULT/map-3')).toEqual(['default/map-3']);
    expect(await keys('kind:namespace default')).toEqual(['default']);
    expect(await keys('number=4')).toEqual(['default/map-4']);
    expect(await keys('label:number kind:configmap map-7')).toEqual(['default/map-7']);
    const byIndex = await search('index:by');
    expect(byIndex.understood).toContain('index:NAME=VALUE');
    expect(byIndex.matches).toEqual([]);
    expect((await search('')).indexes.map(({ name }) => name)).toContain('by parity');
    expect(await keys('index:none=1')).toEqual([]);
    expect(await keys('number!=4 map-4')).toEqual([]);
  });

  it('puts an exact name first, and cuts at 100', async () => {
    const { search } = await setup(120);
    const exact = await search('map-1');
    expect(exact.matches[0]?.key).toBe('default/map-1');
    const all = await search('kind:configmap map');
    expect([all.matches.length, all.more]).toEqual([100, true]);
    expect(all.scanned).toBeGreaterThanOrEqual(120);
  });
});

it('parseQuery refuses what is no label', () => {
  expect(() => parseQuery('a=b=c')).toThrow();
  expect(parseQuery('  Web  kind:Pod ')).toMatchObject({ texts: ['web'], kinds: ['pod'], indexes: [] });
});
