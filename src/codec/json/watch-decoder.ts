import { isWatchEventType, type WireEvent } from '../../meta/watch-event.js';
import type { DecoderOptions, WatchDecoder } from '../codec.js';
import { DecodeError } from '../decode-error.js';
import type { Raw, RawOrigin } from '../raw.js';
import type { EngineKind } from './engine.js';
import { jsonFormat } from './json-format.js';
import { RawBuilder } from './raw-builder.js';
import { findMembers, isPlainText, type Member, parseString, parseValue, utf8 } from './read-json.js';
import { JsonStreamDecoder } from './stream-decoder.js';

/** Decodes the events of a JSON watch: one object after the other, with or without line breaks between them. */
export class JsonWatchDecoder<T> extends JsonStreamDecoder<WireEvent<Raw<T>>> implements WatchDecoder<T> {
  readonly #origin: RawOrigin;

  constructor(options: DecoderOptions, engine?: EngineKind) {
    super('watch event', new RawBuilder('watch', options), engine);
    const { typeMeta, paths } = options;
    this.#origin = {
      format: jsonFormat,
      kind: typeMeta?.kind ?? '',
      apiVersion: typeMeta?.apiVersion ?? '',
      paths: paths ?? [],
    };
  }

  protected emit(_tag: number, into: WireEvent<Raw<T>>[]): void {
    const { scanner } = this;
    const { program } = this.builder;
    if (scanner.unreadable !== undefined) {
      this.#emitUnreadable(scanner.unreadable, into);
      return;
    }
    if (scanner.irregular) {
      this.#emitIrregular(into);
      return;
    }
    const type = scanner.startOf(program.type);
    const object = scanner.startOf(program.object);
    if (type < 0 || object < 0) throw this.#notAnEvent();
    this.#emitEvent(type, scanner.endOf(program.type), object, scanner.endOf(program.object), into);
  }

  #emitEvent(typeAt: number, typeEnd: number, start: number, end: number, into: WireEvent<Raw<T>>[]): void {
    const { scanner } = this;
    const bytes = scanner.source;
    const type = eventType(bytes, typeAt, typeEnd);
    if (type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED') {
      const object =
        bytes[start] === 0x7b
          ? this.builder.build<T>(scanner, start, end, this.#origin)
          : this.builder.unreadable<T>(scanner, this.#origin, 'it is not an object');
      into.push({ type, object });
    } else if (bytes[start] !== 0x7b) {
      throw this.#notAnEvent();
    } else if (isWatchEventType(type)) {
      into.push({ type, object: parseValue(bytes, start, end) } as WireEvent<Raw<T>>);
    } else {
      const text = utf8(bytes, typeAt, typeEnd).slice(0, 80);
      throw new DecodeError('watch event', scanner.offset, `its type is ${text}, which is not a type of watch events`);
    }
  }

  /** For an object that is too large or nested too deeply: only the event's type and the object's key are known. */
  #emitUnreadable(reason: string, into: WireEvent<Raw<T>>[]): void {
    const { scanner } = this;
    const { program } = this.builder;
    const at = scanner.irregular ? -1 : scanner.startOf(program.type);
    const type = at < 0 ? 'MODIFIED' : eventType(scanner.source, at, scanner.endOf(program.type));
    if (type !== 'ADDED' && type !== 'MODIFIED' && type !== 'DELETED') {
      throw new DecodeError('watch event', scanner.offset, reason);
    }
    into.push({ type, object: this.builder.unreadable(scanner, this.#origin, reason) });
  }

  #emitIrregular(into: WireEvent<Raw<T>>[]): void {
    const { source, start } = this.scanner;
    const last = (name: string): Member => {
      const member = findMembers(source, start, [name]).at(-1);
      if (member === undefined) throw this.#notAnEvent();
      return member;
    };
    const type = last('type');
    const object = last('object');
    this.#emitEvent(type.start, type.end, object.start, object.end, into);
  }

  #notAnEvent(): DecodeError {
    return new DecodeError('watch event', this.scanner.offset, 'it has no "type" and "object"; is this a watch?');
  }
}

/** The type of an event; for the types of object events without making a string of it. */
function eventType(bytes: Buffer, from: number, to: number): string | undefined {
  for (const type of objectEvents) if (isPlainText(bytes, from, to, type)) return type;
  return parseString(bytes, from, to);
}

const objectEvents = ['MODIFIED', 'ADDED', 'DELETED'] as const;
