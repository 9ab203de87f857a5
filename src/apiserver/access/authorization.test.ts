import { describe, expect, it } from 'vitest';
import { StatusError } from '../../meta/errors/errors.js';
import type { ApiRequest } from '../wire/exchange.js';
import { parseRequestInfo } from '../wire/request-info.js';
import { type AuthenticationOptions, createAuthenticator } from './authentication.js';
import {
  createAccessCheck,
  type PolicyRule,
  RbacAuthorizer,
  type RoleBindingLike,
  type RoleLike,
  type RoleLookup,
} from './authorization.js';

function request(
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

const AS_ADA = { authorization: 'Bearer ada-token' };
const AS_ROOT = { authorization: 'bearer root-token' };
const AUTHENTICATION: AuthenticationOptions = {
  tokens: { 'ada-token': { name: 'ada', groups: ['dev'] }, 'root-token': { name: 'root', groups: ['system:masters'] } },
};

describe('createAuthenticator', () => {
  const authenticate = createAuthenticator(AUTHENTICATION);

  it('returns the user of a token', () => {
    expect(authenticate(request(AS_ADA))).toEqual({ name: 'ada', groups: ['dev', 'system:authenticated'] });
  });

  it('returns the user of a client certificate before that of a token', () => {
    const user = authenticate(request(AS_ADA, { commonName: 'bob', organizations: ['ops'] }));
    expect(user).toEqual({ name: 'bob', groups: ['ops', 'system:authenticated'] });
  });

  it('adds the groups of service accounts', () => {
    const { groups } = authenticate(request({}, { commonName: 'system:serviceaccount:n:a', organizations: [] }));
    expect(groups).toEqual(['system:serviceaccounts', 'system:serviceaccounts:n', 'system:authenticated']);
  });

  it('treats requests without credentials as anonymous, unless `anonymous` is false', () => {
    expect(authenticate(request())).toEqual({ name: 'system:anonymous', groups: ['system:unauthenticated'] });
    const strict = createAuthenticator({ ...AUTHENTICATION, anonymous: false });
    expect(() => strict(request())).toThrow(StatusError);
    expect(strict(request(AS_ADA)).name).toBe('ada');
  });

  it.each(['Bearer wrong', 'Bearer', 'Basic YTpi', 'Bearer ada-token x', 'Bearer __proto__'])(
    'refuses %s',
    (authorization) => {
      expect(() => authenticate(request({ authorization }))).toThrow(
        expect.objectContaining({
          document: expect.objectContaining({ code: 401, message: 'Unauthorized', reason: 'Unauthorized' }),
        }),
      );
    },
  );

  it('checks its options', () => {
    expect(() => createAuthenticator({ tokens: { '': { name: 'a' } } })).toThrow('tokens must be');
    expect(() => createAuthenticator({ tokens: { a: { name: '' } } })).toThrow('tokens[].name must be');
  });
});

interface Policies {
  readonly clusterRoles?: Readonly<Record<string, RoleLike>>;
  readonly roles?: Readonly<Record<string, RoleLike>>;
  readonly clusterRoleBindings?: readonly RoleBindingLike[];
  readonly roleBindings?: Readonly<Record<string, readonly RoleBindingLike[]>>;
}

function lookup(policies: Policies): RoleLookup {
  return {
    clusterRoleBindings: () => policies.clusterRoleBindings ?? [],
    roleBindings: (namespace) => policies.roleBindings?.[namespace] ?? [],
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
    expect(denied('/readyz')).toBe('allowed');
  });

  it('grants the default permissions of every cluster', () => {
    for (const path of ['/api', '/apis/apps/v1', '/version', '/openapi/v3/api/v1'])
      expect(check({}, 'GET', path)).toBe('allowed');
    expect(check({}, 'POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews')).toBe('allowed');
    expect(check({}, 'GET', '/version', {})).toBe('allowed');
    expect(check({}, 'GET', '/api', {})).toContain('system:anonymous');
    expect(check({}, 'DELETE', '/api/v1/nodes', AS_ROOT)).toBe('allowed');
    expect(check({}, 'GET', '/foo', AS_ROOT)).toBe('allowed');
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

  it('has the role cluster-admin without creating it', () => {
    const clusterRoleBindings = [
      { subjects: [{ kind: 'User', name: 'ada' }], roleRef: { kind: 'ClusterRole', name: 'cluster-admin' } },
    ];
    expect(check({ clusterRoleBindings }, 'DELETE', '/api/v1/nodes/a')).toBe('allowed');
  });

  it('supports impersonation by users who may impersonate', () => {
    const ada = { ...AS_ROOT, 'impersonate-user': 'ada', 'impersonate-group': 'x, ops' };
    expect(check({}, 'GET', '/api/v1/pods', ada)).toContain('User "ada" cannot list');
    const ops: Policies = {
      clusterRoles: { r: { rules: [{ verbs: ['list'], apiGroups: [''], resources: ['pods'] }] } },
      clusterRoleBindings: [
        { subjects: [{ kind: 'Group', name: 'ops' }], roleRef: { kind: 'ClusterRole', name: 'r' } },
      ],
    };
    expect(check(ops, 'GET', '/api/v1/pods', ada)).toBe('allowed');
    expect(check({}, 'GET', '/version', { ...AS_ADA, 'impersonate-user': 'root' })).toBe(
      '403 users "root" is forbidden: User "ada" cannot impersonate resource "users" in API group "" at the cluster scope',
    );
    expect(check({}, 'GET', '/version', { ...AS_ROOT, 'impersonate-group': 'ops' })).toContain('400');
    const users = toAda([{ verbs: ['impersonate'], apiGroups: [''], resources: ['users'] }]);
    expect(check(users, 'GET', '/version', { ...AS_ADA, 'impersonate-user': 'bob' })).toBe('allowed');
    expect(
      check(users, 'GET', '/version', { ...AS_ADA, 'impersonate-user': 'bob', 'impersonate-group': 'ops' }),
    ).toContain('groups "ops" is forbidden');
  });

  it('allows everything to authenticated users without an authorizer', () => {
    const access = createAccessCheck({ authenticate: createAuthenticator({ ...AUTHENTICATION, anonymous: false }) });
    const info = parseRequestInfo('DELETE', '/api/v1/nodes')!;
    expect(() => access(request(AS_ADA), info)).not.toThrow();
    expect(() => access(request(), info)).toThrow('Unauthorized');
  });
});
