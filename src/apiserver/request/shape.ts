import { StatusError } from '../../meta/errors/errors.js';
import { notAcceptable } from '../../meta/errors/status.js';
import type { JsonObject } from '../../meta/json-values.js';
import type { ApiResource } from '../resources/registry.js';
import { type ChangeType, eventLine, eventLineOf, type Revision } from '../storage/storage.js';
import { type Accepted, negotiate, servedMediaTypes } from '../wire/media-types.js';

const decoder = new TextDecoder();

/**
 * The form in which the objects of a resource are sent: as stored, in another version, or as PartialObjectMetadata. Each
 * revision is converted once, when it is first sent in that form; later answers share the bytes.
 */
export class Shape {
  readonly kind: string;
  readonly apiVersion: string;
  readonly listKind: string;
  readonly contentType: string;
  /** Objects are sent as the bytes that are stored. */
  readonly isStored: boolean;
  /** The length of an object's kind and apiVersion in bytes, with the opening brace: items of built-in lists omit them. */
  readonly #typeLength: number;
  readonly #convert: (object: JsonObject) => JsonObject;

  constructor(resource: ApiResource, accepted: Accepted) {
    const isPartial = accepted.transform?.startsWith('PartialObjectMetadata') === true;
    this.kind = isPartial ? 'PartialObjectMetadata' : resource.kind;
    this.apiVersion = isPartial ? accepted.apiVersion : resource.apiVersion;
    this.listKind = isPartial ? 'PartialObjectMetadataList' : resource.listKind;
    this.contentType = accepted.contentType;
    this.isStored = !isPartial && resource.conversion === undefined;
    const { kind, apiVersion } = this;
    const isTyped = !isPartial && !resource.isCustom;
    this.#typeLength = isTyped ? Buffer.byteLength(`{${typeFields(kind, apiVersion)},`) : 0;
    this.#convert = isPartial
      ? (object) => ({ kind, apiVersion, metadata: object['metadata'] })
      : (object) => resource.conversion!.fromStorage(object);
  }

  /** The object, in this form. */
  bytes(revision: Revision): Uint8Array {
    if (this.isStored) return revision.bytes;
    revision.shapes ??= new Map();
    let bytes = revision.shapes.get(this);
    if (bytes === undefined) {
      bytes = Buffer.from(JSON.stringify(this.#convert(revision.decode())));
      revision.shapes.set(this, bytes);
    }
    return bytes;
  }

  /** The object as an item of a list, without the opening brace. */
  itemTail(revision: Revision): Uint8Array {
    return this.bytes(revision).subarray(this.#typeLength === 0 ? 1 : this.#typeLength);
  }

  /** The watch event of a revision, with `type` as its type: a selector can turn a MODIFIED into an ADDED. */
  line(type: ChangeType, revision: Revision): Uint8Array {
    if (this.isStored && type === revision.type) return revision.line;
    return eventLineOf(type, this.bytes(revision));
  }

  /** The DELETED event for a watch whose selector no longer selects the object. */
  departureLine(revision: Revision): Uint8Array {
    if (this.isStored) return revision.departureLine;
    const stored = JSON.parse(decoder.decode(revision.departureLine)) as { object: JsonObject };
    return eventLine('DELETED', JSON.stringify(this.#convert(stored.object)));
  }

  /** A BOOKMARK event. */
  bookmark(version: number, annotations?: Readonly<Record<string, string>>): Uint8Array {
    const metadata = { resourceVersion: String(version), ...(annotations === undefined ? {} : { annotations }) };
    return eventLine('BOOKMARK', JSON.stringify({ kind: this.kind, apiVersion: this.apiVersion, metadata }));
  }

  /** The JSON text of a list up to its first item. */
  listHead(metadata: object): string {
    return `{${typeFields(this.listKind, this.apiVersion)},"metadata":${JSON.stringify(metadata)},"items":[`;
  }
}

function typeFields(kind: string, apiVersion: string): string {
  return `"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)}`;
}

/** There is one shape per resource and form, because `Revision.shapes` has shapes as keys. */
const shapes = new WeakMap<ApiResource, Map<string, Shape>>();

/** The shape for an Accept header; throws 406 if there is none. */
export function negotiateShape(
  resource: ApiResource,
  accept: string | undefined,
  what: 'object' | 'list' | 'watch',
): Shape {
  const transform = what === 'list' ? 'PartialObjectMetadataList' : 'PartialObjectMetadata';
  const accepted = negotiate(accept, [transform]);
  if (accepted === undefined) {
    const other = what === 'list' ? 'PartialObjectMetadata' : 'PartialObjectMetadataList';
    const status = notAcceptable(servedMediaTypes);
    if (negotiate(accept, [other]) !== undefined) {
      status.message = `you requested ${other}, but the requested object is ${what === 'list' ? 'a list' : 'not a list'}`;
    }
    throw new StatusError(status);
  }
  let known = shapes.get(resource);
  if (known === undefined) shapes.set(resource, (known = new Map()));
  const key = `${accepted.transform === undefined ? '' : 'partial'} ${accepted.apiVersion} ${accepted.contentType}`;
  let shape = known.get(key);
  if (shape === undefined) known.set(key, (shape = new Shape(resource, accepted)));
  return shape;
}
