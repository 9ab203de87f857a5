import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ControllerRig, controllerRig, widgets } from '../../test/support/controller-rig.js';
import { resources } from '../index.js';

let rig: ControllerRig;
beforeEach(async () => {
  rig = await controllerRig();
});
afterEach(() => rig.stop());

const { configMaps } = resources.core.v1;

describe('a controller', () => {
  it('first try', async () => {
    const { clock, create, start, client } = rig;
    await create('a', { size: 3 });
    const replica = start({
      name: 'widgets',
      for: widgets,
      owns: [configMaps],
      readyCondition: 'Ready',
      async reconcile({ metadata: { name }, spec: { size } }, { apply, status }) {
        await apply(configMaps, { metadata: { name }, data: { size: `${size}` } });
        status({ size });
      },
    });
    await clock.advance(5000);
    console.log(JSON.stringify(replica.records, null, 1), replica.errors, replica.failures, replica.skipped);
    console.log(JSON.stringify(await client.forResource(widgets, 'default').get('a'), null, 1));
    expect(replica.records.length).toBe(2);
  });
});
