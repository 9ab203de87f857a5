import { StatusError } from '../../meta/errors/errors.js';
import { badRequest, methodNotAllowed, notFound, pathNotFound } from '../../meta/errors/status.js';
import { pathSegmentErrors } from '../../meta/names.js';
import { printGroupResource } from '../../meta/resource.js';
import type { ApiResource } from '../resources/registry.js';
import type { ResourceRequestInfo } from '../wire/request-info.js';

/**
 * Whether kube-apiserver has no handler for a path of a custom resource: it answers with a page, not with a Status. Custom
 * resources have one handler for all paths, so that most others reach it.
 */
export function isUnroutable(info: ResourceRequestInfo, resource: ApiResource): boolean {
  if (!resource.isCustom) return false;
  const isWholeCluster = resource.namespaced && info.namespace === '';
  const isListed = info.name === '' && (info.verb === 'list' || info.verb === 'watch');
  return (isWholeCluster && !isListed) || !isInItsPlace(info, resource);
}

/** Throws 404 for a path and 405 for a verb that a custom resource does not have, with the messages of its handler. */
function checkCustomRoute(info: ResourceRequestInfo, resource: ApiResource): void {
  const { groupResource } = resource;
  const subresource = resource.subresources?.find(({ name }) => name === info.subresource);
  if (info.subresource !== '' && subresource === undefined) {
    throw new StatusError(notFound(groupResource, info.name));
  }
  const verbs = subresource?.verbs ?? resource.verbs;
  if (!verbs.includes(info.verb)) {
    const { group, resource: kind } = groupResource;
    const message = `${info.verb} is not supported on resources of kind ${JSON.stringify(printGroupResource(groupResource))}`;
    throw new StatusError({ ...methodNotAllowed(), message, details: { group, kind } });
  }
  if (info.verb === 'update' && info.name === '') throw new StatusError(badRequest('name must be provided'));
}

/** Throws 404 for a path and 405 for a verb that the resource does not have. */
export function checkRoute(info: ResourceRequestInfo, resource: ApiResource): void {
  if (!isInItsPlace(info, resource)) throw new StatusError(pathNotFound());
  if (info.name === '.' || info.name === '..' || info.name.includes('%')) {
    const problem = pathSegmentErrors(info.name).join('; ');
    throw new StatusError(badRequest(`Name parameter invalid: ${JSON.stringify(info.name)}: ${problem}`));
  }
  if (resource.isCustom) checkCustomRoute(info, resource);
  else checkBuiltInRoute(info, resource);
}

function checkBuiltInRoute(info: ResourceRequestInfo, resource: ApiResource): void {
  // The rest of the path of a proxy is that of the request to the pod.
  if (info.rest.length > 0 && info.subresource !== 'proxy') throw new StatusError(pathNotFound());
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
