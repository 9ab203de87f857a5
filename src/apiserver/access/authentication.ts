import { StatusError } from '../../meta/errors/errors.js';
import { unauthorized } from '../../meta/errors/status.js';
import { optionError, requireString } from '../../meta/options/validate.js';
import type { ApiRequest } from '../wire/exchange.js';
import { accountGroups, accountUserName, parseAccountName } from './account-names.js';
import { type AccountTokens, ISSUER, type TokenClaims } from './account-tokens.js';

/** The user who sends a request. */
export interface User {
  readonly name: string;
  readonly groups: readonly string[];
  /** Distinguishes users of the same name, such as a ServiceAccount that was deleted and created again. */
  readonly uid?: string | undefined;
  /** What else the credentials say, for example the pod of a token. */
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** The user of a bearer token. */
export interface TokenUser {
  readonly name: string;
  /** @default [] */
  readonly groups?: readonly string[] | undefined;
  /** @default none */
  readonly uid?: string | undefined;
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
  const users = tokenUsers(options.tokens);
  const { anonymous = true } = options;
  return (request) => {
    const certificate = request.clientCertificate;
    if (typeof certificate === 'object' && certificate.commonName !== '') {
      return authenticated(certificate.commonName, certificate.organizations);
    }
    const authorization = request.headers['authorization'];
    if (authorization === undefined) {
      if (anonymous && certificate !== 'invalid') return ANONYMOUS;
      throw new StatusError(unauthorized());
    }
    const token = /^bearer +(\S+)$/i.exec(authorization.trim())?.[1];
    const user = token === undefined ? undefined : (users.get(token) ?? accountOf(token, options.accountTokens));
    if (user === undefined) throw new StatusError(unauthorized());
    return user;
  };
}

/** The user of each bearer token that is given as data. */
export function tokenUsers(tokens: Readonly<Record<string, TokenUser>> = {}): ReadonlyMap<string, User> {
  const users = new Map<string, User>();
  for (const [token, { name, groups = [], uid }] of Object.entries(tokens)) {
    if (token === '') throw optionError('tokens', 'an object whose keys are not empty', token);
    users.set(token, { ...authenticated(requireString('tokens[].name', name), groups), ...(uid ? { uid } : {}) });
  }
  return users;
}

function accountOf(token: string, tokens: AccountTokens | undefined): User | undefined {
  const verified = tokens?.verify(token);
  // A token for another audience is no credential here.
  return verified?.claims?.audiences.includes(ISSUER) ? accountUser(verified.claims) : undefined;
}

/** The user of a ServiceAccount's token. */
export function accountUser({ account, bound, id }: TokenClaims): User {
  const { namespace, name, uid } = account;
  const extra: Record<string, string[]> = { [`${EXTRA}credential-id`]: [`JTI=${id}`] };
  for (const kind of ['node', 'pod'] as const) {
    const reference = bound[kind];
    if (reference === undefined) continue;
    extra[`${EXTRA}${kind}-name`] = [reference.name];
    if (reference.uid !== undefined) extra[`${EXTRA}${kind}-uid`] = [reference.uid];
  }
  return { ...authenticated(accountUserName(namespace, name), []), uid, extra };
}

const EXTRA = 'authentication.kubernetes.io/';

/** A user with the groups that Kubernetes adds to authenticated users and service accounts. */
function authenticated(name: string, groups: readonly string[]): User {
  const own = accountGroups(parseAccountName(name)?.namespace);
  return { name, groups: [...new Set([...own, ...groups, AUTHENTICATED])] };
}
