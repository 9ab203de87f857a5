import type { AccessOracle } from '../cel/functions/authorizer.js';
import { AUTHENTICATED, type User } from './authentication.js';
import type { RbacAuthorizer } from './authorization.js';

const ACCOUNTS = 'system:serviceaccounts';

/** Answers what expressions ask about a user. Without an authorizer every user may do everything. */
export function accessOracle(authorizer: RbacAuthorizer | undefined, user: User): AccessOracle {
  return ({ verb, path, group = '', resource = '', subresource = '', namespace = '', name = '', serviceAccount }) => {
    if (authorizer === undefined) return { allowed: true, reason: '' };
    const asked = serviceAccount === undefined ? user : accountUser(serviceAccount.namespace, serviceAccount.name);
    return path === undefined
      ? authorizer.mayUse(asked, { verb, group, resource, subresource, namespace, name })
      : authorizer.mayVisit(asked, { verb, path });
  };
}

function accountUser(namespace: string, name: string): User {
  return {
    name: `system:serviceaccount:${namespace}:${name}`,
    groups: [ACCOUNTS, `${ACCOUNTS}:${namespace}`, AUTHENTICATED],
  };
}
