import type { AuthenticationOptions } from '../../src/apiserver/access/authentication.js';
import type { ApiRequest } from '../../src/apiserver/wire/exchange.js';

/** Two users with tokens: `ada` of the group `dev`, and `root`, who may do everything. */
export const AUTHENTICATION: AuthenticationOptions = {
  tokens: { 'ada-token': { name: 'ada', groups: ['dev'] }, 'root-token': { name: 'root', groups: ['system:masters'] } },
};

/** The headers of `ada`. */
export const AS_ADA = { authorization: 'Bearer ada-token' };

/** The headers of `root`. */
export const AS_ROOT = { authorization: 'bearer root-token' };

/** A request with these credentials. */
export function request(
  headers: Readonly<Record<string, string>> = {},
  certificate?: ApiRequest['clientCertificate'],
): ApiRequest {
  return {
    method: 'GET',
    target: '/',
    headers,
    body: new Uint8Array(),
    signal: new AbortController().signal,
    clientCertificate: certificate,
  };
}
