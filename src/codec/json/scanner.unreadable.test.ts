import { describe, expect, it } from 'vitest';
import type { WatchEvent } from '../../meta/watch-event.js';
import type { DecoderOptions, StreamDecoder } from '../codec.js';
import { DecodeError } from '../decode-error.js';
import { type Raw, rawAccessorOf } from '../raw.js';
import { SlabArena } from '../slab.js';
import type { EngineKind } from './engine.js';
import { JsonListDecoder } from './list-decoder.js';
import { MAX_DEPTH } from './scan-layout.js';
import { JsonWatchDecoder } from './watch-decoder.js';

type Json = Record<string, unknown>;

const accessor = rawAccessorOf<unknown>();
const engines: readonly EngineKind[] = ['wasm', 'javascript'];

/** All entries that a decoder returns for the text, in chunks of the given size. */
function readAll<E>(decoder: StreamDecoder<E>, text: string, size: number): E[] {
  const bytes = Buffer.from(text);
  const found: E[] = [];
  for (let at = 0; at < bytes.length; at += size) {
    decoder.push(bytes.subarray(at, at + size));
    while (decoder.read(found));
  }
  decoder.end();
  while (decoder.read(found));
  return found;
}

/** `[key, version]` of a readable object, `[key, version, reason]` of an unreadable one. */
function facts(raw: Raw<unknown>): unknown[] {
  const error = accessor.unreadable?.(raw);
  if (error === undefined) return [raw.key, raw.resourceVersion];
  expect(error).toBeInstanceOf(DecodeError);
  expect(() => raw.decode()).toThrow(error);
  expect(() => raw.json()).toThrow(error);
  expect(() => raw.value(['spec'])).toThrow(error);
  let key: string | undefined;
  try {
    key = accessor.key(raw);
  } catch {
    key = undefined;
  }
  return [key, raw.resourceVersion, error.message.replace(/.*: /, '')];
}

const meta = (name: string) => `"metadata":{"namespace":"ns","name":"${name}","resourceVersion":"7"}`;
const plain = (name: string) => `{${meta(name)}}`;
const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
const tooDeep = `it is nested deeper than ${MAX_DEPTH} levels`;
const tooLarge = (bytes: number) => `it is larger than the ${bytes} bytes that maxObjectBytes allows`;

describe.each(engines)('unreadable objects (%s)', (engine) => {
  const list = (items: readonly string[], size: number, options: Partial<DecoderOptions> = {}) => {
    const decoder = new JsonListDecoder<Json>({ arena: new SlabArena(), ...options }, engine);
    const text = `{"kind":"WidgetList","apiVersion":"v1","items":[${items.join()}],"metadata":{"resourceVersion":"9"}}`;
    const found = readAll(decoder, text, size);
    expect(decoder.head).toMatchObject({ kind: 'WidgetList', metadata: { resourceVersion: '9' } });
    return found.map(facts);
  };
  const watch = (events: readonly [string, string][], size: number, options: Partial<DecoderOptions> = {}) => {
    const decoder = new JsonWatchDecoder<Json>({ arena: new SlabArena(), ...options }, engine);
    const text = events.map(([type, object]) => `{"type":"${type}","object":${object}}\n`).join('');
    return readAll<WatchEvent<Raw<Json>>>(decoder, text, size).map(({ type, object }) => [
      type,
      ...facts(object as Raw<Json>),
    ]);
  };

  it.each([1_000_000, 4096, 11])(
    'reads objects as deep as Go allows in a list and a watch, in chunks of %i',
    (size) => {
      // The object itself is one level.
      const deepest = `{${meta('deep')},"spec":${deep(MAX_DEPTH - 1)}}`;
      expect(list([plain('a'), deepest, plain('b')], size)).toEqual([
        ['ns/a', '7'],
        ['ns/deep', '7'],
        ['ns/b', '7'],
      ]);
      expect(watch([['ADDED', deepest]], size)).toEqual([['ADDED', 'ns/deep', '7']]);
    },
  );

  it.each([1_000_000, 4096, 11])('reports deeper objects, and reads those after them, in chunks of %i', (size) => {
    const before = `{${meta('before')},"spec":${deep(MAX_DEPTH)},"status":{}}`;
    const behind = `{"spec":{"a":[${deep(MAX_DEPTH)},"]}\\"",1]},${meta('behind')}}`;
    expect(list([plain('a'), before, plain('b'), behind, plain('c')], size)).toEqual([
      ['ns/a', '7'],
      ['ns/before', '7', tooDeep],
      ['ns/b', '7'],
      ['ns/behind', '7', tooDeep],
      ['ns/c', '7'],
    ]);
    expect(
      watch(
        [
          ['ADDED', before],
          ['MODIFIED', plain('b')],
          ['DELETED', behind],
          ['ADDED', plain('c')],
        ],
        size,
      ),
    ).toEqual([
      ['ADDED', 'ns/before', '7', tooDeep],
      ['MODIFIED', 'ns/b', '7'],
      ['DELETED', 'ns/behind', '7', tooDeep],
      ['ADDED', 'ns/c', '7'],
    ]);
  });

  it('skips a field of the list itself that is too deep', () => {
    const decoder = new JsonListDecoder<Json>({ arena: new SlabArena() }, engine);
    const text = `{"extra":${deep(MAX_DEPTH + 9)},"items":[${plain('a')}],"metadata":{"resourceVersion":"9"}}`;
    expect(readAll(decoder, text, 999).map(facts)).toEqual([['ns/a', '7']]);
  });

  it.each([1_000_000, 70_000, 999])('reports objects that are too large, in chunks of %i', (size) => {
    const data = `"data":"${'x'.repeat(300_000)}"`;
    const options = { maxObjectBytes: 200_000 };
    const early = `{${meta('early')},${data}}`;
    const late = `{${data},${meta('late')}}`;
    expect(list([plain('a'), early, plain('b'), late, plain('c')], size, options)).toEqual([
      ['ns/a', '7'],
      ['ns/early', '7', tooLarge(200_000)],
      ['ns/b', '7'],
      // Its name came after the limit, when its bytes were no longer stored.
      [undefined, '', tooLarge(200_000)],
      ['ns/c', '7'],
    ]);
    expect(
      watch(
        [
          ['MODIFIED', early],
          ['ADDED', plain('b')],
          ['DELETED', early],
        ],
        size,
        options,
      ),
    ).toEqual([
      ['MODIFIED', 'ns/early', '7', tooLarge(200_000)],
      ['ADDED', 'ns/b', '7'],
      ['DELETED', 'ns/early', '7', tooLarge(200_000)],
    ]);
  });

  it('has no key if the limit is in the middle of the name', () => {
    const named = (name: string) => `{"metadata":{"name":"${name}"},"a":1}`;
    for (let limit = 30; limit < 60; limit++) {
      const [found] = list([named('before'), named('n'.repeat(50))], 3, { maxObjectBytes: limit }).slice(1);
      expect(found).toEqual([undefined, '', tooLarge(limit)]);
    }
  });

  it('reports items that are not objects as unreadable', () => {
    expect(list(['null', '5', '"a"', '[{}]', plain('a')], 9)).toEqual([
      ...Array(4).fill([undefined, '', 'it is not an object']),
      ['ns/a', '7'],
    ]);
    expect(watch([['ADDED', '[]']], 9)).toEqual([['ADDED', undefined, '', 'it is not an object']]);
  });

  it('has no key for an unreadable object with duplicate names', () => {
    expect(list([`{${meta('a')},"spec":${deep(MAX_DEPTH)},${meta('b')}}`], 999)).toEqual([[undefined, '', tooDeep]]);
  });

  it('makes keys of names that are longer than Kubernetes allows', () => {
    const [namespace, name] = ['n'.repeat(300), 'm'.repeat(300)];
    for (const text of [`"namespace":"${namespace}","name":"${name}"`, `"name":"${name}","namespace":"${namespace}"`]) {
      expect(list([`{"metadata":{${text}}}`], 1_000)).toEqual([[`${namespace}/${name}`, '']]);
    }
    expect(list([`{"metadata":{"name":"${name}${name}"}}`], 1_000)).toEqual([[`${name}${name}`, '']]);
  });
});
