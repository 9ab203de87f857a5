import { describe, expect, it } from 'vitest';
import { AS_ADA, AS_ROOT, AUTHENTICATION, request } from '../../../test/support/access-requests.js';
import { StatusError } from '../../meta/errors/errors.js';
import { parseRequestInfo } from '../wire/request-info.js';
import { createAccessCheck } from './access-check.js';
import { createAuthenticator } from './authentication.js';
import {
  type PolicyRule,
  RbacAuthorizer,
  type RoleBindingLike,
  type RoleLike,
  type RoleLookup,
} from './authorization.js';

interface Policies {
  readonly clusterRoles?: Readonly<Record<string, RoleLike>>;
  readonly roles?: Readonly<Record<string, RoleLike>>;
  readonly clusterRoleBindings?: readonly Omit<RoleBindingLike, 'name'>[];
  readonly roleBindings?: Readonly<Record<string, readonly Omit<RoleBindingLike, 'name'>[]>>;
}

function lookup(policies: Policies): RoleLookup {
  return {
    clusterRoleBindings: () => (policies.clusterRoleBindings ?? []).map((binding) => ({ name: 'b', ...binding })),
    roleBindings: (namespace) =>
      (policies.roleBindings?.[namespace] ?? []).map((binding) => ({ name: 'b', ...binding })),
    clusterRole: (name) => policies.clusterRoles?.[name],
    role: (namespace, name) => policies.roles?.[`${namespace}/${name}`],
  };
}

/** The outcome of the access check: allowed, or the message of the Status. */
function check(
  policies: Policies,
  method: string,
  target: string,
  headers: Readonly<Record<string, string>> = AS_ADA,
): string {
  const access = createAccessCheck({
    authenticate: createAuthenticator(AUTHENTICATION),
    authorizer: new RbacAuthorizer(lookup(policies)),
  });
  try {
    access(request(headers), parseRequestInfo(method, target)!);
    return 'allowed';
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return `${error.status} ${error.document.message}`;
  }
}

function toAda(rules: readonly PolicyRule[]): Policies {
  return {
    clusterRoles: { r: { rules } },
    clusterRoleBindings: [{ subjects: [{ kind: 'User', name: 'ada' }], roleRef: { kind: 'ClusterRole', name: 'r' } }],
  };
}

describe('createAccessCheck', () => {
  it.each([
    [
      'GET',
      '/api/v1/pods',
      'pods is forbidden: User "ada" cannot list resource "pods" in API group "" at the cluster scope',
    ],
    [
      'GET',
      '/api/v1/pods?watch=1',
      'pods is forbidden: User "ada" cannot watch resource "pods" in API group "" at the cluster scope',
    ],
    [
      'GET',
      '/api/v1/namespaces/n/pods/x',
      'pods "x" is forbidden: User "ada" cannot get resource "pods" in API group "" in the namespace "n"',
    ],
    [
      'GET',
      '/api/v1/namespaces/n/pods/x/log',
      'pods "x" is forbidden: User "ada" cannot get resource "pods/log" in API group "" in the namespace "n"',
    ],
    [
      'POST',
      '/apis/apps/v1/namespaces/n/deployments',
      'deployments.apps is forbidden: User "ada" cannot create resource "deployments" in API group "apps" in the namespace "n"',
    ],
    [
      'GET',
      '/api/v1/pods?fieldSelector=metadata.name=b',
      'pods "b" is forbidden: User "ada" cannot list resource "pods" in API group "" at the cluster scope',
    ],
    ['GET', '/foo', 'forbidden: User "ada" cannot get path "/foo"'],
  ])('forbids %s %s in the words of the real server', (method, target, message) => {
    expect(check({}, method, target)).toBe(`403 ${message}`);
  });

  it('names verb, resource and user in the 403', () => {
    const access = createAccessCheck({
      authenticate: createAuthenticator(),
      authorizer: new RbacAuthorizer(lookup({})),
    });
    const denied = (target: string): unknown => {
      try {
        access(request(), parseRequestInfo('GET', target)!);
      } catch (error) {
        return (error as StatusError).document.details;
      }
      return 'allowed';
    };
    expect(denied('/apis/apps/v1/namespaces/n/deployments/d')).toEqual({
      name: 'd',
      group: 'apps',
      kind: 'deployments',
    });
    expect(denied('/api')).toEqual({});
  });

  it('allows everything to system:masters, whatever the roles are', () => {
    expect(check({}, 'DELETE', '/api/v1/nodes', AS_ROOT)).toBe('allowed');
    expect(check({}, 'GET', '/foo', AS_ROOT)).toBe('allowed');
    expect(check({}, 'GET', '/version')).toContain('403');
  });

  it.each<[PolicyRule, string, string, boolean]>([
    [{ verbs: ['list'], apiGroups: [''], resources: ['pods'] }, 'GET', '/api/v1/pods', true],
    [{ verbs: ['list'], apiGroups: [''], resources: ['pods'] }, 'GET', '/api/v1/namespaces/n/pods', true],
    [{ verbs: ['list'], apiGroups: [''], resources: ['pods'] }, 'GET', '/api/v1/pods?watch=1', false],
    [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }, 'DELETE', '/apis/apps/v1/namespaces/n/deployments/d', true],
    [{ verbs: ['*'], apiGroups: ['apps'], resources: ['*'] }, 'GET', '/api/v1/pods', false],
    [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }, 'GET', '/api/v1/namespaces/n/pods/a/log', false],
    [{ verbs: ['get'], apiGroups: [''], resources: ['pods/log'] }, 'GET', '/api/v1/namespaces/n/pods/a/log', true],
    [{ verbs: ['get'], apiGroups: [''], resources: ['*/log'] }, 'GET', '/api/v1/namespaces/n/pods/a/log', true],
    [{ verbs: ['get'], apiGroups: [''], resources: ['*/log'] }, 'GET', '/api/v1/namespaces/n/pods/a', false],
    [
      { verbs: ['get'], apiGroups: [''], resources: ['pods'], resourceNames: ['a'] },
      'GET',
      '/api/v1/namespaces/n/pods/a',
      true,
    ],
    [
      { verbs: ['get'], apiGroups: [''], resources: ['pods'], resourceNames: ['a'] },
      'GET',
      '/api/v1/namespaces/n/pods/b',
      false,
    ],
    [
      { verbs: ['list'], apiGroups: [''], resources: ['pods'], resourceNames: ['a'] },
      'GET',
      '/api/v1/pods?fieldSelector=metadata.name=a',
      true,
    ],
    [{ verbs: ['list'], apiGroups: [''], resources: ['pods'], resourceNames: ['a'] }, 'GET', '/api/v1/pods', false],
    [{ verbs: ['get'], nonResourceURLs: ['/foo/*'] }, 'GET', '/foo/bar', true],
    [{ verbs: ['get'], nonResourceURLs: ['/foo/*'] }, 'GET', '/foobar', false],
    [{ verbs: ['get'], nonResourceURLs: ['/foo'] }, 'POST', '/foo', false],
    [{}, 'GET', '/api/v1/pods', false],
  ])('%j and %s %s: %s', (rule, method, target, isAllowed) => {
    expect(check(toAda([rule]), method, target) === 'allowed').toBe(isAllowed);
  });

  it('binds users, groups and service accounts', () => {
    const rules = [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }];
    const bound = (subject: { kind: string; name: string; namespace?: string }): Policies => ({
      clusterRoles: { r: { rules } },
      clusterRoleBindings: [{ subjects: [subject], roleRef: { kind: 'ClusterRole', name: 'r' } }],
    });
    const list = (subject: { kind: string; name: string; namespace?: string }): string =>
      check(bound(subject), 'GET', '/api/v1/pods');
    expect(list({ kind: 'Group', name: 'dev' })).toBe('allowed');
    expect(list({ kind: 'Group', name: 'system:authenticated' })).toBe('allowed');
    expect(list({ kind: 'User', name: 'bob' })).toContain('403');
    expect(list({ kind: 'Robot', name: 'ada' })).toContain('403');
    const account = { kind: 'ServiceAccount', name: 'a', namespace: 'n' };
    const as = { ...AS_ROOT, 'impersonate-user': 'system:serviceaccount:n:a' };
    expect(check(bound(account), 'GET', '/api/v1/pods', as)).toBe('allowed');
    expect(check(bound({ ...account, namespace: 'm' }), 'GET', '/api/v1/pods', as)).toContain('403');
  });

  it('keeps a role binding to its namespace, whichever role it binds', () => {
    const rules = [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }];
    const subjects = [{ kind: 'User', name: 'ada' }];
    for (const kind of ['Role', 'ClusterRole']) {
      const policies: Policies = {
        roles: { 'n/r': { rules } },
        clusterRoles: { r: { rules } },
        roleBindings: { n: [{ subjects, roleRef: { kind, name: 'r' } }] },
      };
      expect(check(policies, 'GET', '/api/v1/namespaces/n/pods/a')).toBe('allowed');
      expect(check(policies, 'GET', '/api/v1/namespaces/m/pods/a')).toContain('403');
      expect(check(policies, 'GET', '/api/v1/pods')).toContain('403');
    }
    expect(check({ roleBindings: { n: [{ subjects }] } }, 'GET', '/api/v1/namespaces/n/pods/a')).toContain('403');
  });

  it('names the roles that bindings refer to and that do not exist', () => {
    const subjects = [{ kind: 'User', name: 'ada' }];
    const clusterRoleBindings = [{ subjects, roleRef: { kind: 'ClusterRole', name: 'gone' } }];
    const one = 'clusterrole.rbac.authorization.k8s.io "gone" not found';
    expect(check({ clusterRoleBindings }, 'GET', '/foo')).toBe(
      `403 forbidden: User "ada" cannot get path "/foo": RBAC: ${one}`,
    );
    const roleBindings = { n: [{ subjects, roleRef: { kind: 'Role', name: 'lost' } }] };
    expect(check({ clusterRoleBindings, roleBindings }, 'GET', '/api/v1/namespaces/n/pods')).toContain(
      `in the namespace "n": RBAC: [${one}, role.rbac.authorization.k8s.io "lost" not found]`,
    );
  });

  it('allows everything to authenticated users without an authorizer', () => {
    const access = createAccessCheck({ authenticate: createAuthenticator({ ...AUTHENTICATION, anonymous: false }) });
    const info = parseRequestInfo('DELETE', '/api/v1/nodes')!;
    expect(() => access(request(AS_ADA), info)).not.toThrow();
    expect(() => access(request(), info)).toThrow('Unauthorized');
  });
});
