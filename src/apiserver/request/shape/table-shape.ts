import type { Status } from '../../../meta/errors/status.js';
import { isJsonObject, type JsonObject } from '../../../meta/json-values.js';
import { initialEventsEndAnnotation } from '../../../meta/watch-event.js';
import type { Clock } from '../../../time/clock.js';
import { type ChangeType, eventLine, type Revision } from '../../storage/storage.js';
import type { KindTable } from '../../tables/kind-table.js';
import type { Accepted } from '../../wire/media-types.js';
import type { JsonShape } from './json-shape.js';
import type { ListMetadata, Shape } from './shape.js';

/** What a row has of its object. */
export type IncludeObject = 'None' | 'Metadata' | 'Object';

/** What a {@link TableShape} is made of. */
export interface TableShapeOptions {
  readonly table: KindTable;
  readonly accepted: Accepted;
  readonly include: IncludeObject;
  /** The objects of the rows, in the version of the request. */
  readonly objects: JsonShape;
  /** The same as PartialObjectMetadata. */
  readonly metadata: JsonShape;
  readonly clock: Clock;
}

const decoder = new TextDecoder();
const ROWS_END = Buffer.from(']}\n');

/** Objects as the rows of a Table, for one request: cells have ages, and only the first event of a watch has the columns. */
export class TableShape implements Shape {
  readonly contentType: string;
  readonly isStored = false;
  readonly isListOnly = false;
  readonly #options: TableShapeOptions;
  #hasSentColumns = false;

  constructor(options: TableShapeOptions) {
    this.#options = options;
    this.contentType = options.accepted.contentType;
  }

  body(revision: Revision): Uint8Array {
    return Buffer.from(`${this.#tableOf(revision)}\n`);
  }

  documentBody(document: JsonObject): Uint8Array {
    const { metadata } = document;
    const version = isJsonObject(metadata) ? metadata['resourceVersion'] : undefined;
    const { apiVersion } = this.#options.accepted;
    const included = {
      None: null,
      Metadata: { kind: 'PartialObjectMetadata', apiVersion, metadata },
      Object: document,
    }[this.#options.include];
    const head = this.#head({ resourceVersion: String(version ?? '') });
    return Buffer.from(`${head}[${this.#row(document, JSON.stringify(included))}]}\n`);
  }

  *list(metadata: ListMetadata, revisions: readonly Revision[]): Generator<Uint8Array, void, void> {
    const head = this.#head(metadata);
    if (revisions.length === 0) {
      return yield Buffer.from(`${head}${this.#options.table.isDefault === true ? 'null' : '[]'}}\n`);
    }
    yield Buffer.from(`${head}[`);
    let separator = '';
    for (const revision of revisions) {
      yield Buffer.from(`${separator}${this.#rowOf(revision, this.#options.objects.object(revision))}`);
      separator = ',';
    }
    yield ROWS_END;
  }

  event(type: ChangeType, revision: Revision): readonly Uint8Array[] {
    return [eventLine(type, this.#tableOf(revision))];
  }

  departure(revision: Revision): Uint8Array {
    const { include, objects, metadata } = this.#options;
    const objectOf = (shape: JsonShape): JsonObject =>
      (JSON.parse(decoder.decode(shape.departure(revision))) as { object: JsonObject }).object;
    // The state before, with the version of the change.
    const object = objectOf(objects);
    const included = { None: null, Metadata: objectOf(metadata), Object: object }[include];
    const head = this.#head({ resourceVersion: String(revision.version) });
    return eventLine('DELETED', `${head}[${this.#row(object, JSON.stringify(included))}]}`);
  }

  bookmark(version: number, annotations?: Readonly<Record<string, string>>): Uint8Array {
    const metadata = { resourceVersion: String(version), ...(annotations === undefined ? {} : { annotations }) };
    const { include, accepted } = this.#options;
    const isEnd = annotations !== undefined && initialEventsEndAnnotation in annotations;
    // The client has to see the annotation, whatever it wants of the objects.
    const included =
      include === 'None' && !isEnd
        ? null
        : { kind: 'PartialObjectMetadata', apiVersion: accepted.apiVersion, metadata };
    const row = this.#row({ metadata: { name: '', ...metadata } }, JSON.stringify(included));
    return eventLine('BOOKMARK', `${this.#head({ resourceVersion: String(version) })}[${row}]}`);
  }

  error(status: Status): Uint8Array {
    return eventLine('ERROR', JSON.stringify(status));
  }

  #tableOf(revision: Revision): string {
    const object = this.#options.objects.object(revision);
    const { resourceVersion = '' } = object['metadata'] as { resourceVersion?: string };
    return `${this.#head({ resourceVersion })}[${this.#rowOf(revision, object)}]}`;
  }

  /** The JSON text of a Table up to its rows. */
  #head(metadata: ListMetadata): string {
    const { table, accepted } = this.#options;
    const columns = this.#hasSentColumns ? null : table.columns;
    this.#hasSentColumns = true;
    // kube-apiserver does not copy the shard into a Table.
    const { shardInfo: _, ...rest } = metadata;
    const head = { kind: 'Table', apiVersion: accepted.apiVersion, metadata: rest, columnDefinitions: columns };
    return `${JSON.stringify(head).slice(0, -1)},"rows":`;
  }

  #rowOf(revision: Revision, object: JsonObject): string {
    const { include, objects, metadata } = this.#options;
    const shape = include === 'Object' ? objects : metadata;
    return this.#row(object, include === 'None' ? 'null' : decoder.decode(shape.bytes(revision)));
  }

  #row(object: JsonObject, included: string): string {
    const { table, clock } = this.#options;
    const cells = table.cells(object, clock.now());
    const conditions = table.conditions?.(object);
    const start = conditions === undefined ? { cells } : { cells, conditions };
    return `${JSON.stringify(start).slice(0, -1)},"object":${included}}`;
  }
}
