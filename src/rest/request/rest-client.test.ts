import { getEventListeners } from 'node:events';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import type { ApiHandler } from '../../apiserver/wire/exchange.js';
import { connectInMemory } from '../../apiserver/wire/memory-connection.js';
import { isConnectionLost, isNotFound } from '../../meta/errors/error-predicates.js';
import { StatusError } from '../../meta/errors/errors.js';
import { forbidden, notFound } from '../../meta/errors/status.js';
import { undoOnce } from '../../meta/undo.js';
import { channels, listen } from '../../observe/channels.js';
import { FakeClock } from '../../time/fake-clock.js';
import { realClock } from '../../time/real-clock.js';
import type { ConnectionConfig } from '../http/connection-config.js';
import { MemoryTransport } from '../http/memory-transport.js';
import { InvalidRequestError, RequestError } from '../http/request-errors.js';
import type { Transport } from '../http/transport.js';
import type { HttpMethod, Request } from './request.js';
import { clientGoRateLimit, RestClient, type RestClientOptions } from './rest-client.js';

interface Seen {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

type Reply =
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string }
  | 'reset'
  | 'resetAfterHead'
  | 'refuse'
  | 'hang'
  | 'hangInError';

const ok: Reply = { status: 200, body: '{"kind":"Pod"}' };
const undos: (() => void)[] = [];

afterEach(() => {
  for (const undo of undos.splice(0)) undo();
});

/** A client of a server that sends these replies in turn, and repeats the last one. */
function start(replies: readonly Reply[], options: RestClientOptions = {}, connection?: Partial<ConnectionConfig>) {
  const clock = new FakeClock();
  const seen: Seen[] = [];
  const handler: ApiHandler = async ({ method, target, headers, body, signal }, response) => {
    const reply = replies[Math.min(seen.length, replies.length - 1)]!;
    seen.push({ method, target, headers, body: Buffer.from(body).toString() });
    if (reply === 'hangInError') response.head(503, { 'retry-after': '1' });
    if (reply === 'hang' || reply === 'hangInError')
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    else if (reply === 'reset' || reply === 'refuse') response.reset();
    else {
      const { status, headers: fields = {}, body: text = '' } = reply === 'resetAfterHead' ? { status: 200 } : reply;
      response.head(status, { 'content-type': 'application/json', ...fields });
      response.write(Buffer.from(text));
      if (reply === 'resetAfterHead') response.reset();
    }
  };
  const memory = connectInMemory(handler, clock);
  if (replies[0] === 'refuse') memory.refuse();
  const transport = new MemoryTransport(memory);
  const rest = new RestClient(
    { server: 'https://kube.example.com/base/', ...connection },
    { clock, transport, ...options },
  );
  return { rest, clock, seen, memory, transport };
}

/** Advances the clock until the promise has settled. */
async function outcomeOf<T>(clock: FakeClock, promise: Promise<T>): Promise<T | { error: unknown }> {
  let outcome: T | { error: unknown } | undefined;
  promise.then(
    (value) => (outcome = value),
    (error: unknown) => (outcome = { error }),
  );
  await clock.until(() => outcome !== undefined, { withinMs: 10_000_000 });
  return outcome as T | { error: unknown };
}

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

function pod(request: Request): Request {
  return request.namespace('default').resource('pods').name('web-0');
}

describe('URLs', () => {
  const { rest } = start([ok]);
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
    const { rest, seen } = start([ok]);
    expect(await pod(rest[verb]()).do()).toEqual({ kind: 'Pod' });
    expect(seen[0]?.method).toBe(method);
  });

  it('has content type, accept, user agent and credentials', async () => {
    const connection = {
      credentials: { headers: () => ({ authorization: 'Bearer t' }) },
      impersonate: { user: 'jane', groups: ['a', 'b'] },
      userAgent: 'probe/1',
    };
    const { rest, seen } = start([ok], {}, connection);
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
    const { rest, seen } = start([ok]);
    await pod(rest.patch()).patchType(type).body([]).do();
    await pod(rest.patch()).body([]).patchType(type).do();
    expect(seen.map(({ headers }) => headers['content-type'])).toEqual([mediaType, mediaType]);
  });

  it('accepts gzip for lists only, and not from this machine', async () => {
    for (const [gzip, expected] of [
      [undefined, undefined],
      [true, 'gzip'],
    ] as const) {
      const { rest, seen } = start([ok], { gzip });
      await rest.get().resource('pods').do();
      await pod(rest.get()).do();
      expect(seen.map(({ headers }) => headers['accept-encoding'])).toEqual([expected, undefined]);
    }
  });

  it('refuses a body that cannot be encoded', async () => {
    const { rest } = start([ok]);
    const circular: Record<string, unknown> = {};
    circular['self'] = circular;
    await expect(pod(rest.put()).body(circular).do()).rejects.toThrow('circular');
  });
});

describe('errors', () => {
  it('are StatusErrors that name verb, resource, name and namespace', async () => {
    const { rest } = start([{ status: 404, body: JSON.stringify(notFound({ group: '', resource: 'pods' }, 'web-0')) }]);
    const error = await pod(rest.get())
      .do()
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(StatusError);
    expect(isNotFound(error)).toBe(true);
    expect(error).toMatchObject({ verb: 'get', resource: 'pods', objectName: 'web-0', namespace: 'default' });
    expect((error as Error).message).toBe('get pods default/web-0: pods "web-0" not found (404 NotFound)');
  });

  it('are made of the status code when the response is no Status', async () => {
    const { rest } = start([{ status: 502, headers: { 'content-type': 'text/html' }, body: '<h1>Bad gateway</h1>' }]);
    const error = await rest
      .get()
      .resource('pods')
      .do()
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ status: 502, verb: 'list', resource: 'pods' });
  });

  it('of the network name the request and the server, and keep the cause', async () => {
    const { rest } = start(['refuse']);
    const error = await pod(rest.get())
      .do()
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(RequestError);
    expect(error).toMatchObject({ code: 'REQUEST', verb: 'get', resource: 'pods', cause: { code: 'ECONNREFUSED' } });
    expect((error as Error).message).toMatch(/^get pods default\/web-0 of memory: .*no server listens at this address/);
  });

  it('in the middle of a response are not retried', async () => {
    const { rest, seen } = start(['resetAfterHead']);
    const error = await pod(rest.get())
      .do()
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(RequestError);
    expect(isConnectionLost(error)).toBe(true);
    expect(seen).toHaveLength(1);
  });

  it('are thrown for a response above maxAnswerBytes, counted decompressed', async () => {
    const reply: Reply = { status: 200, body: JSON.stringify({ text: 'x'.repeat(1000) }) };
    const { rest, clock, memory } = start([reply], { maxAnswerBytes: 500 });
    const failed = await outcomeOf(clock, pod(rest.get()).do());
    const message = /^get pods default\/web-0 of .*: the response has more than 500 bytes: raise maxAnswerBytes/;
    expect((failed as { error: Error }).error.message).toMatch(message);
    expect((failed as { error: Error }).error).toBeInstanceOf(RequestError);
    expect(await outcomeOf(clock, pod(rest.get()).maxAnswerBytes(2000).do())).toMatchObject({ text: 'x'.repeat(1000) });
    const packed: Reply = { status: 200, headers: { 'content-encoding': 'gzip' }, body: '' };
    const bomb = start([packed], { maxAnswerBytes: 500, transport: gzipTransport(Buffer.alloc(100_000, ' ')) });
    const bombed = await pod(bomb.rest.get())
      .doRaw()
      .catch((error: unknown) => error);
    expect((bombed as Error).message).toMatch(message);
    await memory.close();
  });

  it('are thrown for a response that cannot be decoded or has no body', async () => {
    await expect(pod(start([{ status: 200, body: '{"a":' }]).rest.get()).do()).rejects.toThrow(
      /get pods default\/web-0 of memory:/,
    );
    await expect(pod(start([{ status: 200 }]).rest.get()).do()).rejects.toThrow('the response has no body');
    expect(await pod(start([{ status: 200 }]).rest.get()).doRaw()).toMatchObject({
      status: 200,
      body: Buffer.alloc(0),
    });
  });

  it('contain no secrets', async () => {
    const credentials = { headers: () => ({ authorization: 'Bearer s3cret' }) };
    const { rest } = start(
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

describe('retries', () => {
  const busy: Reply = { status: 429, headers: { 'retry-after': '1' }, body: 'busy' };
  const broken: Reply = { status: 503, headers: { 'retry-after': '1' }, body: 'broken' };
  const table: readonly {
    name: string;
    replies: readonly Reply[];
    attempts: Record<string, number>;
  }[] = [
    { name: '429 with Retry-After', replies: [busy], attempts: { GET: 3, POST: 3, stream: 3, watch: 3 } },
    { name: '503 with Retry-After', replies: [broken], attempts: { GET: 3, POST: 3, stream: 3, watch: 3 } },
    { name: '429 without Retry-After', replies: [{ status: 429 }], attempts: { GET: 1, POST: 1, stream: 1, watch: 1 } },
    { name: '500 without Retry-After', replies: [{ status: 500 }], attempts: { GET: 1, POST: 1, stream: 1, watch: 1 } },
    {
      name: 'Retry-After as a date',
      replies: [{ status: 503, headers: { 'retry-after': 'Wed, 21 Oct 2026 07:28:00 GMT' } }],
      attempts: { GET: 1, POST: 1, stream: 1, watch: 1 },
    },
    {
      name: '404 with Retry-After',
      replies: [{ status: 404, headers: { 'retry-after': '1' } }],
      attempts: { GET: 1, POST: 1, stream: 1, watch: 1 },
    },
    { name: 'a reset connection', replies: ['reset'], attempts: { GET: 3, POST: 1, stream: 1, watch: 3 } },
    { name: 'no answer in time', replies: ['hang'], attempts: { GET: 1, POST: 1, watch: 3 } },
    { name: 'an error that does not end in time', replies: ['hangInError'], attempts: { GET: 1, POST: 1, watch: 3 } },
  ];

  for (const { name, replies, attempts } of table) {
    for (const [way, expected] of Object.entries(attempts)) {
      it(`[S300] ${name}: ${way} is sent ${expected} times with two retries at most`, async () => {
        const { rest, clock, seen } = start(replies, { maxRetries: 2, answerTimeoutMs: 5000 });
        const request =
          way === 'POST' ? rest.post().namespace('default').resource('pods').body({}) : rest.get().resource('pods');
        const sent =
          way === 'watch'
            ? request.watch().next()
            : way === 'stream'
              ? (async () => {
                  for await (const _ of request.stream());
                })()
              : request.do();
        const outcome = await outcomeOf(clock, sent);
        expect(outcome).toHaveProperty('error');
        expect(seen).toHaveLength(expected);
        expect(clock.pendingTimers).toEqual([]);
      });
    }
  }

  it('[S300] a watch that was sent again after a timeout ends when its signal aborts, and leaves nothing behind', async () => {
    const { rest, clock, seen } = start(['hang'], { answerTimeoutMs: 5000 });
    const controller = new AbortController();
    const next = rest.get().resource('pods').watch({ signal: controller.signal }).next();
    next.catch(() => {});
    await clock.until(() => seen.length === 2);
    controller.abort(new Error('no longer needed'));
    await expect(next).rejects.toThrow('no longer needed');
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
    expect([seen.length, clock.pendingTimers]).toEqual([2, []]);
  });

  it('[S300] a refused connection is not retried', async () => {
    const retries: unknown[] = [];
    undos.push(listen(channels.restRetry, (message) => retries.push(message)));
    const { rest, clock } = start(['refuse'], { maxRetries: 2 });
    expect(await outcomeOf(clock, rest.get().resource('pods').do())).toHaveProperty('error');
    expect(await outcomeOf(clock, rest.get().resource('pods').watch().next())).toHaveProperty('error');
    expect(retries).toEqual([]);
  });

  it.each([
    [0, false],
    [1, true],
    [5, true],
  ])('[S300] with %i retries, a request succeeds after one 429: %s', async (maxRetries, isSurvived) => {
    const { rest, clock } = start([busy, ok]);
    const outcome = await outcomeOf(clock, pod(rest.get()).maxRetries(maxRetries).do());
    if (isSurvived) expect(outcome).toEqual({ kind: 'Pod' });
    else expect(outcome).toMatchObject({ error: { status: 429, retryAfterMs: 1000 } });
  });

  it('wait for Retry-After, and happen ten times at most', async () => {
    const { rest, clock, seen } = start([{ status: 429, headers: { 'retry-after': '7' } }]);
    const startedAt = clock.monotonicNow();
    await outcomeOf(clock, pod(rest.get()).do());
    expect(seen).toHaveLength(11);
    expect(clock.monotonicNow() - startedAt).toBe(70_000);
  });

  it('wait a minute at most, even if Retry-After is longer', async () => {
    const years = String(60 * 60 * 24 * 365 * 10);
    const { rest, clock, seen } = start([{ status: 503, headers: { 'retry-after': years } }, ok]);
    const startedAt = clock.monotonicNow();
    expect(await outcomeOf(clock, pod(rest.get()).do())).toEqual({ kind: 'Pod' });
    expect(seen).toHaveLength(2);
    expect(clock.monotonicNow() - startedAt).toBe(60_000);
  });

  it.each([
    ['Go', 'Client sent an HTTP request to an HTTPS server.\n', 'Client sent an HTTP request to an HTTPS server.'],
    [
      'nginx',
      '<html><head><title>400 The plain HTTP request was sent to HTTPS port</title></head></html>',
      '400 The plain HTTP request was sent to HTTPS port',
    ],
  ])(
    'do not happen when a TLS server answers plain http: the error quotes it and names the URL to use (%s)',
    async (_, body, said) => {
      const { rest, clock } = start([{ status: 400, body }]);
      const { error } = (await outcomeOf(clock, pod(rest.get()).do())) as { error: Error };
      expect(error).toBeInstanceOf(RequestError);
      expect(error.message).toContain(`get pods default/web-0 of memory: the server answered "${said}"`);
      expect(error.message).toContain('speaks TLS: use ');
    },
  );

  it('are published, as is each response', async () => {
    const told: unknown[] = [];
    undos.push(listen(channels.restRetry, (message) => told.push(message)));
    undos.push(listen(channels.restRequest, (message) => told.push(message)));
    const { rest, clock } = start([busy, 'reset', ok]);
    await outcomeOf(clock, pod(rest.get()).do());
    const about = { method: 'GET', host: 'memory', path: '/base/api/v1/namespaces/default/pods/web-0' };
    expect(told).toMatchObject([
      { ...about, verb: 'get', status: 429, durationMs: 0 },
      { ...about, attempt: 2, delayMs: 1000, status: 429 },
      { ...about, verb: 'get', status: undefined, error: { code: 'ECONNRESET' } },
      { ...about, attempt: 3, delayMs: 1000, status: undefined, error: { code: 'ECONNRESET' } },
      { ...about, verb: 'get', status: 200 },
    ]);
  });

  it('end with an error that contains that of the previous attempt, if it was another one', async () => {
    const { rest, clock } = start([busy, 'reset'], { maxRetries: 1 });
    const outcome = (await outcomeOf(clock, pod(rest.get()).do())) as { error: Error };
    expect(outcome.error.message).toMatch(/\(attempt 2\): .*reset.*; the previous attempt failed with: .*429/);
  });

  it('are stopped by the signal, and leave no timer', async () => {
    const { rest, clock } = start([busy]);
    const controller = new AbortController();
    const sent = pod(rest.get()).do({ signal: controller.signal });
    sent.catch(() => {});
    await clock.advance(500);
    const reason = new Error('enough');
    controller.abort(reason);
    await expect(sent).rejects.toBe(reason);
    expect(clock.pendingTimers).toEqual([]);
  });
});

describe('credentials', () => {
  it('are named by the error of a 401, and of no other', async () => {
    const identity = 'user "jane" of context "dev" in kubeconfig /home/jane/.kube/config';
    const { rest } = start([{ status: 401 }, { status: 403 }], {}, { identity });
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
    const { rest, seen } = start([{ status: 401 }, ok], {}, { credentials });
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
      const { rest, seen } = start([{ status: 401 }], {}, { credentials });
      await expect(pod(rest.get()).do()).rejects.toMatchObject({ status: 401 });
      expect(seen).toHaveLength(attempts);
    }
  });

  it('that fail fail the request, which is not sent', async () => {
    const credentials = { headers: () => Promise.reject(new Error('the plugin failed')) };
    const { rest, seen } = start([ok], {}, { credentials });
    await expect(pod(rest.get()).do()).rejects.toThrow(/get pods default\/web-0 of memory: the plugin failed/);
    expect(seen).toEqual([]);
  });
});

describe('limits', () => {
  it('there is no rate limit by default', async () => {
    const { rest, clock, seen } = start([ok]);
    await Promise.all(Array.from({ length: 50 }, () => pod(rest.get()).do()));
    expect(seen).toHaveLength(50);
    expect(clock.monotonicNow()).toBe(new FakeClock().monotonicNow());
  });

  it("client-go's limit allows ten requests, then five a second, and watches at once", async () => {
    const throttled: number[] = [];
    undos.push(listen(channels.restThrottle, ({ waitedMs }) => throttled.push(waitedMs)));
    const { rest, clock, seen } = start([ok], { rateLimit: clientGoRateLimit });
    const all = Promise.all(Array.from({ length: 15 }, () => pod(rest.get()).do()));
    await clock.advance(0);
    expect(seen).toHaveLength(10);
    rest
      .get()
      .resource('pods')
      .watch()
      .next()
      .catch(() => {});
    await clock.advance(0);
    expect(seen).toHaveLength(11);
    await clock.advance(1000);
    await all;
    expect(throttled).toEqual([200, 400, 600, 800, 1000]);
  });

  it('a limiter applies to each retry, also of a watch, whose first request is not limited', async () => {
    const busy: Reply = { status: 429, headers: { 'retry-after': '1' } };
    let asked = 0;
    const rateLimit = { tryTake: () => ++asked > 0, wait: () => Promise.resolve() };
    const { rest, clock, seen } = start([busy, ok, busy, busy, ok], { rateLimit });
    await outcomeOf(clock, pod(rest.get()).do());
    expect([seen.length, asked]).toEqual([2, 2]);
    await outcomeOf(clock, rest.get().resource('pods').watch().next());
    expect([seen.length, asked]).toEqual([5, 4]);
  });

  it('a custom limiter is used, and its errors are thrown unchanged', async () => {
    const controller = new AbortController();
    const limiter = {
      tryTake: () => false,
      wait: async ({ signal }: { signal?: AbortSignal | undefined }) => signal?.throwIfAborted(),
    };
    const { rest } = start([ok], { rateLimit: limiter });
    expect(await pod(rest.get()).do()).toEqual({ kind: 'Pod' });
    controller.abort(new Error('enough'));
    await expect(pod(rest.get()).do({ signal: controller.signal })).rejects.toBe(controller.signal.reason);
  });

  it('a request that takes longer than its timeout fails with its name, and leaves no timer', async () => {
    const { rest, clock } = start(['hang'], { timeoutMs: 3000 });
    const { error } = (await outcomeOf(clock, pod(rest.get()).do())) as { error: Error };
    expect(error).toBeInstanceOf(RequestError);
    expect(error.message).toBe('get pods default/web-0 of memory: the request took more than 3000 ms');
    expect(clock.pendingTimers).toEqual([]);
  });

  it.each(['before the response', 'before it is sent'])('an abort %s rejects with its reason', async (when) => {
    const { rest, clock } = start(['hang']);
    const controller = new AbortController();
    const reason = new Error('enough');
    if (when === 'before it is sent') controller.abort(reason);
    const sent = pod(rest.get()).do({ signal: controller.signal });
    sent.catch(() => {});
    await clock.advance(10);
    controller.abort(reason);
    await expect(sent).rejects.toBe(reason);
    expect(clock.pendingTimers).toEqual([]);
  });

  it('closing the client fails all waiting requests, and leaves no timer', async () => {
    const busy: Reply = { status: 429, headers: { 'retry-after': '60' } };
    const { rest, clock } = start([busy, 'hang'], { rateLimit: { qps: 0.001, burst: 2 } });
    const sent = [pod(rest.get()).do(), pod(rest.get()).do(), pod(rest.get()).do()];
    const outcomes = Promise.allSettled(sent);
    await clock.advance(100);
    await rest.close();
    for (const outcome of await outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { message: expect.stringContaining('was closed') } });
    }
    expect(clock.pendingTimers).toEqual([]);
    await expect(pod(rest.get()).do()).rejects.toThrow('was closed');
  });

  it('closing a client fails requests of clients made with through(), and not the other way round', async () => {
    const busy: Reply = { status: 429, headers: { 'retry-after': '60' } };
    const { rest, clock } = start([busy]);
    const [front, other] = [rest.through((transport) => transport), rest.through((transport) => transport)];
    const outcomes = [front, other, rest.through((transport) => transport)].map((one) => {
      const outcome = { error: undefined as unknown };
      pod(one.get())
        .do()
        .catch((error: unknown) => (outcome.error = error));
      return outcome;
    });
    await clock.advance(100);
    await front.close();
    await clock.runUntilIdle();
    expect(outcomes.map(({ error }) => String(error).includes('was closed'))).toEqual([true, false, false]);
    await rest.close();
    await clock.runUntilIdle();
    expect(outcomes.map(({ error }) => String(error).includes('was closed'))).toEqual([true, true, true]);
    expect(clock.pendingTimers).toEqual([]);
  });

  it('one signal may be used for many requests without a warning', async () => {
    const warnings: Error[] = [];
    const note = (warning: Error): void => void warnings.push(warning);
    process.on('warning', note);
    undos.push(() => process.off('warning', note));
    const { rest } = start([ok]);
    const { signal } = new AbortController();
    await Promise.all(Array.from({ length: 30 }, () => pod(rest.get()).do({ signal })));
    await Promise.all(Array.from({ length: 30 }, () => pod(rest.get()).stream({ signal }).toArray()));
    await realClock.yield();
    expect(warnings).toEqual([]);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('invalid options are refused', () => {
    const connection = { server: 'https://x' };
    expect(() => new RestClient(connection, { maxRetries: -1 })).toThrow('maxRetries must be');
    expect(() => new RestClient(connection, { timeoutMs: 0 })).toThrow('timeoutMs must be');
    expect(() => new RestClient(connection, { rateLimit: { qps: 0, burst: 1 } })).toThrow('qps must be');
  });
});

describe('warnings', () => {
  it('go to the handler of the request, or else to that of the client', async () => {
    const client: string[] = [];
    const own: string[] = [];
    const { rest } = start([{ ...ok, headers: { warning: '299 - "old API", 299 - "unknown field"' } }], {
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
