/** `kubeflect/controller`: controllers, from a kind to a running operator. */
export {
  type CustomResource,
  defineResource,
  type ObjectOf,
  type ResourceDefinition,
} from '../kinds/define-resource.js';
export type { ScalePaths } from '../kinds/definition.js';
export { type Field, field } from '../kinds/field.js';
export { upgradeProblems } from '../kinds/upgrade-problems.js';
export { type ApplyOwnedOptions, applyOwned } from './apply-owned.js';
export { type ConditionDetails, conditionOf, withCondition } from './conditions.js';
export { createController } from './controller.js';
export { addFinalizer, removeFinalizer } from './finalizers.js';
export { createManager, type Manager } from './manager/manager.js';
export type { ManagerOptions } from './manager/manager-options.js';
export { ManagerStartError } from './manager/preflight.js';
export { type DeployOptions, type Manifest, manifests } from './manifests/manifests.js';
export { ownerReference } from './owners.js';
export type {
  ApplyTo,
  CacheOptions,
  Controller,
  ControllerContext,
  ControllerOptions,
  ControllerWatch,
  ControllerWatchOptions,
  Result,
  RunningController,
} from './types.js';
export type { AdmissionRequest, Verdict, Webhook, WebhookOptions, WebhookServerOptions } from './webhooks/types.js';
export { convert, mutate, validate } from './webhooks/webhook.js';
