import { fieldInvalid } from '../../../meta/errors/field-cause.js';
import type { StatusCause } from '../../../meta/errors/status.js';
import { getField, isJsonObject, type JsonObject } from '../../../meta/json-values.js';
import type { Steps } from '../../../time/steps.js';
import type { CauseSteps, Causes } from '../causes.js';
import { metadataOf } from '../object-meta.js';
import { customResourceStrategy, type SelectableFields, type Strategy, type Warn } from '../strategy.js';
import type { CustomVersion } from './custom-version.js';
import type { DefinedScale } from './definition/definition.js';
import type { Structural } from './definition/structural.js';
import { Correlation } from './object/correlation.js';
import { setDefaults } from './object/defaulting.js';
import { embeddedCauses } from './object/embedded-resources.js';
import { listTypeCauses } from './object/list-types.js';
import { ruleCauses } from './object/rule-validation.js';
import { schemaCauses } from './object/schema-validation.js';

/** The strategy of one version of a custom resource. */
export function customStrategy(version: CustomVersion, fields: SelectableFields): Strategy {
  const { schema } = version;
  return {
    ...customResourceStrategy,
    fields,
    defaults: (object) => setDefaults(object, schema),
    deprecation: version.deprecation,
    causes: (object, old, subresource, warn) => customCauses(version, object, old, subresource, warn),
    warnings: finalizerWarnings,
  };
}

/** The reasons of causes after which rules are not evaluated: they rely on what the schema says. */
const BLOCKING: ReadonlySet<string> = new Set([
  'FieldValueRequired',
  'FieldValueNotSupported',
  'FieldValueTypeInvalid',
  'FieldValueTooLong',
  'FieldValueTooMany',
]);

const UNCHECKED =
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation';

/** Causes for an object that its schema refuses. Without an `old` state all of it is new. */
function* customCauses(
  version: CustomVersion,
  object: JsonObject,
  old: JsonObject | undefined,
  subresource: string,
  warn: Warn,
): CauseSteps {
  const { schema, scale, rules } = version;
  const isStatus = subresource === 'status';
  const correlation = old === undefined ? undefined : new Correlation(object, old, schema);
  let isBlocked = false;
  const sources: Causes[] = [
    found(isStatus ? statusCauses(object, schema, correlation) : schemaCauses(object, schema, undefined, correlation)),
    scale === undefined ? [] : scaleCauses(object, scale, isStatus),
    isStatus ? [] : embeddedCauses(object, schema),
    uniqueCauses(object, old, schema),
  ];
  for (const source of sources) {
    for (const cause of source) {
      if (cause !== undefined && BLOCKING.has(cause.reason ?? '')) isBlocked = true;
      yield cause;
    }
  }
  if (rules === undefined) return;
  if (isBlocked) yield fieldInvalid('<nil>', null, UNCHECKED);
  else yield* ruleCauses(rules, { value: object, old, correlation, warn });
}

const STANDARD_FINALIZERS: ReadonlySet<string> = new Set(['orphan', 'foregroundDeletion', 'kubernetes']);

/** Warnings of new finalizers whose names others may use too. */
function* finalizerWarnings(object: JsonObject, old: JsonObject | undefined): Iterable<string> {
  const known = new Set(old === undefined ? [] : metadataOf(old).finalizers);
  for (const name of [...new Set(metadataOf(object).finalizers)].sort()) {
    if (known.has(name) || name.includes('/') || STANDARD_FINALIZERS.has(name)) continue;
    const path = name.includes('.') ? ' including a path (/)' : '';
    const why = 'to avoid accidental conflicts with other finalizer writers';
    yield `metadata.finalizers: ${JSON.stringify(name)}: prefer a domain-qualified finalizer name${path} ${why}`;
  }
}

/** The causes that a search finds at its end. */
function* found(search: Steps<StatusCause[]>): CauseSteps {
  for (;;) {
    const step = search.next();
    if (step.done === true) return yield* step.value;
    yield undefined;
  }
}

/** A write to `status` checks only the status. */
function* statusCauses(object: JsonObject, schema: Structural, whole: Correlation | undefined): Steps<StatusCause[]> {
  const status = getField(object, 'status');
  const statusSchema = schema.properties.get('status');
  if (status === undefined || statusSchema === undefined) return [];
  return yield* schemaCauses(status, statusSchema, 'status', whole?.key('status'));
}

/** Duplicates are refused unless the former object has some too. */
function* uniqueCauses(object: JsonObject, old: JsonObject | undefined, schema: Structural): CauseSteps {
  if (old !== undefined) {
    for (const cause of listTypeCauses(old, schema)) {
      if (cause !== undefined) return;
      yield undefined;
    }
  }
  yield* listTypeCauses(object, schema);
}

const MAX_INT32 = 2 ** 31 - 1;

/** The replicas that the scale subresource shows must be numbers, and its selector a text. */
function* scaleCauses(object: JsonObject, scale: DefinedScale, isStatus: boolean): CauseSteps {
  const numbers = isStatus ? [scale.statusReplicasPath] : [scale.specReplicasPath, scale.statusReplicasPath];
  for (const path of numbers) {
    const { value, problem } = nested(object, path, 'int64');
    if (problem !== undefined) yield fieldInvalid(path, 0, problem);
    else if (typeof value === 'number' && value < 0)
      yield fieldInvalid(path, value, 'should be a non-negative integer');
    else if (typeof value === 'number' && value > MAX_INT32) {
      yield fieldInvalid(path, value, `should be less than or equal to ${MAX_INT32}`);
    }
  }
  if (scale.labelSelectorPath === '') return;
  const { problem } = nested(object, scale.labelSelectorPath, 'string');
  if (problem !== undefined) yield fieldInvalid(scale.labelSelectorPath, '', problem);
}

/** The value at a path; a value of a wrong type is a problem, a missing one is not. */
function nested(
  object: JsonObject,
  path: string,
  type: 'int64' | 'string',
): { readonly value?: unknown; readonly problem?: string } {
  const names = path.replace(/^\./, '').split('.');
  let value: unknown = object;
  const wrong = (place: readonly string[], expected: string): { problem: string } => ({
    problem: `.${place.join('.')} accessor error: ${goText(value)} is of the type ${goType(value)}, expected ${expected}`,
  });
  for (const [at, name] of names.entries()) {
    if (value === null) return {};
    if (!isJsonObject(value)) return wrong(names.slice(0, at + 1), 'map[string]interface{}');
    value = getField(value, name);
    if (value === undefined) return {};
  }
  const isRight = type === 'string' ? typeof value === 'string' : Number.isInteger(value);
  return isRight ? { value } : wrong(names, type);
}

function goType(value: unknown): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return typeof value === 'boolean' ? 'bool' : typeof value === 'string' ? 'string' : 'map[string]interface {}';
}

function goText(value: unknown): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(goText).join(' ')}]`;
  if (!isJsonObject(value)) return String(value);
  const names = Object.keys(value).sort();
  return `map[${names.map((name) => `${name}:${goText(getField(value, name))}`).join(' ')}]`;
}
