import { valueAt } from '../../../../meta/json-paths.js';
import { isJsonObject, type JsonObject } from '../../../../meta/json-values.js';
import type { WebhookClientConfig } from '../../webhook-caller.js';
import type { ConversionWebhook } from '../webhook-conversion.js';

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
  /** The webhook that converts between versions; undefined for the strategy None. */
  readonly conversionWebhook: ConversionWebhook | undefined;
}

/** The texts of a list. */
export function strings(value: unknown): string[] {
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
    conversionWebhook:
      at('spec', 'conversion', 'strategy') === 'Webhook'
        ? {
            clientConfig: at('spec', 'conversion', 'webhook', 'clientConfig') as WebhookClientConfig,
            reviewVersions: strings(at('spec', 'conversion', 'webhook', 'conversionReviewVersions')),
          }
        : undefined,
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
