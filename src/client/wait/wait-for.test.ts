import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../../test/support/eventually.js';
import { type ApiServer, startApiServer } from '../../apiserver/server.js';
import { isForbidden } from '../../meta/errors/error-predicates.js';
import { resources } from '../../resources/resources.js';
import type { ConfigMap } from '../../resources/types/index.js';
import { FakeClock } from '../../time/fake-clock.js';
import type { Client } from '../client.js';
import type { ResourceClient } from '../resource-client.js';
import { ConditionImpossibleError, conditions } from './conditions.js';
import { type WaitOptions, WaitTimeoutError } from './wait-for.js';

let clock: FakeClock;
let api: ApiServer;
let client: Client;
let configMaps: ResourceClient<ConfigMap>;
let messages: string[];
beforeEach(async () => {
  clock = new FakeClock();
  api = await startApiServer({ clock, listen: false });
  client = api.client();
  configMaps = client.core.v1.configMaps('default');
  messages = [];
});
afterEach(async () => {
  await client.close();
  await api.stop();
});

const hasData = (object: { readonly data?: object | undefined } | undefined) =>
  object?.data !== undefined || 'it has no data';
const wait = (condition: Parameters<typeof client.waitFor<ConfigMap>>[2], options: WaitOptions = {}) =>
  client.waitFor(resources.core.v1.configMaps, 'a', condition, {
    namespace: 'default',
    onProgress: (message) => messages.push(message),
    ...options,
  });
const waits = (message: string) => eventually(`it waits: ${message}`, () => messages.at(-1) === message);

describe('waitFor', () => {
  it('waits for an object that does not exist yet, and resolves to it', async () => {
    const waiting = wait(hasData);
    await waits('it has no data');
    await configMaps.create({ metadata: { name: 'a' } });
    await configMaps.create({ metadata: { name: 'b' }, data: { of: 'another' } });
    await configMaps.patch('a', { data: { x: '1' } });
    expect(await waiting).toMatchObject({ kind: 'ConfigMap', apiVersion: 'v1', data: { x: '1' } });
    expect(messages).toEqual(['it has no data']);
  });

  it('resolves to undefined when the object is gone', async () => {
    await configMaps.create({ metadata: { name: 'a' } });
    const waiting = wait(conditions.deleted);
    await waits('it exists');
    await configMaps.delete('a');
    expect(await waiting).toBeUndefined();
    expect(await wait(conditions.deleted)).toBeUndefined();
  });

  it('gives up when the object is deleted while it is waited for', async () => {
    await configMaps.create({ metadata: { name: 'a' } });
    const waiting = wait(hasData);
    await waits('it has no data');
    await Promise.all([
      expect(waiting).rejects.toThrow('configmaps a was deleted while it was waited for'),
      expect(waiting).rejects.toBeInstanceOf(ConditionImpossibleError),
      configMaps.delete('a'),
    ]);
  });

  it('rejects after timeoutMs and says what is missing', async () => {
    const waiting = wait(conditions.exists, { timeoutMs: 5000 });
    await waits('it does not exist');
    const failure = waiting.catch((error: unknown) => error);
    await clock.advance(5000);
    expect(await failure).toBeInstanceOf(WaitTimeoutError);
    expect((await failure) as Error).toMatchObject({
      code: 'WAIT_TIMEOUT',
      missing: 'it does not exist',
      message: 'configmaps default/a: not within 5000 ms: it does not exist',
    });
    expect(clock.pendingTimers).toEqual([]);
  });

  it('looks once with timeoutMs 0', async () => {
    await expect(wait(conditions.exists, { timeoutMs: 0 })).rejects.toThrow('not within 0 ms: it does not exist');
    await configMaps.create({ metadata: { name: 'a' } });
    expect((await wait(conditions.exists, { timeoutMs: 0 }))?.metadata.name).toBe('a');
    await expect(wait(() => false, { timeoutMs: 0 })).rejects.toThrow('the condition does not hold');
  });

  it('lists again after 410 Gone, and after failures of the server', async () => {
    api.faults.inject({ verb: 'watch', respond: { status: 410 }, times: 1 });
    const waiting = wait(hasData);
    await waits('it has no data');
    const down = api.faults.inject({ verb: 'list', respond: { status: 503 }, times: Number.POSITIVE_INFINITY });
    await eventually('it tells of the failure', async () => {
      await clock.advance(1000);
      return /^the last request failed: .*503/.test(messages.at(-1) ?? '');
    });
    down();
    await configMaps.create({ metadata: { name: 'a' }, data: { x: '1' } });
    let isOver = false;
    waiting.finally(() => {
      isOver = true;
    });
    await eventually('it lists again', async () => {
      await clock.advance(1000);
      return isOver;
    });
    expect((await waiting)?.metadata.name).toBe('a');
  });

  it('rejects at once if the server refuses to show the object', async () => {
    api.faults.inject({ verb: 'list', respond: { status: 403 } });
    await expect(wait(hasData)).rejects.toSatisfy(isForbidden);
  });

  it('rejects with what the condition throws, and with the reason of its signal', async () => {
    const mistake = new Error('mistake');
    const fails = () => {
      throw mistake;
    };
    await expect(wait(fails)).rejects.toBe(mistake);
    const stop = new AbortController();
    const waiting = wait(hasData, { signal: stop.signal, timeoutMs: 1000 });
    await waits('it has no data');
    stop.abort(mistake);
    await expect(waiting).rejects.toBe(mistake);
    await expect(wait(hasData, { signal: stop.signal })).rejects.toBe(mistake);
    expect(clock.pendingTimers).toEqual([]);
  });

  it('refuses wrong arguments', async () => {
    const { pods } = resources.core.v1;
    await expect(client.waitFor(pods, 'a', () => true)).rejects.toThrow('needs a namespace');
    await expect(client.waitFor(pods, '', () => true, { namespace: 'default' })).rejects.toThrow('name');
    await expect(wait('Ready' as never)).rejects.toThrow('condition must be a function');
    await expect(wait(hasData, { timeoutMs: -1 })).rejects.toThrow('timeoutMs');
  });
});
