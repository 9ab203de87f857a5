import type { ServedResource, ServedSubresource } from '../resources/discovery.js';
import { typeOfKind } from './built-in-schemas.js';
import { customSchemaName, schemaName } from './schema-names.js';

/** An operation of the API, before it is printed as OpenAPI 2 or 3. */
export interface Operation {
  readonly method: 'get' | 'put' | 'post' | 'delete' | 'options' | 'head' | 'patch';
  readonly id: string;
  readonly tag: string;
  /** Undefined for discovery. */
  readonly action?: string | undefined;
  readonly kind?: { readonly group: string; readonly version: string; readonly kind: string } | undefined;
  /** Names in {@link parameterTypes}. */
  readonly parameters: readonly string[];
  /** The name of the schema of the body. */
  readonly body?: string | undefined;
  readonly codes: readonly string[];
  /** The name of the schema of the answer. @default a text */
  readonly answer?: string | undefined;
  /** The media types of the answer. */
  readonly produces: readonly string[];
  /** The media types of the body. */
  readonly consumes: readonly string[];
}

/** The operations of one path. */
export interface PathOperations {
  readonly path: string;
  readonly operations: readonly Operation[];
}

const LIST = [
  'allowWatchBookmarks',
  'continue',
  'fieldSelector',
  'labelSelector',
  'limit',
  'resourceVersion',
  'resourceVersionMatch',
  'sendInitialEvents',
  'shardSelector',
  'timeoutSeconds',
  'watch',
];
const WRITE = ['dryRun', 'fieldManager', 'fieldValidation'];
const DELETE = [
  'dryRun',
  'gracePeriodSeconds',
  'ignoreStoreReadErrorWithClusterBreakingPotential',
  'orphanDependents',
  'propagationPolicy',
];
const DELETE_COLLECTION = [
  ...LIST.filter((name) => name !== 'allowWatchBookmarks' && name !== 'watch'),
  ...DELETE,
].sort();

/** The options of the subresources that stream, by their names; those of the proxies have a path. */
const CONNECT: Readonly<Record<string, readonly string[]>> = {
  attach: ['container', 'stderr', 'stdin', 'stdout', 'tty'],
  exec: ['command', 'container', 'stderr', 'stdin', 'stdout', 'tty'],
  portforward: ['ports'],
  proxy: ['path'],
};
const LOG = [
  'container',
  'follow',
  'insecureSkipTLSVerifyBackend',
  'limitBytes',
  'previous',
  'sinceSeconds',
  'stream',
  'tailLines',
  'timestamps',
];

/** The types of all parameters; the others are strings. */
export const parameterTypes: Readonly<Record<string, 'integer' | 'boolean'>> = {
  ...Object.fromEntries(
    ['gracePeriodSeconds', 'limit', 'limitBytes', 'ports', 'sinceSeconds', 'tailLines', 'timeoutSeconds'].map(
      (name) => [name, 'integer'],
    ),
  ),
  ...Object.fromEntries(
    [
      'allowWatchBookmarks',
      'follow',
      'force',
      'ignoreStoreReadErrorWithClusterBreakingPotential',
      'insecureSkipTLSVerifyBackend',
      'orphanDependents',
      'previous',
      'sendInitialEvents',
      'stderr',
      'stdin',
      'stdout',
      'timestamps',
      'tty',
      'watch',
    ].map((name) => [name, 'boolean']),
  ),
};

const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const OBJECTS = ['application/json', 'application/yaml', PROTOBUF];
const STREAMS = [...OBJECTS, 'application/json;stream=watch', `${PROTOBUF};stream=watch`];
const CUSTOM_OBJECTS = ['application/json', 'application/yaml'];
const ANY = ['*/*'];
const PATCHES = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
];

const meta = (name: string): string => schemaName(`meta/v1.${name}`);

/** The paths of one version of a group: its resources, and its discovery if it is built in. */
export function versionPaths(resources: readonly ResourceOperations[]): PathOperations[] {
  const first = resources[0];
  if (first === undefined) return [];
  const names = namesOf(first.group, first.version);
  const root = rootOf(first.group, first.version);
  const discovery = first.isCustom
    ? []
    : [discoveryPath(`${root}/`, `get${names.id}APIResources`, names.tag, meta('APIResourceList'))];
  const paths = [...discovery, ...resources.flatMap((resource) => resourcePaths(resource, root, names))];
  return paths.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** A resource as far as its operations depend on it. */
export interface ResourceOperations extends ServedResource {
  readonly isCustom: boolean;
  readonly listKind: string;
}

/** The paths of discovery outside of the versions. */
export function discoveryPaths(group: string | undefined): PathOperations {
  if (group === undefined) return discoveryPath('/apis/', 'getAPIVersions', 'apis', meta('APIGroupList'));
  if (group === '') return discoveryPath('/api/', 'getCoreAPIVersions', 'core', meta('APIVersions'));
  const { id, tag } = namesOf(group, '');
  return discoveryPath(`/apis/${group}/`, `get${id}APIGroup`, tag.slice(0, -1), meta('APIGroup'));
}

/** The paths of what is neither a resource nor discovery. */
export const otherPaths: Readonly<Record<string, PathOperations>> = {
  '.well-known/openid-configuration': {
    path: '/.well-known/openid-configuration/',
    operations: [textOperation('getServiceAccountIssuerOpenIDConfiguration', 'WellKnown', 'application/json')],
  },
  'openid/v1/jwks': {
    path: '/openid/v1/jwks/',
    operations: [textOperation('getServiceAccountIssuerOpenIDKeyset', 'openid', 'application/jwk-set+json')],
  },
  version: {
    path: '/version/',
    operations: [
      {
        ...readOperation('getCodeVersion', 'version', schemaName('version.Info')),
        produces: ['application/json'],
        consumes: ['application/json'],
      },
    ],
  },
};

function textOperation(id: string, tag: string, type: string): Operation {
  return { method: 'get', id, tag, parameters: [], codes: ['200', '401'], produces: [type], consumes: [] };
}

function readOperation(id: string, tag: string, answer: string): Operation {
  const codes = ['200', '401'];
  return { method: 'get', id, tag, parameters: [], codes, answer, produces: OBJECTS, consumes: OBJECTS };
}

function discoveryPath(path: string, id: string, tag: string, answer: string): PathOperations {
  return { path, operations: [readOperation(id, tag, answer)] };
}

/** `/api/v1`, or `/apis/apps/v1`. */
function rootOf(group: string, version: string): string {
  return group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
}

interface Names {
  /** `AppsV1` */
  readonly id: string;
  /** `apps_v1` */
  readonly tag: string;
}

function namesOf(group: string, version: string): Names {
  const words = (group === '' ? 'core' : group.replace(/\.k8s\.io$/, '')).split(/[.-]/);
  const title = words.map(capitalized).join('');
  return { id: `${title}${capitalized(version)}`, tag: `${title[0]?.toLowerCase()}${title.slice(1)}_${version}` };
}

function capitalized(word: string): string {
  return `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;
}

/** The OpenAPI name of a kind. */
function kindSchemaName(group: string, version: string, kind: string): string {
  const type = typeOfKind(group, version, kind);
  return type === undefined ? customSchemaName(group, version, kind) : schemaName(type);
}

function resourcePaths(resource: ResourceOperations, root: string, names: Names): PathOperations[] {
  const { group, version, kind, verbs, namespaced, isCustom } = resource;
  const scope = namespaced ? 'Namespaced' : '';
  const inNamespace = namespaced ? ['namespace'] : [];
  const collection = `${root}/${namespaced ? 'namespaces/{namespace}/' : ''}${resource.resource}`;
  const named = kindSchemaName(group, version, kind);
  const listName = kindSchemaName(group, version, isCustom ? resource.listKind : `${kind}List`);
  const produces = isCustom ? CUSTOM_OBJECTS : OBJECTS;
  const consumes = isCustom ? CUSTOM_OBJECTS : ANY;
  const gvk = { group, version, kind };
  const base = { tag: names.tag, kind: gvk, produces, consumes };
  const list: Operation = {
    ...base,
    method: 'get',
    id: `list${names.id}${scope}${kind}`,
    action: 'list',
    parameters: [...LIST, ...inNamespace, 'pretty'],
    codes: ['200', '401'],
    answer: listName,
    produces: isCustom ? CUSTOM_OBJECTS : STREAMS,
    consumes: ANY,
  };
  const has = (verb: string): boolean => verbs.includes(verb);
  const paths: PathOperations[] = [];
  const add = (path: string, operations: readonly (Operation | false)[]): void => {
    const present = operations.filter((operation) => operation !== false);
    if (present.length > 0) paths.push({ path, operations: present });
  };
  add(collection, [
    has('list') && list,
    has('create') && {
      ...base,
      method: 'post',
      id: `create${names.id}${scope}${kind}`,
      action: 'post',
      parameters: [...WRITE, ...inNamespace, 'pretty'],
      body: named,
      codes: ['200', '201', '202', '401'],
      answer: named,
    },
    has('deletecollection') && {
      ...base,
      method: 'delete',
      id: `delete${names.id}Collection${scope}${kind}`,
      action: 'deletecollection',
      parameters: [...(isCustom ? LIST : DELETE_COLLECTION), ...inNamespace, 'pretty'],
      body: isCustom ? undefined : meta('DeleteOptions'),
      codes: ['200', '401'],
      answer: meta('Status'),
    },
  ]);
  const one = ['name', ...inNamespace, 'pretty'];
  add(`${collection}/{name}`, [
    has('get') && get(base, `read${names.id}${scope}${kind}`, named, one, isCustom),
    has('update') && put(base, `replace${names.id}${scope}${kind}`, named, one),
    has('delete') && {
      ...base,
      method: 'delete',
      id: `delete${names.id}${scope}${kind}`,
      action: 'delete',
      parameters: [...DELETE, ...one],
      body: meta('DeleteOptions'),
      codes: ['200', '202', '401'],
      answer: DELETED_OBJECTS[group]?.includes(kind) === true ? named : meta('Status'),
    },
    has('patch') && patch(base, `patch${names.id}${scope}${kind}`, named, one, isCustom),
  ]);
  for (const part of resource.subresources ?? []) {
    for (const item of subresourcePaths(resource, part, `${collection}/{name}`, names, one)) paths.push(item);
  }
  if (namespaced && has('list')) {
    const forAll = { ...list, id: `list${names.id}${kind}ForAllNamespaces`, parameters: [...LIST, 'pretty'] };
    add(`${root}/${resource.resource}`, [forAll]);
  }
  if (has('watch') && !isCustom) {
    const watched = `${root}/watch/${collection.slice(root.length + 1)}`;
    const watch = (id: string, action: string, parameters: readonly string[]): Operation => ({
      ...list,
      id: `watch${names.id}${id}`,
      action,
      parameters: [...LIST, ...parameters],
      answer: meta('WatchEvent'),
    });
    add(watched, [watch(`${scope}${kind}List`, 'watchlist', [...inNamespace, 'pretty'])]);
    add(`${watched}/{name}`, [watch(`${scope}${kind}`, 'watch', one)]);
    if (namespaced) {
      add(`${root}/watch/${resource.resource}`, [watch(`${kind}ListForAllNamespaces`, 'watchlist', ['pretty'])]);
    }
  }
  return paths;
}

type Base = Pick<Operation, 'tag' | 'kind' | 'produces' | 'consumes'>;

function get(base: Base, id: string, answer: string, one: readonly string[], isCustom: boolean): Operation {
  const parameters = isCustom ? ['resourceVersion', ...one] : one;
  return { ...base, method: 'get', id, action: 'get', parameters, codes: ['200', '401'], answer, consumes: ANY };
}

function put(base: Base, id: string, named: string, one: readonly string[]): Operation {
  const codes = ['200', '201', '401'];
  return {
    ...base,
    method: 'put',
    id,
    action: 'put',
    parameters: [...WRITE, ...one],
    body: named,
    codes,
    answer: named,
  };
}

function patch(base: Base, id: string, named: string, one: readonly string[], isCustom: boolean): Operation {
  return {
    ...base,
    method: 'patch',
    id,
    action: 'patch',
    parameters: [...WRITE, 'force', ...one],
    body: meta('Patch'),
    codes: isCustom ? ['200', '401'] : ['200', '201', '401'],
    answer: named,
    consumes: isCustom ? PATCHES.filter((type) => !type.includes('strategic')) : PATCHES,
  };
}

/** The kinds whose deletion answers with the object, by group. */
const DELETED_OBJECTS: Readonly<Record<string, readonly string[]>> = {
  '': 'PersistentVolume PersistentVolumeClaim Pod PodTemplate ResourceQuota Service ServiceAccount'.split(' '),
  'resource.k8s.io': 'DeviceClass ResourceClaim ResourceClaimTemplate ResourceSlice'.split(' '),
  'storage.k8s.io': 'CSIDriver CSINode StorageClass VolumeAttachment VolumeAttributesClass'.split(' '),
};

function subresourcePaths(
  resource: ResourceOperations,
  part: ServedSubresource,
  path: string,
  names: Names,
  one: readonly string[],
): PathOperations[] {
  const { isCustom, namespaced } = resource;
  const group = part.group ?? resource.group;
  const version = part.version ?? resource.version;
  const gvk = { group, version, kind: part.kind };
  const named = kindSchemaName(group, version, part.kind);
  const title = `${namespaced ? 'Namespaced' : ''}${resource.kind}${capitalized(part.name)}`;
  const options = CONNECT[part.name];
  const own = `${path}/${part.name}`;
  if (options !== undefined && !isCustom) return connectPaths(own, title, names, part, gvk, options, one);
  const produces = isCustom ? CUSTOM_OBJECTS : OBJECTS;
  const base: Base = { tag: names.tag, kind: gvk, produces, consumes: isCustom ? CUSTOM_OBJECTS : ANY };
  const operations: Operation[] = [];
  for (const verb of ['get', 'update', 'create', 'patch']) {
    if (!part.verbs.includes(verb)) continue;
    if (part.name === 'log') {
      const read = get(base, `read${names.id}${title}`, named, [...LOG, ...one], false);
      operations.push({ ...read, answer: undefined, produces: ['text/plain', ...OBJECTS] });
    } else if (verb === 'get') operations.push(get(base, `read${names.id}${title}`, named, one, isCustom));
    else if (verb === 'update') operations.push(put(base, `replace${names.id}${title}`, named, one));
    else if (verb === 'patch') operations.push(patch(base, `patch${names.id}${title}`, named, one, isCustom));
    else {
      const codes = ['200', '201', '202', '401'];
      const id = `create${names.id}${title}`;
      const parameters = [...WRITE, ...one];
      operations.push({ ...base, method: 'post', id, action: 'post', parameters, body: named, codes, answer: named });
    }
  }
  return [{ path: own, operations }];
}

function connectPaths(
  path: string,
  title: string,
  names: Names,
  part: ServedSubresource,
  kind: NonNullable<Operation['kind']>,
  options: readonly string[],
  one: readonly string[],
): PathOperations[] {
  const methods =
    part.name === 'proxy'
      ? (['get', 'put', 'post', 'delete', 'options', 'head', 'patch'] as const)
      : (['get', 'post'] as const);
  const operations = (end: string, more: readonly string[]): Operation[] =>
    methods.map((method) => ({
      method,
      id: `connect${names.id}${capitalized(method)}${title}${end}`,
      tag: names.tag,
      action: 'connect',
      kind,
      parameters: [...options, ...more, ...one.filter((name) => name !== 'pretty')],
      codes: ['200', '401'],
      produces: ANY,
      consumes: ANY,
    }));
  const own = { path, operations: operations('', []) };
  return part.name === 'proxy'
    ? [own, { path: `${path}/{path}`, operations: operations('WithPath', ['{path}']) }]
    : [own];
}
