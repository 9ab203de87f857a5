import { checkOptions, type OptionNames } from '../meta/options/known-options.js';
import { optionError, requireOneOf } from '../meta/options/validate.js';
import type { HttpMethod, Request } from '../rest/request/request.js';
import type { RestClient } from '../rest/request/rest-client.js';
import { checkSegment } from './target.js';

interface ProxyPort {
  /** The number or the name of the port. @default the only port of a service, 80 of a pod, the kubelet's of a node */
  readonly port?: number | string | undefined;
  /** How the API server asks. @default 'http', for nodes 'https' */
  readonly scheme?: 'http' | 'https' | undefined;
  /** The path on the service, not encoded; parameters are added with `param()` of the request. @default '/' */
  readonly path?: string | undefined;
}

/** A service, a pod or a node, and a path on it. */
export type ProxyTarget = ProxyPort &
  (
    | { readonly service: string; readonly namespace: string }
    | { readonly pod: string; readonly namespace: string }
    | { readonly node: string }
  );

const targetNames: OptionNames<ProxyTarget> = {
  service: true,
  pod: true,
  node: true,
  namespace: true,
  port: true,
  scheme: true,
  path: true,
};

const KINDS = { service: 'services', pod: 'pods', node: 'nodes' } as const;

/** See `Client.proxy`. */
export function proxyRequest(rest: RestClient, target: ProxyTarget, method: HttpMethod): Request {
  checkOptions('proxy', target, targetNames);
  const given = target as Partial<Record<keyof typeof KINDS | 'namespace', string>> & ProxyPort;
  const { port, scheme, path = '/', namespace } = given;
  const kinds = (['service', 'pod', 'node'] as const).filter((kind) => given[kind] !== undefined);
  const [kind] = kinds;
  if (kind === undefined || kinds.length > 1) throw optionError('target', 'one service, pod or node', target);
  const name = checkSegment(kind, given[kind]);
  if (scheme !== undefined) requireOneOf('scheme', scheme, ['http', 'https']);
  if (port !== undefined && !/^[a-z0-9-]+$/i.test(String(port))) throw optionError('port', 'a number or a name', port);
  if (typeof path !== 'string' || /[?#]/.test(path)) {
    throw optionError('path', 'a path; add parameters with param() of the request', path);
  }
  if (path.split('/').some((segment) => segment === '.' || segment === '..')) {
    throw optionError('path', 'a path without the segments . and ..', path);
  }
  const place = kind === 'node' ? '' : `namespaces/${checkSegment('namespace', namespace)}/`;
  if (kind === 'node' && namespace !== undefined) throw optionError('namespace', 'left out for a node', namespace);
  const asked = scheme === undefined ? [name, ...(port === undefined ? [] : [port])] : [scheme, name, port ?? ''];
  const absolute = `/api/v1/${place}${KINDS[kind]}/${asked.join(':')}/proxy/${path.replace(/^\/+/, '')}`;
  return rest.request(method).absPath(absolute).header('accept', '*/*');
}
