import type { KubernetesObject, New, writtenAs } from '../meta/objects.js';
import { checkOptions, type OptionNames } from '../meta/options/known-options.js';
import { optionError, requireObject, requireString } from '../meta/options/validate.js';
import { defineResource as defineNamedResource, type Resource } from '../meta/resource.js';
import type { CustomResourceDefinition, JSONSchemaProps } from '../resources/types/apiextensions-v1.js';
import { definitionOf, type ScalePaths } from './definition.js';
import { type FieldMap, objectSchema, type ReadShape, validationsOf, type WriteShape } from './field.js';

/** A kind of your own, in one version: what `defineResource` makes the type and the CustomResourceDefinition from. */
export interface ResourceDefinition<Kind extends string, S extends FieldMap, U extends FieldMap> {
  /** A DNS name with a dot, such as `example.com`. */
  readonly group: string;
  readonly version: string;
  readonly kind: Kind;
  /** The plural, lower-case name in URLs. @default the kind in lower case, with an s */
  readonly resource?: string | undefined;
  /** Whether objects are in namespaces. @default true */
  readonly namespaced?: boolean | undefined;
  /** The text that `kubectl explain` shows. @default none */
  readonly description?: string | undefined;
  /** The fields of `spec`. */
  readonly spec: S;
  /** The fields of `status`, which is then a subresource. @default none: objects have no status */
  readonly status?: U | undefined;
  /** CEL expressions over the whole object that must be true, each with the message if one is not. @default none */
  readonly rules?: Readonly<Record<string, string>> | undefined;
  /** The columns of `kubectl get` by JSONPaths: `{ Host: '.spec.host' }`. Their types come from the schema; Age is added. @default none */
  readonly columns?: Readonly<Record<string, string>> | undefined;
  /** Short names for kubectl. @default none */
  readonly shortNames?: readonly string[] | undefined;
  /** Categories, such as `all` of `kubectl get all`. @default none */
  readonly categories?: readonly string[] | undefined;
  /** The JSONPaths for `kubectl scale` and autoscalers. @default none: no scale subresource */
  readonly scale?: ScalePaths | undefined;
  /** Older versions, which are served as well; objects are stored in this one. @default none */
  readonly previous?: readonly CustomResource<KubernetesObject>[] | undefined;
}

const definitionNames: OptionNames<ResourceDefinition<string, FieldMap, FieldMap>> = {
  group: true,
  version: true,
  kind: true,
  resource: true,
  namespaced: true,
  description: true,
  spec: true,
  status: true,
  rules: true,
  columns: true,
  shortNames: true,
  categories: true,
  scale: true,
  previous: true,
};
const scaleNames: OptionNames<ScalePaths> = { replicas: true, statusReplicas: true, selector: true };

interface CustomObject<Kind extends string, S, U, W> extends KubernetesObject {
  kind: Kind;
  spec: S;
  status?: U | undefined;
  readonly [writtenAs]?: { spec: W; status?: U | undefined };
}

/** A resource with its definition. Clients, informers and controllers take it as any {@link Resource}. */
export interface CustomResource<T> extends Resource<T> {
  readonly kind: string;
  readonly namespaced: boolean;
  /** The CustomResourceDefinition with all versions, to be applied to a cluster. */
  readonly definition: New<CustomResourceDefinition>;
}

/** The names of a resource whose objects have a type of your own: group, version, resource, kind, and `namespaced`. */
type ResourceNames = Parameters<typeof defineNamedResource>[0];

/** The type of a resource's objects: `type Widget = ObjectOf<typeof widgets>`. */
export type ObjectOf<R> = R extends Resource<infer T> ? T : never;

/**
 * Defines a kind of your own by its fields: one source for the TypeScript type, the CustomResourceDefinition and the
 * resource. What is read has the defaults; in what is written (`New<T>`) fields with a default may be left out.
 *
 * @throws TypeError with everything that a server would refuse: a default that breaks the rules of its field, a rule over a
 * list without `maxItems`, a column whose path has no field, …
 *
 * @example
 * const spec = { size: field.integer({ minimum: 1, default: 1 }) };
 * const widgets = defineResource({ group: 'example.com', version: 'v1', kind: 'Widget', spec });
 * type Widget = ObjectOf<typeof widgets>;
 */
export function defineResource<
  const Kind extends string,
  S extends FieldMap,
  U extends FieldMap = Readonly<Record<never, never>>,
>(
  definition: ResourceDefinition<Kind, S, U>,
): CustomResource<CustomObject<Kind, ReadShape<S>, ReadShape<U>, WriteShape<S>>>;
/**
 * Defines a resource that is not built in by its names, with a type of your own for its objects. `kubeflect types` writes
 * such a type from a definition.
 *
 * @example
 * const widgets = defineResource<Widget>({ group: 'example.com', version: 'v1', resource: 'widgets', kind: 'Widget', namespaced: true });
 */
export function defineResource<T extends KubernetesObject>(resource: ResourceNames): Resource<T>;
export function defineResource(
  given: ResourceDefinition<string, FieldMap, FieldMap> | ResourceNames,
): Resource<KubernetesObject> {
  requireObject('resource', given, 'an object with group, version, kind, and spec or resource and namespaced');
  return 'spec' in given ? defineByFields(given) : defineNamedResource(given);
}

function defineByFields(given: ResourceDefinition<string, FieldMap, FieldMap>): CustomResource<KubernetesObject> {
  const { version, description, status, scale } = checkOptions('defineResource', given, definitionNames);
  const { columns = {}, previous = [] } = given;
  const kind = requireString('kind', given.kind);
  const named = defineNamedResource({
    group: given.group,
    version,
    kind,
    resource: given.resource ?? `${kind.toLowerCase()}s`,
    namespaced: given.namespaced ?? true,
  }) as Required<Pick<Resource, 'group' | 'resource'>> & { readonly namespaced: boolean };
  if (scale !== undefined) checkOptions('scale', scale, scaleNames);
  requireObject('columns', columns, 'an object with a JSONPath per name');
  const validations = validationsOf(given.rules);
  const schema: JSONSchemaProps = {
    type: 'object',
    ...(description !== undefined && { description: requireString('description', description) }),
    properties: { spec: objectSchema(given.spec), ...(status && { status: objectSchema(status) }) },
    required: ['spec'],
    ...(validations.length > 0 && { 'x-kubernetes-validations': validations }),
  };
  const definition = definitionOf({
    ...named,
    version,
    kind,
    schema,
    hasStatus: status !== undefined,
    columns,
    shortNames: listOf('shortNames', given.shortNames),
    categories: listOf('categories', given.categories),
    scale,
    previous: listOf('previous', previous).map((one) => {
      requireObject('previous', one?.definition, 'resources that defineResource made from fields');
      return one.definition;
    }),
  });
  return Object.freeze({ ...named, version, kind, definition });
}

function listOf<T>(name: string, value: readonly T[] | undefined): readonly T[] {
  if (value !== undefined && !Array.isArray(value)) throw optionError(name, 'a list', value);
  return value ?? [];
}
