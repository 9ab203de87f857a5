import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, expectTypeOf, it } from 'vitest';
import {
  hasStatusCause,
  isAlreadyExists,
  isConflict,
  isConnectionLost,
  isConnectionRefused,
  isExpired,
  isForbidden,
  isInvalid,
  isNetworkTimeout,
  isNotFound,
  isReason,
  isTooLargeResourceVersion,
  isTooManyRequests,
  isUnauthorized,
  type StatusPredicate,
  statusErrorOf,
  suggestsClientDelay,
} from './error-predicates.js';
import { StatusError } from './errors.js';
import { expired, gone, notFound, type Status, type StatusReason, timeout, tooManyRequests } from './status.js';

function failed(code: number, reason?: string, rest: Partial<Status> = {}): StatusError {
  return new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    code,
    ...(reason !== undefined && { reason }),
    ...rest,
  });
}

/** Reason, code, whether the code decides (for unknown reasons only, always, or never), and the predicate of that reason. */
const table: readonly (readonly [StatusReason, number, 'unknown' | 'always' | 'never', StatusPredicate | undefined])[] =
  [
    ['BadRequest', 400, 'unknown', undefined],
    ['Unauthorized', 401, 'unknown', isUnauthorized],
    ['Forbidden', 403, 'unknown', isForbidden],
    ['NotFound', 404, 'unknown', isNotFound],
    ['MethodNotAllowed', 405, 'unknown', undefined],
    ['NotAcceptable', 406, 'unknown', undefined],
    ['AlreadyExists', 409, 'never', isAlreadyExists],
    ['Conflict', 409, 'unknown', isConflict],
    ['Gone', 410, 'unknown', undefined],
    ['Expired', 410, 'never', undefined],
    ['RequestEntityTooLarge', 413, 'always', undefined],
    ['UnsupportedMediaType', 415, 'unknown', undefined],
    ['Invalid', 422, 'unknown', isInvalid],
    ['TooManyRequests', 429, 'always', isTooManyRequests],
    ['InternalError', 500, 'unknown', undefined],
    ['ServerTimeout', 500, 'never', undefined],
    ['StorageReadError', 500, 'never', undefined],
    ['ServiceUnavailable', 503, 'unknown', undefined],
    ['Timeout', 504, 'unknown', undefined],
  ];

describe.each(table)('isReason %s', (reason, code, byCode, named) => {
  const is = (error: unknown): boolean => {
    const answer = isReason(error, reason);
    if (named !== undefined) expect(named(error)).toBe(answer);
    return answer;
  };

  it('matches the reason, with any code', () => {
    expect(is(failed(code, reason))).toBe(true);
    expect(is(failed(299, reason))).toBe(true);
  });

  it(`matches the code ${byCode === 'unknown' ? 'when the reason is unknown' : byCode}`, () => {
    expect(is(failed(code))).toBe(byCode !== 'never');
    expect(is(failed(code, 'SomethingNew'))).toBe(byCode !== 'never');
    const other = reason === 'Unauthorized' ? 'Forbidden' : 'Unauthorized';
    expect(is(failed(code, other))).toBe(byCode === 'always');
  });

  it('searches causes and AggregateErrors', () => {
    const wrapped = new Error('failed to list', { cause: new AggregateError([new Error('x'), failed(code, reason)]) });
    expect(is(wrapped)).toBe(true);
  });

  it.each([undefined, null, 'NotFound', 404, {}, new Error('not found')])('does not match %s', (error) => {
    expect(is(error)).toBe(false);
  });
});

describe('the type of an error', () => {
  it('is narrowed by a predicate', () => {
    const error: unknown = new StatusError(notFound({ group: '', resource: 'pods' }, 'web'));
    if (isNotFound(error)) expectTypeOf(error).toEqualTypeOf<StatusError>();
    else expectTypeOf(error).toEqualTypeOf<unknown>();
    const known = error as StatusError;
    if (!isNotFound(known)) expectTypeOf(known).toEqualTypeOf<StatusError>();
    expect([error].filter(isNotFound)).toHaveLength(1);
  });
});

describe('statusErrorOf', () => {
  const status = failed(404, 'NotFound');

  it('returns the first StatusError, depth first', () => {
    expect(statusErrorOf(status)).toBe(status);
    const second = failed(500);
    expect(statusErrorOf(new AggregateError([new Error('a', { cause: status }), second]))).toBe(status);
    expect(statusErrorOf(new Error('nothing'))).toBeUndefined();
  });

  it('stops at errors that cause themselves', () => {
    const a = new Error('a');
    const b = new Error('b', { cause: a });
    a.cause = b;
    expect(statusErrorOf(a)).toBeUndefined();
    const aggregate = new AggregateError([a, status]);
    aggregate.errors.push(aggregate);
    expect(statusErrorOf(aggregate)).toBe(status);
  });
});

describe('expiry', () => {
  it('has one of two reasons', () => {
    const old = new StatusError(expired('too old'));
    const older = new StatusError(gone('too old'));
    expect([isReason(old, 'Expired'), isReason(old, 'Gone'), isExpired(old)]).toEqual([true, false, true]);
    expect([isReason(older, 'Expired'), isReason(older, 'Gone'), isExpired(older)]).toEqual([false, true, true]);
    expect(isExpired(failed(410))).toBe(true);
    expect(isExpired(failed(404))).toBe(false);
  });
});

describe('isTooLargeResourceVersion', () => {
  const message = 'Too large resource version';
  it.each([
    [
      'by the reason of a cause',
      failed(504, 'Timeout', { details: { causes: [{ reason: 'ResourceVersionTooLarge' }] } }),
    ],
    [
      'whatever else it is then',
      failed(500, 'InternalError', { details: { causes: [{ reason: 'ResourceVersionTooLarge' }] } }),
    ],
    ['by the message of a cause', failed(504, 'Timeout', { details: { causes: [{ message }] } })],
    ['by the message alone', failed(504, 'Timeout', { message: `Timeout: ${message}: 9, current: 5` })],
    ['by the message with no reason', failed(504, undefined, { message: `${message}: 9` })],
  ])('is recognised %s', (_how, error) => expect(isTooLargeResourceVersion(error)).toBe(true));

  it.each([
    failed(500, 'InternalError', { message }),
    failed(500, 'InternalError', { details: { causes: [{ message }] } }),
    failed(504, 'Timeout', { details: { causes: [{ message: 'slow' }] } }),
    failed(504, 'Timeout', { message: 'slow' }),
    failed(504, 'Timeout'),
  ])('does not match other errors: %#', (error) => expect(isTooLargeResourceVersion(error)).toBe(false));
});

describe('causes and delays', () => {
  it('finds a cause by its reason', () => {
    const error = failed(409, 'Conflict', { details: { causes: [{ reason: 'FieldManagerConflict' }] } });
    expect(hasStatusCause(new Error('x', { cause: error }), 'FieldManagerConflict')).toBe(true);
    expect(hasStatusCause(error, 'Other')).toBe(false);
    expect(hasStatusCause(new Error('x'), 'Other')).toBe(false);
  });

  it('returns the delay in ms', () => {
    expect(suggestsClientDelay(new StatusError(tooManyRequests('later', 2)))).toBe(2000);
    expect(suggestsClientDelay(new StatusError(timeout('slow')))).toBeUndefined();
    expect(suggestsClientDelay(failed(500, 'ServerTimeout', { details: { retryAfterSeconds: 0 } }))).toBe(0);
    expect(suggestsClientDelay(new Error('x'))).toBeUndefined();
  });
});

describe('network errors', () => {
  const coded = (code: string): Error => Object.assign(new Error(code), { code });
  const all = { isConnectionRefused, isConnectionLost, isNetworkTimeout };
  const answers = (error: unknown): string[] => Object.entries(all).flatMap(([name, is]) => (is(error) ? [name] : []));

  it.each([
    ['ECONNREFUSED', ['isConnectionRefused']],
    ['ECONNRESET', ['isConnectionLost']],
    ['EPIPE', ['isConnectionLost']],
    ['UND_ERR_SOCKET', ['isConnectionLost']],
    ['ERR_STREAM_PREMATURE_CLOSE', ['isConnectionLost']],
    ['ERR_HTTP2_GOAWAY_SESSION', ['isConnectionLost']],
    ['ETIMEDOUT', ['isNetworkTimeout']],
    ['UND_ERR_CONNECT_TIMEOUT', ['isNetworkTimeout']],
    ['UND_ERR_HEADERS_TIMEOUT', ['isNetworkTimeout']],
    ['ENOTFOUND', []],
  ])('%s', (code, names) => {
    expect(answers(coded(code))).toEqual(names);
    expect(answers(new TypeError('fetch failed', { cause: coded(code) }))).toEqual(names);
    expect(answers(new AggregateError([new Error('x'), coded(code)]))).toEqual(names);
  });

  it('recognises the TimeoutError of an AbortSignal', () => {
    expect(answers(new DOMException('too late', 'TimeoutError'))).toEqual(['isNetworkTimeout']);
    expect(answers(new DOMException('stopped', 'AbortError'))).toEqual([]);
  });

  it.each([undefined, null, 'ECONNREFUSED', {}, failed(504)])('do not include %s', (error) =>
    expect(answers(error)).toEqual([]),
  );

  it('are recognised as Node throws them', async () => {
    const server = createServer((incoming) => incoming.socket.destroy());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const get = (): Promise<unknown> =>
      new Promise((resolve) => {
        request({ host: '127.0.0.1', port, agent: false }).on('error', resolve).on('response', resolve).end();
      });
    expect(answers(await get())).toEqual(['isConnectionLost']);
    expect(answers(await fetch(`http://127.0.0.1:${port}`).catch((error) => error))).toContain('isConnectionLost');
    await new Promise((resolve) => server.close(resolve));
    expect(answers(await get())).toEqual(['isConnectionRefused']);
    expect(answers(await fetch(`http://127.0.0.1:${port}`).catch((error) => error))).toEqual(['isConnectionRefused']);
  });
});
