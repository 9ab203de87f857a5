import type { Status } from '../../../meta/errors/status.js';
import type { JsonObject } from '../../../meta/json-values.js';
import type { ChangeType, Revision } from '../../storage/storage.js';
import { printItem, printMember, printYaml } from '../../wire/yaml-printer.js';
import type { ListMetadata, Shape } from './shape.js';

const decoder = new TextDecoder();

/** Another shape as YAML. Watches have none. */
export class YamlShape implements Shape {
  readonly contentType = 'application/yaml';
  readonly isStored = false;
  readonly isListOnly = false;
  readonly #inner: Shape;

  constructor(inner: Shape) {
    this.#inner = inner;
  }

  body(revision: Revision): Uint8Array {
    return Buffer.from(printYaml(parse(this.#inner.body(revision))));
  }

  documentBody(document: JsonObject): Uint8Array {
    return Buffer.from(printYaml(parse(this.#inner.documentBody(document))));
  }

  /** Each item is converted when its turn comes, so that a long list is sent in slices. */
  *list(metadata: ListMetadata, revisions: readonly Revision[]): Generator<Uint8Array, void, void> {
    const listed = (part: readonly Revision[]): JsonObject => {
      return parse(Buffer.concat([...this.#inner.list(metadata, part)]));
    };
    const empty = listed([]);
    for (const name of Object.keys(empty).sort()) {
      const isContent = (name === 'items' || name === 'rows') && revisions.length > 0;
      yield Buffer.from(isContent ? `${name}:\n` : printMember(name, empty[name], ''));
      if (!isContent) continue;
      for (const revision of revisions) yield Buffer.from(printItem((listed([revision])[name] as unknown[])[0], ''));
    }
  }

  event(_type: ChangeType, _revision: Revision): readonly Uint8Array[] {
    throw new Error('watches are not sent as YAML');
  }

  departure(_revision: Revision): Uint8Array {
    throw new Error('watches are not sent as YAML');
  }

  bookmark(_version: number): Uint8Array {
    throw new Error('watches are not sent as YAML');
  }

  error(_status: Status): Uint8Array {
    throw new Error('watches are not sent as YAML');
  }
}

function parse(bytes: Uint8Array): JsonObject {
  return JSON.parse(decoder.decode(bytes)) as JsonObject;
}
