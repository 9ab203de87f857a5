import { describe, expect, it } from 'vitest';
import { isForbidden } from './error-predicates.js';
import { isStatus, KubeflectError, ParseError, StatusError } from './errors.js';
import { badRequest, notFound, tooManyRequests } from './status.js';

describe('KubeflectError', () => {
  it('has a code, a name and a cause', () => {
    const cause = new Error('root');
    const error = new KubeflectError('WHY', 'because', { cause });
    expect(error).toMatchObject({ name: 'KubeflectError', code: 'WHY', message: 'because', cause });
    expect(error.stack).toContain('KubeflectError: because');
    expect(Object.keys(error)).toEqual(['code']);
  });
});

describe('ParseError', () => {
  it('has position and reason', () => {
    const error = new ParseError('key', 'a/b/c', 3, 'too many slashes');
    expect(error).toBeInstanceOf(KubeflectError);
    expect(error).toMatchObject({ name: 'ParseError', code: 'PARSE', input: 'a/b/c', position: 3 });
    expect(error.message).toBe('cannot parse key "a/b/c" at position 3: too many slashes');
  });
});

describe('StatusError', () => {
  const status = notFound({ group: 'apps', resource: 'deployments' }, 'web');

  it('reads its fields from the Status', () => {
    const error = new StatusError(status);
    expect(error).toBeInstanceOf(KubeflectError);
    expect(error).toMatchObject({
      name: 'StatusError',
      code: 'STATUS',
      status: 404,
      reason: 'NotFound',
      causes: [],
      verb: '',
      resource: 'deployments.apps',
      objectName: 'web',
      namespace: undefined,
      retryAfterMs: undefined,
      message: 'deployments.apps "web" not found (404 NotFound)',
    });
    expect(error.document).toBe(status);
    expect('cause' in error).toBe(false);
  });

  it.each([
    [{ verb: 'get', resource: 'pods', objectName: 'web', namespace: 'default' }, 'get pods default/web: '],
    [{ verb: 'get', resource: 'nodes', objectName: 'n1' }, 'get nodes n1: '],
    [{ verb: 'list', resource: 'pods', namespace: 'default' }, 'list pods in namespace default: '],
    [{ verb: 'list', resource: 'pods' }, 'list pods: '],
    [{}, ''],
  ])('describes the request in its message: %#', (request, prefix) => {
    const error = new StatusError(status, request);
    expect(error.message).toBe(`${prefix}deployments.apps "web" not found (404 NotFound)`);
    expect(error).toMatchObject(request);
  });

  it('has a message for an empty Status', () => {
    const error = new StatusError({ kind: 'Status', apiVersion: 'v1', metadata: {} });
    expect(error.message).toBe('the server gave no message');
    expect(error).toMatchObject({ status: 0, reason: '', resource: '', objectName: undefined, details: undefined });
  });

  it('keeps its cause', () => {
    const cause = new Error('root');
    expect(new StatusError(status, { cause }).cause).toBe(cause);
  });

  it('prefers the Retry-After header to retryAfterSeconds of the Status', () => {
    const later = tooManyRequests('later', 2);
    expect(new StatusError(later).retryAfterMs).toBe(2000);
    expect(new StatusError(later, { retryAfterMs: 500 }).retryAfterMs).toBe(500);
    expect(new StatusError(tooManyRequests('later', 0)).retryAfterMs).toBeUndefined();
  });

  describe('of a response', () => {
    const request = { verb: 'create', resource: 'pods', objectName: 'web', namespace: 'default' };

    it('is the Status in the body', () => {
      const error = StatusError.fromResponse(400, ` ${JSON.stringify(badRequest('no'))}`, request);
      expect(error.message).toBe('create pods default/web: no (400 BadRequest)');
    });

    it.each([
      ['an empty body', ''],
      ['a page', '<html>conflict</html>'],
      ['broken JSON', '{"kind":'],
      ['another document', '{"kind":"Pod","apiVersion":"v1"}'],
      ['a success', '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success"}'],
    ])('is made from the HTTP code for %s', (_what, body) => {
      const error = StatusError.fromResponse(409, body, request);
      expect(error).toMatchObject({ status: 409, reason: 'AlreadyExists' });
      expect(error.message).toBe('create pods default/web: the server reported a conflict (409 AlreadyExists)');
      expect(StatusError.fromResponse(409, body).reason).toBe('Conflict');
    });

    it('has the HTTP code if the Status has none', () => {
      const body = JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', message: 'not you' });
      const error = StatusError.fromResponse(403, body);
      expect(error).toMatchObject({ status: 403, document: { code: 403, message: 'not you' } });
      expect(error).toSatisfy(isForbidden);
      expect(error.message).toBe('not you (403)');
    });

    it('has a message for an unknown HTTP code', () => {
      expect(StatusError.fromResponse(418, '').message).toBe(
        'the server responded with the status code 418 but did not return more information (418)',
      );
    });
  });
});

describe('isStatus', () => {
  it.each([
    [status('v1'), true],
    [status('meta.k8s.io/v1'), true],
    [status('apps/v1'), false],
    [{ kind: 'Pod', apiVersion: 'v1' }, false],
    [null, false],
    ['Status', false],
  ])('%j: %s', (document, answer) => expect(isStatus(document)).toBe(answer));

  function status(apiVersion: string): object {
    return { kind: 'Status', apiVersion };
  }
});
