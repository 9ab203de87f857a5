import type { Status } from '../../../meta/errors/status.js';
import type { JsonObject } from '../../../meta/json-values.js';
import type { ChangeType, Revision } from '../../storage/storage.js';
import type { ListMetadata, Shape } from './shape.js';

const decoder = new TextDecoder();

/** Another shape of JSON, indented for people. Watches are not indented. */
export class PrettyShape implements Shape {
  readonly contentType: string;
  readonly isStored = false;
  readonly isListOnly = false;
  readonly #inner: Shape;

  constructor(inner: Shape) {
    this.#inner = inner;
    this.contentType = inner.contentType;
  }

  body(revision: Revision): Uint8Array {
    return Buffer.from(indented(parse(this.#inner.body(revision))));
  }

  documentBody(document: JsonObject): Uint8Array {
    return Buffer.from(indented(parse(this.#inner.documentBody(document))));
  }

  /** Each item is converted when its turn comes, so that a long list is sent in slices. */
  *list(metadata: ListMetadata, revisions: readonly Revision[]): Generator<Uint8Array, void, void> {
    const listed = (part: readonly Revision[]): JsonObject =>
      parse(Buffer.concat([...this.#inner.list(metadata, part)]));
    const { items, rows, ...rest } = listed([]);
    if (revisions.length === 0)
      return yield Buffer.from(indented({ ...rest, ...(rows === undefined ? { items } : { rows }) }));
    const name = rows === undefined ? 'items' : 'rows';
    yield Buffer.from(`${indented(rest).slice(0, -2)},\n  "${name}": [`);
    let separator = '\n    ';
    for (const revision of revisions) {
      const [item] = listed([revision])[name] as unknown[];
      yield Buffer.from(`${separator}${indented(item).replaceAll('\n', '\n    ')}`);
      separator = ',\n    ';
    }
    yield Buffer.from('\n  ]\n}');
  }

  event(type: ChangeType, revision: Revision): readonly Uint8Array[] {
    return this.#inner.event(type, revision);
  }

  departure(revision: Revision): Uint8Array {
    return this.#inner.departure(revision);
  }

  bookmark(version: number, annotations?: Readonly<Record<string, string>>): Uint8Array {
    return this.#inner.bookmark(version, annotations);
  }

  error(status: Status): Uint8Array {
    return this.#inner.error(status);
  }
}

function parse(bytes: Uint8Array): JsonObject {
  return JSON.parse(decoder.decode(bytes)) as JsonObject;
}

function indented(value: unknown): string {
  return JSON.stringify(value, undefined, 2);
}
