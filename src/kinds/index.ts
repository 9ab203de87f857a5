/** Kinds of one's own; `kubeflect/controller` exports these names. */
export { type CustomResource, defineResource, type ObjectOf, type ResourceDefinition } from './define-resource.js';
export type { ScalePaths } from './definition.js';
export { type Field, field } from './field.js';
export { upgradeProblems } from './upgrade-problems.js';
