import type { ListMeta, TypeMeta } from '../../meta/objects.js';
import type { DecoderOptions, ListDecoder, ListHead } from '../codec.js';
import { DecodeError } from '../decode-error.js';
import type { FieldPath, Raw, RawFormat, RawOrigin } from '../raw.js';
import type { EngineKind } from './engine.js';
import { jsonFormat } from './json-format.js';
import { RawBuilder } from './raw-builder.js';
import { parseString, parseValue } from './read-json.js';
import { TAG_ITEM, TAG_LIST_API_VERSION, TAG_LIST_KIND } from './scan-program.js';
import { JsonStreamDecoder } from './stream-decoder.js';

/** The origin of all items of a list. It is mutable, because items may come before the kind of the list. */
class ItemOrigin implements RawOrigin {
  readonly format: RawFormat = jsonFormat;
  kind: string;
  apiVersion: string;
  readonly paths: readonly FieldPath[];

  constructor({ typeMeta, paths }: DecoderOptions) {
    this.kind = typeMeta?.kind ?? '';
    this.apiVersion = typeMeta?.apiVersion ?? '';
    this.paths = paths ?? [];
  }
}

/** Decodes the items of a JSON list. The other fields of the list may come before or after them. */
export class JsonListDecoder<T> extends JsonStreamDecoder<Raw<T>> implements ListDecoder<T> {
  readonly #origin: ItemOrigin;
  readonly #typeMeta: TypeMeta | undefined;
  readonly #head: { kind: string; apiVersion: string; metadata: ListMeta | undefined } = {
    kind: '',
    apiVersion: '',
    metadata: undefined,
  };

  constructor(options: DecoderOptions, engine?: EngineKind) {
    super('list', new RawBuilder('list', options), engine);
    this.#origin = new ItemOrigin(options);
    this.#typeMeta = options.typeMeta;
  }

  get head(): ListHead {
    return this.#head;
  }

  get done(): boolean {
    return this.scanner.complete;
  }

  protected emit(tag: number, into: Raw<T>[]): void {
    const { scanner } = this;
    const { source, start, end } = scanner;
    if (tag === TAG_ITEM) {
      const unreadable = source[start] === 0x7b ? scanner.unreadable : 'it is not an object';
      into.push(
        unreadable === undefined
          ? this.builder.build(scanner, start, end, this.#origin)
          : this.builder.unreadable(scanner, this.#origin, unreadable),
      );
    } else if (scanner.unreadable !== undefined) {
      throw new DecodeError(
        'list',
        scanner.offset,
        `its kind, apiVersion or metadata cannot be read: ${scanner.unreadable}`,
      );
    } else if (tag === TAG_LIST_KIND) {
      this.#head.kind = parseString(source, start, end) ?? '';
      this.#nameItems();
    } else if (tag === TAG_LIST_API_VERSION) {
      this.#head.apiVersion = parseString(source, start, end) ?? '';
      this.#nameItems();
    } else {
      const metadata = parseValue(source, start, end);
      this.#head.metadata = typeof metadata === 'object' && metadata !== null ? (metadata as ListMeta) : undefined;
    }
  }

  /**
   * Sets kind and apiVersion of all items, including those that came before: `Pod` for a `PodList`; a `List` of `v1` does not
   * tell. Of duplicate fields the last one counts, as in Go and JSON.parse.
   */
  #nameItems(): void {
    const { kind, apiVersion } = this.#head;
    const isTyped = kind.endsWith('List') && kind !== 'List' && apiVersion !== '';
    this.#origin.kind = isTyped ? kind.slice(0, -'List'.length) : (this.#typeMeta?.kind ?? '');
    this.#origin.apiVersion = isTyped ? apiVersion : (this.#typeMeta?.apiVersion ?? '');
  }
}
