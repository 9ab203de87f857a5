import { getEventListeners } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { ok, outcomeOf, pod, type Reply, startRestClient } from '../../../test/support/scripted-rest-client.js';
import { channels, listen } from '../../observe/channels.js';
import { RequestError } from '../http/request-errors.js';

const undos: (() => void)[] = [];

afterEach(() => {
  for (const undo of undos.splice(0)) undo();
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
        const { rest, clock, seen } = startRestClient(replies, { maxRetries: 2, answerTimeoutMs: 5000 });
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
    const { rest, clock, seen } = startRestClient(['hang'], { answerTimeoutMs: 5000 });
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
    const { rest, clock } = startRestClient(['refuse'], { maxRetries: 2 });
    expect(await outcomeOf(clock, rest.get().resource('pods').do())).toHaveProperty('error');
    expect(await outcomeOf(clock, rest.get().resource('pods').watch().next())).toHaveProperty('error');
    expect(retries).toEqual([]);
  });

  it.each([
    [0, false],
    [1, true],
    [5, true],
  ])('[S300] with %i retries, a request succeeds after one 429: %s', async (maxRetries, isSurvived) => {
    const { rest, clock } = startRestClient([busy, ok]);
    const outcome = await outcomeOf(clock, pod(rest.get()).maxRetries(maxRetries).do());
    if (isSurvived) expect(outcome).toEqual({ kind: 'Pod' });
    else expect(outcome).toMatchObject({ error: { status: 429, retryAfterMs: 1000 } });
  });

  it('wait for Retry-After, and happen ten times at most', async () => {
    const { rest, clock, seen } = startRestClient([{ status: 429, headers: { 'retry-after': '7' } }]);
    const startedAt = clock.monotonicNow();
    await outcomeOf(clock, pod(rest.get()).do());
    expect(seen).toHaveLength(11);
    expect(clock.monotonicNow() - startedAt).toBe(70_000);
  });

  it('wait a minute at most, even if Retry-After is longer', async () => {
    const years = String(60 * 60 * 24 * 365 * 10);
    const { rest, clock, seen } = startRestClient([{ status: 503, headers: { 'retry-after': years } }, ok]);
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
      const { rest, clock } = startRestClient([{ status: 400, body }]);
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
    const { rest, clock } = startRestClient([busy, 'reset', ok]);
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
    const { rest, clock } = startRestClient([busy, 'reset'], { maxRetries: 1 });
    const outcome = (await outcomeOf(clock, pod(rest.get()).do())) as { error: Error };
    expect(outcome.error.message).toMatch(/\(attempt 2\): .*reset.*; the previous attempt failed with: .*429/);
  });

  it('are stopped by the signal, and leave no timer', async () => {
    const { rest, clock } = startRestClient([busy]);
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
