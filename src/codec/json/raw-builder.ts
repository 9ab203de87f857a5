import { formatKey } from '../../meta/key.js';
import { requireInteger } from '../../meta/options/validate.js';
import type { DecoderOptions, ObjectFilter } from '../codec.js';
import { DecodeError } from '../decode-error.js';
import {
  controllerUidOf,
  type FieldPath,
  leftOutRaw,
  RAW_HAS_API_VERSION,
  RAW_HAS_KIND,
  RAW_IRREGULAR,
  RAW_LEFT_OUT,
  RAW_NO_METADATA,
  RAW_TYPED,
  Raw,
  type RawOrigin,
  scalarText,
  unreadableRaw,
} from '../raw.js';
import type { SlabArena } from '../slab.js';
import { copyToSlab, rangesToDrop, type SlabRange } from './copy-to-slab.js';
import { ascii, findMembers, isPlainText, type Member, parseString, parseValue, readPath, utf8 } from './read-json.js';
import { compileScanProgram, type ScanProgram } from './scan-program.js';
import type { Scanner } from './scanner.js';

const none: readonly never[] = [];
const typed = RAW_HAS_KIND | RAW_HAS_API_VERSION;

/** Holds `namespace/name` while a key is made; longer keys are concatenated as strings. */
const scratch = Buffer.alloc(512);

/** The string in a slot; empty if the slot has no value or the value is not a string. */
function textOf(scanner: Scanner, slot: number): string {
  const start = scanner.startOf(slot);
  return start < 0 ? '' : (parseString(scanner.source, start, scanner.endOf(slot)) ?? '');
}

/** Copies an ASCII string without escapes into the scratch buffer and returns the new end; -1 for any other value. */
function copyPlain(bytes: Buffer, from: number, to: number, at: number): number {
  if (bytes[from] !== 0x22 || at + (to - from) > scratch.length) return -1;
  let next = at;
  for (let i = from + 1; i < to - 1; i++) {
    const c = bytes[i]!;
    if (c === 0x5c || c > 0x7f) return -1;
    scratch[next++] = c;
  }
  return next;
}

function keepsText(filter: ObjectFilter, key: string, text: string): boolean {
  const bytes = Buffer.from(text);
  return filter.keeps(key, bytes, 0, bytes.length);
}

/** Makes a `Raw` of an emission of the scanner: copies the bytes into a slab without the dropped fields and reads the facts. */
export class RawBuilder {
  readonly program: ScanProgram;
  readonly maxObjectBytes: number;
  readonly #arena: SlabArena;
  readonly #drop: readonly FieldPath[];
  readonly #paths: readonly FieldPath[];
  /** Paths to drop that the scanner cannot look for: array elements and very long names. */
  readonly #unscannableDrops: readonly FieldPath[];
  /** Clears `RAW_HAS_KIND` or `RAW_HAS_API_VERSION` if that field is dropped. */
  readonly #mask: number;
  readonly #copied: SlabRange;
  readonly #filter: ObjectFilter | undefined;
  #lastTyped: RawOrigin | undefined;

  constructor(stream: 'list' | 'watch' | 'object', options: DecoderOptions) {
    this.maxObjectBytes = requireInteger('maxObjectBytes', options.maxObjectBytes ?? 134_217_728, 1, 500_000_000);
    this.#arena = options.arena;
    this.#drop = options.drop ?? none;
    this.#paths = options.paths ?? none;
    this.#filter = options.filter;
    this.program = compileScanProgram(stream, this.#drop, this.#paths);
    const { drop, kind, apiVersion } = this.program;
    this.#unscannableDrops = this.#drop.filter((_, i) => drop[i]! < 0);
    this.#mask = ~((drop.includes(kind) ? RAW_HAS_KIND : 0) | (drop.includes(apiVersion) ? RAW_HAS_API_VERSION : 0));
    this.#copied = { slab: this.#arena.reserve(0), offset: 0, length: 0 };
  }

  /** The `Raw` of the object between `start` and `end` of the current emission. */
  build<T>(scanner: Scanner, start: number, end: number, origin: RawOrigin): Raw<T> {
    if (scanner.irregular) return this.#buildIrregular(scanner.source, start, end, origin);
    const { program } = this;
    const bytes = scanner.source;
    let flags = 0;
    let known = origin;
    const key = this.#key(scanner);
    const filter = this.#filter;
    if (filter !== undefined && !this.#isKept(scanner, filter, key)) {
      if (filter.needs?.(key) !== true) {
        return leftOutRaw(this.#copied.slab, key, textOf(scanner, program.resourceVersion), origin);
      }
      flags = RAW_LEFT_OUT;
    }
    if (scanner.startOf(program.kind) >= 0) flags |= RAW_HAS_KIND;
    if (scanner.startOf(program.apiVersion) >= 0) flags |= RAW_HAS_API_VERSION;
    if ((flags & typed) === typed && this.#mask === -1) {
      flags |= RAW_TYPED;
      known = this.#typedOrigin(scanner, origin);
    }
    const metadata = scanner.startOf(program.metadata);
    if (metadata < 0 || bytes[metadata] !== 0x7b) flags |= RAW_NO_METADATA;
    const { slab, offset, length } = this.#copy(bytes, start, end, this.#droppedMembers(scanner, start));
    return new Raw<T>(
      slab,
      offset,
      length,
      key,
      textOf(scanner, program.resourceVersion),
      flags & this.#mask,
      known,
      this.#paths.length === 0 ? undefined : this.#texts(scanner, start),
    );
  }

  #isKept(scanner: Scanner, filter: ObjectFilter, key: string): boolean {
    const { program } = this;
    const { source } = scanner;
    if (filter.by === 'controllerUid') {
      const at = scanner.startOf(program.ownerReferences);
      return keepsText(
        filter,
        key,
        controllerUidOf(at < 0 ? undefined : parseValue(source, at, scanner.endOf(program.ownerReferences))),
      );
    }
    const slot = filter.by === 'uid' ? program.uid : program.namespace;
    const start = scanner.startOf(slot);
    if (start < 0) return keepsText(filter, key, '');
    const end = scanner.endOf(slot);
    const isPlain = source[start] === 0x22 && source.subarray(start, end).indexOf(0x5c) < 0;
    return isPlain ? filter.keeps(key, source, start + 1, end - 1) : keepsText(filter, key, textOf(scanner, slot));
  }

  /** An {@link unreadableRaw} with the key and resourceVersion of the current emission, if these were found. */
  unreadable<T>(scanner: Scanner, origin: RawOrigin, reason: string): Raw<T> {
    const { program } = this;
    // Of duplicate fields the last one counts, and the slots do not tell which one that is.
    const hasKey = !scanner.irregular && scanner.startOf(program.name) >= 0;
    const key = hasKey ? this.#key(scanner) : undefined;
    const version = hasKey ? textOf(scanner, program.resourceVersion) : '';
    const error = new DecodeError(key === undefined ? 'an object' : JSON.stringify(key), scanner.offset, reason);
    return unreadableRaw(this.#copied.slab, key, version, origin, error);
  }

  /** An origin with the object's own kind and apiVersion: nearly always the origin of the previous object. */
  #typedOrigin(scanner: Scanner, origin: RawOrigin): RawOrigin {
    const { kind, apiVersion } = this.program;
    const bytes = scanner.source;
    const last = this.#lastTyped;
    if (
      last !== undefined &&
      isPlainText(bytes, scanner.startOf(kind), scanner.endOf(kind), last.kind) &&
      isPlainText(bytes, scanner.startOf(apiVersion), scanner.endOf(apiVersion), last.apiVersion)
    ) {
      return last;
    }
    const typed = { ...origin, kind: textOf(scanner, kind), apiVersion: textOf(scanner, apiVersion) };
    this.#lastTyped = typed;
    return typed;
  }

  #copy(bytes: Buffer, start: number, end: number, dropped: readonly Member[]): SlabRange {
    const ranges = dropped.length === 0 ? none : rangesToDrop(bytes, dropped);
    copyToSlab(this.#copied, this.#arena, bytes, start, end, ranges);
    return this.#copied;
  }

  /** The members of the object that are to be dropped, sorted by position. */
  #droppedMembers(scanner: Scanner, start: number): readonly Member[] {
    const { drop } = this.program;
    let members: Member[] | undefined;
    for (let i = 0; i < drop.length; i++) {
      const slot = drop[i]!;
      if (slot < 0) continue;
      const at = scanner.startOf(slot);
      if (at < 0) continue;
      members ??= [];
      members.push({ key: scanner.keyOf(slot), start: at, end: scanner.endOf(slot) });
    }
    for (const path of this.#unscannableDrops) {
      members ??= [];
      members.push(...findMembers(scanner.source, start, path));
    }
    if (members === undefined) return none;
    return members.length > 1 ? members.sort(byKey) : members;
  }

  #key(scanner: Scanner): string {
    const { program } = this;
    const bytes = scanner.source;
    const name = scanner.startOf(program.name);
    if (name < 0) return formatKey(textOf(scanner, program.namespace), '');
    const namespace = scanner.startOf(program.namespace);
    let at = 0;
    // Decoded from one buffer the key is a flat string; concatenating two strings would make a rope, which takes more memory.
    if (namespace >= 0) {
      at = copyPlain(bytes, namespace, scanner.endOf(program.namespace), 0);
      if (at > 0) scratch[at++] = 0x2f;
    }
    if (at >= 0) at = copyPlain(bytes, name, scanner.endOf(program.name), at);
    if (at < 0) return formatKey(textOf(scanner, program.namespace), textOf(scanner, program.name));
    return ascii(scratch, 0, at);
  }

  #texts(scanner: Scanner, start: number): (string | undefined)[] {
    const bytes = scanner.source;
    return this.#paths.map((path, i) => {
      const slot = this.program.paths[i]!;
      if (slot < 0) return scalarText(readPath(bytes, start, path, 0));
      const at = scanner.startOf(slot);
      if (at < 0 || bytes[at] === 0x7b || bytes[at] === 0x5b) return undefined;
      return scalarText(parseValue(bytes, at, scanner.endOf(slot)));
    });
  }

  /** For an object with duplicate fields. A real server never sends one, so this parses the whole object. */
  #buildIrregular<T>(bytes: Buffer, start: number, end: number, origin: RawOrigin): Raw<T> {
    const object = JSON.parse(utf8(bytes, start, end)) as Record<string, unknown>;
    const metadata = object['metadata'];
    const isObject = typeof metadata === 'object' && metadata !== null && !Array.isArray(metadata);
    const fact = (name: string): string => {
      const value = isObject && Object.hasOwn(metadata, name) ? (metadata as Record<string, unknown>)[name] : '';
      return typeof value === 'string' ? value : '';
    };
    const key = formatKey(fact('namespace'), fact('name'));
    const filter = this.#filter;
    let isLeftOut = false;
    if (filter !== undefined) {
      const owners = isObject ? (metadata as Record<string, unknown>)['ownerReferences'] : undefined;
      isLeftOut = !keepsText(filter, key, filter.by === 'controllerUid' ? controllerUidOf(owners) : fact(filter.by));
      if (isLeftOut && filter.needs?.(key) !== true) {
        return leftOutRaw(this.#copied.slab, key, fact('resourceVersion'), origin);
      }
    }
    const members = this.#drop.flatMap((path) => findMembers(bytes, start, path)).sort(byKey);
    const { slab, offset, length } = this.#copy(bytes, start, end, members);
    const flags =
      RAW_IRREGULAR |
      (Object.hasOwn(object, 'kind') ? RAW_HAS_KIND : 0) |
      (Object.hasOwn(object, 'apiVersion') ? RAW_HAS_API_VERSION : 0) |
      (isObject ? 0 : RAW_NO_METADATA) |
      (isLeftOut ? RAW_LEFT_OUT : 0);
    const texts = this.#paths.map((path) => scalarText(readPath(bytes, start, path, 0)));
    return new Raw<T>(
      slab,
      offset,
      length,
      key,
      fact('resourceVersion'),
      flags & this.#mask,
      origin,
      texts.length === 0 ? undefined : texts,
    );
  }
}

function byKey(a: Member, b: Member): number {
  return a.key - b.key;
}
