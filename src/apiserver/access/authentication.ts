import { StatusError } from '../../meta/errors/errors.js';
import { unauthorized } from '../../meta/errors/status.js';
import { optionError, requireString } from '../../meta/options/validate.js';
import type { ApiRequest } from '../wire/exchange.js';
import { type AccountTokens, ISSUER } from './account-tokens.js';

/** The user who sends a request. */
export interface User {
  readonly name: string;
  readonly groups: readonly string[];
}

/** The user of a bearer token. */
export interface TokenUser {
  readonly name: string;
  readonly groups?: readonly string[] | undefined;
}

/** Options of {@link createAuthenticator}. */
export interface AuthenticationOptions {
  /** The user of each bearer token. @default {} (no token is accepted) */
  readonly tokens?: Readonly<Record<string, TokenUser>> | undefined;
  /**
   * Whether a request without credentials is one of `system:anonymous`; otherwise it gets a 401. Wrong credentials
   * always get a 401.
   * @default true
   */
  readonly anonymous?: boolean | undefined;
  /** Verifies the tokens of ServiceAccounts. @default none is accepted */
  readonly accountTokens?: AccountTokens | undefined;
}

/** The group of all users with valid credentials. */
export const AUTHENTICATED = 'system:authenticated';
/** The group of requests without credentials. */
export const UNAUTHENTICATED = 'system:unauthenticated';

const ANONYMOUS: User = { name: 'system:anonymous', groups: [UNAUTHENTICATED] };

/** Returns the user of a request; throws the 401 as {@link StatusError}. */
export type Authenticator = (request: ApiRequest) => User;

/** Checks the client certificate first and the bearer token second, as kube-apiserver does. */
export function createAuthenticator(options: AuthenticationOptions = {}): Authenticator {
  const users = new Map<string, User>();
  for (const [token, { name, groups = [] }] of Object.entries(options.tokens ?? {})) {
    if (token === '') throw optionError('tokens', 'an object whose keys are not empty', token);
    users.set(token, authenticated(requireString('tokens[].name', name), groups));
  }
  const { anonymous = true } = options;
  return (request) => {
    const certificate = request.clientCertificate;
    if (certificate !== undefined && certificate.commonName !== '') {
      return authenticated(certificate.commonName, certificate.organizations);
    }
    const authorization = request.headers['authorization'];
    if (authorization === undefined) {
      if (anonymous) return ANONYMOUS;
      throw new StatusError(unauthorized());
    }
    const token = /^bearer +(\S+)$/i.exec(authorization.trim())?.[1];
    const user = token === undefined ? undefined : (users.get(token) ?? accountOf(token, options.accountTokens));
    if (user === undefined) throw new StatusError(unauthorized());
    return user;
  };
}

function accountOf(token: string, tokens: AccountTokens | undefined): User | undefined {
  const claims = tokens?.verify(token);
  // A token for another audience is no credential here.
  if (claims === undefined || !claims.audiences.includes(ISSUER)) return undefined;
  return authenticated(`system:serviceaccount:${claims.account.namespace}:${claims.account.name}`, []);
}

/** A user with the groups that Kubernetes adds to authenticated users and service accounts. */
export function authenticated(name: string, groups: readonly string[]): User {
  const account = /^system:serviceaccount:([^:]+):[^:]+$/.exec(name);
  const own = account === null ? [] : ['system:serviceaccounts', `system:serviceaccounts:${account[1]}`];
  return { name, groups: [...new Set([...own, ...groups, AUTHENTICATED])] };
}
