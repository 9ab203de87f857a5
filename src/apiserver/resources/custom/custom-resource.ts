import { createHash } from 'node:crypto';
import { valueAt } from '../../../meta/json-paths.js';
import type { JsonObject } from '../../../meta/json-values.js';
import type { Collection } from '../../storage/storage.js';
import { type ApiResource, apiResource } from '../registry.js';
import { type SelectableFields, selectedFields, text } from '../strategy.js';
import { customStrategy } from './custom-strategy.js';
import { customConversion, customVersions } from './custom-version.js';
import type { DefinedVersion, Definition } from './definition/definition.js';
import { type ConversionCalls, WebhookConversion } from './webhook-conversion.js';

const ALL_VERBS = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
const CHANGE_VERBS = ['get', 'patch', 'update'];

/** The state of a definition that its resources depend on. */
export interface DefinitionState {
  /** Whether objects may have been stored by another state of the definition. */
  readonly isRevised: boolean;
  /** Whether creates are refused, because the definition is terminating. */
  readonly isClosed: () => boolean;
  /** What a conversion webhook is called with. */
  readonly conversionCalls: ConversionCalls;
}

/** The resources of a definition: one for each version, with one collection for all. */
export function customResources(
  definition: Definition,
  collection: Collection,
  { isRevised, isClosed, conversionCalls }: DefinitionState,
): ApiResource[] {
  const { conversionWebhook: webhook } = definition;
  const remote = webhook && new WebhookConversion(webhook, definition.listKind, conversionCalls);
  const storedFields = selectable(definition.versions.flatMap((version) => version.selectableFields));
  const versions = customVersions(definition);
  const storageVersionHash = hashOf(definition);
  return versions
    .filter((version) => version.served || version.storage)
    .map((version) =>
      apiResource({
        group: definition.group,
        version: version.name,
        resource: definition.plural,
        singular: definition.singular,
        kind: definition.kind,
        listKind: definition.listKind,
        namespaced: definition.namespaced,
        // A version that is stored but not served has no verbs; the controllers still find its objects.
        verbs: version.served ? ALL_VERBS : [],
        shortNames: definition.shortNames,
        categories: definition.categories,
        subresources: subresourcesOf(version, definition.kind),
        storageVersionHash,
        strategy: customStrategy(version, selectable(version.selectableFields)),
        storedFields,
        collection,
        isCustom: true,
        custom: version,
        table: version.table,
        isClosed,
        isStorageVersion: version.storage,
        // Objects of a definition with one version that never changed are sent as they are stored.
        conversion: isRevised || versions.length > 1 ? customConversion(definition, versions, version, remote) : undefined,
        scale: version.scale && {
          specReplicas: pathOf(version.scale.specReplicasPath),
          statusReplicas: pathOf(version.scale.statusReplicasPath),
          labelSelector: version.scale.labelSelectorPath === '' ? undefined : pathOf(version.scale.labelSelectorPath),
        },
      }),
    );
}

/** The values of the selectable fields of a stored object, after the definition has changed. */
export function restoredFields({ conversion, storedFields }: ApiResource, object: JsonObject): Record<string, string> {
  return selectedFields(storedFields, conversion?.fromStorage(object) ?? object);
}

function hashOf({ group, kind, versions }: Definition): string {
  const stored = versions.find((version) => version.storage)?.name;
  return createHash('sha256').update(`${group}/${stored}/${kind}`).digest().subarray(0, 8).toString('base64');
}

function subresourcesOf(version: DefinedVersion, kind: string): NonNullable<ApiResource['subresources']> {
  return [
    ...(version.hasStatus ? [{ name: 'status', kind, verbs: CHANGE_VERBS }] : []),
    ...(version.scale === undefined
      ? []
      : [{ name: 'scale', kind: 'Scale', group: 'autoscaling', version: 'v1', verbs: CHANGE_VERBS }]),
  ];
}

function selectable(names: readonly string[]): SelectableFields {
  return Object.fromEntries(
    names.map((name) => [name, (object: JsonObject) => text(valueAt(object, name.split('.')))]),
  );
}

/** A JSON path of a definition, as `.spec.replicas`, split into names. */
function pathOf(path: string): string[] {
  return path.replace(/^\./, '').split('.');
}
