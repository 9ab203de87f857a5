import { isDeepStrictEqual } from 'node:util';
import {
  fieldDuplicate,
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  fieldTooMany,
} from '../../../../meta/errors/field-cause.js';
import type { StatusCause } from '../../../../meta/errors/status.js';
import { valueAt } from '../../../../meta/json-paths.js';
import { isJsonObject, type JsonObject } from '../../../../meta/json-values.js';
import { dns1035LabelErrors, dns1123SubdomainErrors } from '../../../../meta/names.js';
import type { Steps } from '../../../../time/steps.js';
import { approvalCauses } from '../../api-approval.js';
import type { CauseSteps, Causes } from '../../causes.js';
import { isConditionTrue } from '../../conditions.js';
import { findField } from '../field-path.js';
import { isKnownFormat } from '../object/schema-validation.js';
import { conversionCauses } from './conversion-rules.js';
import { defaultCauses } from './default-rules.js';
import { type DefinedScale, type DefinedVersion, type Definition, readDefinition } from './definition.js';
import { SchemaExpressions, TotalCost } from './expression-rules.js';
import { openApiCauses, partsOf, unsupportedKeyword } from './schema-rules.js';
import { hasRules, parseStructural, type Structural } from './structural.js';
import { structuralCauses } from './structural-rules.js';

const MAX_SELECTABLE = 8;
const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string'];
const COLUMN_FORMATS = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];

/** Warnings for new formats in the schemas of a definition that the server does not know. */
export function* definitionWarnings(object: JsonObject, old: JsonObject | undefined): Iterable<string> {
  const known = new Set(old === undefined ? [] : unknownFormats(old));
  for (const format of unknownFormats(object)) {
    if (!known.has(format)) yield `unrecognized format ${JSON.stringify(format)}`;
  }
}

/** The formats in the schemas of a definition that mean nothing to the server. */
function* unknownFormats(definition: JsonObject): Iterable<string> {
  const unread: JsonObject[] = [];
  for (const { json } of readDefinition(definition).versions) {
    const schema = valueAt(json, ['schema', 'openAPIV3Schema']);
    if (isJsonObject(schema)) unread.push(schema);
  }
  for (let schema = unread.pop(); schema !== undefined; schema = unread.pop()) {
    const { type = '', format = '' } = schema;
    if (typeof format === 'string' && format !== '' && !isKnownFormat(format, String(type))) yield format;
    unread.push(...partsOf(schema));
  }
}

/** Causes for an invalid CustomResourceDefinition. */
export function* definitionCauses(object: JsonObject, old: JsonObject | undefined, subresource: string): CauseSteps {
  if (subresource === 'status')
    return yield* nameCauses(valueAt(object, ['status', 'acceptedNames']), 'status.acceptedNames');
  const definition = readDefinition(object);
  const former = old === undefined ? undefined : readDefinition(old);
  const { name, group, plural } = definition;
  if (old === undefined && name !== `${plural}.${group}`)
    yield fieldInvalid('metadata.name', name, 'must be spec.names.plural+"."+spec.group');
  yield* groupCauses(group);
  yield* choiceCauses('spec.scope', valueAt(object, ['spec', 'scope']), ['Cluster', 'Namespaced']);
  yield* versionsCauses(definition);
  for (const field of ['plural', 'singular', 'kind', 'listKind'] as const) {
    if (definition[field] === '') yield fieldRequired(`spec.names.${field}`, '');
  }
  yield* nameCauses(valueAt(object, ['spec', 'names']), 'spec.names');
  yield* partCauses(definition, former);
  yield* conversionCauses(valueAt(object, ['spec', 'conversion']));
  if (old !== undefined) yield* changeCauses(object, old);
  yield* storedVersionCauses(definition, valueAt(object, ['status', 'storedVersions']));
  yield* approvalCauses(object, old);
  if (valueAt(object, ['spec', 'preserveUnknownFields']) === true) {
    const instead = 'set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead';
    yield fieldInvalid('spec.preserveUnknownFields', true, `cannot set to true, ${instead}`);
  }
}

function* groupCauses(group: string): Causes {
  const errors = group === '' ? [] : dns1123SubdomainErrors(group);
  if (group === '') yield fieldRequired('spec.group', '');
  else if (errors.length > 0) yield fieldInvalid('spec.group', group, errors.join(','));
  else if (!group.includes('.')) yield fieldInvalid('spec.group', group, 'should be a domain with at least one dot');
}

function* choiceCauses(field: string, value: unknown, choices: readonly string[]): Causes {
  if (value === undefined || value === '') yield fieldRequired(field, '');
  else if (!choices.includes(value as string)) yield fieldNotSupported(field, value, choices);
}

function* versionsCauses({ versions }: Definition): CauseSteps {
  const schemaOf = ({ json }: DefinedVersion): unknown => valueAt(json, ['schema', 'openAPIV3Schema']);
  for (const [at, version] of versions.entries()) {
    const path = `spec.versions[${at}]`;
    if (!isJsonObject(schemaOf(version))) yield fieldRequired(`${path}.schema.openAPIV3Schema`, '');
    yield* labelCauses(`${path}.name`, version.name);
    for (const error of deprecationErrors(version)) {
      yield fieldInvalid(`${path}.deprecationWarning`, version.deprecationWarning ?? null, error);
    }
    yield undefined;
  }
  const names = versions.map(({ name }) => name);
  if (new Set(names).size < names.length) yield versionsInvalid(versions, 'must contain unique version names');
  if (versions.filter((version) => version.storage).length !== 1) {
    yield versionsInvalid(versions, 'must have exactly one version marked as storage version');
  }
  // kube-apiserver keeps the name of the first version a second time.
  const [first] = names;
  if (first !== undefined && first !== '') yield* labelCauses('spec.version', first);
}

/** As kube-apiserver prints them: the parts that all versions have in common are left out. */
function versionsInvalid(versions: readonly DefinedVersion[], detail: string): StatusCause {
  const shown = versions.map((version) => ({
    Name: version.name,
    Served: version.served,
    Storage: version.storage,
    Deprecated: version.deprecated,
    DeprecationWarning: version.deprecationWarning ?? null,
    Schema: null,
    Subresources: null,
    AdditionalPrinterColumns: null,
    SelectableFields: null,
  }));
  return fieldInvalid('spec.versions', shown, detail);
}

function* labelCauses(field: string, value: string): Causes {
  const errors = dns1035LabelErrors(value);
  if (errors.length > 0) yield fieldInvalid(field, value, errors.join(','));
}

function* deprecationErrors({ deprecated, deprecationWarning }: DefinedVersion): Iterable<string> {
  if (deprecationWarning === undefined) return;
  if (!deprecated) return yield 'can only be set for deprecated versions';
  if (Buffer.byteLength(deprecationWarning) > 256) yield 'must be <= 256 characters long';
  if (deprecationWarning === '') yield 'must not be an empty string';
  const at = [...deprecationWarning].findIndex((character) => /[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u.test(character));
  if (at < 0) return;
  const index = Buffer.byteLength([...deprecationWarning].slice(0, at).join(''));
  yield `must only contain printable UTF-8 characters; non-printable character found at index ${index}`;
}

/** Names in the spec, or accepted ones in the status. Missing ones are fine. */
function* nameCauses(names: unknown, path: string): CauseSteps {
  if (!isJsonObject(names)) return;
  const { plural, singular, kind, listKind, shortNames, categories } = names;
  for (const [field, name] of Object.entries({ plural, singular })) {
    if (typeof name === 'string' && name !== '') yield* labelCauses(`${path}.${field}`, name);
  }
  for (const [field, name] of Object.entries({ kind, listKind })) {
    if (typeof name !== 'string' || name === '') continue;
    const errors = dns1035LabelErrors(name.toLowerCase());
    if (errors.length === 0) continue;
    const detail = `may have mixed case, but should otherwise match: ${errors.join(',')}`;
    yield fieldInvalid(`${path}.${field}`, name, detail);
  }
  yield* listCauses(shortNames, `${path}.shortNames`);
  if (typeof kind === 'string' && kind !== '' && kind === listKind) {
    yield fieldInvalid(`${path}.listKind`, listKind, 'kind and listKind may not be the same');
  }
  yield* listCauses(categories, `${path}.categories`);
}

function* listCauses(names: unknown, path: string): CauseSteps {
  if (!Array.isArray(names)) return;
  for (const [at, name] of names.entries()) {
    yield* labelCauses(`${path}[${at}]`, String(name));
    if (at % 64 === 0) yield undefined;
  }
}

/**
 * Causes for the schemas, subresources, columns and selectable fields of all versions. kube-apiserver keeps what all versions
 * have in common in the spec, and reports it there.
 */
function* partCauses({ versions }: Definition, former: Definition | undefined): CauseSteps {
  const [first] = versions;
  if (first === undefined) return;
  const isCommon = (part: string): boolean =>
    versions.every(({ json }) => isDeepStrictEqual(json[part] ?? undefined, first.json[part] ?? undefined));
  const common = {
    schema: isCommon('schema'),
    subresources: isCommon('subresources'),
    columns: isCommon('additionalPrinterColumns'),
    selectable: isCommon('selectableFields'),
  };
  const hasAnyStatus = versions.some(({ hasStatus }) => hasStatus);
  for (const [at, version] of versions.entries()) {
    const place = (isInSpec: boolean): string => (isInSpec ? 'spec' : `spec.versions[${at}]`);
    const schema = valueAt(version.json, ['schema', 'openAPIV3Schema']);
    const structural = isJsonObject(schema) ? parseStructural(schema) : undefined;
    yield undefined;
    if (structural !== undefined && (at === 0 || !common.schema)) {
      const path = common.schema ? 'spec.validation' : `${place(false)}.schema`;
      const old = former?.versions.find(({ name }) => name === version.name);
      const isSame = old !== undefined && isDeepStrictEqual(valueAt(old.json, ['schema', 'openAPIV3Schema']), schema);
      const hasStatus = common.schema ? hasAnyStatus : version.hasStatus;
      // A schema that has been accepted before is not checked again.
      if (!isSame) yield* found(schemaCauses(structural, `${path}.openAPIV3Schema`, hasStatus));
    }
    if (version.scale !== undefined && (at === 0 || !common.subresources)) {
      yield* scaleCauses(version.scale, `${place(common.subresources)}.subresources`);
    }
    if (at === 0 || !common.columns) {
      yield* columnCauses(
        version.json['additionalPrinterColumns'],
        `${place(common.columns)}.additionalPrinterColumns`,
      );
    }
    if (structural !== undefined && (at === 0 || !common.selectable)) {
      const path = `${place(common.selectable)}.selectableFields`;
      yield* selectableCauses(version.json['selectableFields'], structural, path);
    }
  }
}

function* found(search: Steps<StatusCause[]>): CauseSteps {
  for (;;) {
    const step = search.next();
    if (step.done === true) return yield* step.value;
    yield undefined;
  }
}

/** The keywords that the root of a schema may have beside a status subresource, by their names in Go. */
const WITH_STATUS =
  'Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations';

const JSON_NAMES: Readonly<Record<string, string>> = {
  XPreserveUnknownFields: 'x-kubernetes-preserve-unknown-fields',
  XValidations: 'x-kubernetes-validations',
};

const WITH_STATUS_KEYWORDS: ReadonlySet<string> = new Set(
  WITH_STATUS.split(' ').map((name) => JSON_NAMES[name] ?? name[0]!.toLowerCase() + name.slice(1)),
);

function* schemaCauses(schema: Structural, path: string, hasStatus: boolean): Steps<StatusCause[]> {
  const causes: StatusCause[] = [];
  if (hasStatus) {
    const wrong = Object.keys(schema.json).find((keyword) => !WITH_STATUS_KEYWORDS.has(keyword));
    if (schema.type !== '' && schema.type !== 'object') {
      const detail =
        'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
      causes.push(fieldInvalid(`${path}.type`, schema.type, detail));
    } else if (wrong !== undefined) {
      const detail = `only [${WITH_STATUS}] fields are allowed at the root of the schema if the status subresource is enabled`;
      causes.push(fieldInvalid(path, schema.json, detail));
    }
  }
  if (schema.nullable) causes.push(fieldForbidden(`${path}.nullable`, 'nullable cannot be true at the root'));
  const unsupported = unsupportedKeyword(schema.json);
  const total = new TotalCost();
  let expressions: SchemaExpressions | undefined;
  if (unsupported === undefined) {
    const problems = yield* structuralCauses(schema, path);
    const inDefaults = problems.length > 0 ? [] : yield* defaultCauses(schema, path);
    causes.push(...problems, ...inDefaults);
    if (problems.length + inDefaults.length === 0 && hasRules(schema)) {
      expressions = SchemaExpressions.ofRoot(schema, total);
    }
  }
  causes.push(...(yield* openApiCauses(schema, path, expressions)), ...total.causes(path));
  if (causes.length === 0 && unsupported !== undefined) causes.push(fieldInvalid(path, '', unsupported));
  return causes;
}

function* scaleCauses(scale: DefinedScale, path: string): Causes {
  yield* replicasCauses(scale.specReplicasPath, `${path}.scale.specReplicasPath`, ['.spec.'], 'under .spec');
  yield* replicasCauses(scale.statusReplicasPath, `${path}.scale.statusReplicasPath`, ['.status.'], 'under .status');
  if (scale.labelSelectorPath === '') return;
  const roots = ['.spec.', '.status.'];
  yield* replicasCauses(
    scale.labelSelectorPath,
    `${path}.scale.labelSelectorPath`,
    roots,
    'under either .spec or .status',
  );
}

function* replicasCauses(value: string, field: string, roots: readonly string[], place: string): Causes {
  if (value === '') yield fieldRequired(field, '');
  else if (!value.startsWith('.')) yield fieldInvalid(field, value, 'must be a simple json path starting with .');
  else if (!roots.some((root) => value.startsWith(root))) {
    yield fieldInvalid(field, value, `should be a json path ${place}`);
  }
}

function* columnCauses(columns: unknown, path: string): CauseSteps {
  if (!Array.isArray(columns)) return;
  for (const [at, column] of columns.filter(isJsonObject).entries()) {
    const { name, type, format, jsonPath } = column;
    const place = `${path}[${at}]`;
    const types = `must be one of ${COLUMN_TYPES.join(',')}`;
    if (!name) yield fieldRequired(`${place}.name`, '');
    if (!type) yield fieldRequired(`${place}.type`, types);
    else if (!COLUMN_TYPES.includes(String(type))) yield fieldInvalid(`${place}.type`, type, types);
    if (format && !COLUMN_FORMATS.includes(String(format))) {
      yield fieldInvalid(`${place}.format`, format, `must be one of ${COLUMN_FORMATS.join(',')}`);
    }
    if (!jsonPath) yield fieldRequired(`${place}.JSONPath`, '');
    else if (!String(jsonPath).startsWith('.')) {
      yield fieldInvalid(`${place}.JSONPath`, jsonPath, 'must be a simple json path starting with .');
    }
    yield undefined;
  }
}

function* selectableCauses(declared: unknown, schema: Structural, path: string): CauseSteps {
  if (!Array.isArray(declared)) return;
  const seen = new Set<string>();
  for (const [at, field] of declared.filter(isJsonObject).entries()) {
    const place = `${path}[${at}].jsonPath`;
    const text = typeof field['jsonPath'] === 'string' ? field['jsonPath'] : '';
    if (text === '') {
      yield fieldRequired(place, '');
      continue;
    }
    try {
      const found = findField(text, schema, false);
      if (/^metadata(?:\.|$)/.test(found.path)) yield fieldInvalid(place, text, 'must not point to fields in metadata');
      if (!['string', 'boolean', 'integer'].includes(found.schema.type)) {
        const detail = 'must point to a field of type string, boolean or integer.';
        yield fieldInvalid(place, text, `${detail} Enum string fields and strings with formats are allowed.`);
      }
      if (seen.has(found.path)) yield fieldDuplicate(place, text);
      seen.add(found.path);
    } catch (error) {
      yield fieldInvalid(place, text, `is an invalid path: ${(error as Error).message}`);
    }
    yield undefined;
  }
  if (seen.size > MAX_SELECTABLE) yield fieldTooMany(path, seen.size, MAX_SELECTABLE);
}

/** Causes for changes of what objects are stored under. Scope and kind may change until the definition is established. */
function* changeCauses(object: JsonObject, old: JsonObject): Causes {
  const always = [
    ['spec', 'group'],
    ['spec', 'names', 'plural'],
  ];
  const established = [
    ['spec', 'scope'],
    ['spec', 'names', 'kind'],
  ];
  for (const path of isConditionTrue(old, 'Established') ? [...established, ...always] : always) {
    const value = valueAt(object, path);
    if (value !== valueAt(old, path)) yield fieldInvalid(path.join('.'), value ?? null, 'field is immutable');
  }
}

function* storedVersionCauses({ versions }: Definition, stored: unknown): Causes {
  const field = 'status.storedVersions';
  const names = Array.isArray(stored) ? stored : [];
  if (names.length === 0) {
    yield fieldInvalid(field, stored ?? null, 'must have at least one stored version');
    return;
  }
  for (const { name, storage } of versions) {
    if (storage && !names.includes(name)) yield fieldInvalid(field, names, `must have the storage version ${name}`);
  }
  for (const [at, name] of names.entries()) {
    if (versions.some((version) => version.name === name)) continue;
    const rule = `must remain in spec.versions until a storage migration ensures no data remains persisted in ${name}`;
    const detail = `missing from spec.versions; ${name} was previously a storage version, and ${rule} and removes ${name} from status.storedVersions`;
    yield fieldInvalid(`${field}[${at}]`, name, detail);
  }
}
