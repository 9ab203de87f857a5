import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type ControllerRig,
  controllerRig,
  gate,
  type Replica,
  type Widget,
  widgets,
} from '../../test/support/controller-rig.js';
import { isForbidden } from '../index.js';
import { conditionOf } from './conditions.js';
import type { ControllerOptions } from './types.js';

let rig: ControllerRig;
beforeEach(async () => {
  rig = await controllerRig();
});
afterEach(() => rig.stop());

const key = 'default/a';

/** Creates the widget `a`, of size 1, and starts a controller for it. */
async function startWithWidget(options: Omit<ControllerOptions<Widget>, 'name' | 'for'>): Promise<Replica<Widget>> {
  await rig.create('a', { size: 1 });
  return rig.start({ name: 'widgets', for: widgets, ...options });
}

describe('status', () => {
  it('[C38] is written once, after the run, also after a throw, and not if it is equal', async () => {
    const { clock, widgets: own } = rig;
    let fails = true;
    const { instance, records } = await startWithWidget({
      async reconcile({ spec }, { status }) {
        status({ note: 'not this' });
        status({ note: 'this', size: spec.size ?? 0 });
        if (fails) throw new Error('after all');
      },
    });
    await clock.advance(1);
    fails = false;
    expect((await own.get('a')).status).toEqual({ note: 'this', size: 1 });
    instance.enqueue(key);
    await clock.advance(1000);
    expect(records.map(({ writes }) => writes.map(({ resource }) => resource))).toEqual([
      ['widgets.example.com/status'],
      [],
    ]);
  });

  it('[C38] fields that are left out are removed, and fields of others stay', async () => {
    const { clock, widgets: own } = rig;
    await startWithWidget({
      reconcile({ spec: { size = 0 } }, { status }) {
        status(size === 1 ? { note: 'one', size } : { size });
      },
    });
    await clock.advance(100);
    await own.patchStatus('a', { others: 'kept' });
    await own.patch('a', { spec: { size: 2 } });
    await clock.advance(1000);
    expect((await own.get('a')).status).toEqual({ size: 2, others: 'kept' });
  });

  it('[C38] after a restart with other code, fields that are no longer said are removed', async () => {
    const { clock, create, widgets: own, start, drive } = rig;
    await create('a', { size: 1 });
    const before = start({
      name: 'widgets',
      for: widgets,
      reconcile: (_, { status }) => status({ note: 'x', size: 1 }),
    });
    await clock.advance(100);
    await drive(before.instance.remove());
    const environment = { manager: 'manager-0' };
    const after = start(
      { name: 'widgets', for: widgets, reconcile: (_, { status }) => status({ size: 1 }) },
      { environment },
    );
    await clock.advance(100);
    expect((await own.get('a')).status).toEqual({ size: 1 });
    after.instance.enqueue(key);
    await clock.advance(100);
    expect(after.records.map(({ writes }) => writes.length)).toEqual([1, 0]);
  });

  it('[C38] if writing it fails, the run has failed; the run’s own error comes first', async () => {
    const { api, clock, widgets: own } = rig;
    let fails = true;
    const respond = { status: 400, message: 'no status today' };
    api.faults.inject({ verb: 'patch', resource: 'widgets', subresource: 'status', respond, times: 2 });
    const { records, failures } = await startWithWidget({
      reconcile(_, { status }) {
        status({ note: 'x' });
        if (fails) {
          fails = false;
          throw new Error('its own');
        }
      },
    });
    await clock.advance(1000);
    expect(records.map(({ outcome }) => outcome)).toEqual(['failed', 'failed', 'done']);
    expect(failures.map(({ error }) => String(error))).toEqual([
      'Error: its own',
      expect.stringContaining('no status today'),
      expect.stringContaining('no status today'),
    ]);
    expect((await own.get('a')).status).toEqual({ note: 'x' });
  });

  it('[C38] lastTransitionTime moves with the status only, and observedGeneration follows', async () => {
    const { clock, widgets: own } = rig;
    await startWithWidget({
      reconcile({ spec: { size = 0 } }, { status }) {
        status({ conditions: [{ type: 'Big', status: size > 2 ? 'True' : 'False', message: `${size}` }] });
      },
    });
    const times: unknown[] = [];
    for (const size of [1, 2, 3]) {
      await own.patch('a', { spec: { size } });
      await clock.advance(60_000);
      const condition = conditionOf(await own.get('a'), 'Big');
      times.push([
        condition?.status,
        condition?.message,
        condition?.observedGeneration,
        condition?.lastTransitionTime?.slice(14, 16),
      ]);
    }
    expect(times).toEqual([
      ['False', '1', 1, '00'],
      ['False', '2', 2, '00'],
      ['True', '3', 3, '02'],
    ]);
  });

  it('[C38] readyCondition follows the outcome, keeps the rest of the status, and gives way to the run', async () => {
    const { clock, widgets: own } = rig;
    const { failures } = await startWithWidget({
      readyCondition: 'Ready',
      reconcile({ spec: { size = 0 } }, { status }) {
        if (size === 1) status({ note: 'kept' });
        if (size === 2) return { waiting: 'for a second one' };
        if (size === 3) throw new Error('three is too many');
        if (size === 4) status({ conditions: [{ type: 'Ready', status: 'Unknown', reason: 'Mine' }] });
        return undefined;
      },
    });
    const seen: unknown[] = [];
    for (const size of [1, 2, 3, 4]) {
      await own.patch('a', { spec: { size } });
      await clock.advance(10);
      const widget = await own.get('a');
      const ready = conditionOf(widget, 'Ready');
      seen.push([widget.status?.note, ready?.status, ready?.reason, ready?.message]);
    }
    expect(seen).toEqual([
      ['kept', 'True', 'Reconciled', ''],
      ['kept', 'False', 'Waiting', 'for a second one'],
      ['kept', 'False', 'Failed', 'three is too many'],
      [undefined, 'Unknown', 'Mine', ''],
    ]);
    expect(failures.length).toBeGreaterThan(0);
  });

  it('[C39] a conflict is retried when the cache is newer, and reported from the fifth in a row', async () => {
    const { api, clock, widgets: own } = rig;
    const open = gate();
    const { records, failures, instance } = await startWithWidget({
      async reconcile(object, { client }) {
        await open.promise;
        if (object.metadata.labels?.['done'] === undefined)
          await client
            .forResource(widgets, 'default')
            .update({ ...object, metadata: { ...object.metadata, labels: { done: 'yes' } } } as never);
      },
    });
    await clock.advance(10);
    await own.patch('a', { spec: { size: 2 } });
    open.resolve();
    await clock.advance(100);
    expect(records.map(({ outcome }) => outcome).slice(0, 2)).toEqual(['failed', 'done']);
    expect(failures).toEqual([]);
    await own.patch('a', { metadata: { labels: { done: null } } });
    const conflict = api.faults.inject({ verb: 'update', resource: 'widgets', respond: { status: 409 }, times: 7 });
    await clock.advance(100);
    expect(instance.status.failing).toEqual([]);
    await clock.advance(14_000);
    expect([conflict.hits, failures.length]).toEqual([4, 0]);
    await clock.advance(600_000);
    expect([conflict.hits, failures.length]).toEqual([7, 3]);
    expect(records.at(-1)?.outcome).toBe('done');
  });

  it('[C40] a 403 because the namespace is being deleted ends the run quietly', async () => {
    const { clock, client, start } = rig;
    await client.core.v1.namespaces().create({ metadata: { name: 'leaving' } });
    const maps = client.core.v1.configMaps('leaving');
    await maps.create({ metadata: { name: 'holds', finalizers: ['example.com/hold'] } });
    const leaving = client.forResource(widgets, 'leaving');
    await leaving.create({ metadata: { name: 'a', finalizers: ['example.com/hold'] }, spec: { size: 1 } });
    const thrown: unknown[] = [];
    const open = gate();
    const { records, failures } = start({
      name: 'widgets',
      for: widgets,
      async reconcile({ metadata: { name } }, { client: own }) {
        await open.promise;
        await own.core.v1
          .secrets('leaving')
          .create({ metadata: { name } })
          .catch((error) => {
            thrown.push(isForbidden(error));
            throw error;
          });
      },
    });
    await clock.advance(10);
    await client.core.v1.namespaces().delete('leaving');
    open.resolve();
    await clock.advance(60_000);
    expect(thrown).toEqual([true]);
    expect(records.map(({ outcome, againInMs }) => [outcome, againInMs])).toEqual([['done', undefined]]);
    expect(failures).toEqual([]);
    await leaving.patch('a', { metadata: { finalizers: null } });
    await maps.patch('holds', { metadata: { finalizers: null } });
  });
});
