import { StatusError } from '../../meta/errors/errors.js';
import { badRequest, forbidden } from '../../meta/errors/status.js';
import type { ApiRequest } from '../wire/exchange.js';
import type { RequestInfo, ResourceRequestInfo } from '../wire/request-info.js';
import { AUTHENTICATED, type Authenticator, authenticated, UNAUTHENTICATED, type User } from './authentication.js';

/** One rule of a Role or ClusterRole. */
export interface PolicyRule {
  readonly verbs?: readonly string[] | undefined;
  readonly apiGroups?: readonly string[] | undefined;
  readonly resources?: readonly string[] | undefined;
  readonly resourceNames?: readonly string[] | undefined;
  readonly nonResourceURLs?: readonly string[] | undefined;
}

/** The fields of a Role or ClusterRole that authorization reads. */
export interface RoleLike {
  readonly rules?: readonly PolicyRule[] | null | undefined;
}

/** The fields of a RoleBinding or ClusterRoleBinding that authorization reads. */
export interface RoleBindingLike {
  readonly subjects?:
    | readonly { readonly kind?: string; readonly name?: string; readonly namespace?: string }[]
    | null
    | undefined;
  readonly roleRef?: RoleRefLike | undefined;
}

/** The `roleRef` of a binding. */
export interface RoleRefLike {
  readonly kind?: string;
  readonly name?: string;
}

/** Finds the current roles and bindings. */
export interface RoleLookup {
  clusterRoleBindings(): Iterable<RoleBindingLike>;
  roleBindings(namespace: string): Iterable<RoleBindingLike>;
  clusterRole(name: string): RoleLike | undefined;
  role(namespace: string, name: string): RoleLike | undefined;
}

/** A verb on a resource. */
export interface ResourceAttributes {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  /** Empty for all namespaces, and for cluster-scoped resources. */
  readonly namespace: string;
  readonly name: string;
}

/** A verb on a path that is no resource. */
export interface PathAttributes {
  readonly verb: string;
  readonly path: string;
}

/** Members of this group may do everything, without any role. */
const MASTERS = 'system:masters';

/** The rules of `cluster-admin`. */
export const EVERYTHING: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];
const PUBLIC: readonly PolicyRule[] = [
  { verbs: ['get'], nonResourceURLs: ['/healthz', '/livez', '/readyz', '/version', '/version/'] },
];
/** Bindings that every cluster has without creating them. */
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

/** Role-based access control: a request that no rule of the user's roles allows is forbidden. */
export class RbacAuthorizer {
  readonly #roles: RoleLookup;

  constructor(roles: RoleLookup) {
    this.#roles = roles;
  }

  /** Whether `user` may use the verb on the resource. */
  mayUse(user: User, attributes: ResourceAttributes): boolean {
    for (const rule of this.rulesOf(user, attributes.namespace)) if (allowsResource(rule, attributes)) return true;
    return false;
  }

  /** Whether `user` may use the verb on the path. */
  mayVisit(user: User, attributes: PathAttributes): boolean {
    for (const rule of this.rulesOf(user, '')) if (allowsPath(rule, attributes)) return true;
    return false;
  }

  /** The rules that `user` has in a namespace, or with `''` in the whole cluster. */
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
    // `cluster-admin` exists even if it was not created, as on a real cluster.
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

/** Whether a rule allows the verb on the resource. */
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

/** Whether a rule allows the verb on the path. */
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

/** Options of {@link createAccessCheck}. */
export interface AccessOptions {
  readonly authenticate: Authenticator;
  /** Decides what an authenticated user may do. @default none: every authenticated user may do everything */
  readonly authorizer?: RbacAuthorizer | undefined;
}

/** Returns the user of a request; throws the 401 or 403 that ends it. */
export type AccessCheck = (request: ApiRequest, info: RequestInfo) => User;

/** Authenticates and authorizes requests; throws the 401 or 403 as StatusError. Supports the impersonation headers. */
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

/** Throws 403 unless `user` may use the verb on the resource. */
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

/** The user that the `Impersonate-*` headers name, if the authenticated user may impersonate it. */
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
