import { ParseError } from './errors/errors.js';
import { dns1035LabelErrors, dns1123SubdomainErrors, withGroup } from './names.js';
import type { KubernetesObject, TypeMeta, Unstructured } from './objects.js';
import { optionError, requireObject, requireString } from './options/validate.js';

/** An API group (empty for the core group) and one of its versions: the parts of `apiVersion`. */
export interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

/** A kind, in any version. */
export interface GroupKind {
  readonly group: string;
  readonly kind: string;
}

/** A resource, in any version. */
export interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

/** The type of an object, from its `apiVersion` and `kind`. */
export interface GroupVersionKind extends GroupVersion, GroupKind {}

/** A resource as in URLs: `resource` is the plural, lower-case name, such as `pods`. */
export interface GroupVersionResource extends GroupVersion, GroupResource {}

/** Never set: it only holds the type of a resource's objects. */
declare const objectType: unique symbol;

/** Group, version and resource, and (for TypeScript only) the type of its objects. */
export interface Resource<T = Unstructured> extends GroupVersionResource {
  readonly kind?: string | undefined;
  readonly namespaced?: boolean | undefined;
  readonly [objectType]?: T;
}

/**
 * Defines a resource that is not built in, such as a custom resource, with the type of its objects.
 *
 * @example
 * const widgets = defineResource<Widget>({ group: 'example.com', version: 'v1', resource: 'widgets', kind: 'Widget', namespaced: true });
 */
export function defineResource<T extends KubernetesObject>(resource: {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
}): Resource<T> {
  requireObject('resource', resource, 'an object with group, version, resource, kind and namespaced');
  const { group, version, resource: plural, kind, namespaced } = resource;
  if (typeof group !== 'string' || (group !== '' && dns1123SubdomainErrors(group).length > 0)) {
    throw optionError('group', "a DNS name such as 'example.com', or empty for the core group", group);
  }
  if (dns1035LabelErrors(requireString('version', version)).length > 0) {
    throw optionError('version', "a version such as 'v1'", version);
  }
  if (dns1035LabelErrors(requireString('resource', plural)).length > 0) {
    throw optionError('resource', "the plural, lower-case name of the resource, such as 'widgets'", plural);
  }
  requireString('kind', kind);
  if (typeof namespaced !== 'boolean') throw optionError('namespaced', 'true or false', namespaced);
  return Object.freeze({ group, version, resource: plural, kind, namespaced });
}

/** `apps/v1` → group and version; `v1` is the core group's. */
export function parseApiVersion(apiVersion: string): GroupVersion {
  const slash = apiVersion.indexOf('/');
  const fail = (position: number, reason: string): never => {
    throw new ParseError('apiVersion', apiVersion, position, reason);
  };
  if (apiVersion === '') fail(0, 'it is empty');
  if (slash < 0) return { group: '', version: apiVersion };
  if (slash === 0) fail(0, "there is no group before the '/'");
  if (slash === apiVersion.length - 1) fail(apiVersion.length, "there is no version after the '/'");
  const second = apiVersion.indexOf('/', slash + 1);
  if (second >= 0) fail(second, "there is a second '/'");
  return { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

/** The inverse of {@link parseApiVersion}. */
export function apiVersionOf(of: GroupVersion): string {
  return of.group === '' ? of.version : `${of.group}/${of.version}`;
}

/** Group, version and kind of an object. */
export function groupVersionKindOf(object: Readonly<TypeMeta>): GroupVersionKind {
  return { ...parseApiVersion(object.apiVersion), kind: object.kind };
}

/** `deployments.apps`, or `pods` for the core group. */
export function printGroupResource(of: GroupResource): string {
  return withGroup(of.resource, of.group);
}

/** `Deployment.apps`, or `Pod` for the core group. */
export function printGroupKind(of: GroupKind): string {
  return withGroup(of.kind, of.group);
}

/** `deployments.v1.apps`, or `pods.v1` for the core group. */
export function printResource(of: GroupVersionResource): string {
  return withGroup(`${of.resource}.${of.version}`, of.group);
}
