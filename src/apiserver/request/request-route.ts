import { StatusError } from '../../meta/errors/errors.js';
import { badRequest, methodNotAllowed, pathNotFound } from '../../meta/errors/status.js';
import { pathSegmentErrors } from '../../meta/names.js';
import type { ApiResource } from '../resources/registry.js';
import type { ResourceRequestInfo } from '../wire/request-info.js';

/** Throws 404 for a path and 405 for a verb that the resource does not have. */
export function checkRoute(info: ResourceRequestInfo, resource: ApiResource): void {
  if (info.rest.length > 0 || !isInItsPlace(info, resource)) throw new StatusError(pathNotFound());
  if (info.name === '.' || info.name === '..' || info.name.includes('%')) {
    const problem = pathSegmentErrors(info.name).join('; ');
    throw new StatusError(badRequest(`Name parameter invalid: ${JSON.stringify(info.name)}: ${problem}`));
  }
  const needsNamespace = resource.namespaced && info.namespace === '';
  if (needsNamespace && info.name !== '') throw new StatusError(pathNotFound());
  const verbs =
    info.subresource === ''
      ? resource.verbs
      : resource.subresources?.find((subresource) => subresource.name === info.subresource)?.verbs;
  if (verbs === undefined) throw new StatusError(pathNotFound());
  const isWholeCluster = needsNamespace && info.verb !== 'list' && info.verb !== 'watch';
  const isMisplaced =
    info.subresource === '' && (info.verb === 'create') === (info.name !== '') && needsName(info.verb);
  if (!verbs.includes(info.verb) || isWholeCluster || isMisplaced) throw new StatusError(methodNotAllowed());
}

/**
 * Whether the path has the namespace that was authorized. A cluster-scoped resource has no path in a namespace; a
 * Namespace is authorized in the namespace of its own name.
 */
function isInItsPlace(info: ResourceRequestInfo, resource: ApiResource): boolean {
  if (info.subresource !== '' && info.name === '') return false;
  if (info.isInNamespace) return resource.namespaced && info.namespace !== '';
  return info.namespace === '' || (resource.group === '' && resource.resource === 'namespaces');
}

/** Whether the verb fits the path: most need a name in it, `create` and others need none. */
function needsName(verb: string): boolean {
  return verb === 'create' || verb === 'update' || verb === 'patch' || verb === 'get' || verb === 'delete';
}
