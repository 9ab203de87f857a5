import { describe, expect, it } from 'vitest';
import type { Codec, ObjectFilter } from './codec.js';
import { jsonCodec } from './json/json-codec.js';
import { encodeDocument } from './protobuf/document-writer.js';
import { protobufCodec } from './protobuf/protobuf-codec.js';
import { isLeftOut, type Raw } from './raw.js';
import { SlabArena } from './slab.js';

const mapOf = (name: string, uid: string, controller?: string) => ({
  kind: 'ConfigMap',
  apiVersion: 'v1',
  metadata: {
    name,
    namespace: 'default',
    uid,
    resourceVersion: '7',
    ownerReferences: [
      { apiVersion: 'v1', kind: 'Pod', name: 'o', uid: 'other' },
      ...(controller === undefined
        ? []
        : [{ apiVersion: 'v1', kind: 'Pod', name: 'c', uid: controller, controller: true }]),
    ],
  },
  data: { value: 'x'.repeat(100) },
});

function list(codec: Codec, bytes: Uint8Array, filter: ObjectFilter) {
  const arena = new SlabArena();
  const decoder = codec.listDecoder<object>({ arena, filter });
  decoder.push(bytes);
  decoder.end();
  const items: Raw<object>[] = [];
  while (decoder.read(items));
  return items;
}

const keeping = (by: ObjectFilter['by'], ...texts: string[]): ObjectFilter => ({
  by,
  keeps: (_key, bytes, start, end) => texts.includes(Buffer.from(bytes.subarray(start, end)).toString()),
});
const shown = (items: readonly Raw<object>[]) =>
  items.map((raw) => `${raw.key}@${raw.resourceVersion}${isLeftOut(raw) ? ` left out ${raw.length > 0}` : ''}`);

const wholeList = (...items: object[]) => ({
  kind: 'ConfigMapList',
  apiVersion: 'v1',
  metadata: { resourceVersion: '9' },
  items,
});

describe.each([
  ['JSON', jsonCodec, jsonCodec.encode],
  ['protobuf', protobufCodec, encodeDocument],
] as const)('[C61] the filter of a decoder of %s', (_, codec, encode) => {
  const bytes = encode(wholeList(mapOf('a', 'u1', 'c1'), mapOf('b', 'u2', 'c2'), mapOf('c', 'u3')));

  it('leaves out objects by their uid, before their bytes are stored', () => {
    const items = list(codec, bytes, keeping('uid', 'u2'));
    expect(shown(items)).toEqual(['default/a@7 left out false', 'default/b@7', 'default/c@7 left out false']);
    expect(items[1]?.decode()).toMatchObject({ data: { value: 'x'.repeat(100) } });
  });

  it('leaves out objects by their namespace', () => {
    expect(list(codec, bytes, keeping('namespace', 'default')).some(isLeftOut)).toBe(false);
    expect(list(codec, bytes, keeping('namespace', 'other')).every(isLeftOut)).toBe(true);
  });

  it('[C62] leaves out objects by the uid of their controller; one without has an empty text', () => {
    const kept = (...texts: string[]) =>
      list(codec, bytes, keeping('controllerUid', ...texts))
        .filter((raw) => !isLeftOut(raw))
        .map(({ name }) => name);
    expect(kept('c1')).toEqual(['a']);
    expect(kept('c2', '')).toEqual(['b', 'c']);
    expect(kept('other')).toEqual([]);
  });

  it('keeps the bytes of objects that are needed all the same', () => {
    const filter: ObjectFilter = { ...keeping('uid', 'u2'), needs: (key) => key === 'default/a' };
    const items = list(codec, bytes, filter);
    expect(shown(items)).toEqual(['default/a@7 left out true', 'default/b@7', 'default/c@7 left out false']);
    expect(items[0]?.decode()).toMatchObject({ metadata: { uid: 'u1' } });
  });

  it('applies to events of a watch', () => {
    const decoder = jsonCodec.watchDecoder<object>({ arena: new SlabArena(), filter: keeping('uid', 'u1') });
    for (const object of [mapOf('a', 'u1'), mapOf('b', 'u2')]) {
      decoder.push(Buffer.from(JSON.stringify({ type: 'MODIFIED', object })));
    }
    decoder.end();
    const events: { readonly type: string; readonly object: unknown }[] = [];
    while (decoder.read(events as never));
    expect(shown(events.map(({ object }) => object as Raw<object>))).toEqual([
      'default/a@7',
      'default/b@7 left out false',
    ]);
  });
});

describe('the filter of a decoder of JSON', () => {
  it('reads texts with escapes, and the last of duplicate fields', () => {
    const escaped = JSON.stringify(wholeList(mapOf('a', 'u1'), mapOf('b', 'u2'))).replace('"u1"', '"\\u0075\\u0031"');
    expect(shown(list(jsonCodec, Buffer.from(escaped), keeping('uid', 'u1')))).toEqual([
      'default/a@7',
      'default/b@7 left out false',
    ]);
    const twice = escaped.replace('"uid":"u2"', '"uid":"u2","uid":"u1"');
    expect(shown(list(jsonCodec, Buffer.from(twice), keeping('uid', 'u1')))).toEqual(['default/a@7', 'default/b@7']);
    expect(shown(list(jsonCodec, Buffer.from(twice), keeping('uid', 'u2')))).toEqual([
      'default/a@7 left out false',
      'default/b@7 left out false',
    ]);
  });
});
