import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { ok, outcomeOf, pod, type Reply, startRestClient } from '../../../test/support/scripted-rest-client.js';
import { isConnectionLost, isNotFound } from '../../meta/errors/error-predicates.js';
import { StatusError } from '../../meta/errors/errors.js';
import { forbidden, notFound } from '../../meta/errors/status.js';
import { undoOnce } from '../../meta/undo.js';
import { channels, listen } from '../../observe/channels.js';
import { InvalidRequestError, RequestError } from '../http/request-errors.js';
import type { Transport } from '../http/transport.js';
import type { HttpMethod } from './request.js';
import { RestClient } from './rest-client.js';

const undos: (() => void)[] = [];

afterEach(() => {
  for (const undo of undos.splice(0)) undo();
});

/** A transport whose every response is these bytes, compressed. */
function gzipTransport(bytes: Uint8Array): Transport {
  return {
    server: 'https://kube.example.com',
    isLocal: false,
    onConnect: () => undoOnce(() => {}),
    close: async () => {},
    send(_, handler) {
      queueMicrotask(() => {
        const sink = handler.head(200, { 'content-encoding': 'gzip' });
        sink.chunk(gzipSync(bytes));
        handler.end();
      });
      return { resume() {} };
    },
  };
}

describe('URLs', () => {
  const { rest } = startRestClient([ok]);
  const deployments = { group: 'apps', version: 'v1', resource: 'deployments' };

  it.each([
    [
      'a named object',
      rest.get().namespace('default').resource('pods').name('web-0'),
      '/base/api/v1/namespaces/default/pods/web-0',
    ],
    ['a collection', rest.get().namespace('default').resource('Pods'), '/base/api/v1/namespaces/default/pods'],
    ['all namespaces', rest.get().namespace('').resource('pods'), '/base/api/v1/pods'],
    [
      'a resource of another group',
      rest.get().namespace('web').resource(deployments),
      '/base/apis/apps/v1/namespaces/web/deployments',
    ],
    [
      'a subresource',
      rest.get().namespace('a').resource('pods').name('b').subresource('log'),
      '/base/api/v1/namespaces/a/pods/b/log',
    ],
    [
      'a subresource of several segments and a suffix',
      rest.get().resource('nodes').name('n').subresource('proxy', 'metrics').suffix('x y', 'z'),
      '/base/api/v1/nodes/n/proxy/metrics/x%20y/z',
    ],
    [
      'names with colons',
      rest.get().resource('clusterroles').name('system:node'),
      '/base/api/v1/clusterroles/system:node',
    ],
    ['names in other scripts', rest.get().resource('nodes').name('é?#'), '/base/api/v1/nodes/%C3%A9%3F%23'],
    ['a path of its own', rest.get().absPath('/healthz'), '/base/healthz'],
    ['a path of its own with a slash at its end', rest.get().absPath('//apis//', 'x/'), '/base/apis/x/'],
    [
      'parameters, in order of their names',
      rest
        .get()
        .resource('pods')
        .params({
          limit: 5,
          watch: true,
          labelSelector: 'a in (b,c)',
          resourceVersion: '',
          continue: undefined,
          dryRun: ['All'],
        }),
      '/base/api/v1/pods?dryRun=All&labelSelector=a+in+%28b%2Cc%29&limit=5&watch=true',
    ],
    [
      'an option that is null',
      rest.get().resource('pods').params({ limit: null, continue: 'x' }),
      '/base/api/v1/pods?continue=x',
    ],
    ['a timeout, told to the server too', rest.get().resource('pods').timeout(1500), '/base/api/v1/pods?timeout=2s'],
  ] as const)('of %s', (_, request, target) => {
    expect(request.target).toBe(target);
  });

  it.each([
    [
      'a namespace twice',
      rest.get().namespace('a').namespace('b').resource('pods'),
      'the namespace is already "a" and cannot be "b"',
    ],
    ['a resource twice', rest.get().resource('a').resource('b'), 'the resource is already "a"'],
    ['a name twice', rest.get().resource('a').name('b').name('c'), 'the name is already "b"'],
    [
      'a subresource twice',
      rest.get().resource('a').name('b').subresource('c').subresource('d'),
      'the subresource is already set',
    ],
    ['an empty name', rest.get().resource('pods').name(''), 'must not be empty'],
    ['a name of dots', rest.get().resource('pods').name('..'), "may not be '..'"],
    ['half of a character', rest.get().resource('pods').name('a\ud83d'), 'may not contain a lone surrogate'],
    ['a name with a slash', rest.get().resource('pods').name('a/b'), "may not contain '/'"],
    ['a namespace with a percent sign', rest.get().namespace('%2e').resource('pods'), "may not contain '%'"],
    ['a subresource with a slash', rest.get().resource('pods').name('a').subresource('b/c'), "may not contain '/'"],
    ['the first of several', rest.get().resource('pods').name('..').namespace('%').name('c'), "may not be '..'"],
    ['no resource', rest.get(), 'has no resource'],
    [
      'creation in an empty namespace',
      rest.post().namespace('').resource('pods'),
      'the namespace of a new object must not be empty',
    ],
    ['a named object of an empty namespace', rest.get().namespace('').resource('pods').name('a'), 'must not be empty'],
  ] as const)('refuse %s, when they are sent', async (_, request, message) => {
    const error = await request.do().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect((error as Error).message).toContain(message);
    await expect(request.watch().next()).rejects.toThrow(message);
  });
});

describe('a request', () => {
  it.each([
    ['get', 'GET'],
    ['post', 'POST'],
    ['put', 'PUT'],
    ['patch', 'PATCH'],
    ['delete', 'DELETE'],
  ] as const)('%s is %s', async (verb, method: HttpMethod) => {
    const { rest, seen } = startRestClient([ok]);
    expect(await pod(rest[verb]()).do()).toEqual({ kind: 'Pod' });
    expect(seen[0]?.method).toBe(method);
  });

  it('has content type, accept, user agent and credentials', async () => {
    const connection = {
      credentials: { headers: () => ({ authorization: 'Bearer t' }) },
      impersonate: { user: 'jane', groups: ['a', 'b'] },
      userAgent: 'probe/1',
    };
    const { rest, seen } = startRestClient([ok], {}, connection);
    await pod(rest.put()).body({ a: 1 }).do();
    await pod(rest.patch()).patchType('merge').body({ a: 1 }).do();
    await rest.get().resource('pods').header('Authorization', 'Basic mine').do();
    expect(seen[0]).toMatchObject({ body: '{"a":1}' });
    expect(seen[0]?.headers).toEqual({
      accept: 'application/json, */*',
      authorization: 'Bearer t',
      'content-type': 'application/json',
      'impersonate-group': 'a, b',
      'impersonate-user': 'jane',
      'user-agent': 'probe/1',
    });
    expect(seen[1]?.headers['content-type']).toBe('application/merge-patch+json');
    expect(seen[2]?.headers['authorization']).toBe('Basic mine');
  });

  it.each([
    ['json', 'application/json-patch+json'],
    ['merge', 'application/merge-patch+json'],
    ['strategic', 'application/strategic-merge-patch+json'],
    ['apply', 'application/apply-patch+yaml'],
  ] as const)('says how a %s patch is meant, whether told before or after the body', async (type, mediaType) => {
    const { rest, seen } = startRestClient([ok]);
    await pod(rest.patch()).patchType(type).body([]).do();
    await pod(rest.patch()).body([]).patchType(type).do();
    expect(seen.map(({ headers }) => headers['content-type'])).toEqual([mediaType, mediaType]);
  });

  it('accepts gzip for lists only, and not from this machine', async () => {
    for (const [gzip, expected] of [
      [undefined, undefined],
      [true, 'gzip'],
    ] as const) {
      const { rest, seen } = startRestClient([ok], { gzip });
      await rest.get().resource('pods').do();
      await pod(rest.get()).do();
      expect(seen.map(({ headers }) => headers['accept-encoding'])).toEqual([expected, undefined]);
    }
  });

  it('refuses a body that cannot be encoded', async () => {
    const { rest } = startRestClient([ok]);
    const circular: Record<string, unknown> = {};
    circular['self'] = circular;
    await expect(pod(rest.put()).body(circular).do()).rejects.toThrow('circular');
  });
});

describe('errors', () => {
  it('are StatusErrors that name verb, resource, name and namespace', async () => {
    const { rest } = startRestClient([
      { status: 404, body: JSON.stringify(notFound({ group: '', resource: 'pods' }, 'web-0')) },
    ]);
    const error = await pod(rest.get())
      .do()
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(StatusError);
    expect(isNotFound(error)).toBe(true);
    expect(error).toMatchObject({ verb: 'get', resource: 'pods', objectName: 'web-0', namespace: 'default' });
    expect((error as Error).message).toBe('get pods default/web-0: pods "web-0" not found (404 NotFound)');
  });

  it('are made of the status code when the response is no Status', async () => {
    const { rest } = startRestClient([
      { status: 502, headers: { 'content-type': 'text/html' }, body: '<h1>Bad gateway</h1>' },
    ]);
    const error = await rest
      .get()
      .resource('pods')
      .do()
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ status: 502, verb: 'list', resource: 'pods' });
  });

  it('of the network name the request and the server, and keep the cause', async () => {
    const { rest } = startRestClient(['refuse']);
    const error = await pod(rest.get())
      .do()
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(RequestError);
    expect(error).toMatchObject({ code: 'REQUEST', verb: 'get', resource: 'pods', cause: { code: 'ECONNREFUSED' } });
    expect((error as Error).message).toMatch(/^get pods default\/web-0 of memory: .*no server listens at this address/);
  });

  it('in the middle of a response are not retried', async () => {
    const { rest, seen } = startRestClient(['resetAfterHead']);
    const error = await pod(rest.get())
      .do()
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(RequestError);
    expect(isConnectionLost(error)).toBe(true);
    expect(seen).toHaveLength(1);
  });

  it('are thrown for a response above maxAnswerBytes, counted decompressed', async () => {
    const reply: Reply = { status: 200, body: JSON.stringify({ text: 'x'.repeat(1000) }) };
    const { rest, clock, memory } = startRestClient([reply], { maxAnswerBytes: 500 });
    const failed = await outcomeOf(clock, pod(rest.get()).do());
    const message = /^get pods default\/web-0 of .*: the response has more than 500 bytes: raise maxAnswerBytes/;
    expect((failed as { error: Error }).error.message).toMatch(message);
    expect((failed as { error: Error }).error).toBeInstanceOf(RequestError);
    expect(await outcomeOf(clock, pod(rest.get()).maxAnswerBytes(2000).do())).toMatchObject({ text: 'x'.repeat(1000) });
    const packed: Reply = { status: 200, headers: { 'content-encoding': 'gzip' }, body: '' };
    const bomb = startRestClient([packed], {
      maxAnswerBytes: 500,
      transport: gzipTransport(Buffer.alloc(100_000, ' ')),
    });
    const bombed = await pod(bomb.rest.get())
      .doRaw()
      .catch((error: unknown) => error);
    expect((bombed as Error).message).toMatch(message);
    await memory.close();
  });

  it('are thrown for a response that cannot be decoded or has no body', async () => {
    await expect(pod(startRestClient([{ status: 200, body: '{"a":' }]).rest.get()).do()).rejects.toThrow(
      /get pods default\/web-0 of memory:/,
    );
    await expect(pod(startRestClient([{ status: 200 }]).rest.get()).do()).rejects.toThrow('the response has no body');
    expect(await pod(startRestClient([{ status: 200 }]).rest.get()).doRaw()).toMatchObject({
      status: 200,
      body: Buffer.alloc(0),
    });
  });

  it('contain no secrets', async () => {
    const credentials = { headers: () => ({ authorization: 'Bearer s3cret' }) };
    const { rest } = startRestClient(
      [{ status: 403, body: JSON.stringify(forbidden({ group: '', resource: 'pods' }, 'x', 'no')) }, 'refuse'],
      {},
      { credentials },
    );
    const error = await pod(rest.get())
      .do()
      .catch((reason: unknown) => reason);
    expect(JSON.stringify(error) + String((error as Error).stack)).not.toContain('s3cret');
  });
});

describe('credentials', () => {
  it('are named by the error of a 401, and of no other', async () => {
    const identity = 'user "jane" of context "dev" in kubeconfig /home/jane/.kube/config';
    const { rest } = startRestClient([{ status: 401 }, { status: 403 }], {}, { identity });
    await expect(pod(rest.get()).do()).rejects.toThrow(
      /\(401 Unauthorized\); asked as user "jane" of context "dev" in kubeconfig \/home/,
    );
    await expect(pod(rest.get()).do()).rejects.toThrow(/\(403 Forbidden\)$/);
  });

  it('are refreshed once after a 401, and the request is sent again', async () => {
    let token = 'old';
    const used: unknown[] = [];
    const credentials = {
      headers: async () => ({ authorization: `Bearer ${token}` }),
      onUnauthorized: async (headers: unknown) => {
        used.push(headers);
        token = 'new';
        return true;
      },
    };
    const { rest, seen } = startRestClient([{ status: 401 }, ok], {}, { credentials });
    await pod(rest.post()).body({}).do();
    expect(seen.map(({ headers }) => headers['authorization'])).toEqual(['Bearer old', 'Bearer new']);
    expect(used).toEqual([{ authorization: 'Bearer old' }]);
  });

  it('are not refreshed twice, and the request is not sent again if they did not change', async () => {
    for (const [isBetter, attempts] of [
      [true, 2],
      [false, 1],
    ] as const) {
      const credentials = { headers: () => ({}), onUnauthorized: async () => isBetter };
      const { rest, seen } = startRestClient([{ status: 401 }], {}, { credentials });
      await expect(pod(rest.get()).do()).rejects.toMatchObject({ status: 401 });
      expect(seen).toHaveLength(attempts);
    }
  });

  it('that fail fail the request, which is not sent', async () => {
    const credentials = { headers: () => Promise.reject(new Error('the plugin failed')) };
    const { rest, seen } = startRestClient([ok], {}, { credentials });
    await expect(pod(rest.get()).do()).rejects.toThrow(/get pods default\/web-0 of memory: the plugin failed/);
    expect(seen).toEqual([]);
  });
});

describe('warnings', () => {
  it('go to the handler of the request, or else to that of the client', async () => {
    const client: string[] = [];
    const own: string[] = [];
    const { rest } = startRestClient([{ ...ok, headers: { warning: '299 - "old API", 299 - "unknown field"' } }], {
      onWarning: (text) => client.push(text),
    });
    await pod(rest.get()).do();
    await pod(rest.get())
      .onWarning((text) => own.push(text))
      .do();
    expect(client).toEqual(['old API', 'unknown field']);
    expect(own).toEqual(client);
  });
});

describe('close', () => {
  it('is published when the last client of a host was closed', async () => {
    const closed: string[] = [];
    undos.push(listen(channels.restClose, ({ host }) => void closed.push(host)));
    const make = (port: number) => new RestClient({ server: `http://127.0.0.1:${port}/prefix` });
    const [first, second, other] = [make(65_001), make(65_001), make(65_002)];
    const front = first.through((transport) => transport);
    expect([first.host, front.host]).toEqual(['127.0.0.1:65001/prefix', '127.0.0.1:65001/prefix']);
    await first.close();
    await first.close();
    await front.close();
    expect(closed).toEqual([]);
    await second.close();
    await other.close();
    expect(closed).toEqual(['127.0.0.1:65001', '127.0.0.1:65002']);
  });
});
