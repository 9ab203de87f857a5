import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { anyCharacter } from '../../../test/support/any-character.js';
import { fixedTls } from '../../../test/support/fixed-tls.js';
import { runs } from '../../../test/support/runs.js';
import { type ApiServer, startApiServer } from '../../apiserver/server.js';
import type { ApiHandler, ApiResponse } from '../../apiserver/wire/exchange.js';
import { connectInMemory } from '../../apiserver/wire/memory-connection.js';
import { droppedByDefault, type ListHead } from '../../codec/codec.js';
import { MAX_DEPTH } from '../../codec/json/scan-layout.js';
import type { Raw } from '../../codec/raw.js';
import { SlabArena } from '../../codec/slab.js';
import type { Flow } from '../../codec/watch-source.js';
import { hasStatusCause, isConnectionLost, isExpired } from '../../meta/errors/error-predicates.js';
import { expired } from '../../meta/errors/status.js';
import type { KubernetesObject } from '../../meta/objects.js';
import type { WireEvent } from '../../meta/watch-event.js';
import type { Clock } from '../../time/clock.js';
import { FakeClock } from '../../time/fake-clock.js';
import { realClock } from '../../time/real-clock.js';
import { MemoryTransport } from '../http/memory-transport.js';
import { RequestError } from '../http/request-errors.js';
import { RestClient, type RestClientOptions } from '../request/rest-client.js';
import { ResourceSource, type ResourceSourceOptions } from './resource-source.js';

interface ConfigMap extends KubernetesObject {
  data?: Record<string, string>;
}

const configMaps = { group: '', version: 'v1', resource: 'configmaps' };
const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

function sourceOf(rest: RestClient, options: Partial<ResourceSourceOptions> = {}): ResourceSource<ConfigMap> {
  return new ResourceSource(rest, { resource: configMaps, arena: new SlabArena(), drop: droppedByDefault, ...options });
}

/** Collects what a source pushes. */
class Sink<E> {
  readonly entries: E[] = [];
  batches = 0;
  /** How many batches it accepts before it pauses. */
  appetite = Number.POSITIVE_INFINITY;

  batch(entries: readonly E[]): boolean {
    this.batches++;
    this.entries.push(...entries);
    return --this.appetite > 0;
  }
}

type Event = WireEvent<Raw<ConfigMap>>;

function told(events: readonly Event[]): string[] {
  return events.map(({ type, object }) => `${type} ${'key' in object ? object.key : ''}`.trim());
}

const ways: Record<string, (api: ApiServer) => RestClient> = {
  'HTTP/1.1': (api) => client(api, { http: { http2: false } }),
  'HTTP/2': (api) => client(api, {}),
  memory: (api) => client(api, { transport: new MemoryTransport(api.connection) }),
};

function client(api: ApiServer, options: RestClientOptions): RestClient {
  const tls = fixedTls({ ca: api.certificateAuthority });
  const token = api.token;
  const credentials = { headers: () => (token === undefined ? {} : { authorization: `Bearer ${token}` }) };
  const rest = new RestClient({ server: api.url, tls, credentials }, options);
  closing.push(() => rest.close());
  return rest;
}

it('opens a watch with one AbortController', async () => {
  const Original = globalThis.AbortController;
  let made = 0;
  closing.push(() => void (globalThis.AbortController = Original));
  globalThis.AbortController = class extends Original {
    constructor() {
      super();
      made++;
    }
  };
  const transport = new MemoryTransport({ send: () => ({ pause() {}, resume() {}, abort() {} }) });
  const rest = new RestClient({ server: 'memory' }, { transport, answerTimeoutMs: 5000, clock: new FakeClock() });
  const stop = new Original();
  const before = made;
  const flow = sourceOf(rest).open({}, new Sink<Event>(), stop.signal);
  await realClock.yield();
  expect(made - before).toBe(1);
  stop.abort(new Error('enough'));
  await expect(flow.done).rejects.toThrow('enough');
});

describe.each(Object.keys(ways))('the embedded server over %s', (way) => {
  async function start(count = 0): Promise<RestClient> {
    const objects = Array.from({ length: count }, (_, i) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name: `c${String(i).padStart(4, '0')}`,
        namespace: i % 2 === 0 ? 'even' : 'odd',
        labels: { third: String(i % 3) },
      },
      data: { text: 'é'.repeat(50) },
    }));
    const api = await startApiServer({ tls: true, objects });
    closing.push(() => api.stop());
    return ways[way]!(api);
  }

  it('supports all verbs', async () => {
    const rest = await start();
    const all = rest.post().namespace('default').resource('configmaps');
    const created = await all.body({ metadata: { name: 'a' }, data: { x: '1' } }).do<ConfigMap>();
    expect(created).toMatchObject({ kind: 'ConfigMap', metadata: { name: 'a', namespace: 'default' } });
    const one = (method: 'GET' | 'PUT' | 'PATCH' | 'DELETE') =>
      rest.request(method).namespace('default').resource('configmaps').name('a');
    expect(await one('GET').do<ConfigMap>()).toEqual(created);
    const updated = await one('PUT')
      .body({ ...created, data: { x: '2' } })
      .do<ConfigMap>();
    expect(updated.data).toEqual({ x: '2' });
    const patches = [
      one('PATCH')
        .patchType('merge')
        .body({ data: { x: '3' } }),
      one('PATCH')
        .patchType('strategic')
        .body({ data: { x: '4' } }),
      one('PATCH')
        .patchType('json')
        .body([{ op: 'replace', path: '/data/x', value: '5' }]),
    ];
    for (const [i, patch] of patches.entries())
      expect((await patch.do<ConfigMap>()).data).toEqual({ x: String(i + 3) });
    await one('DELETE').do();
    await expect(one('GET').do()).rejects.toMatchObject({ status: 404, verb: 'get' });
  });

  it('lists handles, and resolves to the head of the list', async () => {
    const rest = await start(30);
    const sink = new Sink<Raw<ConfigMap>>();
    const { signal } = new AbortController();
    const head = await sourceOf(rest, { namespace: 'odd', labelSelector: 'third=1' }).list({}, sink, signal).done;
    expect(head).toMatchObject({
      kind: 'ConfigMapList',
      apiVersion: 'v1',
      metadata: { resourceVersion: expect.any(String) },
    });
    expect(sink.entries.map((raw) => raw.key)).toEqual([
      'odd/c0001',
      'odd/c0007',
      'odd/c0013',
      'odd/c0019',
      'odd/c0025',
    ]);
    expect(sink.entries[0]!.decode()).toMatchObject({ kind: 'ConfigMap', data: { text: 'é'.repeat(50) } });
  });

  it('lists page by page', async () => {
    const rest = await start(25);
    const source = sourceOf(rest);
    const keys: string[] = [];
    let next: string | undefined;
    do {
      const sink = new Sink<Raw<ConfigMap>>();
      const head: ListHead = await source.list({ limit: 10, continue: next }, sink, new AbortController().signal).done;
      keys.push(...sink.entries.map((raw) => raw.name));
      next = head.metadata?.continue;
    } while (next !== undefined && next !== '');
    expect(keys.sort()).toEqual(Array.from({ length: 25 }, (_, i) => `c${String(i).padStart(4, '0')}`));
  });

  it('lists PartialObjectMetadata', async () => {
    const rest = await start(3);
    const sink = new Sink<Raw<ConfigMap>>();
    await sourceOf(rest, { metadataOnly: true }).list({}, sink, new AbortController().signal).done;
    expect(sink.entries[0]!.decode()).toMatchObject({ kind: 'PartialObjectMetadata', metadata: { name: 'c0000' } });
    expect(sink.entries[0]!.decode()).not.toHaveProperty('data');
  });

  it('lists decoded objects, each with its kind', async () => {
    const rest = await start(5);
    const list = await rest.get().resource('configmaps').list<ConfigMap>();
    expect(list.items.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toHaveLength(5);
    expect(list).toMatchObject({ kind: 'ConfigMapList', metadata: { resourceVersion: expect.any(String) } });
    expect(list.items[0]).toMatchObject({ kind: 'ConfigMap', apiVersion: 'v1' });
  });

  it('watches handles until aborted', async () => {
    const rest = await start();
    const sink = new Sink<Event>();
    const controller = new AbortController();
    const flow = sourceOf(rest, { namespace: 'default' }).open({}, sink, controller.signal);
    const collection = () => rest.post().namespace('default').resource('configmaps');
    await collection()
      .body({ metadata: { name: 'a' } })
      .do();
    await rest
      .patch()
      .namespace('default')
      .resource('configmaps')
      .name('a')
      .patchType('merge')
      .body({ data: { a: 'b' } })
      .do();
    await rest.delete().namespace('default').resource('configmaps').name('a').do();
    await expect.poll(() => told(sink.entries)).toEqual(['ADDED default/a', 'MODIFIED default/a', 'DELETED default/a']);
    const reason = new Error('enough');
    controller.abort(reason);
    await expect(flow.done).rejects.toBe(reason);
  });

  it('watches decoded objects, and closes the watch when the loop is left', async () => {
    const rest = await start(3);
    const names: string[] = [];
    for await (const event of rest.get().resource('configmaps').watch<ConfigMap>()) {
      if (event.type !== 'BOOKMARK') names.push(event.object.metadata.name);
      if (names.length === 3) break;
    }
    expect(names.sort()).toEqual(['c0000', 'c0001', 'c0002']);
  });
});

interface Held {
  readonly response: ApiResponse;
  readonly signal: AbortSignal;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A server in memory on a fake clock, whose responses the test sends. */
function scripted(begin: (held: Held) => void): { rest: RestClient; clock: FakeClock; held: Held[] } {
  const clock = new FakeClock();
  const held: Held[] = [];
  const handler: ApiHandler = ({ target, headers, signal }, response) => {
    const one = { response, signal, target, headers };
    held.push(one);
    begin(one);
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  };
  const transport = new MemoryTransport(connectInMemory(handler, clock));
  return { rest: new RestClient({ server: 'memory' }, { clock, transport, maxRetries: 0 }), clock, held };
}

function eventText(type: string, name: string): string {
  const object = {
    kind: 'ConfigMap',
    apiVersion: 'v1',
    metadata: { name, namespace: 'n', uid: name, resourceVersion: '1' },
  };
  return `${JSON.stringify({ type, object })}\n`;
}

async function settled<T>(clock: Clock & { advance(ms: number): Promise<void> }, flow: Flow<T>) {
  let outcome: { value: T } | { error: unknown } | undefined;
  flow.done.then(
    (value) => (outcome = { value }),
    (error: unknown) => (outcome = { error }),
  );
  await clock.advance(0);
  return outcome;
}

describe('how a watch ends', () => {
  function watch(...chunks: (string | 'reset' | 'end')[]) {
    const { rest, clock, held } = scripted(({ response }) => {
      response.head(200, { 'content-type': 'application/json' });
      for (const chunk of chunks) {
        if (chunk === 'reset') response.reset();
        else if (chunk === 'end') response.end();
        else response.write(Buffer.from(chunk));
      }
    });
    const sink = new Sink<Event>();
    const controller = new AbortController();
    const flow = sourceOf(rest).open({ resourceVersion: '5', allowWatchBookmarks: true }, sink, controller.signal);
    return { flow, sink, clock, held, controller };
  }

  it('sends the parameters of the watch', async () => {
    const { flow, clock, held } = watch('end');
    expect(await settled(clock, flow)).toEqual({ value: undefined });
    expect(held[0]!.target).toBe('/api/v1/configmaps?allowWatchBookmarks=true&resourceVersion=5&watch=true');
    expect(held[0]!.headers['accept']).toBe(
      'application/vnd.kubernetes.protobuf;stream=watch, application/json;stream=watch, application/json',
    );
  });

  it('resolves when the server ends it', async () => {
    const { flow, sink, clock } = watch(eventText('ADDED', 'a'), 'end');
    expect(await settled(clock, flow)).toEqual({ value: undefined });
    expect(told(sink.entries)).toEqual(['ADDED n/a']);
    expect(clock.pendingTimers).toEqual([]);
  });

  it('resolves when the server ends it in the middle of an event', async () => {
    const { flow, sink, clock } = watch(eventText('ADDED', 'a'), eventText('ADDED', 'b').slice(0, 30), 'end');
    expect(await settled(clock, flow)).toEqual({ value: undefined });
    expect(told(sink.entries)).toEqual(['ADDED n/a']);
  });

  it('rejects when the connection breaks, after everything before was pushed', async () => {
    const { flow, sink, clock } = watch(eventText('ADDED', 'a'), 'reset');
    const outcome = await settled(clock, flow);
    expect(outcome).toMatchObject({ error: { code: 'REQUEST', verb: 'watch', resource: 'configmaps' } });
    expect(isConnectionLost((outcome as { error: unknown }).error)).toBe(true);
    expect(told(sink.entries)).toEqual(['ADDED n/a']);
  });

  it.each([
    ['that are not JSON', '{"type":"ADDED","object":nonsense}\n'],
    ['of an unknown type', eventText('RENAMED', 'b')],
    ['that are not events', '{"kind":"ConfigMapList"}\n'],
  ])('pushes one ERROR event and resolves after bytes %s', async (_, bytes) => {
    const { flow, sink, clock, held } = watch(eventText('ADDED', 'a'), bytes, eventText('ADDED', 'c'));
    expect(await settled(clock, flow)).toEqual({ value: undefined });
    expect(told(sink.entries)).toEqual(['ADDED n/a', 'ERROR']);
    expect(sink.entries[1]!.object).toMatchObject({
      code: 500,
      reason: 'InternalError',
      details: { causes: [{ reason: 'UnexpectedServerResponse' }, { reason: 'ClientWatchDecoding' }] },
    });
    expect(held[0]!.signal.aborted).toBe(true);
  });

  it('pushes ERROR events of the server like any other', async () => {
    const { flow, sink, clock } = watch(`${JSON.stringify({ type: 'ERROR', object: expired('too old') })}\n`, 'end');
    expect(await settled(clock, flow)).toEqual({ value: undefined });
    expect(sink.entries[0]).toMatchObject({ type: 'ERROR', object: { code: 410 } });
  });

  it('rejects with a StatusError when the server refuses', async () => {
    const { rest, clock } = scripted(({ response }) => {
      response.head(410, { 'content-type': 'application/json' });
      response.write(Buffer.from(JSON.stringify(expired('too old'))));
      response.end();
    });
    const outcome = await settled(clock, sourceOf(rest).open({}, new Sink<Event>(), new AbortController().signal));
    expect(isExpired((outcome as { error: unknown }).error)).toBe(true);
  });

  it.each(['before it is sent', 'before the response', 'in the middle', 'while paused'])(
    'rejects with the reason when aborted %s, and the server hears of it',
    async (when) => {
      const { rest, clock, held } = scripted(({ response }) => {
        if (when === 'before the response') return;
        response.head(200, {});
        response.write(Buffer.from(eventText('ADDED', 'a')));
      });
      const controller = new AbortController();
      const reason = new Error('enough');
      const sink = new Sink<Event>();
      if (when === 'while paused') sink.appetite = 1;
      if (when === 'before it is sent') controller.abort(reason);
      const flow = sourceOf(rest).open({}, sink, controller.signal);
      flow.done.catch(() => {});
      await clock.advance(0);
      controller.abort(reason);
      expect(await settled(clock, flow)).toEqual({ error: reason });
      held[0]?.response.write(Buffer.from(eventText('ADDED', 'late')));
      await clock.advance(0);
      expect(told(sink.entries)).toEqual(when === 'in the middle' || when === 'while paused' ? ['ADDED n/a'] : []);
      expect(held.every(({ signal }) => signal.aborted)).toBe(true);
      expect(clock.pendingTimers).toEqual([]);
    },
  );
});

describe('back-pressure', () => {
  it('reaches the server: a sink that pauses stops the bytes, and resuming brings all of them', async () => {
    const { rest, clock, held } = scripted(({ response }) => response.head(200, {}));
    const sink = new Sink<Event>();
    sink.appetite = 1;
    const flow = sourceOf(rest).open({}, sink, new AbortController().signal);
    await clock.advance(0);
    const { response } = held[0]!;
    const padded = eventText('ADDED', 'x').replace('"uid"', `"annotations":{"pad":"${'p'.repeat(4000)}"},"uid"`);
    let written = 0;
    // As a server does: writes until back-pressure stops it.
    while (response.write(Buffer.from(padded)) && written < 5000) {
      written++;
      await clock.advance(0);
    }
    expect(written).toBeLessThan(5000);
    expect(sink.batches).toBe(1);
    let rounds = 0;
    while (sink.entries.length < written + 1 && rounds++ < 5000) {
      sink.appetite = 1;
      flow.resume();
      await clock.advance(0);
    }
    expect(sink.entries).toHaveLength(written + 1);
    response.end();
    sink.appetite = Number.POSITIVE_INFINITY;
    flow.resume();
    expect(await settled(clock, flow)).toEqual({ value: undefined });
  });

  it('loses nothing of a list whose end came in the read that caused the pause', async () => {
    const chunkOf = (bytes: Buffer): Buffer[] => [Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, lineEnd];
    const lineEnd = Buffer.from('\r\n');
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.on('data', (request) => {
        const items = Array.from({ length: Number(/limit=(\d+)/.exec(String(request))?.[1]) }, (_, i) => ({
          metadata: { name: `${i}`, annotations: { pad: 'p'.repeat(2000) } },
        }));
        const body = Buffer.from(JSON.stringify({ metadata: { resourceVersion: '9' }, items }));
        const wire: Buffer[] = [Buffer.from('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n')];
        for (let at = 0; at < body.length; at += 3000) wire.push(...chunkOf(body.subarray(at, at + 3000)));
        socket.write(Buffer.concat([...wire, ...chunkOf(Buffer.alloc(0))]));
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    closing.push(() => server.close());
    const rest = new RestClient({ server: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
    closing.push(() => rest.close());
    // A source pauses at a megabyte, which here is within the last read of the socket.
    for (let limit = 508; limit < 548; limit += 4) {
      const sink = new Sink<Raw<ConfigMap>>();
      await sourceOf(rest).list({ limit }, sink, new AbortController().signal).done;
      expect(sink.entries).toHaveLength(limit);
    }
  });

  it('applies to iterators: events that are not read stay on the wire', async () => {
    const { rest, clock, held } = scripted(({ response }) => response.head(200, {}));
    const events = rest.get().resource('configmaps').watch<ConfigMap>();
    const first = events.next();
    await clock.advance(0);
    const { response } = held[0]!;
    const padded = eventText('ADDED', 'x').replace('"uid"', `"annotations":{"pad":"${'p'.repeat(60_000)}"},"uid"`);
    let written = 0;
    while (response.write(Buffer.from(padded)) && written < 1000) {
      written++;
      await clock.advance(0);
    }
    expect(written).toBeLessThan(1000);
    expect(await first).toMatchObject({ value: { type: 'ADDED' } });
    for (let i = 0; i < written; i++) expect(await events.next()).toMatchObject({ done: false });
    await events.return?.();
    await clock.advance(0);
    expect(held[0]!.signal.aborted).toBe(true);
  });
});

describe('lists', () => {
  const item = '{"metadata":{"name":"a","namespace":"n"}}';

  function list(...chunks: string[]) {
    const { rest, clock } = scripted(({ response }) => {
      response.head(200, {});
      for (const chunk of chunks) {
        if (chunk === 'reset') response.reset();
        else response.write(Buffer.from(chunk));
      }
      response.end();
    });
    const sink = new Sink<Raw<ConfigMap>>();
    return { sink, clock, flow: sourceOf(rest).list({}, sink, new AbortController().signal) };
  }

  it.each([
    ['that ends too early', [`{"kind":"ConfigMapList","items":[${item},`]],
    ['that is no list', ['<html>']],
    ['that breaks off', [`{"kind":"ConfigMapList","items":[${item},`, 'reset']],
  ])('reject with a RequestError after a body %s', async (_, chunks) => {
    const { flow, clock } = list(...chunks);
    const outcome = (await settled(clock, flow)) as { error: unknown };
    expect(outcome.error).toBeInstanceOf(RequestError);
    expect((outcome.error as Error).message).toMatch(/^list configmaps of memory:/);
  });

  it('are the same however the bytes are cut, and whenever the sink pauses', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: anyCharacter, minLength: 1 }), { maxLength: 20 }),
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 1, max: 5 }),
        async (names, cuts, appetite) => {
          const items = names.map((name) => ({ metadata: { name, namespace: 'n' } }));
          const bytes = Buffer.from(
            JSON.stringify({ kind: 'ConfigMapList', apiVersion: 'v1', items, metadata: { resourceVersion: '7' } }),
          );
          const { rest, clock } = scripted(({ response }) => {
            response.head(200, {});
            for (let at = 0, i = 0; at < bytes.length; i++) {
              const end = at + cuts[i % cuts.length]!;
              response.write(bytes.subarray(at, end));
              at = end;
            }
            response.end();
          });
          const sink = new Sink<Raw<ConfigMap>>();
          const flow = sourceOf(rest).list({}, sink, new AbortController().signal);
          let head: ListHead | undefined;
          void flow.done.then((value) => {
            head = value;
          });
          for (let rounds = 0; head === undefined && rounds < 200; rounds++) {
            sink.appetite = appetite;
            flow.resume();
            await clock.advance(0);
          }
          expect(head?.metadata).toEqual({ resourceVersion: '7' });
          expect(sink.entries.map((raw) => raw.decode().metadata.name)).toEqual(names);
        },
      ),
      { numRuns: runs(40) },
    );
  });
});

describe('iterators', () => {
  it('throw an ERROR event as a StatusError, once, and are done then', async () => {
    const { rest, clock } = scripted(({ response }) => {
      response.head(200, {});
      response.write(
        Buffer.from(`${eventText('ADDED', 'a')}{"type":"ERROR","object":${JSON.stringify(expired('old'))}}\n`),
      );
    });
    const events = rest.get().namespace('n').resource('configmaps').watch<ConfigMap>();
    expect(await events.next()).toMatchObject({ value: { type: 'ADDED', object: { metadata: { name: 'a' } } } });
    const error = await events.next().catch((reason: unknown) => reason);
    expect(isExpired(error)).toBe(true);
    expect(error).toMatchObject({ verb: 'watch', resource: 'configmaps', namespace: 'n' });
    expect(await events.next()).toEqual({ done: true, value: undefined });
    await clock.advance(0);
    expect(clock.pendingTimers).toEqual([]);
  });

  it('throw at an object that cannot be read, and lists reject, since neither can report a missing object', async () => {
    const deep = `${'['.repeat(MAX_DEPTH)}${']'.repeat(MAX_DEPTH)}`;
    const object = `{"metadata":{"namespace":"n","name":"deep"},"data":${deep}}`;
    const { rest, clock } = scripted(({ response, target }) => {
      response.head(200, {});
      if (target.includes('watch=')) {
        response.write(Buffer.from(`${eventText('ADDED', 'a')}{"type":"ADDED","object":${object}}\n`));
      } else {
        response.write(Buffer.from(`{"kind":"ConfigMapList","apiVersion":"v1","metadata":{},"items":[${object}]}`));
        response.end();
      }
    });
    const events = rest.get().resource('configmaps').watch<ConfigMap>();
    expect(await events.next()).toMatchObject({ value: { object: { metadata: { name: 'a' } } } });
    await expect(events.next()).rejects.toThrow(
      /^watch configmaps of memory: .*"n\/deep".* nested deeper than 10000 levels/,
    );
    expect(await events.next()).toEqual({ done: true, value: undefined });
    await expect(rest.get().resource('configmaps').list()).rejects.toThrow(/^list configmaps of memory: .*"n\/deep"/);
    await clock.advance(0);
    expect(clock.pendingTimers).toEqual([]);
  });

  it('throw if the bytes cannot be decoded', async () => {
    const { rest } = scripted(({ response }) => {
      response.head(200, {});
      response.write(Buffer.from('nonsense'));
    });
    const error = await rest
      .get()
      .resource('configmaps')
      .watch()
      .next()
      .catch((reason: unknown) => reason);
    expect(hasStatusCause(error, 'ClientWatchDecoding')).toBe(true);
  });

  it('reject with the reason on an abort', async () => {
    const { rest, clock } = scripted(({ response }) => response.head(200, {}));
    const controller = new AbortController();
    const next = rest.get().resource('configmaps').watch({ signal: controller.signal }).next();
    next.catch(() => {});
    await clock.advance(0);
    const reason = new Error('enough');
    controller.abort(reason);
    await expect(next).rejects.toBe(reason);
  });

  it('send nothing when they are closed before the first next()', async () => {
    const { rest, held } = scripted(() => {});
    const events = rest.get().resource('configmaps').watch();
    await events.return?.();
    expect(await events.next()).toEqual({ done: true, value: undefined });
    expect(held).toEqual([]);
  });
});

describe('streams', () => {
  it('yield bytes as they come', async () => {
    const { rest } = scripted(({ response }) => {
      response.head(200, { 'content-type': 'text/plain' });
      for (const line of ['one\n', 'two\n']) response.write(Buffer.from(line));
      response.end();
    });
    const stream = rest.get().namespace('n').resource('pods').name('p').subresource('log').stream();
    let text = '';
    for await (const chunk of stream) text += String(chunk);
    expect(text).toBe('one\ntwo\n');
  });

  it('fail with a StatusError that names the subresource', async () => {
    const { rest } = scripted(({ response }) => {
      response.head(400, {});
      response.end();
    });
    const stream = rest.get().namespace('n').resource('pods').name('p').subresource('log').stream();
    const read = (async () => {
      for await (const _ of stream);
    })();
    await expect(read).rejects.toMatchObject({ status: 400, resource: 'pods/log', objectName: 'p' });
  });

  it('close the request when they are left, destroyed or aborted', async () => {
    for (const way of ['left', 'aborted']) {
      const { rest, clock, held } = scripted(({ response }) => {
        response.head(200, {});
        response.write(Buffer.from('one\n'));
      });
      const controller = new AbortController();
      const stream = rest.get().absPath('/logs').stream({ signal: controller.signal });
      const read = (async () => {
        for await (const _ of stream) {
          if (way === 'left') break;
          controller.abort(new Error('enough'));
        }
      })();
      await (way === 'left' ? read : expect(read).rejects.toThrow('enough'));
      await clock.advance(0);
      expect(held[0]!.signal.aborted).toBe(true);
    }
  });
});

it('works on the real clock', async () => {
  const api = await startApiServer({ listen: false });
  closing.push(() => api.stop());
  const rest = new RestClient({ server: api.url }, { transport: new MemoryTransport(api.connection) });
  expect(rest.clock).toBe(realClock);
  const list = await rest.get().resource('namespaces').list();
  expect(list.items.length).toBeGreaterThan(0);
});

describe('an abort', () => {
  it('rejects at once, even if the response is complete and the sink is paused', async () => {
    const clock = new FakeClock();
    const line = Buffer.from(`${JSON.stringify({ type: 'ERROR', object: expired('too old') })}\n`);
    const connection = connectInMemory((_, response: ApiResponse) => {
      response.head(200, { 'content-type': 'application/json' });
      response.write(line);
      response.end();
      return Promise.resolve();
    }, clock);
    const rest = new RestClient(
      { server: 'http://memory.invalid', tls: fixedTls({}), credentials: { headers: () => ({}) } },
      { clock, transport: new MemoryTransport(connection) },
    );
    const stop = new AbortController();
    const taken: Event[] = [];
    const sink = {
      batch(events: readonly Event[]) {
        taken.push(...events);
        stop.abort(new Error('that is enough'));
        return false;
      },
    };
    const { done } = sourceOf(rest).open({}, sink, stop.signal);
    await expect(done).rejects.toThrow('that is enough');
    expect(taken.map(({ type }) => type)).toEqual(['ERROR']);
    await rest.close();
  });
});
