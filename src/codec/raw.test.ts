import { describe, expect, it } from 'vitest';
import { objectAccessor } from '../meta/accessor.js';
import type { WireEvent } from '../meta/watch-event.js';
import { type DecoderOptions, drop, droppedByDefault } from './codec.js';
import { DecodeError } from './decode-error.js';
import { jsonCodec } from './json/json-codec.js';
import { type FieldPath, type Raw, rawAccessorOf } from './raw.js';
import { SlabArena } from './slab.js';

type Json = Record<string, unknown>;

const rawOf = (value: unknown, options: Partial<DecoderOptions> = {}): Raw<Json> =>
  jsonCodec.raw<Json>(typeof value === 'string' ? Buffer.from(value) : jsonCodec.encode(value), {
    arena: new SlabArena(),
    ...options,
  });

const pod = {
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: {
    name: 'web-0',
    namespace: 'default',
    uid: 'u',
    resourceVersion: '12',
    generation: 4,
    creationTimestamp: '2026-01-01T00:00:00Z',
    deletionTimestamp: '2026-01-02T00:00:00Z',
    labels: { app: 'web', ключ: 'значение', constructor: 'x' },
    annotations: { note: 'a "b"\n' },
    ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'r', controller: true }],
    managedFields: [{ manager: 'm', fieldsV1: { 'f:x': {} } }],
  },
  spec: { nodeName: 'n1', replicas: 3, paused: false, none: null, containers: [{ name: 'a' }, { name: 'b' }] },
};

const accessor = rawAccessorOf<unknown>();

describe('Raw', () => {
  it('agrees with the accessor of plain objects', () => {
    const raw = rawOf(pod);
    const paths: FieldPath[] = [
      ['spec', 'nodeName'],
      ['spec', 'replicas'],
      ['spec', 'paused'],
      ['spec', 'none'],
      ['spec', 'missing', 'deeper'],
      ['spec', 'containers', '1', 'name'],
      ['spec', 'containers', '01', 'name'],
      ['spec', 'containers', 'length'],
      ['spec', 'containers', '2', 'name'],
      ['spec', 'nodeName', 'length'],
      ['metadata', 'labels', 'ключ'],
      ['kind'],
      [],
    ];
    const known = rawOf(pod, { paths });
    for (const path of paths) {
      const expected = objectAccessor.field(pod, path);
      expect(accessor.field(raw, path), path.join('.')).toBe(expected);
      expect(accessor.field(known, path), path.join('.')).toBe(expected);
    }
    for (const fact of [
      ...['key', 'namespace', 'name', 'uid', 'resourceVersion', 'generation', 'creationTimestamp'],
      ...['deletionTimestamp', 'kind', 'apiVersion', 'labels', 'ownerReferences'],
    ] as ('key' | 'labels')[]) {
      expect(accessor[fact](raw), fact).toEqual(objectAccessor[fact](pod));
    }
    for (const key of ['app', 'ключ', 'constructor', 'toString', 'nope']) {
      expect(accessor.label(raw, key)).toBe(objectAccessor.label(pod, key));
    }
    expect(accessor.annotation(raw, 'note')).toBe('a "b"\n');
    expect(rawAccessorOf<typeof pod>().decode(raw as unknown as Raw<typeof pod>)).toEqual(pod);
  });

  it('has empty facts for missing fields', () => {
    const raw = rawOf({ metadata: {} });
    expect([raw.key, raw.namespace, raw.name, raw.uid, raw.resourceVersion, raw.kind, raw.apiVersion]).toEqual(
      new Array(7).fill(''),
    );
    expect([raw.generation, raw.creationTimestamp, raw.deletionTimestamp]).toEqual(new Array(3).fill(undefined));
    expect([raw.labels, raw.ownerReferences]).toEqual([{}, []]);
    expect(() => accessor.key(rawOf({}))).toThrow('cannot make a key for an object of Raw: it has no metadata');
  });

  it('keeps the bytes: json() returns numbers as they were written', () => {
    const text = '{"kind":"A","apiVersion":"b", "x": 1.0e2, "big": 12345678901234567890, "u": "\\u00e4"}';
    const raw = rawOf(text);
    expect(raw.json()).toBe(text);
    expect(raw.decode()).toEqual(JSON.parse(text));
    expect(raw.decode()).not.toBe(raw.decode());
  });

  it('reads the last one of duplicate fields, for every fact', () => {
    const text =
      '{"metadata":{"name":"a","labels":{"x":"1"}},"kind":"A","spec":{"n":"1"},"spec":{"n":"2","n":"3"},' +
      '"metadata":{"n\\u0061me":"b","name":"c","namespace":"ns","labels":{"x":"2","x":"3"}},"kind":"B"}';
    const oracle = JSON.parse(text) as typeof pod;
    for (const raw of [rawOf(text), rawOf(text, { paths: [['spec', 'n']] })]) {
      expect([raw.key, raw.kind, raw.field(['spec', 'n']), raw.labels]).toEqual(['ns/c', 'B', '3', { x: '3' }]);
      expect(accessor.label(raw, 'x')).toBe('3');
      expect(raw.decode()).toEqual(oracle);
    }
  });

  it('throws for anything that is not exactly one object', () => {
    for (const text of ['', '{}{}', '[]', '{"a":1} 2', '{"a":']) expect(() => rawOf(text)).toThrow(DecodeError);
    expect(() => jsonCodec.decode(Buffer.from('{"a":'))).toThrow(DecodeError);
    expect(jsonCodec.decode(Buffer.from('[1]'))).toEqual([1]);
  });
});

describe('drop', () => {
  const cases: [string, FieldPath[], string][] = [
    ['{"a":1,"b":2,"c":3}', [['a']], '{"b":2,"c":3}'],
    ['{"a":1,"b":2,"c":3}', [['b']], '{"a":1,"c":3}'],
    ['{"a":1,"b":2,"c":3}', [['c']], '{"a":1,"b":2}'],
    ['{"a":1,"b":2,"c":3}', [['a'], ['b']], '{"c":3}'],
    ['{"a":1,"b":2,"c":3}', [['c'], ['b']], '{"a":1}'],
    ['{"a":1,"b":2,"c":3}', [['a'], ['c']], '{"b":2}'],
    ['{"a":1,"b":2,"c":3}', [['a'], ['b'], ['c']], '{}'],
    ['{ "a" : 1 , "b" : [ 2 ] }', [['b']], '{ "a" : 1  }'],
    ['{ "a" : 1 , "b" : [ 2 ] }', [['a']], '{  "b" : [ 2 ] }'],
    [
      '{"a":{"x":1,"y":{"z":2}},"b":1}',
      [
        ['a', 'y', 'z'],
        ['a', 'y'],
      ],
      '{"a":{"x":1},"b":1}',
    ],
    ['{"a":{"x":1,"y":{"z":2}},"b":1}', [['a', 'y', 'z']], '{"a":{"x":1,"y":{}},"b":1}'],
    ['{"a":1,"a":2,"b":3,"\\u0061":4}', [['a']], '{"b":3}'],
    ['{"a":[{"x":1}],"b":1}', [['a', 'x'], ['nope']], '{"a":[{"x":1}],"b":1}'],
    ['{"a":{"0":1,"1":2}}', [['a', '0']], '{"a":{"1":2}}'],
    ['{"kind":"A","x":1}', [['kind']], '{"x":1}'],
    ['{"kind":"A","apiVersion":"b"}', [['kind']], '{"apiVersion":"b"}'],
  ];

  it.each(cases)('%s without %j is %s', (text, paths, expected) => {
    expect(rawOf(text, { drop: drop(...paths).drop }).json()).toBe(expected);
  });

  it('reads the key and resourceVersion before it drops fields', () => {
    const raw = rawOf(pod, { drop: [['metadata', 'labels'], ['metadata', 'name'], ...droppedByDefault] });
    const { labels: _, managedFields: __, name: ___, ...metadata } = pod.metadata;
    expect(raw.key).toBe('default/web-0');
    expect(raw.labels).toEqual({});
    expect(raw.decode()).toEqual({ ...pod, metadata });
  });

  it('checks its paths', () => {
    expect(() => drop([])).toThrow('drop takes paths of one or more names, got []');
    expect(() => rawOf(pod, { drop: Array.from({ length: 200 }, (_, i) => [`f${i}`]) })).toThrow('too many paths');
    const deep = Array.from({ length: 95 }, (_, i) => `f${i}`);
    expect(() => rawOf(pod, { drop: [deep] })).toThrow('too many paths');
    expect(rawOf(pod, { drop: [deep.slice(0, 60)] }).decode()).toEqual(pod);
  });
});

describe('Raws that the store no longer holds', () => {
  it('decode to the same objects after many updates and compactions', () => {
    const arena = new SlabArena({ minSlabBytes: 4096, maxSlabBytes: 16_384, slackBytes: 16_384 });
    const decoder = jsonCodec.watchDecoder<Json>({ arena, drop: droppedByDefault });
    const store = new Map<string, Raw<Json>>();
    const held: { raw: Raw<Json>; oracle: string }[] = [];
    const texts = new Map<Raw<Json>, string>();
    const events: WireEvent<Raw<Json>>[] = [];
    let compaction: ReturnType<SlabArena['compaction']> | undefined;
    let moved = 0;
    let seed = 1;
    for (let i = 0; i < 20_000; i++) {
      // Random order: updates in sequence would empty whole slabs, and leave nothing to move.
      seed = (seed * 48_271) % 2_147_483_647;
      const { managedFields, ...metadata } = { ...pod.metadata, name: `p${seed % 300}`, resourceVersion: `${i}` };
      const object = { ...pod, metadata: { ...metadata, managedFields }, data: 'ä'.repeat(i % 50) };
      decoder.push(jsonCodec.encode({ type: 'MODIFIED', object }));
      events.length = 0;
      decoder.read(events);
      const raw = events[0]?.object as Raw<Json>;
      const old = store.get(raw.key);
      store.set(raw.key, raw);
      arena.retain(raw);
      if (old !== undefined) arena.release(old);
      const text = JSON.stringify({ ...object, metadata });
      if (i % 100 === 0) {
        held.push({ raw, oracle: text });
        if (old !== undefined) held.push({ raw: old, oracle: texts.get(old) ?? '' });
      }
      if (old !== undefined) texts.delete(old);
      texts.set(raw, text);
      if (arena.wantsCompaction) compaction ??= arena.compaction(store.values());
      if (compaction !== undefined && !compaction.step(20)) {
        moved += compaction.moved;
        compaction = undefined;
      }
    }
    expect(moved).toBeGreaterThan(1000);
    expect(held.length).toBeGreaterThan(390);
    for (const { raw, oracle } of held) expect(raw.decode()).toEqual(JSON.parse(oracle));
    for (const raw of store.values()) expect(raw.decode()).toEqual(JSON.parse(texts.get(raw) ?? ''));
    const { slabBytes, liveBytes } = arena.usage;
    expect(slabBytes).toBeLessThan(liveBytes * 2 + 100_000);
  });
});
