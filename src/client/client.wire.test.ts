import { getEventListeners, once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { isForbidden } from '../meta/errors/error-predicates.js';
import { undoOnce } from '../meta/undo.js';
import type { ResponseHandler, Transport, TransportRequest } from '../rest/http/transport.js';
import { RestClient } from '../rest/request/rest-client.js';
import { realClock } from '../time/real-clock.js';
import { Client } from './client.js';

/** A client that records its requests and answers them with `answer`. */
function recorded(answer: (request: TransportRequest) => { status?: number; body?: unknown; chunks?: Uint8Array[] }) {
  const requests: { line: string; contentType: unknown; accept: unknown; body: unknown }[] = [];
  const transport: Transport = {
    server: 'memory:',
    isLocal: true,
    onConnect: () => undoOnce(() => {}),
    close: async () => {},
    send(request, handler: ResponseHandler) {
      const { method, target, headers, body } = request;
      const text = body === undefined ? undefined : JSON.parse(Buffer.from(body).toString());
      requests.push({
        line: `${method} ${target}`,
        contentType: headers['content-type'],
        accept: headers['accept'],
        body: text,
      });
      queueMicrotask(() => {
        const { status = 200, body: said = {}, chunks } = answer(request);
        const sink = handler.head(status, {});
        for (const chunk of chunks ?? [Buffer.from(JSON.stringify(said))]) sink.chunk(chunk);
        handler.end();
      });
      return { resume() {} };
    },
  };
  return { client: new Client({ rest: new RestClient({ server: 'memory:' }, { transport, wire: 'json' }) }), requests };
}

const echo = () => recorded((request) => ({ body: { asked: request.target } }));

describe('requests as they go over the wire', () => {
  it('applies with fieldManager, force, apiVersion and kind', async () => {
    const { client, requests } = echo();
    const config = { metadata: { name: 'a' }, data: { x: '1' } };
    await client.core.v1.configMaps('default').apply(config, { fieldManager: 'me' });
    await client.core.v1.configMaps('default').apply(config, { fieldManager: 'me', force: true, dryRun: true });
    const path = '/api/v1/namespaces/default/configmaps/a';
    expect(requests.map((one) => one.line)).toEqual([
      `PATCH ${path}?fieldManager=me`,
      `PATCH ${path}?dryRun=All&fieldManager=me&force=true`,
    ]);
    expect(requests[0]).toMatchObject({
      contentType: 'application/apply-patch+yaml',
      body: { apiVersion: 'v1', kind: 'ConfigMap', ...config },
    });
  });

  it('sends the content type of each patch', async () => {
    const { client, requests } = echo();
    const pods = client.core.v1.pods('a');
    await pods.patch('p', [{ op: 'remove', path: '/x' }]);
    await pods.patch('p', { metadata: {} });
    await pods.patch('p', { metadata: {} }, { type: 'strategic', fieldManager: 'me', fieldValidation: 'Strict' });
    await pods.patchStatus('p', { phase: 'Running' });
    expect(requests.map((one) => [one.line, one.contentType])).toEqual([
      ['PATCH /api/v1/namespaces/a/pods/p', 'application/json-patch+json'],
      ['PATCH /api/v1/namespaces/a/pods/p', 'application/merge-patch+json'],
      [
        'PATCH /api/v1/namespaces/a/pods/p?fieldManager=me&fieldValidation=Strict',
        'application/strategic-merge-patch+json',
      ],
      ['PATCH /api/v1/namespaces/a/pods/p/status', 'application/merge-patch+json'],
    ]);
    expect(requests[3]?.body).toEqual({ status: { phase: 'Running' } });
  });

  it('deletes with a body only if an option is set', async () => {
    const { client, requests } = echo();
    const pods = client.core.v1.pods('a');
    await pods.delete('p');
    await pods.delete('p', { gracePeriodSeconds: 0, propagationPolicy: 'Foreground', preconditions: { uid: 'u' } });
    await pods.deleteCollection({ labelSelector: { matchLabels: { app: 'web' } }, dryRun: true });
    expect(requests.map((one) => [one.line, one.body])).toEqual([
      ['DELETE /api/v1/namespaces/a/pods/p', undefined],
      [
        'DELETE /api/v1/namespaces/a/pods/p',
        {
          kind: 'DeleteOptions',
          apiVersion: 'v1',
          gracePeriodSeconds: 0,
          propagationPolicy: 'Foreground',
          preconditions: { uid: 'u' },
        },
      ],
      [
        'DELETE /api/v1/namespaces/a/pods?labelSelector=app%3Dweb',
        { kind: 'DeleteOptions', apiVersion: 'v1', dryRun: ['All'] },
      ],
    ]);
  });

  it('fills in apiVersion, kind and metadata of a subresource', async () => {
    const { client, requests } = echo();
    const pods = client.core.v1.pods('a');
    await pods.subresource('eviction').create('p', { deleteOptions: { gracePeriodSeconds: 0 } });
    await pods.subresource('binding').create('p', { target: { kind: 'Node', name: 'n' } });
    await client.core.v1
      .serviceAccounts('a')
      .subresource('token')
      .create('s', { spec: { audiences: ['x'] } });
    await client.apps.v1
      .deployments('a')
      .subresource('scale')
      .apply('d', { spec: { replicas: 1 } }, { fieldManager: 'me' });
    expect(requests.map((one) => [one.line, one.body])).toEqual([
      [
        'POST /api/v1/namespaces/a/pods/p/eviction',
        {
          apiVersion: 'policy/v1',
          kind: 'Eviction',
          metadata: { name: 'p', namespace: 'a' },
          deleteOptions: { gracePeriodSeconds: 0 },
        },
      ],
      [
        'POST /api/v1/namespaces/a/pods/p/binding',
        {
          apiVersion: 'v1',
          kind: 'Binding',
          metadata: { name: 'p', namespace: 'a' },
          target: { kind: 'Node', name: 'n' },
        },
      ],
      [
        'POST /api/v1/namespaces/a/serviceaccounts/s/token',
        {
          apiVersion: 'authentication.k8s.io/v1',
          kind: 'TokenRequest',
          metadata: { name: 's', namespace: 'a' },
          spec: { audiences: ['x'] },
        },
      ],
      [
        'PATCH /apis/apps/v1/namespaces/a/deployments/d/scale?fieldManager=me',
        {
          apiVersion: 'autoscaling/v1',
          kind: 'Scale',
          metadata: { name: 'd', namespace: 'a' },
          spec: { replicas: 1 },
        },
      ],
    ]);
  });

  it('accepts PartialObjectMetadata', async () => {
    const { client, requests } = recorded(() => ({
      body: { kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1', metadata: {}, items: [] },
    }));
    const nodes = client.metadata({ group: '', version: 'v1', resource: 'nodes' });
    await nodes.get('n');
    await nodes.list({ resourceVersion: '0' });
    expect(requests.map((one) => [one.line, one.accept])).toEqual([
      ['GET /api/v1/nodes/n', 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1'],
      ['GET /api/v1/nodes?resourceVersion=0', 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1'],
    ]);
  });

  it('sends DELETE without an Accept for metadata: servers answer a collection with a list, and refuse that as one object', async () => {
    const { client, requests } = echo();
    const pods = client.metadata({ group: '', version: 'v1', resource: 'pods' }, 'a');
    await pods.delete('p');
    await pods.deleteCollection();
    expect(requests.map((one) => one.accept)).toEqual(['application/json, */*', 'application/json, */*']);
  });

  it('leaves out parameters that are not set', async () => {
    const { client, requests } = recorded(() => ({
      body: {
        kind: 'PodList',
        apiVersion: 'v1',
        metadata: { resourceVersion: '1' },
        items: [{ metadata: { name: 'p' } }],
      },
    }));
    const list = await client.core.v1.pods().list({ labelSelector: {}, fieldSelector: '', continue: '', limit: 0 });
    expect(requests[0]?.line).toBe('GET /api/v1/pods');
    expect(list.items).toEqual([{ kind: 'Pod', apiVersion: 'v1', metadata: { name: 'p' } }]);
    await client.core.v1.pods('a').get('p', { resourceVersion: '' });
    expect(requests[1]?.line).toBe('GET /api/v1/namespaces/a/pods/p');
  });
});

describe('a watch', () => {
  const bookmark = { type: 'BOOKMARK', object: { kind: 'Pod', apiVersion: 'v1', metadata: { resourceVersion: '7' } } };
  const added = { type: 'ADDED', object: { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'p' } } };
  const chunks = [bookmark, added].map((event) => Buffer.from(`${JSON.stringify(event)}\n`));

  it('yields bookmarks only with allowWatchBookmarks', async () => {
    const { client, requests } = recorded(() => ({ chunks }));
    const seen: unknown[] = [];
    for await (const event of client.core.v1.pods().watch({ resourceVersion: '5' })) seen.push(event);
    expect(seen).toEqual([added]);
    seen.length = 0;
    for await (const event of client.core.v1.pods('a').watch({ allowWatchBookmarks: true })) seen.push(event);
    expect(seen).toEqual([bookmark, added]);
    expect(requests.map((one) => one.line)).toEqual([
      'GET /api/v1/pods?resourceVersion=5&watch=true',
      'GET /api/v1/namespaces/a/pods?allowWatchBookmarks=true&watch=true',
    ]);
  });

  it('sends resourceVersionMatch with sendInitialEvents', async () => {
    const { client, requests } = recorded(() => ({ chunks: [] }));
    const match = { resourceVersionMatch: 'NotOlderThan' } as const;
    await client.core.v1.pods().watch({ sendInitialEvents: true }).next();
    await client.core.v1.pods().watch({ sendInitialEvents: false }).next();
    await client.core.v1
      .pods()
      .watch({ sendInitialEvents: false, ...match })
      .next();
    expect(requests.map((one) => one.line)).toEqual([
      'GET /api/v1/pods?resourceVersionMatch=NotOlderThan&sendInitialEvents=true&watch=true',
      'GET /api/v1/pods?watch=true',
      'GET /api/v1/pods?resourceVersionMatch=NotOlderThan&sendInitialEvents=false&watch=true',
    ]);
  });
});

describe('logs', () => {
  const bytes = Buffer.from('first ü\n\nthird\nlast');
  const chunks = [...bytes].map((byte) => Buffer.from([byte]));

  it('are read as text and as lines, wherever chunks are cut', async () => {
    const { client, requests } = recorded(() => ({ chunks }));
    const log = client.core.v1.pods('a').subresource('log');
    expect(await log.text('p', { container: 'app', tailLines: 3 })).toBe(bytes.toString());
    const lines: string[] = [];
    for await (const line of log.lines('p', { follow: true, timestamps: true })) lines.push(line);
    expect(lines).toEqual(['first ü', '', 'third', 'last']);
    expect(requests.map((one) => one.line)).toEqual([
      'GET /api/v1/namespaces/a/pods/p/log?container=app&tailLines=3',
      'GET /api/v1/namespaces/a/pods/p/log?follow=true&timestamps=true',
    ]);
  });

  it('throw the Status of the server', async () => {
    const { client } = recorded(() => ({ status: 403, body: {} }));
    const log = client.core.v1.pods('a').subresource('log');
    await expect(log.text('p')).rejects.toSatisfy(isForbidden);
    await expect(log.lines('p').next()).rejects.toMatchObject({ status: 403, resource: 'pods/log', objectName: 'p' });
    await expect(log.text('')).rejects.toThrow(TypeError);
    expect(() => log.lines('a/b')).toThrow(TypeError);
  });

  it('are searched for newlines once, also if a line arrives in many pieces', async () => {
    const transport: Transport = {
      server: 'memory:',
      isLocal: true,
      onConnect: () => undoOnce(() => {}),
      close: async () => {},
      send(_, handler) {
        const push = async (): Promise<void> => {
          const sink = handler.head(200, {});
          for (let i = 0; i < 500; i++) {
            sink.chunk(Buffer.alloc(100, 'x'));
            await realClock.yield();
          }
          sink.chunk(Buffer.from('\nend\n'));
          handler.end();
        };
        void push();
        return { resume() {} };
      },
    };
    const client = new Client({ rest: new RestClient({ server: 'memory:' }, { transport, wire: 'json' }) });
    let searched = 0;
    const split = String.prototype.split;
    const spy = vi.spyOn(String.prototype, 'split').mockImplementation(function (this: string, ...args: unknown[]) {
      if (args[0] === '\n') searched += this.length;
      return split.apply(this, args as never) as string[];
    });
    const lines: string[] = [];
    try {
      for await (const line of client.core.v1.pods('a').subresource('log').lines('p')) lines.push(line);
    } finally {
      spy.mockRestore();
    }
    expect(lines.map((line) => line.length)).toEqual([50_000, 3]);
    expect(searched).toBeLessThan(100_000);
  });

  it('reject a line over maxLineBytes, wherever chunks are cut', async () => {
    for (const cut of [1, 7, 100]) {
      const text = `short\n${'ü'.repeat(20)}\nnever read`;
      const cuts = Array.from({ length: Math.ceil(100 / cut) }, (_, i) =>
        Buffer.from(text).subarray(i * cut, (i + 1) * cut),
      );
      const { client } = recorded(() => ({ chunks: cuts }));
      const log = client.core.v1.pods('a').subresource('log');
      const lines = log.lines('p', { maxLineBytes: 39 });
      expect((await lines.next()).value).toBe('short');
      const said = /^get pods\/log a\/p of memory:: a line of the log is longer than 39 bytes: raise maxLineBytes/;
      await expect(lines.next()).rejects.toThrow(said);
      expect(await lines.next()).toEqual({ done: true, value: undefined });
      const enough: string[] = [];
      for await (const line of log.lines('p', { maxLineBytes: 40 })) enough.push(line);
      expect(enough).toEqual(text.split('\n'));
    }
    const { client } = recorded(() => ({ chunks: [] }));
    expect(() => client.core.v1.pods('a').subresource('log').lines('p', { maxLineBytes: 0 })).toThrow('maxLineBytes');
  });

  it('are closed by return() at any time, also while next() waits, and leave no listener', async () => {
    const closed: unknown[] = [];
    const transport: Transport = {
      server: 'memory:',
      isLocal: true,
      onConnect: () => undoOnce(() => {}),
      close: async () => {},
      send({ signal }, handler) {
        handler.head(200, {});
        signal?.addEventListener('abort', () => {
          closed.push(signal.reason);
          handler.fail(signal.reason);
        });
        return { resume() {} };
      },
    };
    const client = new Client({ rest: new RestClient({ server: 'memory:' }, { transport, wire: 'json' }) });
    const { signal } = new AbortController();
    const log = client.core.v1.pods('a').subresource('log');
    const unread = log.lines('p', { follow: true, signal });
    expect(await unread.return?.()).toEqual({ done: true, value: undefined });
    expect(await unread.next()).toEqual({ done: true, value: undefined });
    const lines = log.lines('p', { follow: true, signal });
    const next = lines.next();
    await realClock.yield();
    expect(await lines.return?.()).toEqual({ done: true, value: undefined });
    expect(await next).toEqual({ done: true, value: undefined });
    expect(closed).toHaveLength(1);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('are followed over a socket until the loop is left or aborted', async () => {
    const gone: Promise<unknown>[] = [];
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      response.write('one\ntwo\n');
      gone.push(once(response, 'close'));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const client = new Client({ server: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
    const log = client.core.v1.pods('a').subresource('log');
    for await (const line of log.lines('p', { follow: true })) if (line === 'two') break;
    const stop = new AbortController();
    const reading = log.lines('p', { follow: true, signal: stop.signal });
    expect((await reading.next()).value).toBe('one');
    expect((await reading.next()).value).toBe('two');
    const why = new Error('enough');
    const third = reading.next();
    stop.abort(why);
    await expect(third).rejects.toBe(why);
    await Promise.all(gone);
    expect(gone).toHaveLength(2);
    await client.close();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });
});

it('a watch is closed by return() at any time, also while next() waits, and leaves no listener', async () => {
  const closed: unknown[] = [];
  const transport: Transport = {
    server: 'memory:',
    isLocal: true,
    onConnect: () => undoOnce(() => {}),
    close: async () => {},
    send({ signal }, handler) {
      signal?.addEventListener('abort', () => {
        closed.push(signal.reason);
        handler.fail(signal.reason);
      });
      return { resume() {} };
    },
  };
  const client = new Client({ rest: new RestClient({ server: 'memory:' }, { transport, wire: 'json' }) });
  const { signal } = new AbortController();
  const unread = client.core.v1.pods('a').watch({ signal });
  expect(getEventListeners(signal, 'abort')).toEqual([]);
  await unread.return?.();
  expect(await unread.next()).toEqual({ done: true, value: undefined });

  const watch = client.core.v1.pods('a').watch({ signal });
  const next = watch.next();
  await realClock.yield();
  expect(await watch.return?.()).toEqual({ done: true, value: undefined });
  expect(await next).toEqual({ done: true, value: undefined });
  expect(closed).toHaveLength(1);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});
