import type { AccessOracle } from '../cel/functions/authorizer.js';
import { accountGroups, accountUserName } from './account-names.js';
import type { User } from './authentication.js';
import type { RbacAuthorizer } from './authorization.js';

/** Answers what expressions ask about a user. Without an authorizer every user may do everything. */
export function accessOracle(authorizer: RbacAuthorizer | undefined, user: User): AccessOracle {
  return ({ verb, path, group = '', resource = '', subresource = '', namespace = '', name = '', serviceAccount }) => {
    if (authorizer === undefined) return { allowed: true, reason: '' };
    const asked = serviceAccount === undefined ? user : namedAccount(serviceAccount.namespace, serviceAccount.name);
    return path === undefined
      ? authorizer.mayUse(asked, { verb, group, resource, subresource, namespace, name })
      : authorizer.mayVisit(asked, { verb, path });
  };
}

/** An account that an expression names is not authenticated: as on kube-apiserver it lacks the group `system:authenticated`. */
function namedAccount(namespace: string, name: string): User {
  return { name: accountUserName(namespace, name), groups: accountGroups(namespace) };
}
