import type { KubeConfigLike } from '../../rest/config/kubeconfig-like.js';
import type { ApiConstructor } from './api-class.js';
import { ApiClient, type ApiRequest } from './api-client.js';
import type { DeleteParams, ListParams, V1APIResourceList, WriteParams } from './api-methods.js';
import type { RequestOptions } from './request-options.js';

interface OfResource {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
}
interface OfNamespace {
  readonly namespace: string;
}
interface OfObject {
  readonly name: string;
}
interface WithBody {
  readonly body: unknown;
}
interface Forced {
  readonly force?: boolean | undefined;
}

// biome-ignore lint/suspicious/noExplicitAny: programs were written against this type
type Method<Params> = (param: Params, options?: RequestOptions) => Promise<any>;

type Deletion = Omit<DeleteParams, 'body'> & { readonly body?: unknown };

/** The methods of one scope: `listNamespacedCustomObject`, `listClusterCustomObject`. */
type ScopeMethods<Scope extends 'Namespaced' | 'Cluster', Place> = {
  [M in `list${Scope}CustomObject`]: Method<ListParams & OfResource & Place>;
} & {
  [M in `create${Scope}CustomObject`]: Method<WriteParams & WithBody & OfResource & Place>;
} & {
  [M in `deleteCollection${Scope}CustomObject`]: Method<ListParams & Deletion & OfResource & Place>;
} & {
  [M in `delete${Scope}CustomObject`]: Method<Deletion & OfObject & OfResource & Place>;
} & {
  [M in `get${Scope}CustomObject${'' | 'Status' | 'Scale'}`]: Method<OfObject & OfResource & Place>;
} & {
  [M in `replace${Scope}CustomObject${'' | 'Status' | 'Scale'}`]: Method<
    WriteParams & WithBody & OfObject & OfResource & Place
  >;
} & {
  [M in `patch${Scope}CustomObject${'' | 'Status' | 'Scale'}`]: Method<
    WriteParams & Forced & WithBody & OfObject & OfResource & Place
  >;
};

/** Objects of any group and plural, as plain JSON. A patch that is an object is a merge patch: custom resources know no strategic one. */
export type CustomObjectsApi = ScopeMethods<'Namespaced', OfNamespace> &
  ScopeMethods<'Cluster', unknown> & {
    listCustomObjectForAllNamespaces: Method<ListParams & OfResource>;
    getAPIResources(param: { readonly group: string; readonly version: string }): Promise<V1APIResourceList>;
  };

interface Params extends OfResource {
  readonly namespace?: string;
  readonly name?: string;
  readonly body?: unknown;
  readonly _continue?: string;
}

class CustomObjects {
  readonly client: ApiClient;

  constructor(config: KubeConfigLike) {
    this.client = new ApiClient(config);
  }

  getAPIResources({ group, version }: Pick<Params, 'group' | 'version'>): Promise<unknown> {
    return this.client.send({ method: 'GET', target: `/apis/${group}/${version}` });
  }
}

const VERBS = {
  list: ['GET', 'collection'],
  create: ['POST', 'collection'],
  deleteCollection: ['DELETE', 'collection'],
  get: ['GET', 'object'],
  replace: ['PUT', 'object'],
  patch: ['PATCH', 'object'],
  delete: ['DELETE', 'object'],
} as const;

for (const [verb, [method, place]] of Object.entries(VERBS)) {
  for (const scope of ['Namespaced', 'Cluster'] as const) {
    define(`${verb}${scope}CustomObject`, method, place, scope === 'Namespaced', undefined);
    if (!['get', 'replace', 'patch'].includes(verb)) continue;
    for (const subresource of ['Status', 'Scale']) {
      define(
        `${verb}${scope}CustomObject${subresource}`,
        method,
        place,
        scope === 'Namespaced',
        subresource.toLowerCase(),
      );
    }
  }
}
define('listCustomObjectForAllNamespaces', 'GET', 'collection', false, undefined);

function define(
  methodName: string,
  method: ApiRequest['method'],
  place: 'collection' | 'object',
  isNamespaced: boolean,
  subresource: string | undefined,
): void {
  const needed = [
    'group',
    'version',
    'plural',
    ...(isNamespaced ? ['namespace'] : []),
    ...(place === 'object' ? ['name'] : []),
  ];
  async function value(this: CustomObjects, param: Params, options?: RequestOptions): Promise<unknown> {
    const given = param as unknown as Readonly<Record<string, unknown>>;
    const missing = needed.filter((name) => given?.[name] === undefined || given[name] === null);
    if (missing.length > 0) throw new TypeError(`${methodName} needs ${missing.join(', ')}`);
    const { group, version, plural, namespace, name, body, _continue, ...query } = param;
    return this.client.send({
      method,
      target: {
        resource: { group, version, resource: plural },
        ...(isNamespaced ? { namespace } : {}),
        ...(place === 'object' ? { name } : {}),
        subresource,
      },
      query: { ...query, continue: _continue },
      body,
      options,
      defaultPatch: 'merge',
    });
  }
  Object.defineProperty(CustomObjects.prototype, methodName, { value, writable: true, configurable: true });
}

export const CustomObjectsApi: ApiConstructor<CustomObjectsApi> =
  CustomObjects as unknown as ApiConstructor<CustomObjectsApi>;
