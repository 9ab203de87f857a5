import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ApiServer, startApiServer } from '../../apiserver/server.js';
import { Client } from '../../client/client.js';
import { LeadershipLostError } from '../../index.js';
import { MemoryTransport } from '../../rest/http/memory-transport.js';
import { RestClient } from '../../rest/request/rest-client.js';
import { FakeClock } from '../../time/fake-clock.js';
import { ShardGuard } from './shard-guard.js';

const shard = 3;
const uncertainMs = 5000;

let clock: FakeClock;
let api: ApiServer;
let client: Client;
/** What the replica says about all shards. */
let mayWrite: boolean;
let guard: ShardGuard;

beforeEach(async () => {
  clock = new FakeClock();
  api = await startApiServer({ clock, listen: false });
  const rest = new RestClient({ server: 'memory:' }, { clock, transport: new MemoryTransport(api.connection) });
  client = new Client({ rest });
  mayWrite = true;
  const lease = 'default/shared';
  guard = new ShardGuard({ clock, identity: 'me', lease, uncertainMs, mayWrite: () => mayWrite });
});
afterEach(async () => {
  api.faults.clear();
  await client.close();
  await api.stop();
  expect(clock.pendingTimers).toEqual([]);
});

function write(through: Client, name: string): Promise<unknown> {
  return through.core.v1.configMaps('default').create({ metadata: { name } });
}

async function stored(): Promise<string[]> {
  return (await client.core.v1.configMaps('default').list()).items.map(({ metadata }) => metadata.name);
}

/** What a request of a run that may not send it rejects with. */
async function expectRefused(request: Promise<unknown>): Promise<void> {
  const error = await request.catch((reason: unknown) => reason as Error);
  expect((error as Error).cause).toBeInstanceOf(LeadershipLostError);
  expect((error as Error).message).toContain(
    `me does not lead default/shared: it does not hold shard ${shard} any more; the request was not sent`,
  );
}

/** Whether `settled` has resolved by now. */
async function isSettled(settling: Promise<void>): Promise<boolean> {
  let has = false;
  void settling.then(() => (has = true));
  await clock.runUntilIdle();
  return has;
}

describe('ShardGuard', () => {
  it('a run sends requests while its shard is open', async () => {
    guard.open(shard);
    await write(guard.client(client, shard), 'a');
    expect(await stored()).toEqual(['a']);
  });

  it('a run that outlives its shard sends nothing', async () => {
    guard.open(shard);
    const run = guard.client(client, shard);
    await write(run, 'before');
    guard.close(shard);
    await expectRefused(write(run, 'after'));
    await expectRefused(run.core.v1.configMaps('default').get('before'));
    expect(await stored()).toEqual(['before']);
  });

  it('a run that outlives its shard sends nothing when the shard has come back to the same replica', async () => {
    guard.open(shard);
    const earlier = guard.client(client, shard);
    guard.close(shard);
    guard.open(shard);
    const later = guard.client(client, shard);
    await expectRefused(write(earlier, 'earlier'));
    await write(later, 'later');
    await expectRefused(write(earlier, 'earlier'));
    expect(await stored()).toEqual(['later']);
  });

  it('a run that begins when its shard is not open sends nothing, also when it is opened later', async () => {
    const run = guard.client(client, shard);
    await expectRefused(write(run, 'a'));
    guard.open(shard);
    await expectRefused(write(run, 'a'));
    expect(await stored()).toEqual([]);
  });

  it('opening a shard that is open goes on with its tenure', async () => {
    guard.open(shard);
    const run = guard.client(client, shard);
    guard.open(shard);
    await write(run, 'a');
    expect(guard.client(client, shard)).toBe(run);
    expect(await stored()).toEqual(['a']);
  });

  it('closing a shard does not concern the runs of others', async () => {
    guard.open(shard);
    guard.open(shard + 1);
    const other = guard.client(client, shard + 1);
    guard.close(shard);
    await write(other, 'a');
    expect(await stored()).toEqual(['a']);
  });

  it('sends nothing while the replica may not write', async () => {
    guard.open(shard);
    const run = guard.client(client, shard);
    mayWrite = false;
    await expectRefused(write(run, 'late'));
    mayWrite = true;
    await write(run, 'in-time');
    expect(await stored()).toEqual(['in-time']);
  });

  it('has settled when every write was answered', async () => {
    const signal = new AbortController().signal;
    await guard.settled(shard, signal);
    guard.open(shard);
    await guard.settled(shard, signal);
    api.faults.inject({ verb: 'create', delayMs: 2000 });
    const writing = write(guard.client(client, shard), 'slow');
    await clock.advance(1000);
    const settling = guard.settled(shard, signal);
    expect(await isSettled(settling)).toBe(false);
    await clock.advance(1000);
    await writing;
    expect(await isSettled(settling)).toBe(true);
  });

  it('a read on its way is not waited for', async () => {
    guard.open(shard);
    api.faults.inject({ verb: 'get', delayMs: 2000 });
    const reading = guard
      .client(client, shard)
      .core.v1.configMaps('default')
      .get('a')
      .catch((error: unknown) => error);
    await clock.advance(1000);
    expect(await isSettled(guard.settled(shard, new AbortController().signal))).toBe(true);
    await clock.advance(1000);
    expect(await reading).toMatchObject({ reason: 'NotFound' });
  });

  it('a write without an answer is waited for as long as the server may carry it out', async () => {
    guard.open(shard);
    api.faults.inject({ verb: 'create', reset: 'beforeHeaders' });
    const failed = write(guard.client(client, shard), 'lost').catch(() => 'failed');
    await clock.runUntilIdle();
    expect(await failed).toBe('failed');
    const settling = guard.settled(shard, new AbortController().signal);
    await clock.advance(uncertainMs - 1);
    expect(await isSettled(settling)).toBe(false);
    await clock.advance(1);
    expect(await isSettled(settling)).toBe(true);
  });

  it('settled ends with its signal', async () => {
    guard.open(shard);
    api.faults.inject({ verb: 'create', reset: 'beforeHeaders' });
    await write(guard.client(client, shard), 'lost').catch(() => {});
    const stop = new AbortController();
    const settling = guard.settled(shard, stop.signal);
    stop.abort();
    expect(await isSettled(settling)).toBe(true);
  });
});
