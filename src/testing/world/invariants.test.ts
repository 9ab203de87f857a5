import { describe, expect, it } from 'vitest';
import { createController } from '../../controller/controller.js';
import type { ManagerOptions } from '../../controller/manager/manager-options.js';
import { resources } from '../../index.js';
import type { World } from './types.js';
import { createWorld } from './world.js';

const { configMaps, secrets } = resources.core.v1;

/** Copies the value of each ConfigMap to a Secret of the same name. */
function copier(): ManagerOptions {
  const copies = createController({
    name: 'copies',
    for: configMaps,
    cache: { namespace: 'default' },
    owns: [secrets],
    async reconcile({ metadata: { name }, data = {} }, { apply }) {
      await apply(secrets, { metadata: { name }, stringData: { ...data } });
    },
  });
  return { name: 'copier', controllers: [copies] };
}

const map = { metadata: { name: 'shop' }, data: { color: 'red' } };

describe('invariants of a world', () => {
  it('are checked with the stored objects after every write and every run', async () => {
    const seen: number[] = [];
    const invariants = {
      'copies are counted': (world: World) => void seen.push(world.stored(secrets).length),
    };
    await using world = await createWorld(copier, { workloads: 'idle', invariants });
    await world.client.core.v1.configMaps('default').create(map);
    await world.settle();
    expect(new Set(seen)).toEqual(new Set([0, 1]));
  });

  it('fail the world with what they return: settle rejects, and the story ends with it', async () => {
    const invariants = {
      'no copy is red': (world: World) =>
        world.stored(secrets).some(({ data }) => data?.['color'] === 'cmVk') ? 'there is a red one' : undefined,
    };
    await using world = await createWorld(copier, { workloads: 'idle', invariants });
    await world.client.core.v1.configMaps('default').create(map);
    const message = 'the invariant "no copy is red" does not hold: there is a red one';
    await expect(world.settle()).rejects.toThrow(message);
    await expect(world.settle(), 'it stays failed').rejects.toThrow(message);
    expect(world.story.find((line) => line.includes('✗'))).toContain(message);
  });

  it('fail the world with what they throw; its end throws that if nothing else has', async () => {
    const invariants = {
      'there is no map': (world: World) => expect(world.stored(configMaps)).toEqual([]),
    };
    const world = await createWorld({ name: 'idle' }, { workloads: 'idle', invariants });
    await world.client.core.v1.configMaps('default').create(map);
    await expect(world[Symbol.asyncDispose]()).rejects.toThrow(
      /invariant "there is no map" does not hold: expected .* to deeply equal/s,
    );
  });

  it('must be functions', async () => {
    const broken = createWorld({ name: 'idle' }, { invariants: { 'all is well': true as never } });
    await expect(broken).rejects.toThrow('invariants["all is well"] must be a function');
  });
});
