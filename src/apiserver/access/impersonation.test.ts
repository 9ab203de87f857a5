import { describe, expect, it } from 'vitest';
import { StatusError } from '../../meta/errors/errors.js';
import { forbiddenUse } from './access-refusal.js';
import type { User } from './authentication.js';
import { Impersonation, readImpersonation } from './impersonation.js';

const ADA: User = { name: 'ada', groups: ['system:authenticated'] };

/** Impersonates as a user with these permissions, each as `verb group/resource[/subresource] name`; `*` has all. */
function attempt(
  permissions: readonly string[],
  headers: Readonly<Record<string, string>>,
  requestor = ADA,
  impersonation = new Impersonation(),
): unknown {
  const has = (permission: string): boolean => permissions.includes('*') || permissions.includes(permission);
  try {
    return impersonation.impersonate(
      requestor,
      readImpersonation(headers)!,
      {
        requireUse(attributes) {
          const { verb, group, resource, subresource, namespace, name } = attributes;
          const what = [group, resource, subresource, namespace].filter((part) => part !== '').join('/');
          if (!has(`${verb} ${what} ${name}`)) throw forbiddenUse(requestor, attributes, '');
        },
        requireOnRequest(verb) {
          const list = { verb, group: '', resource: 'pods', subresource: '', namespace: '', name: '' };
          if (!has(verb)) throw forbiddenUse(requestor, list, '');
        },
      },
      'list',
    );
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return error.document.message;
  }
}

describe('readImpersonation', () => {
  it('reads user, uid, groups and extra values, whose keys are escaped', () => {
    const headers = {
      'impersonate-user': 'jane',
      'impersonate-uid': 'u1',
      'impersonate-group': 'a, b',
      'impersonate-extra-scopes': 'x, y',
      'impersonate-extra-acme.com%2fproject': 'z',
      'impersonate-extra-%zz': 'kept',
    };
    expect(readImpersonation(headers)).toEqual({
      name: 'jane',
      uid: 'u1',
      groups: ['a', 'b'],
      extra: { scopes: ['x', 'y'], 'acme.com/project': ['z'], '%zz': ['kept'] },
    });
    expect(readImpersonation({ accept: '*/*', 'impersonate-user': '' })).toBeUndefined();
  });

  it.each([
    [{ 'impersonate-uid': 'u1' }, 'UID:"u1", Groups:[]string(nil), Extra:map[string][]string(nil)'],
    [{ 'impersonate-group': 'a, b' }, 'UID:"", Groups:[]string{"a", "b"}, Extra:map[string][]string(nil)'],
    [{ 'impersonate-extra-s': 'a' }, 'UID:"", Groups:[]string(nil), Extra:map[string][]string{"s":[]string{"a"}}'],
    [
      { 'impersonate-extra-__proto__': 'a' },
      'UID:"", Groups:[]string(nil), Extra:map[string][]string{"__proto__":[]string{"a"}}',
    ],
  ])('refuses %j without a user', (headers, printed) => {
    expect(() => readImpersonation(headers)).toThrow(
      `requested &user.DefaultInfo{Name:"", ${printed}} without impersonating a user name`,
    );
  });
});

describe('impersonate', () => {
  it('needs a permission for the name, the uid, each group and each extra value', () => {
    const headers = {
      'impersonate-user': 'jane',
      'impersonate-uid': 'u1',
      'impersonate-group': 'g',
      'impersonate-extra-scopes': 'a',
    };
    const needed = [
      'impersonate users jane',
      'impersonate authentication.k8s.io/uids u1',
      'impersonate groups g',
      'impersonate authentication.k8s.io/userextras/scopes a',
    ];
    expect(attempt(needed, headers)).toEqual({
      name: 'jane',
      uid: 'u1',
      groups: ['g', 'system:authenticated'],
      extra: { scopes: ['a'] },
    });
    for (const one of needed)
      expect(
        attempt(
          needed.filter((other) => other !== one),
          headers,
        ),
      ).toContain('cannot');
  });

  it('answers with the refusal of the first mode that fits', () => {
    const cannot = (mode: string): string =>
      `pods is forbidden: User "ada" cannot impersonate-on:${mode}:list resource "pods" in API group "" at the cluster scope`;
    expect(attempt([], { 'impersonate-user': 'jane' })).toBe(cannot('user-info'));
    expect(attempt([], { 'impersonate-user': 'system:node:n1' })).toBe(cannot('arbitrary-node'));
    expect(attempt([], { 'impersonate-user': 'system:serviceaccount:n:a' })).toBe(cannot('serviceaccount'));
    expect(attempt(['impersonate-on:user-info:list'], { 'impersonate-user': 'jane' })).toBe(
      'users.authentication.k8s.io "jane" is forbidden: User "ada" cannot impersonate:user-info resource "users" in API group "authentication.k8s.io" at the cluster scope',
    );
  });

  it('tries the mode first that was last successful for the user, and answers with its refusal', () => {
    const impersonation = new Impersonation();
    const users = ['impersonate users jane'];
    expect(attempt(users, { 'impersonate-user': 'jane' }, ADA, impersonation)).toMatchObject({ name: 'jane' });
    expect(attempt(users, { 'impersonate-user': 'kim' }, ADA, impersonation)).toContain('users "kim" is forbidden');
    expect(attempt(['*'], { 'impersonate-user': 'system:node:n1' }, ADA, impersonation)).toMatchObject({
      groups: ['system:authenticated'],
    });
  });

  it('constrains an impersonation to what the request does', () => {
    const users = 'impersonate:user-info authentication.k8s.io/users jane';
    expect(attempt([users, 'impersonate-on:user-info:list'], { 'impersonate-user': 'jane' })).toMatchObject({
      name: 'jane',
    });
    expect(attempt([users, 'impersonate-on:user-info:get'], { 'impersonate-user': 'jane' })).toContain('cannot');
    const node = ['impersonate:arbitrary-node authentication.k8s.io/nodes n1', 'impersonate-on:arbitrary-node:list'];
    expect(attempt(node, { 'impersonate-user': 'system:node:n1' })).toEqual({
      name: 'system:node:n1',
      groups: ['system:nodes', 'system:authenticated'],
    });
  });

  it('lets a ServiceAccount act as the node of its pod', () => {
    const extra = { 'authentication.kubernetes.io/node-name': ['n1'] };
    const agent = { name: 'system:serviceaccount:n:agent', groups: [], extra };
    const own = ['impersonate:associated-node authentication.k8s.io/nodes *', 'impersonate-on:associated-node:list'];
    expect(attempt(own, { 'impersonate-user': 'system:node:n1' }, agent)).toMatchObject({ name: 'system:node:n1' });
    expect(attempt(own, { 'impersonate-user': 'system:node:n2' }, agent)).toContain('cannot');
  });

  it('never gives system:masters to a constrained impersonation', () => {
    const all = ['impersonate:user-info authentication.k8s.io/users jane', 'impersonate-on:user-info:list'];
    expect(attempt(all, { 'impersonate-user': 'jane', 'impersonate-group': 'system:masters' })).toBe(
      'groups.authentication.k8s.io "system:masters" is forbidden: User "ada" cannot impersonate:user-info resource "groups" in API group "authentication.k8s.io" at the cluster scope: impersonating the system:masters group is not allowed',
    );
  });

  it.each([
    ['jane', '', ['system:authenticated']],
    ['jane', 'system:unauthenticated', ['system:unauthenticated']],
    ['system:anonymous', '', ['system:unauthenticated']],
    ['system:serviceaccount:n:a', '', ['system:serviceaccounts', 'system:serviceaccounts:n', 'system:authenticated']],
    ['system:serviceaccount:n:a', 'g', ['g', 'system:authenticated']],
    ['system:serviceaccount:N:a', '', ['system:authenticated']],
  ])('gives %s with the groups %j the groups %j', (name, groups, expected) => {
    const headers = { 'impersonate-user': name, ...(groups === '' ? {} : { 'impersonate-group': groups }) };
    expect(attempt(['*'], headers)).toMatchObject({ groups: expected });
  });
});
