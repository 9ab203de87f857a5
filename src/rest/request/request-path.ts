import { pathSegmentErrors } from '../../meta/names.js';
import type { GroupVersion } from '../../meta/resource.js';

/** The parts of a request's path. */
export interface RequestPath {
  readonly groupVersion: GroupVersion;
  /** Empty for all namespaces, which not every request allows; undefined for resources without one. */
  readonly namespace?: string | undefined;
  readonly resource?: string | undefined;
  readonly name?: string | undefined;
  readonly subresource?: readonly string[] | undefined;
  readonly suffix?: readonly string[] | undefined;
  /** Replaces all of the above. */
  readonly absolute?: string | undefined;
}

/** Escapes of `:@$&+=,;`, which need none in a path and occur in the names of RBAC objects. */
const needlessEscapes = /%(?:3A|40|24|26|2B|3D|2C|3B)/g;

/** Percent-encodes a segment of a path. */
function encodeSegment(segment: string): string {
  return encodeURIComponent(segment).replace(needlessEscapes, decodeURIComponent);
}

/** Describes why a name cannot be a segment of a path; undefined if it can. */
export function segmentError(what: string, segment: string): string | undefined {
  const problems = pathSegmentErrors(segment);
  if (/\p{Surrogate}/u.test(segment)) problems.push('may not contain a lone surrogate');
  return problems.length === 0 ? undefined : `${what} ${JSON.stringify(segment)} ${problems.join(' and ')}`;
}

/** The path of a request below the server's base path, percent-encoded. */
export function pathOf(base: string, path: RequestPath): string {
  if (path.absolute !== undefined) return joinPath(base, path.absolute);
  const { group, version } = path.groupVersion;
  const segments = group === '' ? ['api', version] : ['apis', group, version];
  if (path.namespace) segments.push('namespaces', path.namespace);
  if (path.resource) segments.push(path.resource.toLowerCase());
  if (path.name !== undefined) segments.push(path.name);
  segments.push(...(path.subresource ?? []), ...(path.suffix ?? []));
  return `${base}/${segments.map(encodeSegment).join('/')}`;
}

/** Joins the base path and a path with single slashes; a slash at the end stays. */
function joinPath(base: string, absolute: string): string {
  const segments = absolute.split('/').filter((segment) => segment !== '');
  const end = absolute.endsWith('/') && segments.length > 0 ? '/' : '';
  return `${base}/${segments.map(encodeSegment).join('/')}${end}`;
}

/** The query of a URL, sorted by name; several values become repeated parameters. */
export function queryOf(params: ReadonlyMap<string, readonly string[]>): string {
  const query = new URLSearchParams();
  for (const name of [...params.keys()].sort()) {
    for (const value of params.get(name) ?? []) query.append(name, value);
  }
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}
