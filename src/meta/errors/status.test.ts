import { describe, expect, it } from 'vitest';
import { fieldForbidden, fieldInvalid, fieldNotSupported, fieldRequired, fieldTooLong } from './field-cause.js';
import {
  alreadyExists,
  badRequest,
  conflict,
  expired,
  forbidden,
  genericStatus,
  gone,
  internal,
  invalid,
  methodNotAllowed,
  notAcceptable,
  notFound,
  pathNotFound,
  printCauses,
  requestEntityTooLarge,
  type Status,
  serviceUnavailable,
  timeout,
  tooLargeResourceVersion,
  tooManyRequests,
  unauthorized,
  unsupportedMediaType,
} from './status.js';

const pods = { group: '', resource: 'pods' };
const deployments = { group: 'apps', resource: 'deployments' };

function failed(code: number, reason: string, message: string, details?: object): unknown {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason,
    ...(details && { details }),
    code,
  };
}

// Most of these texts were compared with responses of kube-apiserver 1.36.
describe('Status documents', () => {
  it.each<[Status, unknown]>([
    [notFound(pods, 'nope'), failed(404, 'NotFound', 'pods "nope" not found', { name: 'nope', kind: 'pods' })],
    [
      notFound(deployments, 'nope'),
      failed(404, 'NotFound', 'deployments.apps "nope" not found', {
        name: 'nope',
        group: 'apps',
        kind: 'deployments',
      }),
    ],
    [pathNotFound(), failed(404, 'NotFound', 'the server could not find the requested resource', {})],
    [
      methodNotAllowed(),
      failed(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {}),
    ],
    [
      alreadyExists(pods, 'web'),
      failed(409, 'AlreadyExists', 'pods "web" already exists', { name: 'web', kind: 'pods' }),
    ],
    [
      conflict(pods, 'web'),
      failed(
        409,
        'Conflict',
        'Operation cannot be fulfilled on pods "web": the object has been modified; please apply your changes to the latest version and try again',
        { name: 'web', kind: 'pods' },
      ),
    ],
    [
      conflict(pods, 'web', 'the uid differs'),
      failed(409, 'Conflict', 'Operation cannot be fulfilled on pods "web": the uid differs', {
        name: 'web',
        kind: 'pods',
      }),
    ],
    [badRequest('no'), failed(400, 'BadRequest', 'no')],
    [unauthorized(), failed(401, 'Unauthorized', 'Unauthorized')],
    [
      forbidden(pods, '', 'User "x" cannot list'),
      failed(403, 'Forbidden', 'pods is forbidden: User "x" cannot list', { kind: 'pods' }),
    ],
    [
      forbidden(deployments, 'web', 'no'),
      failed(403, 'Forbidden', 'deployments.apps "web" is forbidden: no', {
        name: 'web',
        group: 'apps',
        kind: 'deployments',
      }),
    ],
    [
      forbidden({ group: '', resource: '' }, '', 'User "x" cannot get path "/foo"'),
      failed(403, 'Forbidden', 'forbidden: User "x" cannot get path "/foo"', {}),
    ],
    [
      notAcceptable(['a/b', 'c/d']),
      failed(406, 'NotAcceptable', 'only the following media types are accepted: a/b, c/d'),
    ],
    [
      unsupportedMediaType(['a/b']),
      failed(
        415,
        'UnsupportedMediaType',
        'the body of the request was in an unknown format - accepted media types include: a/b',
      ),
    ],
    [expired('too old resource version: 1 (5)'), failed(410, 'Expired', 'too old resource version: 1 (5)')],
    [gone('too old'), failed(410, 'Gone', 'too old')],
    [
      requestEntityTooLarge('limit is 3145728'),
      failed(413, 'RequestEntityTooLarge', 'Request entity too large: limit is 3145728'),
    ],
    [tooManyRequests('later', 2), failed(429, 'TooManyRequests', 'later', { retryAfterSeconds: 2 })],
    [
      internal('boom'),
      failed(500, 'InternalError', 'Internal error occurred: boom', { causes: [{ message: 'boom' }] }),
    ],
    [serviceUnavailable('busy'), failed(503, 'ServiceUnavailable', 'busy')],
    [timeout('slow'), failed(504, 'Timeout', 'Timeout: slow', {})],
    [
      tooLargeResourceVersion('99999999', '461'),
      failed(504, 'Timeout', 'Timeout: Too large resource version: 99999999, current: 461', {
        causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
        retryAfterSeconds: 1,
      }),
    ],
  ])('are equal to those of kube-apiserver: %#', (document, expected) => {
    expect(document).toEqual(expected);
    expect(Object.keys(document)).toEqual(Object.keys(expected as object));
  });
});

describe('invalid', () => {
  const listOptions = { group: 'meta.k8s.io', kind: 'ListOptions' };

  it('lists its causes in the message', () => {
    const one = fieldForbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list');
    const two = fieldNotSupported('resourceVersionMatch', 'Foo', ['NotOlderThan']);
    expect(invalid(listOptions, '', [one]).message).toBe(
      'ListOptions.meta.k8s.io "" is invalid: sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list',
    );
    expect(invalid(listOptions, '', [one, two, two])).toEqual(
      failed(
        422,
        'Invalid',
        'ListOptions.meta.k8s.io "" is invalid: [sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list, resourceVersionMatch: Unsupported value: "Foo": supported values: "NotOlderThan"]',
        { group: 'meta.k8s.io', kind: 'ListOptions', causes: [one, two, two] },
      ),
    );
    expect(invalid({ group: '', kind: 'Pod' }, 'web', []).message).toBe('Pod "web" is invalid');
    expect(printCauses([{}])).toBe(': ');
  });

  it.each([
    [fieldInvalid('a', 1, 'bad'), 'FieldValueInvalid', 'Invalid value: 1: bad'],
    [fieldInvalid('a', undefined, ''), 'FieldValueInvalid', 'Invalid value: null'],
    [fieldRequired('a', 'needed'), 'FieldValueRequired', 'Required value: needed'],
    [fieldRequired('a', ''), 'FieldValueRequired', 'Required value'],
    [fieldForbidden('a', 'no'), 'FieldValueForbidden', 'Forbidden: no'],
    [fieldNotSupported('a', 'x', []), 'FieldValueNotSupported', 'Unsupported value: "x"'],
    [fieldTooLong('a', 63), 'FieldValueTooLong', 'Too long: may not be more than 63 bytes'],
    [fieldTooLong('a', 1), 'FieldValueTooLong', 'Too long: may not be more than 1 byte'],
  ])('has causes worded as in kube-apiserver: %#', (cause, reason, message) => {
    expect(cause).toEqual({ reason, message, field: 'a' });
  });
});

describe('genericStatus', () => {
  it.each([
    [400, 'get', 'BadRequest'],
    [401, 'get', 'Unauthorized'],
    [403, 'get', 'Forbidden'],
    [404, 'get', 'NotFound'],
    [405, 'get', 'MethodNotAllowed'],
    [406, 'get', 'NotAcceptable'],
    [409, 'update', 'Conflict'],
    [409, 'create', 'AlreadyExists'],
    [409, 'POST', 'AlreadyExists'],
    [415, 'patch', 'UnsupportedMediaType'],
    [422, 'create', 'Invalid'],
    [429, 'get', 'TooManyRequests'],
    [500, 'get', 'InternalError'],
    [503, 'get', 'ServiceUnavailable'],
    [504, 'get', 'Timeout'],
    [599, 'get', 'InternalError'],
    [418, 'get', undefined],
    [302, 'get', undefined],
  ])('maps %i of a %s to %s', (code, verb, reason) => {
    const status = genericStatus(code, '', { verb });
    expect(status.reason).toBe(reason);
    expect(status.code).toBe(code);
    expect(status.message).toMatch(/the server|an error on the server/);
    expect(status.details?.causes).toEqual([{ reason: 'UnexpectedServerResponse', message: 'unknown' }]);
  });

  it('uses the body as message for some codes, and as a cause for all', () => {
    expect(genericStatus(403, ' you may not \n').message).toBe('you may not');
    expect(genericStatus(404, 'a page').message).toBe('the server could not find the requested resource');
    expect(genericStatus(404, 'a page').details?.causes?.[0]?.message).toBe('a page');
    expect(genericStatus(502, 'bad gateway').message).toBe(
      'an error on the server ("bad gateway") has prevented the request from succeeding',
    );
    expect(genericStatus(404, 'x'.repeat(5000)).details?.causes?.[0]?.message).toHaveLength(2048);
  });

  it('has the name and kind of the request', () => {
    const status = genericStatus(429, '', { resource: 'deployments.apps', objectName: 'web', retryAfterMs: 1500 });
    expect(status.details).toMatchObject({ name: 'web', group: 'apps', kind: 'deployments', retryAfterSeconds: 2 });
    expect(genericStatus(404, '', { resource: 'pods' }).details).toMatchObject({ kind: 'pods' });
  });
});
