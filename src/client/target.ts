import { pathSegmentErrors } from '../meta/names.js';
import { describeValue, optionError, requireString } from '../meta/options/validate.js';
import { printGroupResource, type Resource } from '../meta/resource.js';
import type { BuiltinSubresource } from '../resources/builtin-resource.js';
import { findResource } from '../resources/find.js';

/**
 * The resource and namespace of a request. Throws a TypeError for a missing or invalid name or namespace before anything
 * is sent.
 */
export class Target {
  readonly resource: Resource<unknown>;
  /** Undefined for a cluster-scoped resource, and for all namespaces. */
  readonly namespace: string | undefined;
  /** Undefined if neither the resource nor the catalogue has it: `ServerApi.withTypeMeta` then reads it from discovery. */
  readonly kind: string | undefined;

  constructor(resource: Resource<unknown>, namespace: string | undefined) {
    requireString('resource.resource', resource?.resource);
    requireString('resource.version', resource.version);
    if (typeof resource.group !== 'string') throw optionError('resource.group', 'a string', resource.group);
    if (namespace !== undefined && typeof namespace !== 'string') throw optionError('namespace', 'a string', namespace);
    const builtin = findResource(resource);
    this.kind = resource.kind ?? builtin?.kind;
    this.resource = { ...resource, namespaced: resource.namespaced ?? builtin?.namespaced };
    // The key of a cluster-scoped object splits into a name and the namespace ''.
    this.namespace = namespace === '' ? undefined : namespace;
    if (this.namespace === undefined) return;
    checkSegment('namespace', this.namespace);
    if (this.resource.namespaced === false) {
      throw new TypeError(`${this} has no namespaces, got ${describeValue(namespace)}`);
    }
  }

  /** Checks the name of an object, and that a namespaced resource has a namespace. */
  checkName(name: unknown, verb: string): string {
    this.checkPlace(verb);
    return checkSegment(`the name of ${this}`, name);
  }

  /** Checks that a namespaced resource has a namespace, for verbs that do not work on all namespaces. */
  checkPlace(verb: string): void {
    if (this.resource.namespaced === true && this.namespace === undefined) {
      throw new TypeError(`${verb} ${this} needs a namespace, as in ${this.resource.resource}('default')`);
    }
  }

  /** Whether the server does not store the objects, as with access reviews: these need no metadata. */
  get isRequest(): boolean {
    return findResource(this.resource)?.verbs.every((verb) => verb === 'create') ?? false;
  }

  /** Checks that `metadata.namespace` of an object is the namespace of the request. */
  checkNamespaceOf(object: unknown, verb: string): void {
    const { namespace } = this.metadataOf(object, verb);
    if (namespace === undefined || namespace === '' || namespace === this.namespace) return;
    const here = this.namespace === undefined ? 'no namespace' : `namespace ${describeValue(this.namespace)}`;
    throw new TypeError(
      `an object of namespace ${describeValue(namespace)} was given to a client of ${this} in ${here}`,
    );
  }

  /** `metadata` of an object to write. Throws if there is none, unless {@link isRequest}. */
  metadataOf(object: unknown, verb: string): { readonly name?: unknown; readonly namespace?: unknown } {
    const metadata = (object as { readonly metadata?: unknown } | null | undefined)?.metadata;
    if (typeof metadata === 'object' && metadata !== null) return metadata;
    if (metadata === undefined && typeof object === 'object' && object !== null && this.isRequest) return {};
    throw new TypeError(
      `${verb} ${this} needs an object with metadata, as in ${example}; got ${describeValue(object)}`,
    );
  }

  /** A subresource as the catalogue describes it; undefined for custom resources. */
  subresource(name: string): BuiltinSubresource | undefined {
    return findResource(this.resource)?.subresources.find((one) => one.name === name);
  }

  /** As in error messages: `deployments.apps`. */
  toString(): string {
    return printGroupResource(this.resource);
  }
}

/** Checks a value that becomes one segment of a URL path. */
export function checkSegment(what: string, value: unknown): string {
  const segment = requireString(what, value);
  const problems = pathSegmentErrors(segment);
  if (problems.length > 0) throw new TypeError(`${what} ${problems.join(' and ')}, got ${describeValue(segment)}`);
  return segment;
}

const example = "{ metadata: { name: 'a' } }";
