import type { FieldPath, Raw, RawFormat } from '../raw.js';
import { decodeDocument } from './decode-message.js';
import type { MessageType } from './message-type.js';
import { projectPath, valueAt } from './projection.js';

/** Reads the objects of one type. */
class ProtobufFormat implements RawFormat {
  readonly #type: MessageType;

  constructor(type: MessageType) {
    this.#type = type;
  }

  decode(raw: Raw<unknown>): Record<string, unknown> {
    return decodeRaw(raw, this.#type);
  }

  json(raw: Raw<unknown>): string {
    return JSON.stringify(decodeRaw(raw, this.#type));
  }

  value(raw: Raw<unknown>, path: FieldPath): unknown {
    return valueAt(decodeRaw(raw, projectPath(this.#type, path)), path);
  }
}

function decodeRaw({ slab, offset, length, origin }: Raw<unknown>, type: MessageType): Record<string, unknown> {
  return decodeDocument(slab.bytes, offset, offset + length, type, origin.kind, origin.apiVersion);
}

const formats = new WeakMap<MessageType, RawFormat>();

/** The format of the objects of a type. */
export function formatOf(type: MessageType): RawFormat {
  let format = formats.get(type);
  if (format === undefined) {
    format = new ProtobufFormat(type);
    formats.set(type, format);
  }
  return format;
}
