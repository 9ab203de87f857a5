import { describe, expect, it } from 'vitest';
import { AS_ADA, AUTHENTICATION, request } from '../../../test/support/access-requests.js';
import { StatusError } from '../../meta/errors/errors.js';
import { createAuthenticator } from './authentication.js';

describe('createAuthenticator', () => {
  const authenticate = createAuthenticator(AUTHENTICATION);

  it('returns the user of a token', () => {
    expect(authenticate(request(AS_ADA))).toEqual({ name: 'ada', groups: ['dev', 'system:authenticated'] });
  });

  it('returns the user of a client certificate before that of a token', () => {
    const user = authenticate(request(AS_ADA, { commonName: 'bob', organizations: ['ops'] }));
    expect(user).toEqual({ name: 'bob', groups: ['ops', 'system:authenticated'] });
  });

  it('returns the uid of a token', () => {
    const own = createAuthenticator({ tokens: { t: { name: 'ada', uid: 'u1' } } });
    expect(own(request({ authorization: 'Bearer t' })).uid).toBe('u1');
  });

  it('adds the groups of service accounts', () => {
    const { groups } = authenticate(request({}, { commonName: 'system:serviceaccount:n:a', organizations: [] }));
    expect(groups).toEqual(['system:serviceaccounts', 'system:serviceaccounts:n', 'system:authenticated']);
  });

  it('treats requests without credentials as anonymous, unless `anonymous` is false', () => {
    expect(authenticate(request())).toEqual({ name: 'system:anonymous', groups: ['system:unauthenticated'] });
    const strict = createAuthenticator({ ...AUTHENTICATION, anonymous: false });
    expect(() => strict(request())).toThrow(StatusError);
    expect(strict(request(AS_ADA)).name).toBe('ada');
  });

  it.each(['Bearer wrong', 'Bearer', 'Basic YTpi', 'Bearer ada-token x', 'Bearer __proto__'])(
    'refuses %s',
    (authorization) => {
      expect(() => authenticate(request({ authorization }))).toThrow(
        expect.objectContaining({
          document: expect.objectContaining({ code: 401, message: 'Unauthorized', reason: 'Unauthorized' }),
        }),
      );
    },
  );

  it('checks its options', () => {
    expect(() => createAuthenticator({ tokens: { '': { name: 'a' } } })).toThrow('tokens must be');
    expect(() => createAuthenticator({ tokens: { a: { name: '' } } })).toThrow('tokens[].name must be');
  });
});
