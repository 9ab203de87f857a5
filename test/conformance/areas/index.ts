import type { Area } from '../area.js';
import { area as admissionPolicies } from './admission-policies.js';
import { area as admissionWebhooks } from './admission-webhooks.js';
import { area as applyStructures } from './apply-structures.js';
import { area as authentication } from './authentication.js';
import { area as authorization } from './authorization.js';
import { area as bodies } from './bodies.js';
import { area as builtInValidation } from './built-in-validation.js';
import { area as conversionWebhooks } from './conversion-webhooks.js';
import { area as create } from './create.js';
import { area as customResourceDefinitions } from './custom-resource-definitions.js';
import { area as customResourceRules } from './custom-resource-rules.js';
import { area as customResourceSchemas } from './custom-resource-schemas.js';
import { area as customResources } from './custom-resources.js';
import { area as deletion } from './delete.js';
import { area as deleteCollection } from './delete-collection.js';
import { area as discovery } from './discovery.js';
import { area as encodings } from './encodings.js';
import { area as events } from './events.js';
import { area as fieldSelectors } from './field-selectors.js';
import { area as fieldValidation } from './field-validation.js';
import { area as get } from './get.js';
import { area as health } from './health.js';
import { area as impersonation } from './impersonation.js';
import { area as jsonPatch } from './json-patch.js';
import { area as kindRules } from './kind-rules.js';
import { area as labelSelectors } from './label-selectors.js';
import { area as leases } from './leases.js';
import { area as list } from './list.js';
import { area as mediaTypes } from './media-types.js';
import { area as mergePatch } from './merge-patch.js';
import { area as metadataValidation } from './metadata-validation.js';
import { area as namespaces } from './namespaces.js';
import { area as openapi } from './openapi.js';
import { area as ownerReferences } from './owner-references.js';
import { area as paging } from './paging.js';
import { area as partialMetadata } from './partial-metadata.js';
import { area as paths } from './paths.js';
import { area as podRules } from './pod-rules.js';
import { area as requestOptions } from './request-options.js';
import { area as serverSideApply } from './server-side-apply.js';
import { area as strategicMergePatch } from './strategic-merge-patch.js';
import { area as subresources } from './subresources.js';
import { area as table } from './table.js';
import { area as update } from './update.js';
import { area as watch } from './watch.js';
import { area as watchStart } from './watch-start.js';
import { area as workloadRules } from './workload-rules.js';

/** Every area, in the order in which the suite runs them. One line each, so that merges do not conflict. */
export const areas: readonly Area[] = [
  health,
  discovery,
  create,
  metadataValidation,
  get,
  update,
  jsonPatch,
  mergePatch,
  strategicMergePatch,
  deletion,
  deleteCollection,
  subresources,
  labelSelectors,
  fieldSelectors,
  list,
  paging,
  watch,
  watchStart,
  customResources,
  serverSideApply,
  namespaces,
  events,
  kindRules,
  podRules,
  workloadRules,
  leases,
  ownerReferences,
  paths,
  bodies,
  mediaTypes,
  authentication,
  authorization,
  impersonation,
  partialMetadata,
  encodings,
  table,
  openapi,
  fieldValidation,
  requestOptions,
  builtInValidation,
  customResourceRules,
  customResourceSchemas,
  customResourceDefinitions,
  applyStructures,
  admissionWebhooks,
  admissionPolicies,
  conversionWebhooks,
];
