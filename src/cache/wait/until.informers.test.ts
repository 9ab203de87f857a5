import { afterEach, beforeEach, describe, expect, expectTypeOf, it } from 'vitest';
import { type ApiServer, startApiServer } from '../../apiserver/server.js';
import type { Client } from '../../client/client.js';
import { isExpired } from '../../meta/errors/error-predicates.js';
import type { WatchEvent } from '../../meta/watch-event.js';
import type { Pod } from '../../resources/types/core-v1.js';
import { FakeClock } from '../../time/fake-clock.js';
import { RetryWatcher } from './retry-watcher.js';
import { until, untilWithSync } from './until.js';
import { absent, crdEstablished, deleted, podReady } from './wait-conditions.js';

describe('watch tools on a server', () => {
  let clock: FakeClock;
  let api: ApiServer;
  let client: Client;

  beforeEach(async () => {
    clock = new FakeClock({ seed: 1 });
    api = await startApiServer({ clock, listen: false, onError: (error) => expect.fail(String(error)) });
    client = api.client();
  });
  afterEach(async () => {
    await client.close();
    await api.stop();
    await clock.runUntilIdle();
    expect(clock.pendingTimers).toEqual([]);
  });

  const pods = () => client.core.v1.pods('default');
  const create = (name: string): Promise<Pod> =>
    pods().create({ metadata: { name }, spec: { containers: [{ name: 'app', image: 'app:1' }] } });
  const becomeReady = (name: string) =>
    pods().patchStatus(name, { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] });

  it('a RetryWatcher yields every event once although connections break', async () => {
    const { metadata } = await pods().list();
    const seen: string[] = [];
    const own = new AbortController();
    const reading = (async () => {
      const watcher = new RetryWatcher(pods(), {
        resourceVersion: metadata.resourceVersion,
        clock,
        signal: own.signal,
      });
      for await (const { type, object } of watcher) seen.push(`${type} ${object.metadata.name}`);
    })();
    api.faults.inject({ verb: 'watch', resource: 'pods', reset: 'midEvent', times: 2 });
    for (const name of ['a', 'b', 'c']) {
      await create(name);
      await clock.advance(300);
    }
    await clock.advance(5000);
    expect(seen).toEqual(['ADDED a', 'ADDED b', 'ADDED c']);
    own.abort();
    await reading;
  });

  it('a RetryWatcher throws isExpired when its resourceVersion was compacted', async () => {
    const first = await create('a');
    await create('b');
    api.compact();
    await create('c');
    api.compact();
    const watcher = new RetryWatcher(pods(), { resourceVersion: first.metadata.resourceVersion, clock });
    const next = watcher[Symbol.asyncIterator]().next();
    const error = await next.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(isExpired(error)).toBe(true);
  });

  it('until waits until a pod is Ready', async () => {
    const pod = await create('web-0');
    const waiting = until(pods(), podReady, {
      name: 'web-0',
      resourceVersion: pod.metadata.resourceVersion,
      clock,
      timeoutMs: 60_000,
    });
    expectTypeOf(waiting).resolves.toEqualTypeOf<WatchEvent<Pod> | undefined>();
    await create('other');
    await becomeReady('other');
    await clock.advance(1000);
    await becomeReady('web-0');
    expect((await waiting)?.object.metadata.name).toBe('web-0');
  });

  it('untilWithSync resolves for existing objects and waits for others, although the history was compacted', async () => {
    await create('web-0');
    await becomeReady('web-0');
    api.compact();
    const found = await untilWithSync(pods(), podReady, { name: 'web-0', clock });
    expect(found?.type).toBe('ADDED');
    const gone = untilWithSync(pods(), deleted, { name: 'web-0', clock, precondition: absent });
    await clock.runUntilIdle();
    await pods().delete('web-0', { gracePeriodSeconds: 0 });
    expect((await gone)?.type).toBe('DELETED');
    expect(await untilWithSync(pods(), deleted, { name: 'web-0', clock, precondition: absent })).toBeUndefined();
  });

  it('untilWithSync waits until a CustomResourceDefinition is Established', async () => {
    const definitions = client.apiextensions.v1.customResourceDefinitions();
    const waiting = untilWithSync(definitions, crdEstablished, {
      name: 'widgets.example.com',
      clock,
      timeoutMs: 30_000,
    });
    await clock.runUntilIdle();
    await definitions.create({
      metadata: { name: 'widgets.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
    });
    expect((await waiting)?.object.metadata.name).toBe('widgets.example.com');
  });
});
