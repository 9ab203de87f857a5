import { fieldInvalid, fieldNotSupported, fieldRequired } from '../../../meta/errors/field-cause.js';
import type { StatusCause } from '../../../meta/errors/status.js';
import { setValueAt, valueAt } from '../../../meta/json-paths.js';
import { isJsonObject, type JsonObject } from '../../../meta/json-values.js';
import { dns1035LabelErrors, dns1123SubdomainErrors } from '../../../meta/names.js';
import type { ObjectMeta } from '../../../meta/objects.js';
import { approvalCauses } from '../api-approval.js';
import type { CauseSteps } from '../causes.js';
import { setCondition } from '../conditions.js';

/** The finalizer of a definition until its objects are deleted. */
export const CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io';

/** One version that a definition declares. */
export interface DefinedVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated: boolean;
  readonly deprecationWarning: string | undefined;
  readonly hasStatus: boolean;
  readonly scale: DefinedScale | undefined;
  readonly selectableFields: readonly string[];
  /** The version as it is in the definition, with its schema. */
  readonly json: JsonObject;
}

/** Where the replicas and the selector of the scale subresource are, as `.spec.replicas`. */
export interface DefinedScale {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  /** Empty if there is none. */
  readonly labelSelectorPath: string;
}

/** The fields of a definition that the server uses. */
export interface Definition {
  readonly name: string;
  readonly group: string;
  readonly namespaced: boolean;
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly versions: readonly DefinedVersion[];
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Reads a CustomResourceDefinition; missing fields are empty. */
export function readDefinition(object: JsonObject): Definition {
  const at = (...path: string[]): unknown => valueAt(object, path);
  const versions = at('spec', 'versions');
  return {
    name: text(at('metadata', 'name')),
    group: text(at('spec', 'group')),
    namespaced: at('spec', 'scope') !== 'Cluster',
    plural: text(at('spec', 'names', 'plural')),
    singular: text(at('spec', 'names', 'singular')),
    kind: text(at('spec', 'names', 'kind')),
    listKind: text(at('spec', 'names', 'listKind')),
    shortNames: strings(at('spec', 'names', 'shortNames')),
    categories: strings(at('spec', 'names', 'categories')),
    versions: (Array.isArray(versions) ? versions : []).filter(isJsonObject).map(readVersion),
  };
}

function readVersion(version: JsonObject): DefinedVersion {
  const scale = valueAt(version, ['subresources', 'scale']);
  const selectable = Array.isArray(version['selectableFields']) ? version['selectableFields'] : [];
  return {
    name: text(version['name']),
    served: version['served'] === true,
    storage: version['storage'] === true,
    deprecated: version['deprecated'] === true,
    deprecationWarning: typeof version['deprecationWarning'] === 'string' ? version['deprecationWarning'] : undefined,
    hasStatus: isJsonObject(valueAt(version, ['subresources', 'status'])),
    scale: isJsonObject(scale)
      ? {
          specReplicasPath: text(scale['specReplicasPath']),
          statusReplicasPath: text(scale['statusReplicasPath']),
          labelSelectorPath: text(scale['labelSelectorPath']),
        }
      : undefined,
    selectableFields: selectable.filter(isJsonObject).map((field) => text(field['jsonPath']).replace(/^\./, '')),
    json: version,
  };
}

/** Sets the status of a new definition. */
export function prepareDefinition(object: JsonObject): void {
  const { versions } = readDefinition(object);
  object['status'] = {
    conditions: null,
    acceptedNames: { plural: '', kind: '' },
    storedVersions: versions.filter((version) => version.storage).map((version) => version.name),
  };
}

/** Fills in the default names and conversion of every definition that is stored. */
export function canonicalizeDefinition(object: JsonObject, old: JsonObject | undefined): void {
  const { singular, listKind, kind, versions } = readDefinition(object);
  if (singular === '' && kind !== '') setValueAt(object, ['spec', 'names', 'singular'], kind.toLowerCase());
  if (listKind === '' && kind !== '') setValueAt(object, ['spec', 'names', 'listKind'], `${kind}List`);
  if (valueAt(object, ['spec', 'conversion']) === undefined) {
    setValueAt(object, ['spec', 'conversion'], { strategy: 'None' });
  }
  const stored = versions.find((version) => version.storage)?.name;
  const known = strings(valueAt(object, ['status', 'storedVersions']));
  if (old !== undefined && stored !== undefined && !known.includes(stored)) {
    setValueAt(object, ['status', 'storedVersions'], [...known, stored]);
  }
}

/** Causes for an invalid definition; its schemas are not checked. */
export function* definitionCauses(object: JsonObject, old: JsonObject | undefined): CauseSteps {
  const definition = readDefinition(object);
  const { name, group, plural, kind, versions } = definition;
  const expected = `${plural}.${group}`;
  if (name !== expected) {
    yield fieldInvalid('metadata.name', name, 'must be spec.names.plural+"."+spec.group');
  }
  const groupErrors = group === '' ? [] : dns1123SubdomainErrors(group);
  if (group === '') yield fieldRequired('spec.group', '');
  else if (groupErrors.length > 0) yield fieldInvalid('spec.group', group, groupErrors.join(','));
  else if (!group.includes('.')) yield fieldInvalid('spec.group', group, 'should be a domain with at least one dot');
  const scope = valueAt(object, ['spec', 'scope']);
  if (scope !== 'Cluster' && scope !== 'Namespaced') {
    yield scope === undefined
      ? fieldRequired('spec.scope', '')
      : fieldNotSupported('spec.scope', scope, ['Cluster', 'Namespaced']);
  }
  if (plural === '') yield fieldRequired('spec.names.plural', '');
  else for (const error of dns1035LabelErrors(plural)) yield fieldInvalid('spec.names.plural', plural, error);
  if (kind === '') yield fieldRequired('spec.names.kind', '');
  for (const [index, version] of versions.entries()) {
    for (const error of dns1035LabelErrors(version.name)) {
      yield fieldInvalid(`spec.versions[${index}].name`, version.name, error);
    }
    if (!isJsonObject(valueAt(version.json, ['schema', 'openAPIV3Schema']))) {
      yield fieldRequired(`spec.versions[${index}].schema.openAPIV3Schema`, 'schemas are required');
    }
    for (const path of ['specReplicasPath', 'statusReplicasPath'] as const) {
      // kube-apiserver names the field of a single version without an index.
      const place = versions.length === 1 ? 'spec' : `spec.versions[${index}]`;
      if (version.scale?.[path] === '') yield fieldRequired(`${place}.subresources.scale.${path}`, '');
    }
    yield undefined;
  }
  if (versions.filter((version) => version.storage).length !== 1) {
    const given = valueAt(object, ['spec', 'versions']);
    yield fieldInvalid('spec.versions', given, 'must have exactly one version marked as storage version');
  }
  if (old !== undefined) yield* changedCauses(object, old);
  yield* approvalCauses(object, old);
}

/** Causes for changes that an established definition may not make. */
function changedCauses(object: JsonObject, old: JsonObject): StatusCause[] {
  const paths = [
    ['spec', 'group'],
    ['spec', 'scope'],
    ['spec', 'names', 'plural'],
    ['spec', 'names', 'kind'],
  ];
  const causes = paths
    .filter((path) => valueAt(object, path) !== valueAt(old, path))
    .map((path) => fieldInvalid(path.join('.'), valueAt(object, path) ?? null, 'field is immutable'));
  const versionsOf = (definition: JsonObject): ReadonlySet<string> =>
    new Set(readDefinition(definition).versions.map((version) => version.name));
  const present = versionsOf(object);
  const former = versionsOf(old);
  strings(valueAt(object, ['status', 'storedVersions'])).forEach((name, index) => {
    if (present.has(name) || !former.has(name)) return;
    const rule = `must remain in spec.versions until a storage migration ensures no data remains persisted in ${name}`;
    const detail = `missing from spec.versions; ${name} was previously a storage version, and ${rule} and removes ${name} from status.storedVersions`;
    causes.push(fieldInvalid(`status.storedVersions[${index}]`, name, detail));
  });
  return causes;
}

/** Begins the deletion of a definition: sets the condition Terminating; its objects are deleted first. */
export function terminateDefinition(object: JsonObject, timestamp: string): void {
  const metadata = object['metadata'] as ObjectMeta;
  metadata.finalizers = [...new Set([...(metadata.finalizers ?? []), CLEANUP_FINALIZER])];
  setCondition(object, timestamp, {
    type: 'Terminating',
    status: 'True',
    reason: 'InstanceDeletionPending',
    message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
  });
}
