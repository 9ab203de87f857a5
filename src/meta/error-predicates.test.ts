import { readFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, expectTypeOf, it } from 'vitest';
import {
  hasStatusCause,
  isAlreadyExists,
  isBadRequest,
  isConflict,
  isConnectionLost,
  isConnectionRefused,
  isConnectionReset,
  isExpired,
  isForbidden,
  isGone,
  isInternalError,
  isInvalid,
  isMethodNotSupported,
  isNetworkTimeout,
  isNotAcceptable,
  isNotFound,
  isRequestEntityTooLarge,
  isResourceExpired,
  isServerTimeout,
  isServiceUnavailable,
  isStoreReadError,
  isTimeout,
  isTooLargeResourceVersion,
  isTooManyRequests,
  isUnauthorized,
  isUnexpectedServerError,
  isUnsupportedMediaType,
  type StatusPredicate,
  statusErrorOf,
  suggestsClientDelay,
} from './error-predicates.js';
import { StatusError } from './errors.js';
import { expired, gone, notFound, type Status, timeout, tooManyRequests } from './status.js';

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

/** Name, predicate, reason, code, and whether the code speaks: for unknown reasons only, always, or never. */
const table: readonly (readonly [string, StatusPredicate, string, number, 'unknown' | 'always' | 'never'])[] = [
  ['isBadRequest', isBadRequest, 'BadRequest', 400, 'unknown'],
  ['isUnauthorized', isUnauthorized, 'Unauthorized', 401, 'unknown'],
  ['isForbidden', isForbidden, 'Forbidden', 403, 'unknown'],
  ['isNotFound', isNotFound, 'NotFound', 404, 'unknown'],
  ['isMethodNotSupported', isMethodNotSupported, 'MethodNotAllowed', 405, 'unknown'],
  ['isNotAcceptable', isNotAcceptable, 'NotAcceptable', 406, 'unknown'],
  ['isAlreadyExists', isAlreadyExists, 'AlreadyExists', 409, 'never'],
  ['isConflict', isConflict, 'Conflict', 409, 'unknown'],
  ['isGone', isGone, 'Gone', 410, 'unknown'],
  ['isResourceExpired', isResourceExpired, 'Expired', 410, 'never'],
  ['isRequestEntityTooLarge', isRequestEntityTooLarge, 'RequestEntityTooLarge', 413, 'always'],
  ['isUnsupportedMediaType', isUnsupportedMediaType, 'UnsupportedMediaType', 415, 'unknown'],
  ['isInvalid', isInvalid, 'Invalid', 422, 'unknown'],
  ['isTooManyRequests', isTooManyRequests, 'TooManyRequests', 429, 'always'],
  ['isInternalError', isInternalError, 'InternalError', 500, 'unknown'],
  ['isServerTimeout', isServerTimeout, 'ServerTimeout', 500, 'never'],
  ['isStoreReadError', isStoreReadError, 'StorageReadError', 500, 'never'],
  ['isServiceUnavailable', isServiceUnavailable, 'ServiceUnavailable', 503, 'unknown'],
  ['isTimeout', isTimeout, 'Timeout', 504, 'unknown'],
];

describe.each(table)('%s', (_name, is, reason, code, byCode) => {
  it('goes by the reason, whatever the code', () => {
    expect(is(failed(code, reason))).toBe(true);
    expect(is(failed(299, reason))).toBe(true);
  });

  it(`goes by the code ${byCode === 'unknown' ? 'when the reason is unknown' : byCode}`, () => {
    expect(is(failed(code))).toBe(byCode !== 'never');
    expect(is(failed(code, 'SomethingNew'))).toBe(byCode !== 'never');
    const other = reason === 'Unauthorized' ? 'Forbidden' : 'Unauthorized';
    expect(is(failed(code, other))).toBe(byCode === 'always');
  });

  it('looks into causes and aggregates', () => {
    const wrapped = new Error('failed to list', { cause: new AggregateError([new Error('x'), failed(code, reason)]) });
    expect(is(wrapped)).toBe(true);
  });

  it.each([undefined, null, 'NotFound', 404, {}, new Error('not found')])('does not take %s for an answer', (error) => {
    expect(is(error)).toBe(false);
  });
});

describe('the type of an error', () => {
  it('is known after the question', () => {
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

  it('finds the first answer, depth first', () => {
    expect(statusErrorOf(status)).toBe(status);
    const second = failed(500);
    expect(statusErrorOf(new AggregateError([new Error('a', { cause: status }), second]))).toBe(status);
    expect(statusErrorOf(new Error('nothing'))).toBeUndefined();
  });

  it('survives errors that cause themselves', () => {
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
  it('is either of two reasons', () => {
    const old = new StatusError(expired('too old'));
    const older = new StatusError(gone('too old'));
    expect([isResourceExpired(old), isGone(old), isExpired(old)]).toEqual([true, false, true]);
    expect([isResourceExpired(older), isGone(older), isExpired(older)]).toEqual([false, true, true]);
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
  ])('is not seen in other answers: %#', (error) => expect(isTooLargeResourceVersion(error)).toBe(false));
});

describe('causes and delays', () => {
  it('finds a cause by its type', () => {
    const error = failed(409, 'Conflict', { details: { causes: [{ reason: 'FieldManagerConflict' }] } });
    expect(hasStatusCause(new Error('x', { cause: error }), 'FieldManagerConflict')).toBe(true);
    expect(hasStatusCause(error, 'Other')).toBe(false);
    expect(hasStatusCause(new Error('x'), 'Other')).toBe(false);
    expect(isUnexpectedServerError(StatusError.fromResponse(502, 'proxy'))).toBe(true);
    expect(isUnexpectedServerError(error)).toBe(false);
  });

  it('says how long to wait, in ms', () => {
    expect(suggestsClientDelay(new StatusError(tooManyRequests('later', 2)))).toBe(2000);
    expect(suggestsClientDelay(new StatusError(timeout('slow')))).toBeUndefined();
    expect(suggestsClientDelay(failed(500, 'ServerTimeout', { details: { retryAfterSeconds: 0 } }))).toBe(0);
    expect(suggestsClientDelay(new Error('x'))).toBeUndefined();
  });
});

describe('network errors', () => {
  const coded = (code: string): Error => Object.assign(new Error(code), { code });
  const all = { isConnectionRefused, isConnectionReset, isConnectionLost, isNetworkTimeout };
  const answers = (error: unknown): string[] => Object.entries(all).flatMap(([name, is]) => (is(error) ? [name] : []));

  it.each([
    ['ECONNREFUSED', ['isConnectionRefused']],
    ['ECONNRESET', ['isConnectionReset', 'isConnectionLost']],
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

  it('takes an AbortSignal that timed out for a timeout', () => {
    expect(answers(new DOMException('too late', 'TimeoutError'))).toEqual(['isNetworkTimeout']);
    expect(answers(new DOMException('stopped', 'AbortError'))).toEqual([]);
  });

  it.each([undefined, null, 'ECONNREFUSED', {}, failed(504)])('are not seen in %s', (error) =>
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
    expect(answers(await get())).toEqual(['isConnectionReset', 'isConnectionLost']);
    expect(answers(await fetch(`http://127.0.0.1:${port}`).catch((error) => error))).toContain('isConnectionLost');
    await new Promise((resolve) => server.close(resolve));
    expect(answers(await get())).toEqual(['isConnectionRefused']);
    expect(answers(await fetch(`http://127.0.0.1:${port}`).catch((error) => error))).toEqual(['isConnectionRefused']);
  });
});

it('are all described in docs/meta.md', async () => {
  const page = readFileSync(new URL('../../docs/meta.md', import.meta.url), 'utf8');
  for (const name of Object.keys(await import('./error-predicates.js'))) expect(page).toContain(`\`${name}`);
});
