import type { Api } from './api.js';
import { at, type Doc } from './doc.js';

export const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** A version of a definition, as in `spec.versions`. By default it is served and has no schema. */
export interface DefinedVersion {
  readonly name: string;
  readonly served?: boolean | undefined;
  readonly schema?: unknown;
  readonly [field: string]: unknown;
}

export interface Definition {
  readonly group: string;
  /** Of the CustomResourceDefinition itself. */
  readonly path: string;
  /** Of the collection in a namespace, or of the whole cluster without one. */
  readonly collection: (namespace?: string, version?: string) => string;
  /** A body to create, with the given name. */
  readonly widget: (name: string, rest?: object, version?: string) => { metadata: { name: string } };
}

const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

/**
 * The body of a definition of widgets in a new group. The first of the given versions is stored.
 */
export function widgetDefinition(
  group: string,
  versions: readonly DefinedVersion[] = [{ name: 'v1' }],
  spec = {},
): object {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `widgets.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget', shortNames: ['wd'], categories: ['toys'] },
      versions: versions.map(({ schema, ...rest }, index) => ({
        served: true,
        storage: index === 0,
        schema: { openAPIV3Schema: schema ?? anything },
        ...rest,
      })),
      ...spec,
    },
  };
}

/** Defines widgets and waits until every served version answers. */
export async function define(api: Api, versions?: readonly DefinedVersion[], spec = {}): Promise<Definition> {
  const group = `${api.unique('g')}.example.com`;
  const path = `${DEFINITIONS}/widgets.${group}`;
  const made = await api.create(DEFINITIONS, widgetDefinition(group, versions, spec));
  api.remove(path);
  const first = String(at(made, 'spec.versions.0.name'));
  const definition: Definition = {
    group,
    path,
    collection: (namespace, version = first) =>
      `/apis/${group}/${version}/${namespace === undefined ? '' : `namespaces/${namespace}/`}widgets`,
    widget: (name, rest = {}, version = first) => ({
      apiVersion: `${group}/${version}`,
      kind: 'Widget',
      ...rest,
      metadata: { ...('metadata' in rest ? (rest.metadata as object) : {}), name },
    }),
  };
  await whenEstablished(api, path);
  for (const version of at(made, 'spec.versions') as { name: string; served: boolean }[]) {
    if (version.served) await whenServed(api, definition.collection(undefined, version.name));
  }
  return definition;
}

/** The status of a condition of a definition, such as `True`; undefined if there is none yet. */
export function condition(definition: Doc, type: string): string | undefined {
  const conditions = (at(definition, 'status.conditions') ?? []) as { type: string; status: string }[];
  return conditions.find((one) => one.type === type)?.status;
}

/** Watches a definition until it matches, and returns it. */
export async function whenDefinition(api: Api, path: string, fits: (definition: Doc) => boolean): Promise<Doc> {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const stream = await api.watch(DEFINITIONS, { fieldSelector: `metadata.name=${name}` });
  const seen = await stream.until(({ object }) => fits(object));
  stream.close();
  return (seen.at(-1) as { object: Doc }).object;
}

export function whenEstablished(api: Api, path: string): Promise<Doc> {
  return whenDefinition(api, path, (definition) => condition(definition, 'Established') === 'True');
}

/** Sends requests until the path exists: no event shows when the server begins to serve an established definition. */
export async function whenServed(api: Api, path: string): Promise<void> {
  await api.whenAnswer(path, (status) => status === 200);
}

/** Sends requests until the path is 404. */
export async function whenGone(api: Api, path: string): Promise<void> {
  await api.whenAnswer(path, (status) => status === 404);
}
