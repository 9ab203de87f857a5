import assert from 'node:assert/strict';
import type { ListDecoder, StreamDecoder, WatchDecoder } from '../../../src/codec/codec.js';
import { DecodeError } from '../../../src/codec/decode-error.js';
import type { EngineKind } from '../../../src/codec/json/engine.js';
import { jsonCodec } from '../../../src/codec/json/json-codec.js';
import { PIECE, parseLarge } from '../../../src/codec/json/large-json.js';
import { JsonListDecoder } from '../../../src/codec/json/list-decoder.js';
import { JsonWatchDecoder } from '../../../src/codec/json/watch-decoder.js';
import { type Raw, rawAccessorOf } from '../../../src/codec/raw.js';
import { SlabArena } from '../../../src/codec/slab.js';
import type { JsonObject } from '../../../src/meta/json-values.js';
import { finish } from '../../../src/time/steps.js';
import { jsonText, memberText, objectText, stringText } from '../json-text.js';
import { mutateBytes } from '../mutate.js';
import type { Random } from '../random.js';
import { accepted, inPieces, target } from '../target.js';

interface Stream {
  readonly engine: EngineKind;
  readonly bytes: Uint8Array;
  readonly cuts: readonly number[];
}

// Its slabs are too small for the pool, which keeps memory.
const arena = new SlabArena({ maxSlabBytes: 65_536 });
const accessor = rawAccessorOf<unknown>();
const paths = [
  ['spec', 'a'],
  ['metadata', 'labels', 'a'],
  ['data', '0', 'b'],
] as const;
const engines: readonly EngineKind[] = ['wasm', 'javascript'];

/** What JSON.parse makes of the bytes; undefined if it refuses them. */
function parsed(bytes: Uint8Array): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(Buffer.from(bytes).toString()) };
  } catch {
    return undefined;
  }
}

const own = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? (value as JsonObject)[name] : undefined;
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function same(actual: unknown, expected: unknown): void {
  if (JSON.stringify(actual) !== JSON.stringify(expected)) assert.deepEqual(actual, expected);
}

/** Checks everything that can be read of an object against the parsed one. */
function checkRaw(raw: Raw<unknown>, expected: JsonObject): void {
  same(raw.decode(), expected);
  same(JSON.parse(raw.json()), expected);
  for (const path of paths) same(raw.value(path), path.reduce(own, expected as unknown));
  const metadata = own(expected, 'metadata');
  const [namespace, name] = [text(own(metadata, 'namespace')), text(own(metadata, 'name'))];
  if (isObject(metadata)) assert.equal(raw.key, namespace === '' ? name : `${namespace}/${name}`);
  else assert.throws(() => accessor.key(raw));
  assert.equal(raw.resourceVersion, isObject(metadata) ? text(own(metadata, 'resourceVersion')) : '');
  assert.equal(raw.uid, text(own(metadata, 'uid')));
}

/** All entries of a stream, and whether it ended without an error. */
function readAll<E>(decoder: StreamDecoder<E>, { bytes, cuts }: Stream): { entries: E[]; problem: string | undefined } {
  const entries: E[] = [];
  try {
    inPieces(bytes, cuts, (piece) => {
      decoder.push(piece);
      while (decoder.read(entries, 100));
    });
    decoder.end();
    while (decoder.read(entries));
    return { entries, problem: undefined };
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    assert.ok(error.offset >= 0 && error.offset <= bytes.length, `offset ${error.offset}`);
    return { entries, problem: error.message };
  } finally {
    decoder.close();
  }
}

function damaged(random: Random, source: string): Buffer {
  const bytes = Buffer.from(source);
  return random.oneIn(3) ? mutateBytes(random, bytes) : bytes;
}

/** The options of every decoder here. An object has at most as many bytes as the inputs. */
const options = { arena, paths, typeMeta: { kind: 'Given', apiVersion: 'given/v1' } };

function listText(random: Random): string {
  const names = ['kind', 'apiVersion', 'metadata', 'items', 'items', 'x'].slice(random.below(3));
  const members = random.list(1, 4, () => {
    const name = random.pick(names);
    if (name === 'items')
      return memberText(
        random,
        name,
        `[${random.list(0, 3, () => (random.oneIn(12) ? jsonText(random, 1) : objectText(random))).join(',')}]`,
      );
    if (name === 'kind')
      return memberText(random, name, stringText(random, random.pick(['PodList', 'List', 'Pod', 'XList'])));
    if (name === 'metadata') return memberText(random, name, `{${memberText(random, 'resourceVersion', '"5"')}}`);
    return memberText(random, name, name === 'apiVersion' ? stringText(random, 'v1') : jsonText(random, 2));
  });
  return `{${members.join(',')}}`;
}

/** The type of the items of a list: that of the list without `List`, else the given one. */
function itemType(list: JsonObject): { kind: string; apiVersion: string } {
  const [kind, apiVersion] = [text(own(list, 'kind')), text(own(list, 'apiVersion'))];
  const isTyped = kind.endsWith('List') && kind !== 'List' && apiVersion !== '';
  return isTyped ? { kind: kind.slice(0, -4), apiVersion } : options.typeMeta;
}

function checkList(stream: Stream): boolean {
  const decoder: ListDecoder<unknown> = new JsonListDecoder(options, stream.engine);
  const { entries, problem } = readAll(decoder, stream);
  const reference = parsed(stream.bytes);
  if (reference === undefined || !isObject(reference.value)) {
    assert.notEqual(problem, undefined, 'it accepts what JSON.parse refuses, or no object');
    return false;
  }
  if (problem !== undefined) {
    assert.match(problem, /items of the list are not an array|two fields "items"/);
    return false;
  }
  assert.ok(decoder.done);
  const list = reference.value;
  const items = own(list, 'items');
  assert.equal(entries.length, Array.isArray(items) ? items.length : 0);
  const type = itemType(list);
  for (const [at, raw] of entries.entries()) {
    const item = (items as unknown[])[at];
    if (!isObject(item)) assert.match(String(accessor.unreadable?.(raw)), /not an object/);
    else checkRaw(raw, typed(item, type));
  }
  return true;
}

/** An object with kind and apiVersion, where it has none. */
function typed(object: JsonObject, type: { kind: string; apiVersion: string }): JsonObject {
  const missing: JsonObject = {};
  if (!Object.hasOwn(object, 'kind')) missing['kind'] = type.kind;
  if (!Object.hasOwn(object, 'apiVersion')) missing['apiVersion'] = type.apiVersion;
  return { ...missing, ...object };
}

function eventText(random: Random): string {
  const type = random.pick(['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR', 'ADDED', 'OTHER']);
  const members = [
    memberText(random, 'type', stringText(random, type)),
    memberText(random, 'object', objectText(random)),
  ];
  if (random.oneIn(8)) members.push(memberText(random, random.pick(['type', 'object', 'x']), jsonText(random, 1)));
  if (random.oneIn(4)) members.reverse();
  return `{${members.join(',')}}`;
}

/** The values of a text that holds one JSON object after the other; undefined at the end for what is none. */
function* valuesOf(bytes: Uint8Array): Generator<JsonObject | undefined> {
  const source = Buffer.from(bytes).toString();
  let at = 0;
  for (;;) {
    while (' \n\r\t'.includes(source[at] ?? 'x')) at++;
    if (at >= source.length) return;
    const end = endOfObject(source, at);
    const value = end === undefined ? undefined : parsed(Buffer.from(source.slice(at, end)))?.value;
    yield isObject(value) ? value : undefined;
    if (!isObject(value)) return;
    at = end as number;
  }
}

/** The place after the bracket that closes the one at `start`, by counting; undefined if there is none. */
function endOfObject(source: string, start: number): number | undefined {
  let depth = 0;
  let isInString = false;
  for (let at = start; at < source.length; at++) {
    const character = source[at];
    if (isInString) {
      if (character === '\\') at++;
      else if (character === '"') isInString = false;
    } else if (character === '"') isInString = true;
    else if (character === '{' || character === '[') depth++;
    else if ((character === '}' || character === ']') && --depth <= 0) return at + 1;
  }
  return undefined;
}

function checkWatch(stream: Stream): boolean {
  const decoder: WatchDecoder<unknown> = new JsonWatchDecoder(options, stream.engine);
  const { entries, problem } = readAll(decoder, stream);
  let count = 0;
  for (const event of valuesOf(stream.bytes)) {
    const type = event && own(event, 'type');
    const object = event && own(event, 'object');
    const isObjectEvent = type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED';
    const isEvent =
      object !== undefined && (isObjectEvent || ((type === 'BOOKMARK' || type === 'ERROR') && isObject(object)));
    if (!isEvent) {
      assert.equal(entries.length, count);
      assert.notEqual(problem, undefined, 'it accepts what is no event');
      return count > 0;
    }
    const entry = entries[count++];
    assert.equal(entry?.type, type, problem);
    if (!isObjectEvent) same(entry?.object, object);
    else if (isObject(object)) checkRaw(entry?.object as Raw<unknown>, typed(object, options.typeMeta));
    else assert.match(String(accessor.unreadable?.(entry?.object as Raw<unknown>)), /not an object/);
  }
  assert.equal(problem, undefined);
  assert.equal(entries.length, count);
  return count > 0;
}

const dropped = [['metadata', 'managedFields'], ['spec'], ['metadata', 'labels', 'a'], ['data', 'b']];

function withoutPath(object: unknown, path: readonly string[]): unknown {
  const [name, ...rest] = path;
  if (!isObject(object) || name === undefined || !Object.hasOwn(object, name)) return object;
  const copy = { ...object };
  if (rest.length === 0) delete copy[name];
  else if (name !== '__proto__') copy[name] = withoutPath(copy[name], rest);
  return copy;
}

export const jsonTargets = [
  target(
    'json-objects',
    'accepts what JSON.parse accepts; reads and drops the same fields',
    (random) => damaged(random, random.oneIn(6) ? jsonText(random) : objectText(random)),
    (bytes: Uint8Array) => {
      const raw = accepted(() => jsonCodec.raw(bytes, options), [DecodeError]);
      const reference = parsed(bytes);
      if (raw === undefined || reference === undefined || !isObject(reference.value)) {
        assert.equal(raw, undefined, 'it accepts what JSON.parse refuses, or no object');
        assert.ok(reference === undefined || !isObject(reference.value), 'it refuses an object');
        return false;
      }
      checkRaw(raw, typed(reference.value, options.typeMeta));
      const smaller = jsonCodec.raw(bytes, { arena, drop: dropped }).decode();
      assert.deepEqual(smaller, dropped.reduce(withoutPath, reference.value as unknown));
      return true;
    },
  ),

  target(
    'json-lists',
    'has the items that JSON.parse has, in either engine, wherever the bytes are cut',
    (random) => ({ engine: random.pick(engines), bytes: damaged(random, listText(random)), cuts: random.cuts() }),
    checkList,
  ),

  target(
    'json-watches',
    'has the events that JSON.parse has, in either engine, wherever the bytes are cut',
    (random) => ({
      engine: random.pick(engines),
      bytes: damaged(random, random.list(1, 3, () => eventText(random)).join(random.pick(['\n', '', ' ']))),
      cuts: random.cuts(),
    }),
    checkWatch,
  ),

  target(
    'json-large',
    'parses a large text in pieces as JSON.parse does',
    (random) => {
      const parts = random.list(1, 6, () => jsonText(random, 4));
      const filler = `"${'x'.repeat(random.below(PIECE))}"`;
      const times = 1 + Math.floor((1.2 * PIECE) / (parts.join('').length + filler.length + 2));
      const many = Array.from({ length: times }, () => [...parts, filler].join(',')).join(',');
      const whole = random.oneIn(2) ? `[${many}]` : `{"a":[${many}],"b":{"c":[${parts.join(',')}]}}`;
      return random.oneIn(3) ? mutateBytes(random, Buffer.from(whole)) : Buffer.from(whole);
    },
    (bytes: Uint8Array) => {
      const source = Buffer.from(bytes).toString();
      const value = accepted(() => ({ value: finish(parseLarge(source)) }), [SyntaxError]);
      const reference = parsed(bytes);
      if (value === undefined || reference === undefined) {
        assert.equal(value, reference, 'one of the two refuses it');
        return false;
      }
      assert.equal(JSON.stringify(value.value), JSON.stringify(reference.value));
      return true;
    },
  ),
];
