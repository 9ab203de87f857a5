import { builtinResources, groupProperties } from '../../resources/catalogue.js';
import { atomicTypes, typeFields } from '../../resources/type-fields.js';
import type { OpenApiSchema } from './schema.js';
import { schemaName } from './schema-names.js';

/**
 * The OpenAPI schemas of the built-in types, without descriptions, made of the notation of resources/type-fields.ts, which
 * resources/schema.ts documents. References are names of schemas; a document puts its own prefix before them.
 */

const STRING: OpenApiSchema = { type: 'string' };

const SCALARS: Readonly<Record<string, OpenApiSchema>> = {
  s: STRING,
  i: { type: 'integer', format: 'int32' },
  l: { type: 'integer', format: 'int64' },
  n: { type: 'number', format: 'double' },
  b: { type: 'boolean' },
  y: { type: 'string', format: 'byte' },
};

/** Types that JSON shows as one value, by their letters in the notation. */
const REFERENCES: Readonly<Record<string, string>> = {
  t: 'meta/v1.Time',
  u: 'meta/v1.MicroTime',
  q: 'resource.Quantity',
  x: 'intstr.IntOrString',
  A: 'apiextensions/v1.JSONSchemaPropsOrArray',
  B: 'apiextensions/v1.JSONSchemaPropsOrBool',
  P: 'apiextensions/v1.JSONSchemaPropsOrStringArray',
};

/** The value that an absent field has in Go, if it has one. */
const ZEROS: Readonly<Record<string, unknown>> = { s: '', i: 0, l: 0, n: 0, b: false };

const OTHER_SCHEMAS: Readonly<Record<string, OpenApiSchema>> = {
  'meta/v1.Time': { type: 'string', format: 'date-time' },
  'meta/v1.MicroTime': { type: 'string', format: 'date-time' },
  'meta/v1.FieldsV1': { type: 'object' },
  'meta/v1.Patch': { type: 'object' },
  'runtime.RawExtension': { type: 'object' },
  'resource.Quantity': { oneOf: [{ type: 'string' }, { type: 'number' }] },
  'intstr.IntOrString': { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] },
  'apiextensions/v1.JSON': {},
  'apiextensions/v1.JSONSchemaPropsOrArray': {},
  'apiextensions/v1.JSONSchemaPropsOrBool': {},
  'apiextensions/v1.JSONSchemaPropsOrStringArray': {},
  'version.Info': versionInfo(),
};

/** Fields of which at most one is set: its name is the value of the discriminator. */
const UNIONS: Readonly<Record<string, { discriminator?: string; fields: Readonly<Record<string, string>> }>> = {
  'flowcontrol/v1.LimitResponse': { discriminator: 'type', fields: { queuing: 'Queuing' } },
  'flowcontrol/v1.PriorityLevelConfigurationSpec': {
    discriminator: 'type',
    fields: { exempt: 'Exempt', limited: 'Limited' },
  },
  'flowcontrol/v1.Subject': {
    discriminator: 'kind',
    fields: { group: 'Group', serviceAccount: 'ServiceAccount', user: 'User' },
  },
  'core/v1.AppArmorProfile': { discriminator: 'type', fields: { localhostProfile: 'LocalhostProfile' } },
  'core/v1.SeccompProfile': { discriminator: 'type', fields: { localhostProfile: 'LocalhostProfile' } },
  'core/v1.PodSchedulingGroup': { fields: { podGroupName: 'PodGroupName' } },
};

/** Required fields of types that are part of no kind, whose notation comes from Go alone. */
const REQUIRED: Readonly<Record<string, readonly string[]>> = {
  'meta/v1.APIGroup': ['name', 'versions'],
  'meta/v1.APIGroupList': ['groups'],
  'meta/v1.APIVersions': ['versions', 'serverAddressByClientCIDRs'],
  'meta/v1.GroupVersionForDiscovery': ['groupVersion', 'version'],
  'meta/v1.ServerAddressByClientCIDR': ['clientCIDR', 'serverAddress'],
};

const withDefault = (value: unknown) => (): OpenApiSchema => ({ default: value });
const atomicList = (): OpenApiSchema => ({ 'x-kubernetes-list-type': 'atomic' });
const itemValues =
  (values: string) =>
  (schema: OpenApiSchema): OpenApiSchema => {
    const of = schema['items'] === undefined ? 'additionalProperties' : 'items';
    return { [of]: { ...(schema[of] as OpenApiSchema), enum: values.split('|') } };
  };
const accessModes = itemValues('ReadOnlyMany|ReadWriteMany|ReadWriteOnce|ReadWriteOncePod');
const operations = itemValues('*|CONNECT|CREATE|DELETE|UPDATE');

/** What the notation does not say: values of items, defaults that are zero values, and types that come from Go alone. */
const REMAINDER: Readonly<Record<string, (schema: OpenApiSchema) => OpenApiSchema>> = {
  'meta/v1.APIGroup.serverAddressByClientCIDRs': atomicList,
  'meta/v1.APIGroup.versions': atomicList,
  'meta/v1.APIGroupList.groups': atomicList,
  'meta/v1.APIVersions.serverAddressByClientCIDRs': atomicList,
  'meta/v1.APIVersions.versions': atomicList,
  'autoscaling/v1.ScaleSpec.replicas': withDefault(0),
  'core/v1.AzureDiskVolumeSource.readOnly': withDefault(false),
  'core/v1.ConfigMapEnvSource.name': withDefault(''),
  'core/v1.ConfigMapKeySelector.name': withDefault(''),
  'core/v1.ConfigMapProjection.name': withDefault(''),
  'core/v1.ConfigMapVolumeSource.name': withDefault(''),
  'core/v1.FileKeySelector.optional': withDefault(false),
  'core/v1.GRPCAction.service': withDefault(''),
  'core/v1.LocalObjectReference.name': withDefault(''),
  'core/v1.ReplicationControllerSpec.minReadySeconds': withDefault(0),
  'core/v1.SecretEnvSource.name': withDefault(''),
  'core/v1.SecretKeySelector.name': withDefault(''),
  'core/v1.SecretProjection.name': withDefault(''),
  'core/v1.PersistentVolumeClaimSpec.accessModes': accessModes,
  'core/v1.PersistentVolumeClaimStatus.accessModes': accessModes,
  'core/v1.PersistentVolumeSpec.accessModes': accessModes,
  'core/v1.PersistentVolumeClaimStatus.allocatedResourceStatuses': itemValues(
    'ControllerResizeInProgress|ControllerResizeInfeasible|NodeResizeInProgress|NodeResizeInfeasible|NodeResizePending',
  ),
  'core/v1.ResourceQuotaSpec.scopes': itemValues(
    'BestEffort|CrossNamespacePodAffinity|NotBestEffort|NotTerminating|PriorityClass|Terminating|VolumeAttributesClass',
  ),
  'core/v1.ServiceSpec.ipFamilies': itemValues('|IPv4|IPv6'),
  'admissionregistration/v1.NamedRuleWithOperations.operations': operations,
  'admissionregistration/v1.RuleWithOperations.operations': operations,
  'admissionregistration/v1.ValidatingAdmissionPolicyBindingSpec.validationActions': itemValues('Audit|Deny|Warn'),
  'networking/v1.NetworkPolicySpec.policyTypes': itemValues('Egress|Ingress'),
  'certificates/v1.CertificateSigningRequestSpec.usages': itemValues(
    'any|cert sign|client auth|code signing|content commitment|crl sign|data encipherment|decipher only|digital signature|email protection|encipher only|ipsec end system|ipsec tunnel|ipsec user|key agreement|key encipherment|microsoft sgc|netscape sgc|ocsp signing|s/mime|server auth|signing|timestamping',
  ),
};

const atomic = new Set(atomicTypes);
const propertyOfGroup = new Map(Object.entries(groupProperties).map(([property, group]) => [group, property]));
const kinds = kindsByType();
const typesByName = new Map<string, string>();
const schemas = new Map<string, OpenApiSchema>();

/** The type of a kind in the notation: `apps/v1.Deployment`; undefined for a group that is not built in. */
export function typeOfKind(group: string, version: string, kind: string): string | undefined {
  const property = propertyOfGroup.get(group);
  return property === undefined ? undefined : `${property}/${version}.${kind}`;
}

/** The type that has an OpenAPI name; undefined for one that is not built in. */
export function builtInType(name: string): string | undefined {
  if (typesByName.size === 0) {
    for (const type of [...Object.keys(typeFields), ...Object.keys(OTHER_SCHEMAS), ...kinds.keys()]) {
      typesByName.set(schemaName(type), type);
    }
  }
  return typesByName.get(name);
}

/** The schema of a type; undefined if there is none of that name. */
export function builtInSchema(type: string): OpenApiSchema | undefined {
  let schema = schemas.get(type);
  if (schema === undefined) {
    schema = makeSchema(type);
    if (schema !== undefined) schemas.set(type, schema);
  }
  return schema;
}

function makeSchema(type: string): OpenApiSchema | undefined {
  const other = OTHER_SCHEMAS[type];
  if (other !== undefined) return other;
  const kind = kinds.get(type);
  if (kind?.isList === true) return withKinds(listSchema(type), kind);
  if (!Object.hasOwn(typeFields, type)) return undefined;
  const properties: Record<string, OpenApiSchema> = {};
  const required: string[] = [];
  for (const field of fieldsOf(type)) {
    properties[field.name] = propertySchema(field, `${type}.${field.name}`);
    if (field.flags.includes('!')) required.push(field.name);
  }
  required.push(...(REQUIRED[type] ?? []));
  const union = UNIONS[type];
  return withKinds(
    {
      type: 'object',
      ...(required.length === 0 ? {} : { required }),
      ...(Object.keys(properties).length === 0 ? {} : { properties: sorted(properties) }),
      ...(atomic.has(type) ? { 'x-kubernetes-map-type': 'atomic' } : {}),
      ...(union === undefined ? {} : { 'x-kubernetes-unions': [unionOf(union)] }),
    },
    kind,
  );
}

interface Field {
  readonly name: string;
  readonly shape: string;
  readonly flags: readonly string[];
  /** The group and version of its type. */
  readonly home: string;
}

/** The fields of a type with those of the structs that it inlines. */
function fieldsOf(type: string): Field[] {
  const home = type.slice(0, type.indexOf('.'));
  return (typeFields[type] ?? '').split(';').flatMap((notation) => {
    if (notation === '') return [];
    const [name = '', shape = '', ...flags] = notation.split(' ');
    return name === '' ? fieldsOf(typeNamed(shape, home)) : [{ name, shape, flags, home }];
  });
}

function typeNamed(shape: string, home: string): string {
  return shape.startsWith('.') ? home + shape : shape;
}

function propertySchema({ name, shape, flags, home }: Field, path: string): OpenApiSchema {
  const isPointer = flags.includes('~');
  const schema = valueSchema(shape, home, name === 'fieldsV1');
  const described: Record<string, unknown> = schema['$ref'] === undefined ? { ...schema } : { allOf: [schema] };
  const isScalar = shape in ZEROS;
  if (!isPointer && isScalar && flags.includes('+')) described['default'] = ZEROS[shape];
  if (!isPointer && schema['$ref'] !== undefined && hasZeroStruct(shape)) described['default'] = {};
  for (const flag of flags) Object.assign(described, extensionOf(flag, flags, schema));
  return Object.assign(described, REMAINDER[path]?.(described));
}

/** Whether the zero value of a type in Go is an object in JSON. */
function hasZeroStruct(shape: string): boolean {
  return shape.length > 1;
}

function valueSchema(shape: string, home: string, isFields = false): OpenApiSchema {
  if (shape.startsWith('@')) return valueSchema(shape.slice(1), home);
  if (shape.startsWith('[')) return { type: 'array', items: itemSchema(shape.slice(1), home) };
  if (shape.startsWith('{')) return { type: 'object', additionalProperties: itemSchema(shape.slice(1), home) };
  const scalar = SCALARS[shape];
  if (scalar !== undefined) return scalar;
  if (shape !== '*') return { $ref: schemaName(REFERENCES[shape] ?? typeNamed(shape, home)) };
  if (isFields) return { $ref: schemaName('meta/v1.FieldsV1') };
  return { $ref: schemaName(home.startsWith('apiextensions/') ? 'apiextensions/v1.JSON' : 'runtime.RawExtension') };
}

function itemSchema(shape: string, home: string): OpenApiSchema {
  const schema = valueSchema(shape, home);
  if (shape in ZEROS) return { ...schema, default: ZEROS[shape] };
  return schema['$ref'] !== undefined && hasZeroStruct(shape) ? { default: {}, allOf: [schema] } : schema;
}

function extensionOf(flag: string, flags: readonly string[], schema: OpenApiSchema): OpenApiSchema {
  const equals = flag.indexOf('=');
  const word = equals < 0 ? flag : flag.slice(0, equals);
  const value = equals < 0 ? '' : flag.slice(equals + 1);
  switch (word) {
    case 'default':
      return { default: JSON.parse(value) };
    case 'enum':
      return { enum: value.split(',') };
    case 'set':
      return { 'x-kubernetes-list-type': 'set' };
    case 'map':
      return { 'x-kubernetes-list-map-keys': value.split(','), 'x-kubernetes-list-type': 'map' };
    case 'granular':
      return { 'x-kubernetes-map-type': 'granular' };
    case 'atomic':
      return schema['type'] === 'array' || schema['format'] === 'byte'
        ? { 'x-kubernetes-list-type': 'atomic' }
        : { 'x-kubernetes-map-type': 'atomic' };
    case 'merge':
    case 'replace':
      return {
        ...(value === '' ? {} : { 'x-kubernetes-patch-merge-key': value }),
        'x-kubernetes-patch-strategy': word,
      };
    case 'retainKeys':
      return {
        'x-kubernetes-patch-strategy': flags.some((other) => other.startsWith('merge')) ? 'merge,retainKeys' : word,
      };
    default:
      return {};
  }
}

function listSchema(type: string): OpenApiSchema {
  const item = { $ref: schemaName(type.slice(0, -'List'.length)) };
  return {
    type: 'object',
    required: ['items'],
    properties: {
      apiVersion: STRING,
      items: { type: 'array', items: { default: {}, allOf: [item] } },
      kind: STRING,
      metadata: { default: {}, allOf: [{ $ref: schemaName('meta/v1.ListMeta') }] },
    },
  };
}

function unionOf({ discriminator, fields }: (typeof UNIONS)[string]): OpenApiSchema {
  return { ...(discriminator === undefined ? {} : { discriminator }), 'fields-to-discriminateBy': fields };
}

interface KindEntry {
  readonly isList: boolean;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

function kindsByType(): Map<string, KindEntry> {
  const found = new Map<string, KindEntry>();
  const add = (group: string, version: string, kind: string, isList = false): void => {
    found.set(typeOfKind(group, version, kind)!, { group, version, kind, isList });
  };
  for (const { group, version, kind, verbs, subresources } of builtinResources) {
    add(group, version, kind);
    if (verbs.includes('list')) add(group, version, `${kind}List`, true);
    for (const part of subresources) add(part.group ?? group, part.version ?? version, part.kind);
  }
  for (const kind of ['APIGroup', 'APIGroupList', 'APIResourceList', 'APIVersions', 'Status']) {
    found.set(`meta/v1.${kind}`, { group: '', version: 'v1', kind, isList: false });
  }
  return found;
}

function withKinds(schema: OpenApiSchema, entry: KindEntry | undefined): OpenApiSchema {
  if (entry === undefined) return schema;
  const { group, kind, version } = entry;
  return { ...schema, 'x-kubernetes-group-version-kind': [{ group, kind, version }] };
}

function sorted(properties: Record<string, OpenApiSchema>): Record<string, OpenApiSchema> {
  return Object.fromEntries(Object.entries(properties).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function versionInfo(): OpenApiSchema {
  const required = 'major minor gitVersion gitCommit gitTreeState buildDate goVersion compiler platform'.split(' ');
  const optional = 'emulationMajor emulationMinor minCompatibilityMajor minCompatibilityMinor'.split(' ');
  return {
    type: 'object',
    required,
    properties: sorted(
      Object.fromEntries([
        ...required.map((name) => [name, { type: 'string', default: '' }]),
        ...optional.map((name) => [name, STRING]),
      ]),
    ),
  };
}
