import { setValueAt, valueAt } from '../../../../meta/json-paths.js';
import { isJsonObject, type JsonObject } from '../../../../meta/json-values.js';
import { setCondition } from '../../conditions.js';
import { metadataOf } from '../../object-meta.js';
import type { Strategy } from '../../strategy.js';
import { readDefinition, strings } from './definition.js';
import { definitionCauses, definitionWarnings } from './definition-rules.js';

/** The finalizer of a definition until its objects are deleted. */
export const CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io';

/** The strategy of CustomResourceDefinitions. */
export const definitions: Partial<Strategy> = {
  generation: 'content',
  unconditionalUpdate: false,
  defaults: completeDefinition,
  prepareCreate: prepareDefinition,
  canonicalize: noteStorageVersion,
  causes: definitionCauses,
  warnings: definitionWarnings,
  termination: { begin: terminateDefinition, isHeld: () => false },
};

/** Sets the status of a new definition. */
function prepareDefinition(object: JsonObject): void {
  const stored = readDefinition(object).versions.find((version) => version.storage);
  object['status'] = {
    conditions: null,
    acceptedNames: { plural: '', kind: '' },
    storedVersions: stored === undefined ? null : [stored.name],
  };
}

/** Fills in the names and the conversion that a definition leaves out. */
function completeDefinition(object: JsonObject): void {
  const { singular, listKind, kind } = readDefinition(object);
  if (singular === '' && kind !== '') setValueAt(object, ['spec', 'names', 'singular'], kind.toLowerCase());
  if (listKind === '' && kind !== '') setValueAt(object, ['spec', 'names', 'listKind'], `${kind}List`);
  if (!isJsonObject(valueAt(object, ['spec', 'conversion']))) {
    setValueAt(object, ['spec', 'conversion'], { strategy: 'None' });
  }
  const service = valueAt(object, ['spec', 'conversion', 'webhook', 'clientConfig', 'service']);
  if (isJsonObject(service)) service['port'] ??= 443;
}

/** Notes the storage version, in which objects are stored from now on. */
function noteStorageVersion(object: JsonObject, old: JsonObject | undefined): void {
  const stored = readDefinition(object).versions.find((version) => version.storage)?.name;
  const known = strings(valueAt(object, ['status', 'storedVersions']));
  if (old !== undefined && stored !== undefined && !known.includes(stored)) {
    setValueAt(object, ['status', 'storedVersions'], [...known, stored]);
  }
}

/** Begins the deletion of a definition: sets the condition Terminating; its objects are deleted first. */
function terminateDefinition(object: JsonObject, timestamp: string): void {
  const metadata = metadataOf(object);
  metadata.finalizers = [...new Set([...(metadata.finalizers ?? []), CLEANUP_FINALIZER])];
  setCondition(object, timestamp, {
    type: 'Terminating',
    status: 'True',
    reason: 'InstanceDeletionPending',
    message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
  });
}
