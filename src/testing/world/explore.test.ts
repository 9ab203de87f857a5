import { describe, expect, it } from 'vitest';
import { runs } from '../../../test/support/runs.js';
import { createController } from '../../controller/controller.js';
import type { ManagerOptions } from '../../controller/manager/manager-options.js';
import type { ControllerOptions } from '../../controller/types.js';
import { resources } from '../../index.js';
import type { ConfigMap } from '../../resources/types/core-v1.js';
import { explore } from './explore.js';
import type { World } from './types.js';

const { configMaps, secrets, serviceAccounts } = resources.core.v1;

function operator(more: Partial<ControllerOptions<ConfigMap>>): ManagerOptions {
  const controller = createController<ConfigMap>({
    name: 'sites',
    for: configMaps,
    cache: { labelSelector: 'site=yes' },
    owns: [secrets, serviceAccounts],
    reconcile: () => {},
    onError: () => {},
    ...more,
  });
  return { name: 'site-operator', controllers: [controller] };
}

const site = { metadata: { name: 'shop', labels: { site: 'yes' } }, data: { color: 'red' } };

async function createSite(world: World): Promise<void> {
  await world.client.core.v1.configMaps('default').create(site);
  await world.settle();
}

async function createAndDelete(world: World): Promise<void> {
  await createSite(world);
  await world.client.core.v1.configMaps('default').delete('shop');
  await world.settle();
}

/** Applies what it owns, in full, each time. */
const good: Partial<ControllerOptions<ConfigMap>> = {
  async reconcile({ metadata: { name }, data = {} }, { apply }) {
    await apply(serviceAccounts, { metadata: { name } });
    await apply(secrets, { metadata: { name }, stringData: { ...data } });
  },
};

async function storyOf(exploring: Promise<void>): Promise<string> {
  const found = await exploring.then(
    () => undefined,
    (error: Error) => error.message,
  );
  expect(found, 'a story').toBeTypeOf('string');
  return found ?? '';
}

describe('explore', () => {
  it('finds nothing wrong with a controller that applies everything it owns', async () => {
    await explore(
      () => operator(good),
      async (world) => {
        await createSite(world);
        await world.client.core.v1.configMaps('default').patch('shop', { data: { color: 'blue' } });
        await world.settle();
      },
      { seeds: runs(4), workloads: 'idle' },
    );
  });

  it('[C80] finds a crash between two writes', async () => {
    // The second write depends on the first one having been made in this run.
    const setup = () =>
      operator({
        async reconcile({ metadata: { name }, data = {} }, { apply, owned }) {
          if (owned(serviceAccounts).length > 0) return;
          await apply(serviceAccounts, { metadata: { name } });
          await apply(secrets, { metadata: { name }, stringData: { ...data } });
        },
      });
    const story = await storyOf(explore(setup, createSite, { workloads: 'idle' }));
    expect(story).toMatch(
      /with a crash right (after|before) write \d+, it comes to another end:\n {2}secrets default\/shop is missing/,
    );
    expect(story).toMatch(/^ +\d+\.\d{3} s +\d+\. manager 0 patches serviceaccounts default\/shop$/m);
    expect(story).toMatch(/^ +\d+\.\d{3} s +⚡ manager 0 crashes right (after|before) write \d+; manager 1 starts$/m);
    expect(story).toMatch(/^ +\d+\.\d{3} s +manager 1 leads$/m);
    expect(story).toMatch(/^ +\d+\.\d{3} s +manager 1: reconcile of default\/shop \(sites\) is done$/m);
    expect(await storyOf(explore(setup, createSite, { workloads: 'idle' })), 'it is replayed').toBe(story);
  });

  it('[C80] finds a create on a stale cache', async () => {
    const setup = () =>
      operator({
        async reconcile(object, { client, owned }) {
          if (owned(secrets).length > 0) return;
          const { apiVersion, kind, metadata } = object;
          const { name, uid } = metadata;
          const owner = { apiVersion, kind, name, uid, controller: true };
          await client.core.v1
            .secrets('default')
            .create({ metadata: { generateName: 'key-', ownerReferences: [owner] } });
        },
      });
    const story = await storyOf(explore(setup, createSite, { workloads: 'idle' }));
    expect(story).toMatch(
      /(takes over with caches from before|stay behind from write \d+ on), it comes to another end:\n {2}secrets default\/key-\* \(2\) should not exist/,
    );
  });

  it('[C80] finds a missed deletion', async () => {
    const setup = (records: Set<string>) =>
      operator({
        reconcile({ metadata: { name } }) {
          records.add(name);
        },
        gone(key) {
          records.delete(key.split('/')[1] ?? '');
        },
      });
    const records = new Set<string>();
    const scenario = async (world: World) => {
      await createAndDelete(world);
      expect([...records], 'records that are left').toEqual([]);
    };
    const exploring = explore(
      () => {
        records.clear();
        return setup(records);
      },
      scenario,
      { workloads: 'idle' },
    );
    const story = await storyOf(exploring);
    expect(story).toMatch(/a crash right (after|before) write \d+, it fails: .*records that are left/s);
    expect(story).toMatch(/the scenario deletes configmaps default\/shop\n.*⚡ manager \d crashes/);
  });

  it('[C80] with a finalizer the deletion is not missed', async () => {
    const records = new Set<string>();
    const setup = () => {
      records.clear();
      return operator({
        reconcile({ metadata: { name } }) {
          records.add(name);
        },
        finalize({ metadata: { name } }) {
          records.delete(name);
        },
      });
    };
    const scenario = async (world: World) => {
      await createAndDelete(world);
      expect([...records], 'records that are left').toEqual([]);
    };
    await explore(setup, scenario, { seeds: 3, workloads: 'idle' });
  });

  it('rejects with the error of a scenario that fails undisturbed', async () => {
    const broken = explore(
      () => operator(good),
      () => Promise.reject(new Error('the scenario is wrong')),
    );
    await expect(broken).rejects.toThrow('the scenario is wrong');
  });
});
