import { dns1035LabelErrors } from '../meta/names.js';
import { mutableCopy, type New } from '../meta/objects.js';
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionVersion,
  JSONSchemaProps,
} from '../resources/types/apiextensions-v1.js';
import { PathError, schemaAtPath } from './json-path-fields.js';
import { schemaProblems } from './schema-problems.js';

/** What a definition is made of, beside the schema of its newest version. */
export interface DefinitionParts {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly resource: string;
  readonly namespaced: boolean;
  readonly schema: JSONSchemaProps;
  readonly hasStatus: boolean;
  readonly columns: Readonly<Record<string, string>>;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly scale: ScalePaths | undefined;
  /** Definitions of older versions. */
  readonly previous: readonly New<CustomResourceDefinition>[];
}

/** The JSONPaths of the scale subresource. */
export interface ScalePaths {
  /** The wanted number of replicas, below `.spec`. */
  readonly replicas: string;
  /** The actual number of replicas, below `.status`. */
  readonly statusReplicas: string;
  /** The label selector of the pods as text, below `.spec` or `.status`; autoscalers need it. @default none */
  readonly selector?: string | undefined;
}

/**
 * Makes the definition of a kind.
 *
 * @throws TypeError with everything that a server would refuse
 */
export function definitionOf(parts: DefinitionParts): New<CustomResourceDefinition> {
  const { group, kind, resource, version, namespaced, shortNames, categories } = parts;
  const problems = [...nameProblems(parts), ...schemaProblems(parts.schema, ''), ...previousProblems(parts)];
  const columns = collect(problems, () => columnsOf(parts));
  const scale = collect(problems, () => scaleOf(parts));
  if (problems.length > 0) throw new TypeError(`${kind} (${group}/${version}): ${problems.join('; ')}`);

  const newest: CustomResourceDefinitionVersion = {
    name: version,
    served: true,
    storage: true,
    schema: { openAPIV3Schema: parts.schema },
    ...((parts.hasStatus || scale !== undefined) && {
      subresources: { ...(parts.hasStatus && { status: {} }), ...(scale && { scale }) },
    }),
    ...(columns !== undefined && columns.length > 0 && { additionalPrinterColumns: columns }),
  };
  // A copy, because fields may be used in several kinds.
  return mutableCopy<New<CustomResourceDefinition>>({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${resource}.${group}` },
    spec: {
      group,
      scope: namespaced ? 'Namespaced' : 'Cluster',
      names: {
        kind,
        listKind: `${kind}List`,
        plural: resource,
        singular: kind.toLowerCase(),
        ...(shortNames.length > 0 && { shortNames: [...shortNames] }),
        ...(categories.length > 0 && { categories: [...categories] }),
      },
      versions: [newest, ...previousVersions(parts)],
    },
  });
}

function collect<T>(problems: string[], make: () => T): T | undefined {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof PathError)) throw error;
    problems.push(error.message);
    return undefined;
  }
}

function* nameProblems({ group, kind, shortNames, categories }: DefinitionParts): Iterable<string> {
  if (!group.includes('.')) yield `group ${JSON.stringify(group)} must have a dot, as example.com`;
  if (/(^|\.)(k8s|kubernetes)\.io$/.test(group)) {
    yield `group ${group} belongs to the Kubernetes project: servers refuse definitions in it without its approval`;
  }
  if (dns1035LabelErrors(kind.toLowerCase()).length > 0) {
    yield `kind ${JSON.stringify(kind)} must be a word of letters and digits, as Widget`;
  }
  for (const name of [...shortNames, ...categories]) {
    if (typeof name === 'string' && dns1035LabelErrors(name).length === 0) continue;
    yield `the short name or category ${JSON.stringify(name)} must have lower-case letters, digits and dashes only`;
  }
}

function columnsOf({ columns, schema }: DefinitionParts): CustomResourceDefinitionVersion['additionalPrinterColumns'] {
  const found = Object.entries(columns).map(([name, jsonPath]) => {
    const label = (error: unknown): never => {
      throw error instanceof PathError ? new PathError(`column ${name}: ${error.message}`) : error;
    };
    try {
      return { name, jsonPath, type: columnType(schemaAtPath(schema, jsonPath)) };
    } catch (error) {
      return label(error);
    }
  });
  if (found.length === 0 || found.some(({ name }) => name === 'Age')) return found;
  return [...found, { name: 'Age', jsonPath: '.metadata.creationTimestamp', type: 'date' }];
}

function columnType(schema: JSONSchemaProps | undefined): string {
  if (schema?.format === 'date-time') return 'date';
  const { type = '' } = schema ?? {};
  // Lists and objects are shown as JSON.
  return ['integer', 'number', 'boolean'].includes(type) ? type : 'string';
}

interface Scale {
  specReplicasPath: string;
  statusReplicasPath: string;
  labelSelectorPath?: string;
}

function scaleOf({ scale, schema }: DefinitionParts): Scale | undefined {
  if (scale === undefined) return undefined;
  const { replicas, statusReplicas, selector } = scale;
  checkScalePath(schema, 'replicas', replicas, /^\.spec\./, 'integer');
  checkScalePath(schema, 'statusReplicas', statusReplicas, /^\.status\./, 'integer');
  if (selector !== undefined) checkScalePath(schema, 'selector', selector, /^\.(?:spec|status)\./, 'string');
  return {
    specReplicasPath: replicas,
    statusReplicasPath: statusReplicas,
    ...(selector !== undefined && { labelSelectorPath: selector }),
  };
}

function checkScalePath(schema: JSONSchemaProps, name: string, path: string, below: RegExp, type: string): void {
  const found = schemaAtPath(schema, path);
  if (!below.test(path) || path.includes('[')) {
    throw new PathError(
      `scale.${name}: ${path} must be below ${name === 'replicas' ? '.spec' : '.status'}, without lists`,
    );
  }
  if (found !== undefined && found.type !== type) {
    throw new PathError(`scale.${name}: ${path} must be of type ${type}, not ${found.type}`);
  }
}

/** The versions of older definitions, each once and not stored. */
function previousVersions({ previous, version }: DefinitionParts): CustomResourceDefinitionVersion[] {
  const versions = new Map<string, CustomResourceDefinitionVersion>();
  for (const { spec } of previous) {
    for (const one of spec.versions) {
      if (one.name !== version && !versions.has(one.name)) versions.set(one.name, { ...one, storage: false });
    }
  }
  return [...versions.values()];
}

function* previousProblems(parts: DefinitionParts): Iterable<string> {
  const { group, kind, resource, version, namespaced, previous } = parts;
  for (const { spec } of previous) {
    const { names, scope, versions } = spec;
    const name = versions[0]?.name;
    if (spec.group !== group || names.kind !== kind || names.plural !== resource) {
      yield `the previous version ${name} is of another kind: ${names.kind} (${names.plural}.${spec.group})`;
    }
    if ((scope === 'Namespaced') !== namespaced) yield `the previous version ${name} has another scope: ${scope}`;
    if (name === version) yield `the previous version ${name} has the name of this one`;
  }
}
