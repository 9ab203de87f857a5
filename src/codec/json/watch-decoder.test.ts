import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../../test/support/any-character.js';
import { jsonText, stringText } from '../../../test/support/json-text.js';
import { runs } from '../../../test/support/runs.js';
import type { WireEvent } from '../../meta/watch-event.js';
import type { DecoderOptions } from '../codec.js';
import { droppedByDefault } from '../codec.js';
import { Raw, rawAccessorOf } from '../raw.js';
import { SlabArena } from '../slab.js';
import type { EngineKind } from './engine.js';
import { JsonWatchDecoder } from './watch-decoder.js';

type Json = Record<string, unknown>;
type Event = WireEvent<Raw<Json>>;

const accessor = rawAccessorOf<unknown>();
const engines: readonly EngineKind[] = ['wasm', 'javascript'];

function decodeAll(engine: EngineKind, chunks: readonly Uint8Array[], options: Partial<DecoderOptions> = {}): Event[] {
  const decoder = new JsonWatchDecoder<Json>({ arena: new SlabArena(), ...options }, engine);
  const events: Event[] = [];
  for (const chunk of chunks) {
    decoder.push(chunk);
    while (decoder.read(events));
  }
  decoder.end();
  while (decoder.read(events));
  return events;
}

/** The event with its object parsed. */
const plain = ({ type, object }: Event): unknown => ({
  type,
  object: object instanceof Raw ? object.decode() : object,
});

const pod = (name: string, more: Json = {}): Json => ({
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: { name, namespace: 'default', uid: `uid-${name}`, resourceVersion: '7', ...more },
});
const line = (type: string, object: unknown): Buffer => Buffer.from(`${JSON.stringify({ type, object })}\n`);

/** An object with the fields that decoders look for, in any order, with escapes, duplicates and other fields. */
function objectText(): fc.Arbitrary<string> {
  const key = (name: string) => stringText(fc.constant(name));
  const member = (name: fc.Arbitrary<string>, value: fc.Arbitrary<string>) =>
    fc.tuple(name, value).map(([k, v]) => `${k}: ${v}`);
  const oneOf = (names: readonly string[]) => fc.constantFrom(...names).chain(key);
  const text = stringText(fc.string({ unit: anyCharacter, maxLength: 8 }));
  const metadata = fc
    .array(
      fc.oneof(
        member(oneOf(['name', 'namespace', 'uid', 'resourceVersion', 'deletionTimestamp']), text),
        member(oneOf(['managedFields', 'labels', 'generation', 'other']), jsonText()),
      ),
      { maxLength: 9 },
    )
    .map((members) => `{ ${members.join(' , ')} }`);
  return fc
    .array(
      fc.oneof(
        member(oneOf(['kind', 'apiVersion']), text),
        member(key('metadata'), fc.oneof({ weight: 5, arbitrary: metadata }, jsonText())),
        member(oneOf(['spec', 'status']), jsonText()),
      ),
      { maxLength: 6 },
    )
    .map((members) => `{${members.join(',')}}`);
}

function withoutManagedFields(object: Json): Json {
  const metadata = object['metadata'];
  if (typeof metadata === 'object' && metadata !== null && !Array.isArray(metadata)) {
    delete (metadata as Json)['managedFields'];
  }
  return object;
}

const fieldOf = (object: Json, name: string): string => {
  const metadata = object['metadata'];
  const own = typeof metadata === 'object' && metadata !== null && Object.hasOwn(metadata, name);
  const value = own ? (metadata as Json)[name] : '';
  return typeof value === 'string' ? value : '';
};

describe.each(engines)('JsonWatchDecoder (%s)', (engine) => {
  it('decodes any objects as JSON.parse does, with chunks of any size', () => {
    const types = fc.constantFrom('ADDED', 'MODIFIED', 'DELETED');
    const event = fc.tuple(types, objectText(), fc.boolean());
    fc.assert(
      fc.property(
        fc.array(event, { minLength: 1, maxLength: 3 }),
        fc.array(fc.nat(), { maxLength: 3 }),
        (list, cuts) => {
          const texts = list.map(([type, object, swapped]) =>
            swapped ? `{"object":${object} , "typ\\u0065":"${type}"}` : `{"type":"${type}","object":${object}}`,
          );
          const bytes = Buffer.from(texts.join('\n'));
          const at = [0, ...cuts.map((cut) => cut % bytes.length).sort((a, b) => a - b), bytes.length];
          const chunks = at.slice(1).map((end, i) => bytes.subarray(at[i], end));
          const expected = list.map(([, object]) => JSON.parse(object) as Json);
          const events = decodeAll(engine, chunks, { drop: droppedByDefault, paths: [labelA] });
          expect(events.map((e) => e.type)).toEqual(list.map(([type]) => type));
          for (const [i, { object }] of events.entries()) {
            const raw = object as Raw<Json>;
            const oracle = expected[i]!;
            expect(raw.decode()).toEqual(withoutManagedFields(oracle));
            expect([raw.uid, raw.resourceVersion]).toEqual([
              fieldOf(oracle, 'uid'),
              fieldOf(oracle, 'resourceVersion'),
            ]);
            const namespace = fieldOf(oracle, 'namespace');
            expect(raw.key).toBe(`${namespace}${namespace && '/'}${fieldOf(oracle, 'name')}`);
            expect(raw.field(labelA)).toBe(raw.field([...labelA]));
            expect(raw.value(labelA)).toEqual(valueAtPath(oracle, labelA));
            expect(raw.deletionTimestamp ?? '').toBe(fieldOf(oracle, 'deletionTimestamp'));
          }
        },
      ),
      { numRuns: runs(100) },
    );
  });

  it('returns the same events wherever a chunk ends', () => {
    const object = pod('p', { managedFields: [{ 'f:x': {} }], labels: { ä: 'ö"', 'k\n': '\\' } });
    const bytes = Buffer.concat([line('ADDED', object), line('MODIFIED', object), line('DELETED', object)]);
    const whole = decodeAll(engine, [bytes]).map(plain);
    expect(whole).toEqual(['ADDED', 'MODIFIED', 'DELETED'].map((type) => ({ type, object })));
    for (let at = 0; at <= bytes.length; at++) {
      expect(decodeAll(engine, [bytes.subarray(0, at), bytes.subarray(at)]).map(plain)).toEqual(whole);
    }
    expect(
      decodeAll(
        engine,
        Array.from(bytes, (b) => Uint8Array.of(b)),
      ).map(plain),
    ).toEqual(whole);
  });

  it('returns an event at its last bracket, without waiting for the end of the line', () => {
    const decoder = new JsonWatchDecoder<Json>({ arena: new SlabArena() }, engine);
    const events: Event[] = [];
    decoder.push(line('ADDED', pod('a')).subarray(0, -1));
    expect(decoder.read(events)).toBe(false);
    expect(events.map(plain)).toEqual([{ type: 'ADDED', object: pod('a') }]);
  });

  it('parses BOOKMARK and ERROR events', () => {
    const bookmark = { kind: 'Pod', apiVersion: 'v1', metadata: { resourceVersion: '9', annotations: { a: 'b' } } };
    const status = { kind: 'Status', apiVersion: 'v1', code: 410, reason: 'Expired', message: 'too old' };
    const events = decodeAll(engine, [line('BOOKMARK', bookmark), line('ERROR', status)]);
    expect(events).toEqual([
      { type: 'BOOKMARK', object: bookmark },
      { type: 'ERROR', object: status },
    ]);
  });

  it('reads pretty-printed events', () => {
    const text = JSON.stringify({ type: 'ADDED', object: pod('a') }, undefined, 2);
    expect(decodeAll(engine, [Buffer.from(`${text}\r\n${text}`)]).map(plain)).toEqual([
      { type: 'ADDED', object: pod('a') },
      { type: 'ADDED', object: pod('a') },
    ]);
  });

  it('returns the events before invalid bytes, then throws with the offset, in every call', () => {
    const good = line('ADDED', pod('a'));
    const decoder = new JsonWatchDecoder<Json>({ arena: new SlabArena() }, engine);
    decoder.push(Buffer.concat([good, Buffer.from('{"type":"ADDED","object":{"kind":Pod}}\n'), good]));
    const events: Event[] = [];
    expect(decoder.read(events)).toBe(true);
    expect(events).toHaveLength(1);
    const failure = expect.objectContaining({ code: 'DECODE', offset: good.length + 33, truncated: false });
    expect(() => decoder.read(events)).toThrow(failure);
    decoder.push(good);
    expect(decoder.buffered).toBe(0);
    expect(() => decoder.read(events)).toThrow(failure);
    expect(events).toHaveLength(1);
  });

  it.each([
    ['an event of an unknown type', '{"type":"GONE","object":{}}', 'its type is "GONE"'],
    ['an event without an object', '{"type":"ADDED"}', 'no "type" and "object"'],
    ['a bookmark whose object is an array', '{"type":"BOOKMARK","object":[]}', 'no "type" and "object"'],
    ['an event whose type is a number', '{"type":5,"object":{}}', 'its type is 5'],
    ['an object that is not an event', JSON.stringify(pod('a')), 'is this a watch?'],
  ])('throws for %s', (_, text, message) => {
    expect(() => decodeAll(engine, [Buffer.from(text)])).toThrow(message);
  });

  it('throws with truncated: true if the stream ends in the middle of an event', () => {
    const bytes = line('ADDED', pod('a'));
    expect(() => decodeAll(engine, [bytes.subarray(0, 40)])).toThrow(
      expect.objectContaining({ truncated: true, offset: 40 }),
    );
    expect(decodeAll(engine, [bytes.subarray(0, -1)])).toHaveLength(1);
  });

  it('reads events that are longer than the window', () => {
    const large = pod('large', { annotations: { text: 'x"ä'.repeat(100_000) } });
    const bytes = Buffer.concat([line('ADDED', pod('a')), line('ADDED', large), line('ADDED', pod('b'))]);
    expect(decodeAll(engine, [bytes]).map(plain)).toEqual([
      { type: 'ADDED', object: pod('a') },
      { type: 'ADDED', object: large },
      { type: 'ADDED', object: pod('b') },
    ]);
  });

  it('reads in slices, and reports the buffered bytes', () => {
    const bytes = line('ADDED', pod('a'));
    const decoder = new JsonWatchDecoder<Json>({ arena: new SlabArena() }, engine);
    for (let i = 0; i < 10; i++) decoder.push(bytes);
    expect(decoder.buffered).toBe(bytes.length * 10);
    const events: Event[] = [];
    expect(decoder.read(events, 1)).toBe(true);
    expect(events).toHaveLength(1);
    expect(decoder.read(events, bytes.length * 4)).toBe(true);
    expect(events).toHaveLength(5);
    expect(decoder.read(events)).toBe(false);
    expect([events.length, decoder.buffered]).toEqual([10, 0]);
  });

  it('decoders that alternate in the middle of events do not affect each other', () => {
    const streams = ['x', 'y', 'z'].map((name) => {
      const objects = Array.from({ length: 5 }, (_, i) => pod(`${name}${i}`, { labels: { [name]: String(i) } }));
      const decoder = new JsonWatchDecoder<Json>({ arena: new SlabArena() }, engine);
      return { objects, decoder, bytes: Buffer.concat(objects.map((o) => line('ADDED', o))), events: [] as Event[] };
    });
    for (let at = 0; streams.some((s) => at < s.bytes.length); at += 7) {
      for (const { decoder, bytes, events } of streams) {
        decoder.push(bytes.subarray(at, at + 7));
        while (decoder.read(events, 1));
      }
    }
    for (const { objects, events } of streams)
      expect(events.map(({ object }) => (object as Raw<Json>).decode())).toEqual(objects);
  });

  it('continues correctly when more is buffered than there are blocks', () => {
    const names = Array.from({ length: 40 }, (_, i) => `p${i}`);
    const filler = 'x'.repeat(99_999);
    const lines = names.map((name) => line('ADDED', pod(name, { annotations: { filler } })));
    const decoders = [1, 2].map(() => new JsonWatchDecoder<Json>({ arena: new SlabArena() }, engine));
    for (const bytes of lines) for (const decoder of decoders) decoder.push(bytes);
    const found = decoders.map(() => [] as Event[]);
    // Alternating, so that each finds the state of the other one in the engine.
    for (let i = 0; decoders.map((decoder, n) => decoder.read(found[n]!, 10_000)).some(Boolean); i++) {
      expect(i).toBeLessThan(10_000);
    }
    for (const events of found) {
      expect(events.map(({ object }) => (object as Raw<Json>).name)).toEqual(names);
      for (const { object } of events)
        expect((object as Raw<Json>).value(['metadata', 'annotations', 'filler'])).toBe(filler);
    }
  });

  it('has kind and apiVersion of each object if kinds are mixed', () => {
    const kinds = ['Pod', 'Pod', 'Node', 'P\\u006fd', 'Pod'];
    const bytes = kinds
      .map((k) => `{"type":"ADDED","object":{"metadata":{},"apiVersion":"v1","kind":"${k}"}}`)
      .join('');
    const raws = decodeAll(engine, [Buffer.from(bytes)]).map(({ object }) => object as Raw<Json>);
    expect(raws.map(({ kind, apiVersion }) => [kind, apiVersion])).toEqual(
      ['Pod', 'Pod', 'Node', 'Pod', 'Pod'].map((kind) => [kind, 'v1']),
    );
    expect(raws.map((raw) => raw.value(['kind']))).toEqual(['Pod', 'Pod', 'Node', 'Pod', 'Pod']);
  });

  it('throws a KeyError for the key of an object without metadata', () => {
    for (const text of ['{}', '{"metadata":null}', '{"metadata":"x"}']) {
      const [event] = decodeAll(engine, [Buffer.from(`{"type":"ADDED","object":${text}}`)]);
      const raw = event?.object as Raw<Json>;
      expect(() => accessor.key(raw)).toThrow('it has no metadata');
      expect(raw.decode()).toEqual(JSON.parse(text));
    }
  });
});

const labelA = ['metadata', 'labels', 'a'];

function valueAtPath(object: unknown, path: readonly string[]): unknown {
  let value = object;
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Json)[name];
  }
  return value;
}
