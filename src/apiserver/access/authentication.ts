import { StatusError } from '../../meta/errors.js';
import { unauthorized } from '../../meta/status.js';
import { optionError, requireString } from '../../meta/validate.js';
import type { ApiRequest } from '../wire/exchange.js';

/** Who asks. */
export interface User {
  readonly name: string;
  readonly groups: readonly string[];
}

/** Who the bearer of a token is. */
export interface TokenUser {
  readonly name: string;
  readonly groups?: readonly string[] | undefined;
}

/** How a server learns who asks. */
export interface AuthenticationOptions {
  /** Bearer tokens and whose they are. @default {} (no token is accepted) */
  readonly tokens?: Readonly<Record<string, TokenUser>> | undefined;
  /**
   * Whether a request without any credentials goes on as `system:anonymous`; otherwise it gets a 401. Wrong credentials
   * always do.
   * @default true
   */
  readonly anonymous?: boolean | undefined;
}

/** Everybody who has proved who they are. */
export const AUTHENTICATED = 'system:authenticated';
/** Everybody else. */
export const UNAUTHENTICATED = 'system:unauthenticated';

const ANONYMOUS: User = { name: 'system:anonymous', groups: [UNAUTHENTICATED] };

/** Says who sends a request; throws a 401 as {@link StatusError} if that cannot be said. */
export type Authenticator = (request: ApiRequest) => User;

/** Reads client certificates first and bearer tokens second, as the real server does. */
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
    const user = token === undefined ? undefined : users.get(token);
    if (user === undefined) throw new StatusError(unauthorized());
    return user;
  };
}

/** A user with the groups that come with the name and with having proved it. */
export function authenticated(name: string, groups: readonly string[]): User {
  const account = /^system:serviceaccount:([^:]+):[^:]+$/.exec(name);
  const own = account === null ? [] : ['system:serviceaccounts', `system:serviceaccounts:${account[1]}`];
  return { name, groups: [...new Set([...groups, ...own, AUTHENTICATED])] };
}
