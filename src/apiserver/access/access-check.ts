import type { ApiRequest } from '../wire/exchange.js';
import type { RequestInfo } from '../wire/request-info.js';
import { requireUse, requireVisit } from './access-refusal.js';
import type { Authenticator, User } from './authentication.js';
import type { RbacAuthorizer } from './authorization.js';
import { impersonate, readImpersonation } from './impersonation.js';

/** Options of {@link createAccessCheck}. */
export interface AccessOptions {
  readonly authenticate: Authenticator;
  /** Decides what an authenticated user may do. @default none: every authenticated user may do everything */
  readonly authorizer?: RbacAuthorizer | undefined;
}

/** Returns the user of a request; throws the 401 or 403 that ends it. */
export type AccessCheck = (request: ApiRequest, info: RequestInfo) => User;

/** Authenticates, impersonates and authorizes, in this order; throws the 401 or 403 as StatusError. */
export function createAccessCheck({ authenticate, authorizer }: AccessOptions): AccessCheck {
  return (request, info) => {
    const requestor = authenticate(request);
    const wanted = readImpersonation(request.headers);
    const user =
      wanted === undefined
        ? requestor
        : impersonate(
            requestor,
            wanted,
            {
              requireUse: (attributes) => authorizer && requireUse(authorizer, requestor, attributes),
              requireOnRequest: (verb) => authorizer && requireAccess(authorizer, requestor, info, verb),
            },
            info.verb,
          );
    if (authorizer !== undefined) requireAccess(authorizer, user, info, info.verb);
    return user;
  };
}

function requireAccess(authorizer: RbacAuthorizer, user: User, info: RequestInfo, verb: string): void {
  if (info.isResourceRequest) {
    const { group, resource, subresource, namespace } = info;
    const name = info.name || info.selectedName;
    requireUse(authorizer, user, { verb, group, resource, subresource, namespace, name });
  } else requireVisit(authorizer, user, { verb, path: info.path });
}
