import { accountUserName } from './account-names.js';
import type { User } from './authentication.js';

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
  readonly name: string;
  readonly subjects?: readonly SubjectLike[] | null | undefined;
  readonly roleRef?: RoleRefLike | undefined;
}

/** A subject of a binding. */
export interface SubjectLike {
  readonly kind?: string;
  readonly name?: string;
  readonly namespace?: string;
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
export const MASTERS = 'system:masters';

/** Whether a user may do something, and what decides it. */
export interface Decision {
  readonly allowed: boolean;
  /** The binding that allows it, or the roles that bindings refer to and that do not exist; empty if there is nothing to say. */
  readonly reason: string;
}

/** A rule that a user has, and the binding that gives it. Without a rule the binding refers to a role that does not exist. */
interface Held {
  readonly binding: RoleBindingLike;
  /** The namespace of a RoleBinding; empty for a ClusterRoleBinding. */
  readonly namespace: string;
  readonly subject: SubjectLike;
  readonly rule: PolicyRule | undefined;
}

/** Role-based access control: a request that no rule of the user's roles allows is forbidden. */
export class RbacAuthorizer {
  readonly #roles: RoleLookup;

  constructor(roles: RoleLookup) {
    this.#roles = roles;
  }

  /** Whether `user` may use the verb on the resource. */
  mayUse(user: User, attributes: ResourceAttributes): Decision {
    return this.#decide(user, attributes.namespace, (rule) => allowsResource(rule, attributes));
  }

  /** Whether `user` may use the verb on the path. */
  mayVisit(user: User, attributes: PathAttributes): Decision {
    return this.#decide(user, '', (rule) => allowsPath(rule, attributes));
  }

  /** The rules that `user` has in a namespace, or with `''` in the whole cluster, and the roles that are missing. */
  rulesOf(
    user: User,
    namespace: string,
  ): { readonly rules: readonly PolicyRule[]; readonly missing: readonly RoleRefLike[] } {
    const rules: PolicyRule[] = [];
    const missing: RoleRefLike[] = [];
    for (const { rule, binding } of this.#held(user, namespace)) {
      if (rule === undefined) missing.push(binding.roleRef ?? {});
      else rules.push(rule);
    }
    return { rules, missing };
  }

  /** The rules of the role that a binding in `namespace` refers to; undefined if there is no such role. */
  boundRules({ kind, name = '' }: RoleRefLike, namespace: string): readonly PolicyRule[] | undefined {
    const role = kind === 'ClusterRole' ? this.#roles.clusterRole(name) : this.#roles.role(namespace, name);
    return role && (role.rules ?? []);
  }

  #decide(user: User, namespace: string, allows: (rule: PolicyRule) => boolean): Decision {
    if (user.groups.includes(MASTERS)) return { allowed: true, reason: '' };
    const missing: RoleRefLike[] = [];
    for (const held of this.#held(user, namespace)) {
      if (held.rule === undefined) missing.push(held.binding.roleRef ?? {});
      else if (allows(held.rule)) return { allowed: true, reason: `RBAC: allowed by ${printSource(held)}` };
    }
    return { allowed: false, reason: missing.length === 0 ? '' : `RBAC: ${printMissing(missing)}` };
  }

  *#held(user: User, namespace: string): Generator<Held> {
    yield* this.#heldBy(this.#roles.clusterRoleBindings(), user, '');
    if (namespace !== '') yield* this.#heldBy(this.#roles.roleBindings(namespace), user, namespace);
  }

  *#heldBy(bindings: Iterable<RoleBindingLike>, user: User, namespace: string): Generator<Held> {
    for (const binding of bindings) {
      const subject = binding.subjects?.find((candidate) => isSubject(candidate, user, namespace));
      if (subject === undefined) continue;
      const rules = this.boundRules(binding.roleRef ?? {}, namespace);
      if (rules === undefined) yield { binding, namespace, subject, rule: undefined };
      else for (const rule of rules) yield { binding, namespace, subject, rule };
    }
  }
}

function isSubject(subject: SubjectLike, user: User, namespace: string): boolean {
  if (subject.kind === 'User') return subject.name === user.name;
  if (subject.kind === 'Group') return subject.name !== undefined && user.groups.includes(subject.name);
  if (subject.kind !== 'ServiceAccount') return false;
  return user.name === accountUserName(subject.namespace || namespace, subject.name ?? '');
}

/** A binding in the words of kube-apiserver, which puts the namespace after the name. */
function printSource({ binding, namespace, subject }: Held): string {
  const quoted = (name = '', place = ''): string => JSON.stringify(place === '' ? name : `${name}/${place}`);
  const kind = namespace === '' ? 'ClusterRoleBinding' : 'RoleBinding';
  const role = `${binding.roleRef?.kind} ${quoted(binding.roleRef?.name)}`;
  return `${kind} ${quoted(binding.name, namespace)} of ${role} to ${subject.kind} ${quoted(subject.name, subject.namespace)}`;
}

/** The roles that do not exist, as a list of errors is printed in Go. */
export function printMissing(
  roles: readonly RoleRefLike[],
  resourceOf = (kind: string): string => kind.toLowerCase(),
): string {
  const errors = new Set(
    roles.map(
      ({ kind = '', name }) => `${resourceOf(kind)}.rbac.authorization.k8s.io ${JSON.stringify(name)} not found`,
    ),
  );
  const [only = '', ...more] = errors;
  return more.length === 0 ? only : `[${[...errors].join(', ')}]`;
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
