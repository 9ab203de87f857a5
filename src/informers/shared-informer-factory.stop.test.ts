import { afterEach, describe, expect, it } from 'vitest';
import { startApiServer } from '../apiserver/server.js';
import { InformerStoppedError } from '../cache/informer/shared-informer.js';
import { byLabel } from '../cache/store/index-functions.js';
import { FakeClock } from '../time/fake-clock.js';
import { type FactoryOptions, SharedInformerFactory } from './shared-informer-factory.js';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

async function setup(options: FactoryOptions = {}) {
  const clock = new FakeClock({ seed: 3 });
  const api = await startApiServer({ clock, listen: false });
  const client = api.client();
  const factory = new SharedInformerFactory(client, options);
  ends.push(async () => {
    await factory.stop();
    await client.close();
    await api.stop();
  });
  const create = (name: string) =>
    client.core.v1
      .pods('default')
      .create({ metadata: { name }, spec: { containers: [{ name: 'app', image: 'nginx' }] } });
  return { clock, api, client, factory, create };
}

describe('stopping a SharedInformerFactory', () => {
  it('a factory with an aborted signal is stopped', async () => {
    const { factory } = await setup({ signal: AbortSignal.abort() });
    factory.start();
    expect(factory.core.v1.pods().status.state).toBe('stopped');
    await factory.stop();
  });

  it('whenSynced of an informer that was never started rejects when the factory stops', async () => {
    const { factory } = await setup();
    const pods = factory.core.v1.pods();
    const synced = pods.whenSynced();
    const loop = (async () => {
      for await (const _ of pods.events());
    })();
    await factory.stop();
    await expect(synced).rejects.toThrow(InformerStoppedError);
    await loop;
    expect(pods.status.state).toBe('stopped');
  });

  it('stop() waits for running handlers of informers whose leases were released', async () => {
    const { clock, factory, create } = await setup();
    await create('a');
    const lease = factory.acquire({ group: '', version: 'v1', resource: 'pods', namespaced: true });
    const log: string[] = [];
    let finish = () => {};
    lease.informer.subscribe(async () => {
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      log.push('handler has ended');
    });
    await clock.runUntilIdle();
    lease.release();
    await clock.advance(1);
    const stopped = factory.stop().then(() => log.push('factory has stopped'));
    await clock.runUntilIdle();
    expect(log).toEqual([]);
    finish();
    await stopped;
    expect(log).toEqual(['handler has ended', 'factory has stopped']);
  });

  it('a lease that is released after stop() leaves no timer', async () => {
    const { clock, factory } = await setup();
    const lease = factory.acquire({ group: '', version: 'v1', resource: 'pods' }, { lingerMs: 1000 });
    await clock.runUntilIdle();
    await factory.stop();
    const before = clock.pendingTimers.length;
    lease.release();
    expect(clock.pendingTimers).toHaveLength(before);
  });

  it('waitForCacheSync ignores an informer whose last lease was released', async () => {
    const { clock, api, factory } = await setup();
    api.faults.inject({ verb: 'list', resource: 'secrets', delayMs: 60_000, times: 1000 });
    api.faults.inject({ verb: 'watch', resource: 'secrets', delayMs: 60_000, times: 1000 });
    api.faults.inject({ verb: 'list', resource: 'pods', delayMs: 5_000 });
    api.faults.inject({ verb: 'watch', resource: 'pods', delayMs: 5_000 });
    factory.core.v1.pods();
    factory.start();
    const lease = factory.acquire({ group: '', version: 'v1', resource: 'secrets' });
    const synced = factory.waitForCacheSync();
    await clock.advance(100);
    lease.release();
    await clock.advance(10_000);
    await synced;
  });
});

describe('options of a SharedInformerFactory', () => {
  it('an informer can have more indexes than a decoder reads fields', async () => {
    const { clock, factory, create } = await setup();
    await create('a');
    const pods = factory.core.v1.pods();
    for (let i = 0; i < 100; i++) pods.addIndex(`index${i}`, byLabel(`label-${i}`));
    const byName = pods.addIndex('name', ['metadata', 'name']);
    factory.start();
    await clock.runUntilIdle();
    expect(byName.keys('a')).toEqual(['default/a']);
  });

  it('an empty array of namespaces is refused with every storage', async () => {
    const { factory } = await setup();
    for (const storage of ['raw', 'objects'] as const) {
      expect(() => factory.core.v1.pods({ namespace: [], storage })).toThrow(/namespace/);
      expect(() => factory.core.v1.pods({ namespace: ['a', ''], storage })).toThrow(/namespace/);
    }
  });

  it('consistencyCheckMs is refused with several namespaces', async () => {
    const { factory } = await setup({ consistencyCheckMs: 60_000 });
    expect(() => factory.core.v1.pods({ namespace: ['a', 'b'] })).toThrow('consistencyCheckMs must be 0 with several');
    factory.core.v1.pods({ namespace: ['a'] });
    factory.core.v1.pods({ namespace: ['a', 'b'], consistencyCheckMs: 0 });
  });

  it('an error of a transform is a warning without onError, and stops nothing', async () => {
    const { clock, factory, create } = await setup();
    for (const name of ['a', 'bad', 'c']) await create(name);
    const warnings: string[] = [];
    const onWarning = (warning: Error) => warnings.push(warning.message);
    process.on('warning', onWarning);
    const transform = ({ metadata }: { metadata: { name: string } }) => {
      if (metadata.name === 'bad') throw new Error('cannot');
      return metadata.name;
    };
    const pods = factory.core.v1.pods({ transform });
    factory.start();
    await clock.runUntilIdle();
    await new Promise((resolve) => process.nextTick(resolve));
    process.off('warning', onWarning);
    expect(pods.lister.keys().sort()).toEqual(['default/a', 'default/c']);
    expect(warnings).toEqual([expect.stringContaining('("default/bad") cannot be read: the transform failed: cannot')]);
  });

  it('an onError that throws does not stop the transforms', async () => {
    const onError = () => {
      throw new Error('worse');
    };
    const { clock, factory, create } = await setup({ onError });
    for (const name of ['bad', 'b', 'c']) await create(name);
    const pods = factory.core.v1.pods({
      transform: ({ metadata }) => {
        if (metadata.name === 'bad') throw new Error('cannot');
        return metadata.name;
      },
    });
    factory.start();
    await clock.runUntilIdle();
    expect(pods.hasSynced).toBe(true);
    expect(pods.lister.keys().sort()).toEqual(['default/b', 'default/c']);
  });
});
