import { StatusError } from '../../meta/errors/errors.js';
import { badRequest } from '../../meta/errors/status.js';
import { dns1123SubdomainErrors } from '../../meta/names.js';
import { LruCache } from '../../structures/lru-cache.js';
import { forbiddenUse } from './access-refusal.js';
import { accountGroups, parseAccountName } from './account-names.js';
import { AUTHENTICATED, UNAUTHENTICATED, type User } from './authentication.js';
import { MASTERS, type ResourceAttributes } from './authorization.js';

/** The user that the `Impersonate-*` headers of a request ask for. */
export interface WantedUser {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** What the requestor needs; both throw a 403. */
export interface ImpersonationChecks {
  /** Requires a permission of the requestor. */
  requireUse(attributes: ResourceAttributes): void;
  /** Requires another verb for what the request asks for. */
  requireOnRequest(verb: string): void;
}

const EXTRA = 'impersonate-extra-';
const AUTHENTICATION_GROUP = 'authentication.k8s.io';
const NODES = 'system:nodes';

/** Undefined if the request does not impersonate; throws 400 for headers without a user name. */
export function readImpersonation(headers: Readonly<Record<string, string>>): WantedUser | undefined {
  const name = headers['impersonate-user'] ?? '';
  const uid = headers['impersonate-uid'] ?? '';
  const groups = valuesOf(headers['impersonate-group']);
  // Object.fromEntries makes any key a field, also `__proto__`.
  const extra: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
    Object.entries(headers)
      .filter(([header]) => header.startsWith(EXTRA))
      .map(([header, value]) => [unescapeKey(header.slice(EXTRA.length)), valuesOf(value)]),
  );
  const wanted = { name, uid, groups, extra };
  if (name !== '') return wanted;
  if (uid === '' && groups.length === 0 && Object.keys(extra).length === 0) return undefined;
  throw new StatusError(badRequest(`requested ${printUser(wanted)} without impersonating a user name`));
}

/** Repeated headers arrive joined with ', '. */
function valuesOf(header: string | undefined): readonly string[] {
  return header === undefined ? [] : header.split(', ');
}

function unescapeKey(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    // A broken escape is part of the key, as on kube-apiserver.
    return key;
  }
}

/** One way to be allowed an impersonation: `impersonate:<mode>` for the user, `impersonate-on:<mode>:<verb>` for the request. */
interface Mode {
  /** Empty for the verb `impersonate`, which allows every request. */
  readonly name: string;
  readonly fits: (wanted: WantedUser, requestor: User) => boolean;
}

/** In the order in which they are tried. The first that allows it decides; if none does, the first refusal is answered. */
const MODES: readonly Mode[] = [
  { name: 'associated-node', fits: (wanted, requestor) => hasOnlyName(wanted) && isOwnNode(wanted.name, requestor) },
  { name: 'arbitrary-node', fits: (wanted) => hasOnlyName(wanted) && nodeName(wanted.name) !== undefined },
  { name: 'serviceaccount', fits: (wanted) => hasOnlyName(wanted) && parseAccountName(wanted.name) !== undefined },
  {
    name: 'user-info',
    fits: ({ name }) => nodeName(name) === undefined && parseAccountName(name) === undefined,
  },
  { name: '', fits: () => true },
];

/** The users whose last mode is remembered. */
const REMEMBERED_USERS = 10_000;

/** Decides about impersonations. Remembers the mode that was last successful for each user, and tries it first. */
export class Impersonation {
  readonly #lastModes = new LruCache<string, Mode>(REMEMBERED_USERS);

  /** The user that a request with `verb` acts as, if the authenticated user may impersonate it; throws 403 otherwise. */
  impersonate(requestor: User, wanted: WantedUser, checks: ImpersonationChecks, verb: string): User {
    const last = this.#lastModes.get(requestor.name);
    let refusal: unknown;
    for (const mode of last === undefined ? MODES : new Set([last, ...MODES])) {
      if (!mode.fits(wanted, requestor)) continue;
      try {
        const user = impersonateBy(mode, requestor, wanted, checks, verb);
        this.#lastModes.set(requestor.name, mode);
        return user;
      } catch (error) {
        refusal ??= error;
      }
    }
    throw refusal;
  }
}

function impersonateBy(
  mode: Mode,
  requestor: User,
  wanted: WantedUser,
  checks: ImpersonationChecks,
  verb: string,
): User {
  if (mode.name !== '') checks.requireOnRequest(`impersonate-on:${mode.name}:${verb}`);
  for (const { prohibited, ...attributes } of neededFor(wanted, mode.name)) {
    if (prohibited !== undefined)
      throw forbiddenUse(requestor, attributes, `impersonating ${prohibited} is not allowed`);
    checks.requireUse(attributes);
  }
  return impersonated(wanted, mode.name !== '');
}

/** A permission that an impersonation needs. */
interface Needed extends ResourceAttributes {
  /** What constrained impersonation never gives, whatever the roles say. */
  readonly prohibited?: string | undefined;
}

/** What the requestor needs for the user itself: one permission for the name, the uid, each group and each extra value. */
function* neededFor({ name, uid, groups, extra }: WantedUser, mode: string): Generator<Needed> {
  const isConstrained = mode !== '';
  const verb = isConstrained ? `impersonate:${mode}` : 'impersonate';
  const base = { verb, group: AUTHENTICATION_GROUP, subresource: '', namespace: '' };
  const named = { ...base, group: isConstrained ? AUTHENTICATION_GROUP : '' };
  const account = parseAccountName(name);
  const node = isConstrained ? nodeName(name) : undefined;
  if (account !== undefined) yield { ...named, resource: 'serviceaccounts', ...account };
  else if (node === undefined) yield { ...named, resource: 'users', name };
  // The node of the requestor may be any: the permission is for all names.
  else yield { ...named, resource: 'nodes', name: mode === 'associated-node' ? '*' : node };
  if (uid !== '') yield { ...base, resource: 'uids', name: uid };
  const prohibit = (is: boolean, what: string): string | undefined => (isConstrained && is ? what : undefined);
  for (const group of groups) {
    const prohibited = prohibit(group === '' || group === MASTERS, `the ${group || 'empty string'} group`);
    yield { ...named, resource: 'groups', name: group, prohibited };
  }
  for (const [key, values] of Object.entries(extra)) {
    for (const value of values) {
      const prohibited = prohibit(
        key === '' || value === '',
        `the empty string ${key === '' ? 'key' : 'value'} in extra`,
      );
      yield { ...base, resource: 'userextras', subresource: key, name: value, prohibited };
    }
  }
}

function impersonated({ name, uid, groups, extra }: WantedUser, isConstrained: boolean): User {
  const own =
    isConstrained && nodeName(name) !== undefined
      ? [NODES]
      : groups.length > 0
        ? groups
        : accountGroups(parseAccountName(name)?.namespace);
  const general = name === 'system:anonymous' ? UNAUTHENTICATED : own.includes(UNAUTHENTICATED) ? [] : AUTHENTICATED;
  return {
    name,
    ...(uid === '' ? {} : { uid }),
    groups: [...new Set([...own, general].flat())],
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}

function hasOnlyName({ uid, groups, extra }: WantedUser): boolean {
  return uid === '' && groups.length === 0 && Object.keys(extra).length === 0;
}

function nodeName(user: string): string | undefined {
  const [, name] = /^system:node:(.+)$/.exec(user) ?? [];
  return name !== undefined && dns1123SubdomainErrors(name).length === 0 ? name : undefined;
}

/** Whether the requestor is a ServiceAccount whose token is bound to that node. */
function isOwnNode(wanted: string, { name, extra }: User): boolean {
  const node = nodeName(wanted);
  const [bound] = extra?.['authentication.kubernetes.io/node-name'] ?? [];
  return node !== undefined && node === bound && parseAccountName(name) !== undefined;
}

/** The wanted user as Go prints its struct. */
function printUser({ uid, groups, extra }: WantedUser): string {
  const strings = (list: readonly string[]): string => `[]string{${list.map((one) => JSON.stringify(one)).join(', ')}}`;
  const entries = Object.entries(extra).map(([key, values]) => `${JSON.stringify(key)}:${strings(values)}`);
  const printedGroups = groups.length === 0 ? '[]string(nil)' : strings(groups);
  const printedExtra = `map[string][]string${entries.length === 0 ? '(nil)' : `{${entries.join(', ')}}`}`;
  return `&user.DefaultInfo{Name:"", UID:${JSON.stringify(uid)}, Groups:${printedGroups}, Extra:${printedExtra}}`;
}
