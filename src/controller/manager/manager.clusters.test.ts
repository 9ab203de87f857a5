import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { gate } from '../../../test/support/controller-rig.js';
import { type ApiServer, startApiServer } from '../../apiserver/index.js';
import { type Client, resources } from '../../index.js';
import type { ConfigMap } from '../../resources/types/core-v1.js';
import { FakeClock } from '../../time/fake-clock.js';
import { createController } from '../controller.js';
import type { ControllerOptions } from '../types.js';
import { ControllerManager } from './manager.js';
import type { ManagerOptions } from './manager-options.js';

const { configMaps, secrets } = resources.core.v1;
const away = { times: Number.POSITIVE_INFINITY, delayMs: 1e9 };

let clock: FakeClock;
let hub: ApiServer;
let member: ApiServer;
let client: Client;
let other: Client;
let stop: AbortController;
let running: Promise<void> | undefined;

beforeEach(async () => {
  clock = new FakeClock();
  hub = await startApiServer({ clock, listen: false });
  member = await startApiServer({ clock, listen: false });
  client = hub.client();
  other = member.client();
  stop = new AbortController();
});

afterEach(async () => {
  stop.abort();
  let isOver = running === undefined;
  void running?.then(() => (isOver = true));
  await clock.until(() => isOver, { withinMs: 120_000 });
  for (const one of [client, other]) await one.close();
  for (const api of [hub, member]) await api.stop();
});

function labelled(name: string, options: Partial<ControllerOptions<ConfigMap>>) {
  return createController<ConfigMap>({
    name,
    for: configMaps,
    cache: { labelSelector: 'mine=yes' },
    reconcile: () => {},
    onError: () => {},
    ...options,
  });
}

function start(options: Partial<ManagerOptions>): { readonly manager: ControllerManager; readonly errors: string[] } {
  const errors: string[] = [];
  const onError = ({ message }: Error) => void errors.push(message);
  const manager = new ControllerManager(client, { name: 'copier', port: false, onError, ...options });
  running = manager.run({ signal: stop.signal });
  return { manager, errors };
}

describe('with a cluster that does not answer', () => {
  it('the manager starts, leads, is ready and works in its own cluster; /readyz names the other', async () => {
    member.faults.inject(away);
    const runs: string[] = [];
    const here = labelled('here', { reconcile: (_, { key }) => void runs.push(`here ${key}`) });
    const there = labelled('there', { client: other, reconcile: (_, { key }) => void runs.push(`there ${key}`) });
    const { manager, errors } = start({ controllers: [here, there] });
    let isReady = false;
    void manager.whenReady().then(() => (isReady = true));
    await clock.advance(2000);
    expect([isReady, manager.isLeader]).toEqual([true, true]);
    await client.core.v1.configMaps('default').create({ metadata: { name: 'a', labels: { mine: 'yes' } } });
    await clock.advance(100);
    expect(runs).toEqual(['here default/a']);
    const report = await manager.health.report('readyz');
    expect(report.ok).toBe(true);
    expect(report.checks.find(({ name }) => name === 'clusters')?.problem).toMatch(
      /^1 of 1: memory: configmaps has not synced/,
    );
    expect((await manager.health.report('readyz', { include: ['clusters'] })).ok).toBe(false);
    await clock.advance(120_000);
    expect(errors.join('\n')).toMatch(/^copier could not check its permissions and kinds in memory: /m);
    member.faults.clear();
    await clock.advance(60_000);
    await other.core.v1.configMaps('default').create({ metadata: { name: 'b', labels: { mine: 'yes' } } });
    await clock.advance(200_000);
    expect(runs).toEqual(['here default/a', 'there default/b']);
    expect((await manager.health.report('readyz', { include: ['clusters'] })).ok).toBe(true);
  });

  it('the manager stops within drainMs', async () => {
    await client.core.v1.configMaps('default').create({ metadata: { name: 'a', labels: { mine: 'yes' } } });
    const there = labelled('there', {
      async reconcile(_, { through }) {
        await through(other)
          .core.v1.configMaps('default')
          .create({ metadata: { name: 'copy' } });
      },
    });
    member.faults.inject(away);
    start({ controllers: [there], drainMs: 3000 });
    await clock.advance(2000);
    const stoppedAt = clock.monotonicNow();
    stop.abort();
    let isOver = false;
    void running?.then(() => (isOver = true));
    await clock.until(() => isOver, { withinMs: 60_000 });
    expect(clock.monotonicNow() - stoppedAt).toBeLessThanOrEqual(3000);
  });
});

describe('what another cluster misses', () => {
  it('is reported, and does not keep the manager from starting', async () => {
    const token = 'stranger';
    const closed = await startApiServer({
      clock,
      listen: false,
      authorization: 'rbac',
      tokens: { [token]: { name: 'stranger' } },
    });
    const limited = closed.client({ token });
    const { manager, errors } = start({ controllers: [labelled('there', { client: limited })] });
    await clock.advance(2000);
    expect(manager.isLeader).toBe(true);
    expect(errors).toContainEqual(
      expect.stringMatching(
        /^copier cannot work with memory: it misses permission to get, list, watch configmaps in the whole cluster/,
      ),
    );
    stop.abort();
    await clock.advance(30_000);
    await limited.close();
    await closed.stop();
  });
});

describe('leading, with several clusters', () => {
  it('is decided in the cluster of the manager: a replica that lost it writes to no other', async () => {
    const attempts: string[] = [];
    const go = gate();
    const copies = labelled('copies', {
      async reconcile({ metadata: { name } }, { apply }) {
        const copy = (part: string) => ({ metadata: { name: `${name}-${part}`, namespace: 'default' } });
        await apply(secrets, copy('first'), { client: other, owner: false });
        await go.promise;
        const late = apply(secrets, copy('second'), { client: other, owner: false });
        attempts.push(
          await late.then(
            () => 'stored',
            () => 'refused',
          ),
        );
      },
    });
    await client.core.v1.configMaps('default').create({ metadata: { name: 'a', labels: { mine: 'yes' } } });
    const { manager } = start({ controllers: [copies] });
    await clock.advance(2000);
    expect(manager.isLeader).toBe(true);
    hub.faults.inject({ resource: 'leases', times: Number.POSITIVE_INFINITY, respond: { status: 500 } });
    await clock.advance(15_000);
    expect(manager.isLeader).toBe(false);
    go.resolve();
    await clock.advance(1000);
    expect(attempts).toEqual(['refused']);
    expect((await other.core.v1.secrets('default').list()).items.map(({ metadata }) => metadata.name)).toEqual([
      'a-first',
    ]);
    expect((await other.coordination.v1.leases().list()).items).toEqual([]);
    hub.faults.clear();
  });
});
