import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ControllerRig, controllerRig, gate, type Widget, widgets } from '../../test/support/controller-rig.js';
import { isNotFound } from '../index.js';
import type { RunRecord, RunStart } from './environment.js';
import type { ControllerOptions, Result } from './types.js';

let rig: ControllerRig;
beforeEach(async () => {
  rig = await controllerRig();
});
afterEach(() => rig.stop());

const finalizer = 'example.com/widgets';

describe('deletion', () => {
  it('[C41] the finalizer is stored before the first reconcile, which goes on with the answer in the same run', async () => {
    const { clock, create, widgets: own, start } = rig;
    await create('a', { size: 1 });
    const seen: unknown[] = [];
    const { records } = start({
      name: 'widgets',
      for: widgets,
      async reconcile({ metadata }) {
        seen.push(metadata.finalizers, (await own.get('a')).metadata.finalizers);
        seen.push((await own.get('a')).metadata.resourceVersion === metadata.resourceVersion);
      },
      finalize() {},
    });
    await clock.advance(60_000);
    expect(seen).toEqual([[finalizer], [finalizer], true]);
    expect(records.map(({ writes }) => writes.map(({ verb, key }) => `${verb} ${key}`))).toEqual([['patch default/a']]);
  });

  it('[C41] finalizers of others stay, and the name of one’s own can be chosen', async () => {
    const { clock, create, widgets: own, start } = rig;
    await create('a');
    await own.patch('a', { metadata: { finalizers: ['example.com/other'] } });
    start({ name: 'widgets', for: widgets, finalizer: 'example.com/mine', reconcile() {}, finalize() {} });
    await clock.advance(100);
    expect((await own.get('a')).metadata.finalizers).toEqual(['example.com/other', 'example.com/mine']);
    await own.patch('a', { metadata: { finalizers: null } });
  });

  it('[C41] a run whose finalizer cannot be stored is observed from its start to its end, as any other', async () => {
    const { api, clock, create, start } = rig;
    await create('a');
    api.faults.inject({ verb: 'patch', resource: 'widgets', respond: { status: 400 } });
    const story: string[] = [];
    const observer = {
      runStarted: ({ id }: RunStart) => void story.push(`start ${id}`),
      runEnded: ({ id, outcome }: RunRecord) => void story.push(`${outcome} ${id}`),
    };
    start({ name: 'widgets', for: widgets, reconcile() {}, finalize() {} }, { environment: { observer } });
    await clock.advance(1000);
    const [first, second] = story.filter((line) => line.startsWith('start ')).map((line) => line.slice(6));
    expect(story).toEqual([`start ${first}`, `failed ${first}`, `start ${second}`, `done ${second}`]);
  });

  it.each([
    ['deleted', false],
    ['deleted and made anew', true],
  ])('[C42] %s meanwhile: neither function runs for the old one, and nothing is made anew', async (_, anew) => {
    const { api, clock, create, widgets: own, start } = rig;
    const { metadata } = await create('a', { size: 1 });
    const story: string[] = [];
    const { instance, failures } = start(
      {
        name: 'widgets',
        for: widgets,
        reconcile: ({ metadata: { uid } }) => void story.push(`reconcile ${uid === metadata.uid ? 'old' : 'new'}`),
        finalize: ({ metadata: { uid } }) => void story.push(`finalize ${uid === metadata.uid ? 'old' : 'new'}`),
      },
      { standby: true },
    );
    await clock.advance(10);
    api.faults.inject({ verb: 'watch', resource: 'widgets', stallMs: 5000, times: 1 });
    await own.delete('a');
    if (anew) await create('a', { size: 2 });
    instance.resume();
    await clock.advance(60_000);
    expect(story).toEqual(anew ? ['reconcile new'] : []);
    expect(failures).toEqual([]);
    if (!anew) await expect(own.get('a')).rejects.toSatisfy(isNotFound);
  });

  it('[C42] being deleted meanwhile, held by the finalizer of another: neither function runs', async () => {
    const { api, clock, create, widgets: own, start } = rig;
    await create('a');
    await own.patch('a', { metadata: { finalizers: ['example.com/other'] } });
    const story: string[] = [];
    const { instance, failures } = start(
      {
        name: 'widgets',
        for: widgets,
        reconcile: () => void story.push('reconcile'),
        finalize: () => void story.push('finalize'),
      },
      { standby: true },
    );
    await clock.advance(10);
    api.faults.inject({ verb: 'watch', resource: 'widgets', stallMs: 5000 });
    await own.delete('a');
    instance.resume();
    await clock.advance(60_000);
    expect([story, failures]).toEqual([[], []]);
    expect((await own.get('a')).metadata.finalizers).toEqual(['example.com/other']);
    await own.patch('a', { metadata: { finalizers: null } });
  });

  it('[C43] finalize that throws, waits or requeues keeps the finalizer; returning nothing removes it', async () => {
    const { clock, create, widgets: own, start } = rig;
    await create('a', { size: 1 });
    const plan: (Result | Error)[] = [new Error('not yet'), { waiting: 'for it' }, { requeueAfterMs: 10 }, undefined];
    const gone: string[] = [];
    const kept: boolean[] = [];
    const { records } = start({
      name: 'widgets',
      for: widgets,
      reconcile() {},
      async finalize() {
        kept.push((await own.get('a')).metadata.finalizers?.includes(finalizer) ?? false);
        const step = plan.shift();
        if (step instanceof Error) throw step;
        return step;
      },
      gone: (key) => void gone.push(key),
    });
    await clock.advance(100);
    await own.delete('a');
    await clock.advance(60_000);
    expect(records.map(({ what, outcome }) => `${what} ${outcome}`)).toEqual([
      'reconcile done',
      'finalize failed',
      'finalize waiting',
      'finalize requeued',
      'finalize done',
    ]);
    expect(kept).toEqual([true, true, true, true]);
    expect(gone).toEqual(['default/a']);
    await expect(own.get('a')).rejects.toSatisfy(isNotFound);
  });

  it('[C43] finalizers of others stay, and then nothing more is called', async () => {
    const { clock, create, widgets: own, start } = rig;
    await create('a');
    const { records } = start({ name: 'widgets', for: widgets, reconcile() {}, finalize() {} });
    await clock.advance(100);
    await own.patch('a', { metadata: { finalizers: [finalizer, 'example.com/other'] } });
    await clock.advance(100);
    await own.delete('a');
    await clock.advance(100);
    expect((await own.get('a')).metadata.finalizers).toEqual(['example.com/other']);
    const runs = records.length;
    await own.patch('a', { metadata: { labels: { changed: 'yes' } } });
    await clock.advance(60_000);
    expect(records).toHaveLength(runs);
    expect(records.at(-1)?.what).toBe('finalize');
    await own.patch('a', { metadata: { finalizers: null } });
    await clock.advance(100);
  });

  it('[C43] the status that a failing finalize sets is written', async () => {
    const { clock, create, widgets: own, start } = rig;
    await create('a');
    let ready = false;
    start({
      name: 'widgets',
      for: widgets,
      readyCondition: 'Ready',
      reconcile() {},
      finalize(_, { status }) {
        if (ready) return;
        status({ note: 'in use' });
        throw new Error('in use by b');
      },
    });
    await clock.advance(100);
    await own.delete('a');
    await clock.advance(10);
    expect((await own.get('a')).status).toMatchObject({
      note: 'in use',
      conditions: [{ type: 'Ready', status: 'False', reason: 'Failed', message: 'in use by b' }],
    });
    ready = true;
    await clock.advance(60_000);
    await expect(own.get('a')).rejects.toSatisfy(isNotFound);
  });

  it('[C44] after a crash between clearing away and removing the finalizer, finalize is called again', async () => {
    const { api, clock, create, widgets: own, start, drive } = rig;
    await create('a');
    const cleared: string[] = [];
    const open = gate();
    const options = (replica: string): ControllerOptions<Widget> => ({
      name: 'widgets',
      for: widgets,
      reconcile() {},
      async finalize() {
        cleared.push(replica);
        if (replica === 'first') await open.promise;
      },
    });
    const first = start(options('first'));
    await clock.advance(100);
    await own.delete('a');
    await clock.advance(100);
    // The first replica ends after it has cleared away, and before it can remove the finalizer.
    api.faults.inject({ verb: 'patch', resource: 'widgets', reset: 'beforeHeaders', times: 20 });
    await drive(first.instance.suspend({ drainMs: 0, reason: new Error('crash'), graceMs: 0 }));
    open.resolve();
    await drive(first.instance.close());
    await clock.advance(120_000);
    api.faults.clear();
    start(options('second'));
    await clock.advance(60_000);
    expect(cleared).toEqual(['first', 'second']);
    await expect(own.get('a')).rejects.toSatisfy(isNotFound);
  });

  it('[C45] without finalize an object that is being deleted is not reconciled', async () => {
    const { clock, create, widgets: own, start } = rig;
    await create('a');
    await own.patch('a', { metadata: { finalizers: ['example.com/other'] } });
    const { records } = start({ name: 'widgets', for: widgets, reconcile() {} });
    await clock.advance(100);
    expect(records).toHaveLength(1);
    await own.delete('a');
    await own.patch('a', { metadata: { labels: { changed: 'yes' } } });
    await clock.advance(60_000);
    expect(records).toHaveLength(1);
    await own.patch('a', { metadata: { finalizers: null } });
    await clock.advance(100);
  });

  it('[C46] a finalizer that an earlier version of the controller has left is removed at sight', async () => {
    const { clock, create, widgets: own, start } = rig;
    await create('live');
    await create('deleted');
    for (const name of ['live', 'deleted'])
      await own.patch(name, { metadata: { finalizers: [finalizer, 'example.com/other'] } });
    await own.delete('deleted');
    const { records } = start({ name: 'widgets', for: widgets, reconcile() {} });
    await clock.advance(60_000);
    expect((await own.get('live')).metadata.finalizers).toEqual(['example.com/other']);
    expect((await own.get('deleted')).metadata.finalizers).toEqual(['example.com/other']);
    expect(records.map(({ key }) => key)).toEqual(['default/live']);
    for (const name of ['live', 'deleted']) await own.patch(name, { metadata: { finalizers: null } });
  });

  it('[C46] without the right to patch, the error names the finalizer and the permission that is missing', async () => {
    const { api, clock, create, widgets: own, start } = rig;
    await create('a');
    await own.patch('a', { metadata: { finalizers: [finalizer] } });
    api.faults.inject({ verb: 'patch', resource: 'widgets', respond: { status: 403 }, times: 1 });
    const { failures } = start({ name: 'widgets', for: widgets, reconcile() {} });
    await clock.advance(60_000);
    expect(failures.map(({ error }) => String(error))).toEqual([
      'Error: widgets may not remove the finalizer example.com/widgets, which an earlier version of widgets with finalize has left ' +
        'on default/a: add patch of widgets.example.com to the option permissions until no object has it',
    ]);
    expect(failures[0]?.error).toHaveProperty('cause.status', 403);
    expect((await own.get('a')).metadata.finalizers).toBeUndefined();
  });
});
