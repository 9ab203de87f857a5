import type { Status } from '../../../meta/errors/status.js';
import type { JsonObject } from '../../../meta/json-values.js';
import { objectIn } from '../../resources/conversions.js';
import type { ApiResource } from '../../resources/registry.js';
import { type ChangeType, eventLine, LINE_PREFIX, LINE_SUFFIX, type Revision } from '../../storage/storage.js';
import type { Accepted } from '../../wire/media-types.js';
import type { ListMetadata, Shape } from './shape.js';

const decoder = new TextDecoder();
const OPEN = Buffer.from('{');
const NEXT = Buffer.from(',{');
const LIST_END = Buffer.from(']}\n');
const NULL_LIST_END = Buffer.from('null}\n');
const NEWLINE = Buffer.from('\n');

/**
 * Objects as JSON: as stored, in another version, or as PartialObjectMetadata. Each revision is converted once, when it is
 * first sent in that form; later answers share the bytes.
 */
export class JsonShape implements Shape {
  readonly contentType: string;
  readonly isStored: boolean;
  readonly isListOnly: boolean;
  readonly #kind: string;
  readonly #apiVersion: string;
  readonly #listKind: string;
  /** The length of an object's kind and apiVersion in bytes, with the opening brace: items of built-in lists omit them. */
  readonly #typeLength: number;
  readonly #isPartial: boolean;
  readonly #isUntyped: boolean;
  readonly #resource: ApiResource;

  constructor(resource: ApiResource, accepted: Accepted) {
    const isPartial = accepted.transform?.startsWith('PartialObjectMetadata') === true;
    this.#isPartial = isPartial;
    this.#isUntyped = !isPartial && resource.isCustom;
    this.isListOnly = accepted.transform === 'PartialObjectMetadataList';
    this.#kind = isPartial ? 'PartialObjectMetadata' : resource.kind;
    this.#apiVersion = isPartial ? accepted.apiVersion : resource.apiVersion;
    this.#listKind = isPartial ? 'PartialObjectMetadataList' : resource.listKind;
    this.contentType = accepted.contentType;
    this.isStored = !isPartial && resource.conversion === undefined;
    const kind = this.#kind;
    const apiVersion = this.#apiVersion;
    const isTyped = !isPartial && !resource.isCustom;
    this.#typeLength = isTyped ? Buffer.byteLength(`{${typeFields(kind, apiVersion)},`) : 0;
    this.#resource = resource;
  }

  body(revision: Revision): Uint8Array {
    return Buffer.concat([this.bytes(revision), NEWLINE]);
  }

  documentBody(document: JsonObject): Uint8Array {
    return Buffer.from(`${JSON.stringify(this.#isPartial ? this.#partial(document) : document)}\n`);
  }

  /** The object, in this form. */
  bytes(revision: Revision): Uint8Array {
    if (this.isStored) return revision.bytes;
    revision.shapes ??= new Map();
    let bytes = revision.shapes.get(this);
    if (bytes === undefined) {
      bytes = Buffer.from(JSON.stringify(this.object(revision)));
      revision.shapes.set(this, bytes);
    }
    return bytes;
  }

  *list(metadata: ListMetadata, revisions: readonly Revision[]): Generator<Uint8Array, void, void> {
    const type = typeFields(this.#listKind, this.#apiVersion);
    // A list of custom resources says that it is complete, too.
    const shown = this.#isUntyped ? { continue: '', ...metadata } : metadata;
    const head = `{${type},"metadata":${JSON.stringify(shown)},"items":`;
    // The items of an empty PartialObjectMetadataList are null on kube-apiserver too.
    if (this.#isPartial && revisions.length === 0) {
      yield Buffer.from(head);
      return yield NULL_LIST_END;
    }
    yield Buffer.from(`${head}[`);
    let separator = OPEN;
    for (const revision of revisions) {
      yield separator;
      yield this.bytes(revision).subarray(this.#typeLength === 0 ? 1 : this.#typeLength);
      separator = NEXT;
    }
    yield LIST_END;
  }

  event(type: ChangeType, revision: Revision): readonly Uint8Array[] {
    if (this.isStored && type === revision.type) return [revision.line];
    return [LINE_PREFIX[type], this.bytes(revision), LINE_SUFFIX];
  }

  departure(revision: Revision): Uint8Array {
    if (this.isStored) return revision.departureLine;
    const { object } = JSON.parse(decoder.decode(revision.departureLine)) as { object: JsonObject };
    if (this.#isPartial) return eventLine('DELETED', JSON.stringify(this.#partial(object)));
    const { conversion } = this.#resource;
    if (conversion?.remote === undefined) {
      return eventLine('DELETED', JSON.stringify(conversion?.fromStorage(object) ?? object));
    }
    // The state before, with the version of the change.
    const before = objectIn(this.#resource, revision.previous!);
    const metadata = { ...(before['metadata'] as JsonObject), resourceVersion: String(revision.version) };
    return eventLine('DELETED', JSON.stringify({ ...before, metadata }));
  }

  /** The object, in the version of this shape. */
  object(revision: Revision): JsonObject {
    return this.#isPartial ? this.#partial(revision.decode()) : objectIn(this.#resource, revision);
  }

  #partial({ metadata }: JsonObject): JsonObject {
    return { kind: this.#kind, apiVersion: this.#apiVersion, metadata };
  }

  bookmark(version: number, annotations?: Readonly<Record<string, string>>): Uint8Array {
    const metadata = { resourceVersion: String(version), ...(annotations === undefined ? {} : { annotations }) };
    const object = { kind: this.#kind, apiVersion: this.#apiVersion, metadata };
    return eventLine('BOOKMARK', JSON.stringify(object));
  }

  error(status: Status): Uint8Array {
    return eventLine('ERROR', JSON.stringify(status));
  }
}

function typeFields(kind: string, apiVersion: string): string {
  return `"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)}`;
}
