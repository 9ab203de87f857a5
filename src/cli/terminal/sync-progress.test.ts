import { expect, it } from 'vitest';
import { startApiServer } from '../../apiserver/server.js';
import { SharedInformerFactory } from '../../informers/shared-informer-factory.js';
import { FakeClock } from '../../time/fake-clock.js';
import { SyncProgress } from './sync-progress.js';

function setUp(isTTY: boolean) {
  const clock = new FakeClock();
  const written: string[] = [];
  const stream = { write: (text: string) => void written.push(text), isTTY, columns: 60 };
  const pods = { hasSynced: false, status: { state: 'listing' as const, listed: 0 } };
  const progress = new SyncProgress(stream, clock, new Map([['pods', pods]]));
  return { clock, written, pods, progress };
}

it('prints nothing about a short sync, and nothing that is not read on a terminal', async () => {
  const script = setUp(false);
  await script.clock.advance(60_000);
  script.progress.stop();
  expect(script.written).toEqual([]);
  const { clock, written, pods, progress } = setUp(true);
  await clock.advance(1_999);
  pods.hasSynced = true;
  await clock.advance(60_000);
  progress.stop();
  expect(written).toEqual([]);
});

it('prints the number of objects and the rate', async () => {
  const { clock, written, pods, progress } = setUp(true);
  pods.status.listed = 20_000;
  await clock.advance(2_000);
  pods.status.listed = 1_234_567;
  await clock.advance(500);
  progress.stop();
  expect(written.slice(0, 2)).toEqual([
    '\rsyncing for 2 s: pods 20,000 objects, 10,000/s (listing)\u001b[K',
    '\rsyncing for 3 s: pods 1,234,567 objects, 493,827/s (listing\u001b[K',
  ]);
});

it('rewrites its line on a terminal, and clears it at the end', async () => {
  const { clock, written, progress } = setUp(true);
  await clock.advance(2_500);
  expect(written).toHaveLength(2);
  expect(written[0]).toMatch(/^\rsyncing for 2 s: pods 0 objects/);
  progress.stop();
  expect(written.at(-1)).toBe('\r\u001b[K');
});

it.each([true, false])('informers count the objects of a list (as a watch-list: %s)', async (useWatchList) => {
  const clock = new FakeClock();
  const api = await startApiServer({ clock, listen: false });
  const client = api.client();
  for (const name of ['a', 'b', 'c']) await client.core.v1.configMaps('default').create({ metadata: { name } });
  const factory = new SharedInformerFactory(client, { namespace: 'default', useWatchList });
  const informer = factory.core.v1.configMaps();
  expect(informer.status.listed).toBe(0);
  factory.start();
  await clock.until(() => informer.hasSynced, { withinMs: 1_000 });
  expect(informer.status.listed).toBe(3);
  await factory.stop();
  await client.close();
  await api.stop();
});
