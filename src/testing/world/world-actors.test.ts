import { describe, expect, it } from 'vitest';
import { createController } from '../../controller/controller.js';
import type { ManagerOptions } from '../../controller/manager/manager-options.js';
import { resources } from '../../index.js';
import { explore } from './explore.js';
import type { WorldOptions } from './types.js';
import { createWorld } from './world.js';

const { configMaps } = resources.core.v1;
const idle = { name: 'idle' };

type Actor = NonNullable<WorldOptions['actors']>[string];

/** Notes in each ConfigMap how long its color is. */
function measurer(): ManagerOptions {
  const lengths = createController({
    name: 'lengths',
    for: configMaps,
    cache: { namespace: 'default' },
    permissions: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['patch'] }],
    async reconcile({ metadata: { name }, data = {} }, { client }) {
      const length = String(data['color']?.length ?? 0);
      if (data['length'] !== length) await client.core.v1.configMaps('default').patch(name, { data: { length } });
    },
  });
  return { name: 'measurer', controllers: [lengths] };
}

describe('actors of a world', () => {
  it('act beside the managers, on virtual time, and settle waits while they sleep', async () => {
    const painter: Actor = async ({ client, sleep }) => {
      const maps = client.core.v1.configMaps('default');
      await maps.create({ metadata: { name: 'shop' }, data: { color: 'red' } });
      await sleep(30_000);
      await maps.patch('shop', { data: { color: 'green' } });
    };
    await using world = await createWorld(measurer, { workloads: 'idle', actors: { painter } });
    const { elapsedMs } = await world.settle();
    expect(elapsedMs).toBeGreaterThanOrEqual(30_000);
    const { data } = await world.client.core.v1.configMaps('default').get('shop');
    expect(data).toEqual({ color: 'green', length: '5' });
    expect(world.story.filter((line) => line.includes('painter'))).toEqual([
      expect.stringMatching(/^ +0\.000 s {2}1\. painter creates configmaps default\/shop$/),
      expect.stringMatching(/^ +30\.\d+ s {2}3\. painter patches configmaps default\/shop$/),
    ]);
  });

  it('have random numbers that the seed decides', async () => {
    const drawn = async (seed: number): Promise<number[]> => {
      const numbers: number[] = [];
      const actors = { drawer: async ({ random }: { random(): number }) => void numbers.push(random(), random()) };
      await using world = await createWorld(idle, { workloads: 'idle', seed, actors });
      await world.settle();
      return numbers;
    };
    expect(await drawn(5)).toEqual(await drawn(5));
    expect(await drawn(5)).not.toEqual(await drawn(6));
  });

  it('may go on until the world ends', async () => {
    let rounds = 0;
    const walker: Actor = async ({ sleep, signal }) => {
      for (; !signal.aborted; rounds++) await sleep(120_000);
    };
    await using world = await createWorld(idle, { workloads: 'idle', actors: { walker } });
    await world.settle();
    expect(rounds, 'a sleep of more than a minute is not waited for').toBe(0);
    await world.clock.advance(260_000);
    expect(rounds).toBe(2);
  });

  it('fail the world when they reject', async () => {
    const actors = { clumsy: () => Promise.reject(new Error('it fell')) };
    await using world = await createWorld(idle, { workloads: 'idle', actors });
    await expect(world.settle()).rejects.toThrow('the actor "clumsy" failed: it fell');
  });

  it('are part of the stories of explore', async () => {
    const painter: Actor = async ({ client }) => {
      await client.core.v1.configMaps('default').create({ metadata: { name: 'shop' }, data: { color: 'red' } });
      throw new Error('the paint is gone');
    };
    const exploring = explore(
      () => measurer(),
      async () => {},
      { workloads: 'idle', actors: { painter } },
    );
    await expect(exploring).rejects.toThrow(
      /^explore found a story: undisturbed, it fails: the actor "painter" failed: the paint is gone\n\nWhat happened, in virtual time:\n.* 1\. painter creates configmaps default\/shop\n.*✗ the actor "painter" failed/s,
    );
  });
});
