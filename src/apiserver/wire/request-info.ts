import { unescape as decodePercent } from 'node:querystring';
import { ParseError } from '../../meta/errors/errors.js';
import { type ParsedFieldSelector, parseFieldSelector } from '../../meta/selectors/field-selector.js';

/** The verb of a request, as in RBAC rules. */
export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';

/** A request for something that is no resource: discovery, health, version, or an unknown path. */
export interface NonResourceRequestInfo {
  readonly isResourceRequest: false;
  /** The method in lower case. */
  readonly verb: string;
  /** The path, percent-decoded. */
  readonly path: string;
  readonly query: URLSearchParams;
}

/** A request for a resource. Fields that the path does not name are empty strings, as in RBAC's attributes. */
export interface ResourceRequestInfo {
  readonly isResourceRequest: true;
  /** Empty for a method without a verb (OPTIONS, or a POST to a legacy watch path): the answer is 405. */
  readonly verb: Verb | '';
  readonly path: string;
  readonly query: URLSearchParams;
  /** `api` for the core group, `apis` for all others. */
  readonly prefix: 'api' | 'apis';
  readonly group: string;
  readonly version: string;
  /** For the path of a namespace itself this is its own name: a role in the namespace may allow it. */
  readonly namespace: string;
  /** Whether the path is `/namespaces/{namespace}/{resource}`. The path of a namespace itself is not. */
  readonly isInNamespace: boolean;
  readonly resource: string;
  readonly name: string;
  readonly subresource: string;
  /** The segments after the subresource: `/proxy/a/b` gives `['a', 'b']`. */
  readonly rest: readonly string[];
  /** The name in `fieldSelector=metadata.name=…` of a list, watch or deletecollection; only authorization reads it. */
  readonly selectedName: string;
  /** The verb came from a legacy `/watch/` path, which watches whatever the query says. */
  readonly isLegacyWatch: boolean;
}

/** The meaning of a method and a path; the resource may not be served. */
export type RequestInfo = NonResourceRequestInfo | ResourceRequestInfo;

const VERBS: ReadonlyMap<string, Verb> = new Map([
  ['POST', 'create'],
  ['GET', 'get'],
  ['HEAD', 'get'],
  ['PUT', 'update'],
  ['PATCH', 'patch'],
  ['DELETE', 'delete'],
]);

/** After `/namespaces/{name}/` these are subresources of the namespace; everything else is a resource inside it. */
const NAMESPACE_SUBRESOURCES: ReadonlySet<string> = new Set(['status', 'finalize']);

/**
 * Parses a method and a request target (path and query as sent). Undefined: the target is malformed (a broken
 * percent-escape, or no path), and the answer is a plain 400.
 *
 * The path is decoded before it is split, as on kube-apiserver: `%2F` separates segments as `/` does and is never part of
 * a name. Dot segments are not resolved: they are names that no object can have. Only slashes at the end are dropped; an
 * empty segment elsewhere stays, and no resource has an empty name.
 */
export function parseRequestInfo(method: string, target: string): RequestInfo | undefined {
  const question = target.indexOf('?');
  const path = decodePath(pathOf(question < 0 ? target : target.slice(0, question)));
  if (path === undefined) return undefined;
  const query = new URLSearchParams(question < 0 ? '' : target.slice(question + 1));

  const parts = splitPath(path);
  const prefix = parts[0];
  const isCore = prefix === 'api';
  // Prefix and version, and the group unless it is the core group.
  const resourceAt = isCore ? 2 : 3;
  if (parts.length <= resourceAt || (!isCore && prefix !== 'apis')) {
    return { isResourceRequest: false, verb: method.toLowerCase(), path, query };
  }

  const isLegacyWatch = parts[resourceAt] === 'watch' && parts.length > resourceAt + 1;
  let at = isLegacyWatch ? resourceAt + 1 : resourceAt;
  let namespace = '';
  let isInNamespace = false;
  if (parts[at] === 'namespaces' && parts.length > at + 1) {
    namespace = parts[at + 1]!;
    isInNamespace = parts.length > at + 2 && !NAMESPACE_SUBRESOURCES.has(parts[at + 2]!);
    if (isInNamespace) at += 2;
  }
  const name = parts[at + 1] ?? '';
  const verb = verbOf(method, name, query, isLegacyWatch);
  return {
    isResourceRequest: true,
    verb,
    path,
    query,
    prefix: isCore ? 'api' : 'apis',
    group: isCore ? '' : parts[1]!,
    version: parts[resourceAt - 1]!,
    namespace,
    isInNamespace,
    resource: parts[at]!,
    name,
    subresource: parts[at + 2] ?? '',
    rest: parts.slice(at + 3),
    selectedName: name === '' && (verb === 'list' || verb === 'watch') ? selectedName(query) : '',
    isLegacyWatch,
  };
}

function verbOf(method: string, name: string, query: URLSearchParams, isLegacyWatch: boolean): Verb | '' {
  const verb = VERBS.get(method);
  if (verb === undefined) return '';
  if (isLegacyWatch) return verb === 'get' ? 'watch' : '';
  if (name !== '') return verb;
  if (verb === 'get') return queryFlag(query, 'watch') ? 'watch' : 'list';
  return verb === 'delete' ? 'deletecollection' : verb;
}

/**
 * A boolean of the query, as Kubernetes reads it: absent, `false` and `0` are false, everything else is true, also an
 * empty value. The first of repeated parameters counts.
 */
export function queryFlag(query: URLSearchParams, name: string): boolean {
  const value = query.get(name);
  return value !== null && value !== '0' && value.toLowerCase() !== 'false';
}

/** A request target may be absolute (`http://host/path`), as proxies write it; only its path matters here. */
function pathOf(target: string): string {
  const absolute = /^[a-z][a-z0-9+.-]*:\/\/[^/]*/i.exec(target);
  return absolute === null ? target : target.slice(absolute[0].length) || '/';
}

function decodePath(path: string): string | undefined {
  if (!path.startsWith('/')) return undefined;
  if (!path.includes('%')) return path;
  if (/%(?![0-9a-f]{2})/i.test(path)) return undefined;
  // Unlike decodeURIComponent it accepts bytes that are no UTF-8: they become names that no object has.
  return decodePercent(path);
}

function splitPath(path: string): string[] {
  let end = path.length;
  while (end > 1 && path[end - 1] === '/') end--;
  return path.slice(1, end).split('/');
}

/** The handler parses the selector again and answers 400 if it is malformed. */
function selectedName(query: URLSearchParams): string {
  let selector: ParsedFieldSelector;
  try {
    selector = parseFieldSelector(query.get('fieldSelector') ?? '');
  } catch (error) {
    if (error instanceof ParseError) return '';
    throw error;
  }
  const name = selector.exactValue('metadata.name') ?? '';
  return isPathSegmentName(name) ? name : '';
}

/** Whether a name is valid in a path: no dot segment, no slash, no percent sign. @internal */
export function isPathSegmentName(name: string): boolean {
  return name !== '.' && name !== '..' && !name.includes('/') && !name.includes('%');
}
