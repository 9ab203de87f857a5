import { DOCUMENT_END } from '../../../codec/protobuf/document.js';
import {
  builtInType,
  documentStart,
  encodeDocument,
  encodeObject,
  eventStart,
  fieldStart,
} from '../../../codec/protobuf/document-writer.js';
import type { MessageType } from '../../../codec/protobuf/message-type.js';
import type { Status } from '../../../meta/errors/status.js';
import type { JsonObject } from '../../../meta/json-values.js';
import type { Steps } from '../../../time/steps.js';
import type { ApiResource } from '../../resources/registry.js';
import type { ChangeType, Revision } from '../../storage/storage.js';
import type { Accepted } from '../../wire/media-types.js';
import type { ListMetadata, Shape } from './shape.js';

const decoder = new TextDecoder();

/** Fields of a list. */
const METADATA = 1;
const ITEMS = 2;

/**
 * Objects as protobuf: those of built-in kinds, or PartialObjectMetadata. The message of a revision is encoded once, when it is
 * first sent; lists and all watches share its bytes.
 */
export class ProtobufShape implements Shape {
  readonly contentType: string;
  readonly watchContentType: string;
  readonly isStored = false;
  readonly isListOnly: boolean;
  readonly #kind: string;
  readonly #apiVersion: string;
  readonly #listKind: string;
  readonly #type: MessageType;
  readonly #isPartial: boolean;
  readonly #fromStorage: (object: JsonObject) => JsonObject;
  /** The key of the message of a departure in `Revision.shapes`. */
  readonly #departures = {};

  constructor(resource: ApiResource, accepted: Accepted) {
    const isPartial = accepted.transform !== undefined;
    this.#isPartial = isPartial;
    this.isListOnly = accepted.transform === 'PartialObjectMetadataList';
    this.#kind = isPartial ? 'PartialObjectMetadata' : resource.kind;
    this.#apiVersion = isPartial ? accepted.apiVersion : resource.apiVersion;
    this.#listKind = isPartial ? 'PartialObjectMetadataList' : resource.listKind;
    this.#type = builtInType(isPartial ? 'meta.k8s.io/v1' : resource.apiVersion, this.#kind);
    this.contentType = accepted.contentType;
    this.watchContentType = `${accepted.contentType};stream=watch`;
    this.#fromStorage = isPartial
      ? ({ metadata }) => ({ metadata })
      : (object) => resource.conversion?.fromStorage(object) ?? object;
  }

  body(revision: Revision): Uint8Array {
    const message = this.#message(revision);
    return Buffer.concat([documentStart(this.#apiVersion, this.#kind, message.length), message, DOCUMENT_END]);
  }

  documentBody(document: JsonObject): Uint8Array {
    const { kind, apiVersion } = document;
    return encodeDocument(
      this.#isPartial
        ? { kind: this.#kind, apiVersion: this.#apiVersion, ...this.#fromStorage(document) }
        : { ...document, kind: String(kind), apiVersion: String(apiVersion) },
    );
  }

  #message(revision: Revision): Uint8Array {
    revision.shapes ??= new Map();
    let message = revision.shapes.get(this);
    if (message === undefined) {
      message = encodeObject(this.#fromStorage(revision.decode()), this.#type);
      revision.shapes.set(this, message);
    }
    return message;
  }

  *prepare(revisions: readonly Revision[]): Steps<void> {
    for (const revision of revisions) {
      this.#message(revision);
      yield;
    }
  }

  *list(metadata: ListMetadata, revisions: readonly Revision[]): Generator<Uint8Array, void, void> {
    const listMeta = encodeObject({ ...metadata }, builtInType('meta.k8s.io/v1', 'ListMeta'));
    let length = fieldStart(METADATA, listMeta.length).length + listMeta.length;
    for (const revision of revisions) {
      const item = this.#message(revision).length;
      length += fieldStart(ITEMS, item).length + item;
    }
    yield documentStart(this.#apiVersion, this.#listKind, length);
    yield fieldStart(METADATA, listMeta.length);
    yield listMeta;
    for (const revision of revisions) {
      const message = this.#message(revision);
      yield fieldStart(ITEMS, message.length);
      yield message;
    }
    yield DOCUMENT_END;
  }

  event(type: ChangeType, revision: Revision): readonly Uint8Array[] {
    return this.#event(type, this.#message(revision));
  }

  departure(revision: Revision): Uint8Array {
    revision.shapes ??= new Map();
    let event = revision.shapes.get(this.#departures);
    if (event === undefined) {
      const { object } = JSON.parse(decoder.decode(revision.departureLine)) as { object: JsonObject };
      event = Buffer.concat(this.#event('DELETED', encodeObject(this.#fromStorage(object), this.#type)));
      revision.shapes.set(this.#departures, event);
    }
    return event;
  }

  bookmark(version: number, annotations?: Readonly<Record<string, string>>): Uint8Array {
    const metadata = { resourceVersion: String(version), ...(annotations === undefined ? {} : { annotations }) };
    return Buffer.concat(this.#event('BOOKMARK', encodeObject({ metadata }, this.#type)));
  }

  error(status: Status): Uint8Array {
    const document = encodeDocument(status);
    return Buffer.concat([eventStart('ERROR', document.length), document]);
  }

  #event(type: string, message: Uint8Array): Uint8Array[] {
    const start = documentStart(this.#apiVersion, this.#kind, message.length);
    const length = start.length + message.length + DOCUMENT_END.length;
    return [eventStart(type, length), start, message, DOCUMENT_END];
  }
}
