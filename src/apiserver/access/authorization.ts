import { StatusError } from '../../meta/errors.js';
import { badRequest, forbidden } from '../../meta/status.js';
import type { ApiRequest } from '../wire/exchange.js';
import type { RequestInfo, ResourceRequestInfo } from '../wire/request-info.js';
import { AUTHENTICATED, type Authenticator, authenticated, UNAUTHENTICATED, type User } from './authentication.js';

/** What a Role or ClusterRole allows. */
export interface PolicyRule {
  readonly verbs?: readonly string[] | undefined;
  readonly apiGroups?: readonly string[] | undefined;
  readonly resources?: readonly string[] | undefined;
  readonly resourceNames?: readonly string[] | undefined;
  readonly nonResourceURLs?: readonly string[] | undefined;
}

/** A Role or ClusterRole, as far as it matters here. */
export interface RoleLike {
  readonly rules?: readonly PolicyRule[] | null | undefined;
}

/** A RoleBinding or ClusterRoleBinding, as far as it matters here. */
export interface RoleBindingLike {
  readonly subjects?:
    | readonly { readonly kind?: string; readonly name?: string; readonly namespace?: string }[]
    | null
    | undefined;
  readonly roleRef?: RoleRefLike | undefined;
}

/** Which role a binding binds. */
export interface RoleRefLike {
  readonly kind?: string;
  readonly name?: string;
}

/** Where the authorizer finds the roles and bindings of the moment. */
export interface RoleLookup {
  clusterRoleBindings(): Iterable<RoleBindingLike>;
  roleBindings(namespace: string): Iterable<RoleBindingLike>;
  clusterRole(name: string): RoleLike | undefined;
  role(namespace: string, name: string): RoleLike | undefined;
}

/** What somebody wants to do to a resource. */
export interface ResourceAttributes {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  /** Empty: in all of them, or outside of any. */
  readonly namespace: string;
  readonly name: string;
}

/** What somebody wants to do to a path that is no resource. */
export interface PathAttributes {
  readonly verb: string;
  readonly path: string;
}

/** The group that may do everything, whatever the roles say. */
const MASTERS = 'system:masters';

/** The rules of `cluster-admin`. */
export const EVERYTHING: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];
const PUBLIC: readonly PolicyRule[] = [
  { verbs: ['get'], nonResourceURLs: ['/healthz', '/livez', '/readyz', '/version', '/version/'] },
];
/** What every cluster grants from its first moment, without anybody's having to create it. */
const GRANTED: ReadonlyMap<string, readonly PolicyRule[]> = new Map([
  [UNAUTHENTICATED, PUBLIC],
  [
    AUTHENTICATED,
    [
      ...PUBLIC,
      { verbs: ['get'], nonResourceURLs: ['/api', '/api/*', '/apis', '/apis/*', '/openapi', '/openapi/*'] },
      {
        verbs: ['create'],
        apiGroups: ['authorization.k8s.io'],
        resources: ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'],
      },
      { verbs: ['create'], apiGroups: ['authentication.k8s.io'], resources: ['selfsubjectreviews'] },
    ],
  ],
]);

/** Decides by roles and bindings who may do what. What no rule allows is forbidden. */
export class RbacAuthorizer {
  readonly #roles: RoleLookup;

  constructor(roles: RoleLookup) {
    this.#roles = roles;
  }

  /** Whether `user` may do this to a resource. */
  mayUse(user: User, attributes: ResourceAttributes): boolean {
    for (const rule of this.rulesOf(user, attributes.namespace)) if (allowsResource(rule, attributes)) return true;
    return false;
  }

  /** Whether `user` may do this to a path that is no resource. */
  mayVisit(user: User, attributes: PathAttributes): boolean {
    for (const rule of this.rulesOf(user, '')) if (allowsPath(rule, attributes)) return true;
    return false;
  }

  /** The rules that hold for `user` in a namespace, or outside of any. */
  *rulesOf(user: User, namespace: string): Generator<PolicyRule> {
    if (user.groups.includes(MASTERS)) yield* EVERYTHING;
    for (const group of user.groups) yield* GRANTED.get(group) ?? [];
    for (const binding of this.#roles.clusterRoleBindings()) {
      if (binds(binding, user, '')) yield* this.boundRules({ ...binding.roleRef, kind: 'ClusterRole' }, '') ?? [];
    }
    if (namespace === '') return;
    for (const binding of this.#roles.roleBindings(namespace)) {
      if (binds(binding, user, namespace)) yield* this.boundRules(binding.roleRef ?? {}, namespace) ?? [];
    }
  }

  /** The rules of the role that a binding in `namespace` refers to; undefined if there is no such role. */
  boundRules({ kind, name = '' }: RoleRefLike, namespace: string): readonly PolicyRule[] | undefined {
    if (kind !== 'ClusterRole') return rulesIn(this.#roles.role(namespace, name));
    // `cluster-admin` is bound so often that it is there even where it was not created.
    return rulesIn(this.#roles.clusterRole(name)) ?? (name === 'cluster-admin' ? EVERYTHING : undefined);
  }
}

function rulesIn(role: RoleLike | undefined): readonly PolicyRule[] | undefined {
  return role && (role.rules ?? []);
}

function binds(binding: RoleBindingLike, user: User, namespace: string): boolean {
  return (binding.subjects ?? []).some((subject) => {
    if (subject.kind === 'User') return subject.name === user.name;
    if (subject.kind === 'Group') return subject.name !== undefined && user.groups.includes(subject.name);
    if (subject.kind !== 'ServiceAccount') return false;
    return user.name === `system:serviceaccount:${subject.namespace ?? namespace}:${subject.name}`;
  });
}

/** Whether a rule allows this to be done to a resource. */
export function allowsResource(rule: PolicyRule, wanted: ResourceAttributes): boolean {
  const { resource, subresource } = wanted;
  const isNamed = (rule.resources ?? []).some(
    (name) =>
      name === '*' ||
      name === (subresource === '' ? resource : `${resource}/${subresource}`) ||
      (subresource !== '' && name === `*/${subresource}`),
  );
  const names = rule.resourceNames ?? [];
  return (
    isNamed &&
    includes(rule.verbs, wanted.verb) &&
    includes(rule.apiGroups, wanted.group) &&
    (names.length === 0 || names.includes(wanted.name))
  );
}

/** Whether a rule allows this to be done to a path that is no resource. */
export function allowsPath(rule: PolicyRule, wanted: PathAttributes): boolean {
  return (
    includes(rule.verbs, wanted.verb) &&
    (rule.nonResourceURLs ?? []).some(
      (pattern) => pattern === wanted.path || (pattern.endsWith('*') && wanted.path.startsWith(pattern.slice(0, -1))),
    )
  );
}

function includes(list: readonly string[] | undefined, value: string): boolean {
  return list !== undefined && (list.includes('*') || list.includes(value));
}

/** Who may ask, and for what. */
export interface AccessOptions {
  readonly authenticate: Authenticator;
  /** Decides what an authenticated user may do. @default none: every authenticated user may do everything */
  readonly authorizer?: RbacAuthorizer | undefined;
}

/** Returns the user of a request; throws the 401 or 403 that ends it. */
export type AccessCheck = (request: ApiRequest, info: RequestInfo) => User;

/** Lets a request go on or throws its 401 or 403 as StatusError. Understands the impersonation headers. */
export function createAccessCheck({ authenticate, authorizer }: AccessOptions): AccessCheck {
  return (request, info) => {
    const user = impersonated(authenticate(request), request.headers, authorizer);
    if (authorizer !== undefined) requireAccess(authorizer, user, info);
    return user;
  };
}

function requireAccess(authorizer: RbacAuthorizer, user: User, info: RequestInfo): void {
  if (info.isResourceRequest) {
    requireUse(authorizer, user, attributesOf(info));
  } else if (!authorizer.mayVisit(user, info)) {
    const why = `User ${JSON.stringify(user.name)} cannot ${info.verb} path ${JSON.stringify(info.path)}`;
    throw new StatusError(forbidden({ group: '', resource: '' }, '', why));
  }
}

/** Throws the 403 for what `user` may not do to a resource. */
export function requireUse(authorizer: RbacAuthorizer, user: User, attributes: ResourceAttributes): void {
  if (!authorizer.mayUse(user, attributes)) throw refusal(user, attributes);
}

function attributesOf(info: ResourceRequestInfo): ResourceAttributes {
  const { verb, group, resource, subresource, namespace } = info;
  return { verb, group, resource, subresource, namespace, name: info.name || info.selectedName };
}

function refusal(user: User, attributes: ResourceAttributes): StatusError {
  const { verb, group, resource, subresource, namespace, name } = attributes;
  const what = JSON.stringify(subresource === '' ? resource : `${resource}/${subresource}`);
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace ${JSON.stringify(namespace)}`;
  const asked = `cannot ${verb} resource ${what} in API group ${JSON.stringify(group)} ${where}`;
  return new StatusError(forbidden({ group, resource }, name, `User ${JSON.stringify(user.name)} ${asked}`));
}

/** The user that the headers ask to be taken for, if the real one may do that. */
function impersonated(
  user: User,
  headers: Readonly<Record<string, string>>,
  authorizer: RbacAuthorizer | undefined,
): User {
  const name = headers['impersonate-user'] ?? '';
  const groups = (headers['impersonate-group'] ?? '').split(', ').filter((group) => group !== '');
  if (name === '') {
    if (groups.length > 0)
      throw new StatusError(badRequest(`requested groups ${groups} without impersonating a user name`));
    return user;
  }
  const [, namespace, account] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(name) ?? [];
  const wanted: (readonly [resource: string, namespace: string, name: string])[] = groups.map((group) => [
    'groups',
    '',
    group,
  ]);
  wanted.unshift(account === undefined ? ['users', '', name] : ['serviceaccounts', namespace ?? '', account]);
  for (const [resource, scope, subject] of wanted) {
    const attributes = { verb: 'impersonate', group: '', resource, subresource: '', namespace: scope, name: subject };
    if (authorizer !== undefined) requireUse(authorizer, user, attributes);
  }
  return authenticated(name, groups);
}
