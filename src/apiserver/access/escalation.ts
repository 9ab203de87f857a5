import { isDeepStrictEqual } from 'node:util';
import { StatusError } from '../../meta/errors/errors.js';
import { forbidden, notFound } from '../../meta/errors/status.js';
import type { JsonObject } from '../../meta/json-values.js';
import type { ObjectMeta } from '../../meta/objects.js';
import { objectOf, RBAC_GROUP, text } from '../resources/kinds/cluster/rbac.js';
import type { ApiResource } from '../resources/registry.js';
import type { User } from './authentication.js';
import { allowsPath, allowsResource, type PolicyRule, printMissing, type RbacAuthorizer } from './authorization.js';
import { readRole } from './roles.js';

/** A write of a role or a binding, and the user that sends it. */
export interface Grant {
  readonly user: User;
  readonly resource: ApiResource;
  readonly namespace: string;
  /** The name in the path; empty for a create. */
  readonly name: string;
}

const EVERYTHING: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

/** At most so many single permissions of a role are compared: a rule has the product of its lists. */
const MAX_PERMISSIONS = 10_000;

/**
 * Throws 403 for a role or binding that grants more permissions than the user has. Exempt are users who may `escalate`
 * the role or `bind` it, and writes that change only what the garbage collector changes.
 */
export function checkGrant(authorizer: RbacAuthorizer, grant: Grant, next: JsonObject, old?: JsonObject): void {
  if (grant.resource.group !== RBAC_GROUP) return;
  if (old !== undefined && isDeepStrictEqual(withoutGarbageFields(next), withoutGarbageFields(old))) return;
  if (grant.resource.kind.endsWith('Binding')) checkBinding(authorizer, grant, next);
  else checkRole(authorizer, grant, next, old);
}

function checkRole(authorizer: RbacAuthorizer, grant: Grant, role: JsonObject, old: JsonObject | undefined): void {
  const { user, resource, namespace, name } = grant;
  const attributes = { group: RBAC_GROUP, resource: resource.resource, subresource: '', namespace, name };
  if (authorizer.mayUse(user, { verb: 'escalate', ...attributes }).allowed) return;
  const refuse = (why: string): StatusError => refusal(grant, role, why);
  requireHeld(authorizer, grant, readRole(role).rules, refuse);
  if (role['aggregationRule'] !== undefined || old?.['aggregationRule'] !== undefined) {
    const isAdmin = lacking(authorizer.rulesOf(user, namespace).rules, EVERYTHING).length === 0;
    if (!isAdmin) throw refuse('must have cluster-admin privileges to use the aggregationRule');
  }
}

function checkBinding(authorizer: RbacAuthorizer, grant: Grant, binding: JsonObject): void {
  const { user, namespace } = grant;
  const { kind, name } = objectOf(binding['roleRef']);
  const roleRef = { kind: text(kind), name: text(name) };
  const isCluster = roleRef.kind === 'ClusterRole';
  // An invalid roleRef is refused by the rules of the kind.
  if (!isCluster && (roleRef.kind !== 'Role' || namespace === '')) return;
  const role = { group: RBAC_GROUP, resource: isCluster ? 'clusterroles' : 'roles' };
  if (authorizer.mayUse(user, { verb: 'bind', ...role, subresource: '', namespace, name: roleRef.name }).allowed)
    return;
  const rules = authorizer.boundRules(roleRef, namespace);
  // kube-apiserver names the resource of the request, not that of the role.
  if (rules === undefined) throw new StatusError(notFound(grant.resource.groupResource, roleRef.name));
  requireHeld(authorizer, grant, rules, (why) => refusal(grant, binding, why));
}

function refusal({ resource }: Grant, object: JsonObject, why: string): StatusError {
  return new StatusError(forbidden(resource.groupResource, text(objectOf(object['metadata'])['name']), why));
}

function requireHeld(
  authorizer: RbacAuthorizer,
  { user, namespace, resource }: Grant,
  rules: readonly PolicyRule[],
  refuse: (why: string) => StatusError,
): void {
  const count = rules.reduce((sum, rule) => sum + permissionCount(rule), 0);
  if (count > MAX_PERMISSIONS) {
    throw refuse(
      `its rules amount to ${count} permissions; at most ${MAX_PERMISSIONS} are checked: write smaller rules`,
    );
  }
  const held = authorizer.rulesOf(user, namespace);
  const lines = lacking(held.rules, rules);
  if (lines.length === 0) return;
  const who = `user ${JSON.stringify(user.name)} (groups=${quoted(user.groups)})`;
  const unresolved = held.missing.length === 0 ? '' : printMissing(held.missing, () => resource.resource);
  const errors = unresolved === '' ? '' : `; resolution errors: [${unresolved}]`;
  throw refuse(`${who} is attempting to grant RBAC permissions not currently held:\n${lines.join('\n')}${errors}`);
}

function permissionCount(rule: PolicyRule): number {
  const sizes = [rule.apiGroups, rule.resources, rule.verbs].map((list) => list?.length ?? 0);
  const [groups = 0, resources = 0, verbs = 0] = sizes;
  return groups * resources * verbs * (rule.resourceNames?.length || 1) + verbs * (rule.nonResourceURLs?.length ?? 0);
}

/** The permissions of `wanted` that no held rule has, one line for each resource or path. */
function lacking(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): string[] {
  const lines = new Set<string>();
  for (const { verbs = [], apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } of wanted) {
    const add = (isHeld: (rule: PolicyRule, verb: string) => boolean, what: string): void => {
      const unheld = verbs.filter((verb) => !held.some((rule) => isHeld(rule, verb)));
      if (unheld.length > 0) lines.add(`{${what}, Verbs:${quoted(unheld)}}`);
    };
    for (const group of apiGroups) {
      for (const path of resources) {
        const [resource = '', subresource = ''] = path.split('/', 2);
        const what = `APIGroups:${quoted([group])}, Resources:${quoted([path])}`;
        const attributes = { group, resource, subresource, namespace: '' };
        // A permission for all names needs a rule without resourceNames.
        if (resourceNames.length === 0) {
          const isHeld = (rule: PolicyRule, verb: string): boolean =>
            (rule.resourceNames ?? []).length === 0 && allowsResource(rule, { ...attributes, verb, name: '' });
          add(isHeld, what);
        }
        for (const name of resourceNames) {
          add(
            (rule, verb) => allowsResource(rule, { ...attributes, verb, name }),
            `${what}, ResourceNames:${quoted([name])}`,
          );
        }
      }
    }
    for (const path of nonResourceURLs) {
      add((rule, verb) => allowsPath(rule, { verb, path }), `NonResourceURLs:${quoted([path])}`);
    }
  }
  return [...lines].sort();
}

/** A list as Go prints it. */
function quoted(list: readonly string[]): string {
  return `[${list.map((item) => JSON.stringify(item)).join(' ')}]`;
}

function withoutGarbageFields(object: JsonObject): JsonObject {
  const {
    ownerReferences: _owners,
    finalizers: _finalizers,
    ...metadata
  } = objectOf(object['metadata']) as Partial<ObjectMeta>;
  return { ...object, metadata };
}
