import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MemoryClient, type MemoryWatch } from '../../../test/apiserver/memory-client.js';
import { runs } from '../../../test/support/runs.js';
import type { RefTimer, TimerOptions } from '../../time/clock.js';
import { FakeClock } from '../../time/fake-clock.js';
import { SkewedClock } from '../faults/skewed-clock.js';
import { startApiServer } from '../index.js';
import { builtInResources } from '../resources/built-in-resources.js';
import { Storage } from '../storage/storage.js';
import type { ApiResponse } from '../wire/exchange.js';
import { readListOptions } from './options/list-options.js';
import { JsonShape } from './shape/json-shape.js';
import { serveWatch, WatchHub } from './watch.js';

const NAMESPACES = ['default', 'other'];
const SELECTIONS = [
  '',
  'labelSelector=color=red',
  'labelSelector=color!=red',
  'labelSelector=!color',
  'fieldSelector=metadata.name=b',
];

const step = fc.record({
  op: fc.constantFrom('put', 'put', 'put', 'delete', 'read') as fc.Arbitrary<'put' | 'delete' | 'read'>,
  namespace: fc.constantFrom(...NAMESPACES),
  name: fc.constantFrom('a', 'b', 'c'),
  color: fc.constantFrom('red', 'blue', undefined),
});

/** The state of a client that follows a watch: objects by key, and whether the events were consistent. */
class Follower {
  readonly objects = new Map<string, string>();
  readonly #watch: MemoryWatch;
  #seen = 0;
  #version = 0;

  constructor(watch: MemoryWatch) {
    this.#watch = watch;
  }

  catchUp(): void {
    for (const { type, object } of this.#watch.events.slice(this.#seen)) {
      const version = Number(object.metadata.resourceVersion);
      if (type === 'BOOKMARK') continue;
      const key = `${object.metadata.namespace}/${object.metadata.name}`;
      expect(this.objects.has(key), `${type} of ${key}`).toBe(type !== 'ADDED');
      // Initial events are in the order of keys, changes in the order of versions.
      if (type !== 'ADDED') expect(version).toBeGreaterThan(this.#version);
      this.#version = Math.max(this.#version, version);
      if (type === 'DELETED') this.objects.delete(key);
      else this.objects.set(key, object.metadata.resourceVersion);
    }
    this.#seen = this.#watch.events.length;
  }
}

describe('watches', () => {
  it('lead to the same state as a list, with any selection and from any start', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 40, size: 'max' }),
        fc.constantFrom(...SELECTIONS),
        fc.boolean(),
        fc.nat(20),
        async (steps, selection, isNamespaced, startAt) => {
          const clock = new FakeClock();
          const api = await startApiServer({ clock, listen: false, controllers: 'none' });
          const client = new MemoryClient(api);
          for (const name of NAMESPACES) await client.post('/api/v1/namespaces', { metadata: { name } });
          const scope = isNamespaced ? '/api/v1/namespaces/default/configmaps' : '/api/v1/configmaps';
          let follower: Follower | undefined;
          for (const [index, { op, namespace, name, color }] of steps.entries()) {
            if (index === startAt) follower = new Follower(client.watch(`${scope}?watch=1&${selection}`));
            const path = `/api/v1/namespaces/${namespace}/configmaps`;
            const body = { metadata: { name, labels: { color } }, data: { index: String(index) } };
            if (op === 'read') {
              await clock.runUntilIdle();
              follower?.catchUp();
            } else if (op === 'delete') await client.delete(`${path}/${name}`);
            else if ((await client.post(path, body)).status === 409) await client.put(`${path}/${name}`, body);
          }
          follower ??= new Follower(client.watch(`${scope}?watch=1&${selection}`));
          await clock.runUntilIdle();
          follower.catchUp();
          const { items } = (await client.get(`${scope}?${selection}`)).json as {
            items: { metadata: { namespace: string; name: string; resourceVersion: string } }[];
          };
          const listed = items.map(({ metadata }) => [
            `${metadata.namespace}/${metadata.name}`,
            metadata.resourceVersion,
          ]);
          expect([...follower.objects].sort()).toEqual(listed.sort());
          await api.stop();
        },
      ),
      { numRuns: runs(20) },
    );
  });

  it('send an object that leaves the selection as DELETED, in its former state, with the version of the change', async () => {
    const clock = new FakeClock();
    const api = await startApiServer({ clock, listen: false });
    const client = new MemoryClient(api);
    const path = '/api/v1/namespaces/default/configmaps';
    await client.post(path, { metadata: { name: 'a', labels: { color: 'red' } } });
    const watches = [1, 2].map(() => client.watch(`${path}?watch=1&labelSelector=color=red`));
    await clock.runUntilIdle();
    const changed = await client.patch(`${path}/a`, { metadata: { labels: { color: 'blue' } } });
    await clock.runUntilIdle();
    for (const watch of watches) {
      expect(watch.events[1]).toMatchObject({
        type: 'DELETED',
        object: { metadata: { labels: { color: 'red' }, resourceVersion: changed.json.metadata.resourceVersion } },
      });
    }
    await api.stop();
  });

  it('may end while an event is being sent', async () => {
    const clock = new FakeClock();
    const api = await startApiServer({ clock, listen: false, onError: (error) => expect.fail(String(error)) });
    const client = new MemoryClient(api);
    const path = '/api/v1/namespaces/default/configmaps';
    const watch = client.watch(`${path}?watch=1`);
    await clock.runUntilIdle();
    api.faults.inject({ verb: 'watch', errorEvent: { status: 410 } });
    await client.post(path, { metadata: { name: 'a' } });
    await clock.runUntilIdle();
    expect(watch.events).toMatchObject([{ type: 'ERROR', object: { code: 410 } }]);
    expect(watch.end).toBe('ended');
    await api.stop();
  });

  it('leave no timer behind when their connection breaks on a bookmark', async () => {
    const clock = new FakeClock();
    const api = await startApiServer({ clock, listen: false, controllers: 'none' });
    const client = new MemoryClient(api);
    const watch = client.watch('/api/v1/configmaps?watch=true&allowWatchBookmarks=true');
    await clock.runUntilIdle();
    api.faults.inject({ verb: 'watch', reset: 'midEvent' });
    await clock.advance(5_000);
    expect(watch.end).toBe('reset');
    expect(clock.pendingTimers).toEqual([]);
    await client.post('/api/v1/namespaces/default/configmaps', { metadata: { name: 'a' } });
    await clock.advance(10_000);
    await api.stop();
  });

  it('send no changes up to a resourceVersion of the future', async () => {
    const clock = new FakeClock();
    const api = await startApiServer({ clock, listen: false });
    const client = new MemoryClient(api);
    const path = '/api/v1/namespaces/default/configmaps';
    const now = Number((await client.get(path)).json.metadata.resourceVersion);
    const watch = client.watch(`${path}?watch=1&resourceVersion=${now + 1}&allowWatchBookmarks=1`);
    await clock.advance(5000);
    expect(watch.events).toEqual([]);
    for (const name of ['a', 'b']) await client.post(path, { metadata: { name } });
    await clock.runUntilIdle();
    expect(watch.events.map((event) => event.object.metadata.name)).toEqual(['b']);
    await api.stop();
  });
});

/** A clock that runs a function in the same turn before a timer fires. */
class EventfulClock extends SkewedClock {
  beforeTimer: () => void = () => {};

  override setTimer(ms: number, callback: () => void, options?: TimerOptions): RefTimer {
    return super.setTimer(
      ms,
      () => {
        this.beforeTimer();
        callback();
      },
      options,
    );
  }
}

describe('a watch with a pending change', () => {
  function watchConfigMaps(query: string): {
    clock: FakeClock;
    eventful: EventfulClock;
    told: string[];
    reader: { takes: boolean; drain: () => void };
    create: (name: string) => void;
    over: Promise<void>;
  } {
    const clock = new FakeClock();
    const eventful = new EventfulClock(clock);
    const storage = new Storage({ historyLimit: 100 });
    const resource = builtInResources(storage).find(({ kind }) => kind === 'ConfigMap')!;
    const told: string[] = [];
    const reader = { takes: true, drain: () => {} };
    const response: ApiResponse = {
      head: () => {},
      write(chunk) {
        for (const line of Buffer.from(chunk).toString().trimEnd().split('\n')) {
          const { type, object } = JSON.parse(line);
          told.push(`${type} ${object.metadata.name ?? ''}@${object.metadata.resourceVersion}`);
        }
        return reader.takes;
      },
      onDrain(callback) {
        reader.drain = callback;
      },
      pendingBytes: 0,
      end: () => void told.push('end'),
      reset: () => void told.push('reset'),
    };
    const create = (name: string): void => {
      const object = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name, namespace: 'n' } };
      resource.collection.put({ namespace: 'n', name, object, fields: {} });
    };
    const options = readListOptions(resource, '', '', new URLSearchParams(`resourceVersion=1&${query}`), true);
    const over = serveWatch(
      { clock: eventful, bookmarkIntervalMs: 5000 },
      new WatchHub(resource.collection, eventful),
      resource,
      options,
      new JsonShape(resource, {
        format: 'json',
        transform: undefined,
        apiVersion: '',
        contentType: 'application/json',
      }),
      response,
      new AbortController().signal,
    );
    return { clock, eventful, told, reader, create, over };
  }

  it('sends it before a bookmark that is due in the same turn', async () => {
    const { clock, eventful, told, create } = watchConfigMaps('allowWatchBookmarks=true&timeoutSeconds=60');
    await clock.runUntilIdle();
    eventful.beforeTimer = () => create('pending');
    await clock.advance(5000);
    expect(told).toEqual(['ADDED pending@2', 'BOOKMARK @2']);
  });

  it('sends it before it ends', async () => {
    const { clock, eventful, told, create, over } = watchConfigMaps('timeoutSeconds=60');
    await clock.runUntilIdle();
    eventful.beforeTimer = () => create('pending');
    await clock.advance(60_000);
    expect(told).toEqual(['ADDED pending@2', 'end']);
    await over;
  });

  it('sends no bookmark while its client is behind', async () => {
    const { clock, told, reader, create } = watchConfigMaps('allowWatchBookmarks=true&timeoutSeconds=60');
    reader.takes = false;
    create('a');
    await clock.runUntilIdle();
    create('b');
    await clock.advance(5000);
    expect(told).toEqual(['ADDED a@2']);
    reader.takes = true;
    reader.drain();
    await clock.advance(5000);
    expect(told).toEqual(['ADDED a@2', 'ADDED b@3', 'BOOKMARK @3']);
  });
});
