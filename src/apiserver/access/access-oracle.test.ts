import { expect, it } from 'vitest';
import { accessOracle } from './access-oracle.js';
import { RbacAuthorizer } from './authorization.js';

/** Whether an account that an expression names may read pods, if the members of a group may. */
function mayRead(group: string): boolean {
  const authorizer = new RbacAuthorizer({
    clusterRoleBindings: () => [
      { name: 'b', subjects: [{ kind: 'Group', name: group }], roleRef: { kind: 'ClusterRole', name: 'r' } },
    ],
    roleBindings: () => [],
    clusterRole: () => ({ rules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }] }),
    role: () => undefined,
  });
  const oracle = accessOracle(authorizer, { name: 'ada', groups: ['system:masters'] });
  return oracle({ verb: 'get', resource: 'pods', serviceAccount: { namespace: 'n', name: 'a' } }).allowed;
}

it('has the groups of a named ServiceAccount, and none of an authenticated user', () => {
  const groups = ['system:serviceaccounts', 'system:serviceaccounts:n', 'system:serviceaccounts:m'];
  expect(groups.map(mayRead)).toEqual([true, true, false]);
  expect(['system:authenticated', 'system:masters'].map(mayRead)).toEqual([false, false]);
});
