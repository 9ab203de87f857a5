import { pathSegmentErrors } from '../meta/names.js';
import { printGroupResource, type Resource } from '../meta/resource.js';
import { describeValue, optionError, requireString } from '../meta/validate.js';
import type { BuiltinSubresource } from '../resources/builtin-resource.js';
import { findResource } from '../resources/find.js';

/**
 * A collection of objects as requests name it: which resource, and where. What cannot be asked of it is refused here, with a
 * TypeError, before anything is sent.
 */
export class Target {
  readonly resource: Resource<unknown>;
  /** Undefined: the cluster, or all namespaces. */
  readonly namespace: string | undefined;
  /** Undefined where only the server knows it. */
  readonly kind: string | undefined;

  constructor(resource: Resource<unknown>, namespace: string | undefined) {
    requireString('resource.resource', resource?.resource);
    requireString('resource.version', resource.version);
    if (typeof resource.group !== 'string') throw optionError('resource.group', 'a string', resource.group);
    if (namespace !== undefined && typeof namespace !== 'string') throw optionError('namespace', 'a string', namespace);
    const builtin = findResource(resource);
    this.kind = resource.kind ?? builtin?.kind;
    this.resource = { ...resource, namespaced: resource.namespaced ?? builtin?.namespaced };
    // A key of the cluster splits into a name and an empty namespace: that is none.
    this.namespace = namespace === '' ? undefined : namespace;
    if (this.namespace === undefined) return;
    checkSegment('namespace', this.namespace);
    if (this.resource.namespaced === false) {
      throw new TypeError(`${this} has no namespaces, got ${describeValue(namespace)}`);
    }
  }

  /** Checks the name of an object, and that its namespace is known. */
  checkName(name: unknown, verb: string): string {
    this.checkPlace(verb);
    return checkSegment(`the name of ${this}`, name);
  }

  /** Checks that it is said where, for what cannot be done to all namespaces at once. */
  checkPlace(verb: string): void {
    if (this.resource.namespaced === true && this.namespace === undefined) {
      throw new TypeError(`${verb} ${this} needs a namespace, as in ${this.resource.resource}('default')`);
    }
  }

  /** Whether its objects are asked and not stored, such as access reviews: they need no metadata. */
  get isRequest(): boolean {
    return findResource(this.resource)?.verbs.every((verb) => verb === 'create') ?? false;
  }

  /** Checks that an object is of the namespace it is written to. */
  checkNamespaceOf(object: unknown, verb: string): void {
    const { namespace } = this.metadataOf(object, verb);
    if (namespace === undefined || namespace === '' || namespace === this.namespace) return;
    const here = this.namespace === undefined ? 'no namespace' : `namespace ${describeValue(this.namespace)}`;
    throw new TypeError(
      `an object of namespace ${describeValue(namespace)} was given to a client of ${this} in ${here}`,
    );
  }

  /** The metadata of an object that is to be written. */
  metadataOf(object: unknown, verb: string): { readonly name?: unknown; readonly namespace?: unknown } {
    const metadata = (object as { readonly metadata?: unknown } | null | undefined)?.metadata;
    if (typeof metadata === 'object' && metadata !== null) return metadata;
    if (metadata === undefined && typeof object === 'object' && object !== null && this.isRequest) return {};
    throw new TypeError(
      `${verb} ${this} needs an object with metadata, as in ${example}; got ${describeValue(object)}`,
    );
  }

  /** What is known of a subresource without asking. */
  subresource(name: string): BuiltinSubresource | undefined {
    return findResource(this.resource)?.subresources.find((one) => one.name === name);
  }

  /** As errors call it: `deployments.apps`. */
  toString(): string {
    return printGroupResource(this.resource);
  }
}

/** A part of a path that somebody gave. */
export function checkSegment(what: string, value: unknown): string {
  const segment = requireString(what, value);
  const problems = pathSegmentErrors(segment);
  if (problems.length > 0) throw new TypeError(`${what} ${problems.join(' and ')}, got ${describeValue(segment)}`);
  return segment;
}

const example = "{ metadata: { name: 'a' } }";
