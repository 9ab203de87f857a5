import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { eventually } from '../../../test/support/eventually.js';
import { inverted, invertedCodec, unknownField } from '../../../test/support/inverted-codec.js';
import type { ApiHandler, ApiRequest } from '../../apiserver/wire/exchange.js';
import { connectInMemory } from '../../apiserver/wire/memory-connection.js';
import { Client } from '../../client/client.js';
import type { Codec } from '../../codec/codec.js';
import { jsonCodec } from '../../codec/json/json-codec.js';
import type { Raw } from '../../codec/raw.js';
import { SlabArena } from '../../codec/slab.js';
import { isConnectionLost, isNotFound } from '../../meta/errors/error-predicates.js';
import { StatusError } from '../../meta/errors/errors.js';
import { forbidden, notFound } from '../../meta/errors/status.js';
import { defineResource } from '../../meta/resource.js';
import type { WireEvent } from '../../meta/watch-event.js';
import { realClock } from '../../time/real-clock.js';
import { MemoryTransport } from '../http/memory-transport.js';
import { ResourceSource } from '../source/resource-source.js';
import { RestClient } from './rest-client.js';
import { WireFormats } from './wire-formats.js';

interface Reply {
  readonly status?: number;
  readonly type?: string;
  readonly body?: Uint8Array | string;
}

const pods = { group: '', version: 'v1', resource: 'pods' };
const pod = (name: string, more: object = {}) => ({
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: { name, namespace: 'a', resourceVersion: '7' },
  ...more,
});
const listOf = (...items: object[]) => ({
  kind: 'PodList',
  apiVersion: 'v1',
  metadata: { resourceVersion: '9' },
  items,
});
const second = (body: object | readonly object[]): Reply => ({
  type: invertedCodec.mediaType,
  body: inverted(Array.isArray(body) ? body.map((one) => JSON.stringify(one)).join('\n') : body),
});
const json = (body: object | readonly object[]): Reply => ({
  type: 'application/json',
  body: Array.isArray(body) ? body.map((one) => JSON.stringify(one)).join('\n') : JSON.stringify(body),
});
const missing: Reply = { ...second(notFound({ group: '', resource: 'pods' }, 'x')), status: 404 };

/** A client that prefers the second format; `reply` answers everything but `/version`. */
function start(reply: (request: ApiRequest, accept: string) => Reply, minor = '36') {
  const seen: { line: string; accept: string; contentType: string | undefined; body: string }[] = [];
  const versions: string[] = [];
  const handler: ApiHandler = async (request, response) => {
    const { method, target, headers, body } = request;
    const accept = headers['accept'] ?? '';
    if (target === '/reset') {
      response.reset();
      return;
    }
    if (target === '/version') versions.push(method);
    else {
      const contentType = headers['content-type'];
      const sent = contentType === invertedCodec.mediaType ? inverted(body) : Buffer.from(body);
      seen.push({ line: `${method} ${target}`, accept, contentType, body: sent.toString() });
    }
    const answer = target === '/version' ? json({ major: '1', minor }) : reply(request, accept);
    response.head(answer.status ?? 200, { 'content-type': answer.type ?? 'application/json' });
    response.write(Buffer.from(answer.body ?? ''));
  };
  const transport = new MemoryTransport(connectInMemory(handler, realClock));
  const rest = new RestClient({ server: 'https://kube.example.com' }, { transport, codecs: [invertedCodec] });
  return { rest, client: new Client({ rest }), seen, versions };
}

/** Answers in the second format where it is accepted, as a server that knows both. */
const speaking =
  (body: object) =>
  (_: ApiRequest, accept: string): Reply =>
    accept.includes(invertedCodec.mediaType) ? second(body) : json(body);

afterEach(() => {
  vi.restoreAllMocks();
});

describe('what a request asks for', () => {
  it('built-in kinds prefer the other format to JSON; custom resources and other paths are JSON', async () => {
    const { client, rest, seen } = start(({ target }) => (target.includes('watch=') ? {} : json(listOf())));
    await client.core.v1.pods('a').get('x');
    await client.core.v1.pods('a').list();
    await client.metadata(pods).list();
    await client.core.v1.pods('a').watch().next();
    await client.core.v1.secrets('a').get('x');
    await client
      .forResource(
        defineResource({ group: 'example.com', version: 'v1', resource: 'widgets', kind: 'Widget', namespaced: true }),
        'a',
      )
      .get('x');
    await rest.get().absPath('/api/v1/pods').do();
    await rest.get().resource('pods').doRaw();
    const asMetadata = ';as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
    expect(seen.map(({ accept }) => accept)).toEqual([
      'application/vnd.inverted, application/json, */*',
      'application/vnd.inverted, application/json, */*',
      `application/vnd.inverted${asMetadata}, application/json${asMetadata}`,
      'application/vnd.inverted;stream=watch, application/json;stream=watch, application/json',
      'application/json, */*',
      'application/json, */*',
      'application/json, */*',
      'application/json, */*',
    ]);
  });

  it('the other format is loaded by the first request for a built-in kind: reads wait for it, writes are JSON until then', async () => {
    let loads = 0;
    let finish = (): void => {};
    const load = (): Promise<Codec[]> => {
      loads++;
      return new Promise((resolve) => {
        finish = () => resolve([invertedCodec]);
      });
    };
    const formats = new WireFormats(load, async () => ({ major: '1', minor: '36' }));
    expect(formats.load(undefined)).toBeUndefined();
    expect(formats.load({ group: 'example.com', version: 'v1', resource: 'widgets' })).toBeUndefined();
    expect(loads).toBe(0);
    const loading = formats.load(pods);
    expect(formats.load(pods)).toBe(loading);
    expect(formats.accepted(pods)).toEqual([jsonCodec]);
    finish();
    await loading;
    expect(loads).toBe(1);
    expect(formats.load(pods)).toBeUndefined();
    expect(formats.accepted(pods)).toEqual([invertedCodec, jsonCodec]);
  });

  it('a format that could not be loaded fails no write, and is loaded again for the next request', async () => {
    let loads = 0;
    const load = async (): Promise<Codec[]> => {
      if (++loads === 1) throw new Error('too many open files');
      return [invertedCodec];
    };
    const formats = new WireFormats(load, async () => ({ major: '1', minor: '36' }));
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    onTestFinished(() => void process.off('unhandledRejection', unhandled));
    // As a write does: it does not wait.
    void formats.load(pods);
    await new Promise((resolve) => setImmediate(resolve));
    expect(unhandled).not.toHaveBeenCalled();
    await formats.load(pods);
    expect(loads).toBe(2);
    expect(formats.accepted(pods)).toEqual([invertedCodec, jsonCodec]);
  });

  it('a request that is cancelled while the format is loaded is not sent', async () => {
    const seen: string[] = [];
    const handler: ApiHandler = async (request, response) => {
      seen.push(`${request.method} ${String(request.headers['accept'])}`);
      response.head(200, { 'content-type': 'application/json' });
      response.write(Buffer.from(JSON.stringify(pod('x'))));
    };
    const transport = new MemoryTransport(connectInMemory(handler, realClock));
    const rest = new RestClient({ server: 'https://kube.example.com' }, { transport });
    const abort = new AbortController();
    const cancelled = rest.get().namespace('a').resource('pods').name('x').do({ signal: abort.signal });
    abort.abort(new Error('enough'));
    await expect(cancelled).rejects.toThrow('enough');
    await rest.get().namespace('a').resource('pods').name('x').do();
    expect(seen).toEqual(['GET application/vnd.kubernetes.protobuf, application/json, */*']);
  });

  it('bodies have the preferred format; patches and values that it cannot represent are JSON', async () => {
    const { client, rest, seen } = start(() => json(pod('x')));
    const here = client.core.v1.pods('a');
    await here.create(pod('x') as never);
    await here.update(pod('x', { [unknownField]: 1 }) as never);
    await here.patch('x', { metadata: { labels: { a: 'b' } } });
    await here.apply({ metadata: { name: 'x' } } as never, { fieldManager: 'm' });
    await client.core.v1.secrets('a').create({ metadata: { name: 'x' } });
    await rest.post().namespace('a').resource('pods').body(Buffer.from('{}')).do();
    expect(seen.map(({ contentType, body }) => [contentType, JSON.parse(body).kind])).toEqual([
      ['application/vnd.inverted', 'Pod'],
      ['application/json', 'Pod'],
      ['application/merge-patch+json', undefined],
      ['application/apply-patch+yaml', 'Pod'],
      ['application/json', 'Secret'],
      ['application/json', undefined],
    ]);
  });
});

describe('the Content-Type of a response decides how it is decoded', () => {
  for (const [format, answer] of [
    ['the other format', second],
    ['JSON', json],
  ] as const) {
    it(`single objects, lists and watches in ${format}`, async () => {
      const events = [
        { type: 'ADDED', object: pod('x') },
        { type: 'BOOKMARK', object: { kind: 'Pod', apiVersion: 'v1', metadata: { resourceVersion: '8' } } },
      ];
      const { client } = start(({ target }) =>
        answer(target.includes('watch=') ? events : target.endsWith('/x') ? pod('x') : listOf(pod('x'))),
      );
      const here = client.core.v1.pods('a');
      expect(await here.get('x')).toEqual(pod('x'));
      expect(await here.list()).toEqual(listOf(pod('x')));
      const watch = here.watch({ allowWatchBookmarks: true });
      expect([(await watch.next()).value, (await watch.next()).value]).toEqual(events);
    });
  }

  it('objects of both formats live in one store', async () => {
    const { rest } = start(({ target }) =>
      target.includes('watch=') ? json([{ type: 'ADDED', object: pod('y') }]) : second(listOf(pod('x'))),
    );
    const source = new ResourceSource<object>(rest, { resource: pods, arena: new SlabArena() });
    const raws: Raw<object>[] = [];
    const { signal } = new AbortController();
    await source.list({}, { batch: (items) => raws.push(...items) > 0 }, signal).done;
    const collect = (event: WireEvent<Raw<object>>) => raws.push(event.object as Raw<object>);
    await source.open({}, { batch: (events) => events.map(collect).length > 0 }, signal).done;
    expect(raws.map((raw) => raw.key)).toEqual(['a/x', 'a/y']);
    expect(raws.map((raw) => raw.decode())).toEqual([pod('x'), pod('y')]);
  });

  it('an error Status, also where the body is something else', async () => {
    const { client } = start(({ target }) => (target.endsWith('/y') ? { ...missing, body: '<html>' } : missing));
    const error = await client.core.v1
      .pods('a')
      .get('x')
      .catch((e: unknown) => e);
    expect(isNotFound(error)).toBe(true);
    expect(error).toMatchObject({ message: expect.stringContaining('pods "x" not found') });
    expect(
      isNotFound(
        await client.core.v1
          .pods('a')
          .get('y')
          .catch((e: unknown) => e),
      ),
    ).toBe(true);
  });
});

describe.each([406, 415])('a server that answers %i', (status) => {
  it('gets the request again in JSON, and all later ones of the group', async () => {
    const { client, rest, seen } = start(({ headers }, accept) =>
      `${accept} ${headers['content-type']}`.includes('inverted') ? { status, body: 'no' } : json(pod('x')),
    );
    const here = client.core.v1.pods('a');
    const given = { ...pod('x'), spec: { nodeName: 'n' } };
    const created = rest.post().namespace('a').resource('pods').body(given).do();
    given.spec.nodeName = 'changed after the call';
    expect(await created).toEqual(pod('x'));
    await here.get('x');
    await client.apps.v1.deployments('a').get('x');
    expect(seen.map(({ line, contentType, accept }) => [line.slice(0, 10), contentType, accept.split(',')[0]])).toEqual(
      [
        ['POST /api/', 'application/vnd.inverted', 'application/json'],
        ['POST /api/', 'application/json', 'application/json'],
        ['GET /api/v', undefined, 'application/json'],
        ['GET /apis/', undefined, 'application/vnd.inverted'],
        ['GET /apis/', undefined, 'application/json'],
      ],
    );
    expect(JSON.parse(seen[1]!.body).spec).toEqual({ nodeName: 'n' });
  });

  it('to JSON too fails with it', async () => {
    const { client, seen } = start(() => ({ status, body: 'no' }));
    await expect(client.core.v1.pods('a').get('x')).rejects.toMatchObject({ status });
    expect(seen).toHaveLength(2);
  });
});

describe('fields that the schema does not have', () => {
  const future = pod('x', { [unknownField]: true });

  it.each([
    [{ major: '1', minor: '35' }, false],
    [{ major: '1', minor: '36+' }, false],
    [{ major: '1', minor: '37' }, true],
    [{ major: '2', minor: '0' }, true],
    [{ major: '', minor: '' }, true],
  ])('are looked for by the version of the server: %o', async (release, isStrict) => {
    const formats = new WireFormats([invertedCodec], async () => release);
    expect(formats.isStrict(invertedCodec)).toBe(true);
    expect(formats.of(invertedCodec.mediaType)).toBe(invertedCodec);
    await new Promise(setImmediate);
    expect(formats.isStrict(invertedCodec)).toBe(isStrict);
    expect(formats.isStrict(formats.of('application/json'))).toBe(false);
    formats.noteReconnected();
    expect(formats.isStrict(invertedCodec)).toBe(true);
  });

  it.each([
    ['is asked for again after a failure', new Error('reset'), 2],
    ['is not asked for again after a refusal', new StatusError(forbidden({ group: '', resource: '' }, '', 'no')), 1],
  ])('the version %s', async (_what, failure, times) => {
    let asked = 0;
    const formats = new WireFormats([invertedCodec], async () => {
      asked++;
      throw failure;
    });
    for (let responses = 0; responses < 2; responses++) {
      formats.of(invertedCodec.mediaType);
      await new Promise(setImmediate);
    }
    expect(asked).toBe(times);
    expect(formats.isStrict(invertedCodec)).toBe(true);
  });

  it('make a newer server repeat a read and a list as JSON, with one warning for each resource', async () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const { client, seen } = start(
      (request, accept) => speaking(request.target.endsWith('/x') ? future : listOf(pod('w'), future))(request, accept),
      '37',
    );
    expect(await client.core.v1.pods('a').get('x')).toEqual(future);
    expect((await client.core.v1.services('a').list()).items).toEqual([pod('w'), future]);
    await client.core.v1.pods('a').get('x');
    expect(seen.map(({ accept }) => accept.split(',')[0])).toEqual([
      'application/vnd.inverted',
      'application/json',
      'application/vnd.inverted',
      'application/json',
      'application/json',
    ]);
    expect(warn.mock.calls.map(([text]) => String(text).slice(0, 28))).toEqual([
      'the server sends pods with f',
      'the server sends services wi',
    ]);
  });

  it('end a watch after the events before them, as a lost connection does; the next one is JSON', async () => {
    vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const events = [
      { type: 'ADDED', object: pod('w') },
      { type: 'MODIFIED', object: future },
    ];
    const { client, seen } = start(
      (_, accept) => (accept.includes('inverted') ? second(events.slice(1)) : json(events)),
      '37',
    );
    const here = client.core.v1.pods('a');
    expect(
      isConnectionLost(
        await here
          .watch()
          .next()
          .catch((e: unknown) => e),
      ),
    ).toBe(true);
    const watch = here.watch();
    expect([(await watch.next()).value, (await watch.next()).value]).toEqual(events);
    expect(seen).toHaveLength(2);
  });

  it('writes are answered in JSON, since they cannot be repeated', async () => {
    const { client, seen } = start(speaking(future), '37');
    expect(await client.core.v1.pods('a').create(pod('x') as never)).toEqual(future);
    expect(seen[0]).toMatchObject({ contentType: 'application/vnd.inverted', accept: 'application/json, */*' });
  });

  it('the version is read again after a reconnect', async () => {
    const { client, rest, versions } = start(speaking(pod('x')));
    await client.core.v1.pods('a').get('x');
    await eventually('the version was read', () => versions.length === 1);
    const reset = rest.get().absPath('/reset').maxRetries(0);
    await reset.doRaw().catch(() => {});
    await client.core.v1.pods('a').get('x');
    await eventually('the version was read again', () => versions.length === 2);
  });
});
