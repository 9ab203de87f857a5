import { StatusError } from '../../meta/errors/errors.js';
import { forbidden } from '../../meta/errors/status.js';
import type { User } from './authentication.js';
import type { PathAttributes, RbacAuthorizer, ResourceAttributes } from './authorization.js';

/** Throws 403 unless `user` may use the verb on the resource. */
export function requireUse(authorizer: RbacAuthorizer, user: User, attributes: ResourceAttributes): void {
  const { allowed, reason } = authorizer.mayUse(user, attributes);
  if (!allowed) throw forbiddenUse(user, attributes, reason);
}

/** Throws 403 unless `user` may use the verb on the path. */
export function requireVisit(authorizer: RbacAuthorizer, user: User, { verb, path }: PathAttributes): void {
  const { allowed, reason } = authorizer.mayVisit(user, { verb, path });
  if (allowed) return;
  const cannot = `cannot ${verb} path ${JSON.stringify(path)}`;
  throw new StatusError(forbidden({ group: '', resource: '' }, '', sentence(user, cannot, reason)));
}

/** The 403 of a user who may not use the verb on the resource. */
export function forbiddenUse(user: User, attributes: ResourceAttributes, reason: string): StatusError {
  const { verb, group, resource, subresource, namespace, name } = attributes;
  const what = JSON.stringify(subresource === '' ? resource : `${resource}/${subresource}`);
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace ${JSON.stringify(namespace)}`;
  const cannot = `cannot ${verb} resource ${what} in API group ${JSON.stringify(group)} ${where}`;
  return new StatusError(forbidden({ group, resource }, name, sentence(user, cannot, reason)));
}

function sentence({ name }: User, cannot: string, reason: string): string {
  return `User ${JSON.stringify(name)} ${cannot}${reason === '' ? '' : `: ${reason}`}`;
}
