import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonText } from '../../../test/support/json-text.js';
import type { DecoderOptions, ListDecoder } from '../codec.js';
import { droppedByDefault } from '../codec.js';
import type { Raw } from '../raw.js';
import { SlabArena } from '../slab.js';
import type { EngineKind } from './engine.js';
import { JsonListDecoder } from './list-decoder.js';

type Json = Record<string, unknown>;

const engines: readonly EngineKind[] = ['wasm', 'javascript'];

function decodeAll(
  engine: EngineKind,
  chunks: readonly Uint8Array[],
  options: Partial<DecoderOptions> = {},
): { items: Raw<Json>[]; decoder: ListDecoder<Json> } {
  const decoder = new JsonListDecoder<Json>({ arena: new SlabArena(), ...options }, engine);
  const items: Raw<Json>[] = [];
  for (const chunk of chunks) {
    decoder.push(chunk);
    while (decoder.read(items, 100));
  }
  decoder.end();
  while (decoder.read(items));
  return { items, decoder };
}

const decoded = ({ items }: { items: readonly Raw<Json>[] }): Json[] => items.map((item) => item.decode());

describe.each(engines)('JsonListDecoder (%s)', (engine) => {
  const item = (name: string) => ({ metadata: { name, namespace: 'ns', resourceVersion: '3' }, spec: { items: [1] } });

  it('decodes items with kind and apiVersion of the list, before or after its metadata', () => {
    const parts = ['"kind":"PodList"', '"apiVersion":"v1"', '"metadata":{"resourceVersion":"9","continue":"c"}'];
    const items = `"items":[${JSON.stringify(item('a'))} , ${JSON.stringify(item('b'))}]`;
    for (const order of [
      [...parts, items],
      [items, ...parts],
      [parts[2], items, parts[1], parts[0]],
    ]) {
      const bytes = Buffer.from(` {${order.join(' ,\n')}} `);
      for (let at = 0; at <= bytes.length; at++) {
        const result = decodeAll(engine, [bytes.subarray(0, at), bytes.subarray(at)]);
        expect(decoded(result)).toEqual([
          { kind: 'Pod', apiVersion: 'v1', ...item('a') },
          { kind: 'Pod', apiVersion: 'v1', ...item('b') },
        ]);
        expect(result.items.map(({ key, kind, apiVersion }) => [key, kind, apiVersion])).toEqual([
          ['ns/a', 'Pod', 'v1'],
          ['ns/b', 'Pod', 'v1'],
        ]);
        expect(result.decoder.done).toBe(true);
        expect(result.decoder.head).toEqual({
          kind: 'PodList',
          apiVersion: 'v1',
          metadata: { resourceVersion: '9', continue: 'c' },
        });
      }
    }
  });

  it('adds kind and apiVersion first, unless an item has its own', () => {
    const text = '{"kind":"WidgetList","apiVersion":"x/v1","items":[{},{"kind":"Gadget"},{"apiVersion":"x/v2","a":1}]}';
    const { items } = decodeAll(engine, [Buffer.from(text)]);
    expect(items.map((i) => i.json())).toEqual([
      '{"kind":"Widget","apiVersion":"x/v1"}',
      '{"apiVersion":"x/v1","kind":"Gadget"}',
      '{"kind":"Widget","apiVersion":"x/v2","a":1}',
    ]);
  });

  it('takes kind and apiVersion of the items of a v1 List from typeMeta', () => {
    const text = Buffer.from('{"kind":"List","apiVersion":"v1","items":[{"a":1}]}');
    expect(decoded(decodeAll(engine, [text]))).toEqual([{ a: 1 }]);
    const typeMeta = { kind: 'Widget', apiVersion: 'x/v1' };
    expect(decoded(decodeAll(engine, [text], { typeMeta }))).toEqual([{ ...typeMeta, a: 1 }]);
  });

  it.each(['{"items":[]}', '{"items":null}', '{}', '{"kind":"Status"}'])('finds no items in %s', (text) => {
    const { items, decoder } = decodeAll(engine, [Buffer.from(text)]);
    expect([items, decoder.done]).toEqual([[], true]);
  });

  it('decodes any items as JSON.parse does, with chunks of any size', () => {
    fc.assert(
      fc.property(fc.array(jsonText(), { maxLength: 5 }), fc.array(fc.nat(), { maxLength: 3 }), (values, cuts) => {
        const text = `{"it\\u0065ms":[${values.map((v) => `{"metadata":{"managedFields":${v},"a":1},"b":${v}}`)}]}`;
        const bytes = Buffer.from(text);
        const at = [0, ...cuts.map((cut) => cut % bytes.length).sort((a, b) => a - b), bytes.length];
        const chunks = at.slice(1).map((end, i) => bytes.subarray(at[i], end));
        const oracle = (JSON.parse(text) as { items: Json[] }).items;
        expect(decoded(decodeAll(engine, chunks))).toEqual(oracle);
        for (const object of oracle) delete (object['metadata'] as Json)['managedFields'];
        expect(decoded(decodeAll(engine, chunks, { drop: droppedByDefault }))).toEqual(oracle);
      }),
    );
  });

  it.each([
    ['{"items":{}}', 'are not an array', 9],
    ['{"items":[],"items":[{}]}', 'two fields "items"', 19],
    ['{"items":[],"item\\u0073":[]}', 'two fields "items"', 24],
    ['{"items":[{}]', 'the bytes end', 13],
    ['{"items":[{}]}}', 'this is not JSON', 14],
    ['{"items":[{}}', 'this is not JSON', 12],
    ['{"items":[{} {}]}', 'this is not JSON', 13],
  ])('throws for %s', (text, message, offset) => {
    const failing = () => decodeAll(engine, [Buffer.from(text)]);
    expect(failing).toThrow(message);
    expect(failing).toThrow(expect.objectContaining({ offset }));
  });

  it.each([
    ['{"kind":"PodList","kind":"SecretList","apiVersion":"v1","items":[{}]}', 'SecretList', 'Secret', 'v1'],
    ['{"items":[{}],"apiVersion":"v2","kind":"PodList","apiVersion":"v1"}', 'PodList', 'Pod', 'v1'],
    ['{"kind":"PodList","apiVersion":"v1","items":[{}],"kind":"List"}', 'List', 'Given', 'given/v1'],
    ['{"kind":"PodList","apiVersion":"v1","items":[{}],"\\u006bind":5}', '', 'Given', 'given/v1'],
  ])('uses the last kind and apiVersion of the list for all items: %s', (text, listKind, kind, apiVersion) => {
    const typeMeta = { kind: 'Given', apiVersion: 'given/v1' };
    const { items, decoder } = decodeAll(engine, [Buffer.from(text)], { typeMeta });
    expect(decoder.head.kind).toBe(listKind);
    expect(items.map((i) => [i.kind, i.apiVersion])).toEqual([[kind, apiVersion]]);
  });

  it('reads large lists at once and in slices with the same result', () => {
    const items = Array.from({ length: 2000 }, (_, i) => ({ ...item(`pod-${i}`), data: 'ü'.repeat(i % 300) }));
    const bytes = Buffer.from(JSON.stringify({ kind: 'PodList', apiVersion: 'v1', metadata: {}, items }));
    const expected = items.map((i) => ({ kind: 'Pod', apiVersion: 'v1', ...i }));
    expect(decoded(decodeAll(engine, [bytes]))).toEqual(expected);
    const chunks = [];
    for (let at = 0; at < bytes.length; at += 1009) chunks.push(bytes.subarray(at, at + 1009));
    expect(decoded(decodeAll(engine, chunks))).toEqual(expected);
  });
});
