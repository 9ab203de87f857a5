import { describe, expect, it } from 'vitest';
import type { StreamDecoder } from '../codec.js';
import { DecodeError, UnknownFieldError } from '../decode-error.js';
import { type Raw, rawAccessorOf } from '../raw.js';
import { SlabArena } from '../slab.js';
import { DOCUMENT_END } from './document.js';
import { builtInType, documentStart, encodeDocument, encodeObject, eventStart, fieldStart } from './document-writer.js';
import { protobufCodec } from './protobuf-codec.js';

const accessor = rawAccessorOf<unknown>();
const podType = builtInType('v1', 'Pod');

function pod(name: string, extra: object = {}): Record<string, unknown> {
  const metadata = {
    name,
    namespace: 'team',
    uid: `uid-${name}`,
    resourceVersion: '7',
    labels: { app: name, ['__proto__']: 'x' },
    managedFields: [{ manager: 'm', operation: 'Update', fieldsV1: { 'f:a': {} } }],
  };
  return { metadata, spec: { containers: [{ name: 'c', resources: {} }], nodeName: 'n1' }, status: {}, ...extra };
}

function event(type: string, document: Uint8Array): Buffer {
  return Buffer.concat([eventStart(type, document.length), document]);
}

const podDocument = (name: string): Buffer => encodeDocument({ kind: 'Pod', apiVersion: 'v1', ...pod(name) });

function listOf(items: readonly Uint8Array[]): Buffer {
  const meta = encodeObject({ resourceVersion: '42', continue: 'next' }, builtInType('v1', 'ListMeta'));
  const fields = [fieldStart(1, meta.length), meta, ...items.flatMap((item) => [fieldStart(2, item.length), item])];
  const body = Buffer.concat(fields);
  return Buffer.concat([documentStart('v1', 'PodList', body.length), body, DOCUMENT_END]);
}

function readAll<E>(decoder: StreamDecoder<E>, bytes: Uint8Array, chunk: number): E[] {
  const entries: E[] = [];
  for (let at = 0; at < bytes.length; at += chunk) {
    decoder.push(bytes.subarray(at, at + chunk));
    while (decoder.read(entries, 100));
  }
  decoder.end();
  while (decoder.read(entries));
  return entries;
}

const options = (more: object = {}): { arena: SlabArena } => ({ arena: new SlabArena(), ...more });
const drop = [['metadata', 'managedFields']];

describe('a protobuf list', () => {
  const bytes = listOf([encodeObject(pod('a'), podType), encodeObject(pod('b'), podType)]);

  it('is decoded item by item, wherever it is cut into chunks', () => {
    for (let chunk = 1; chunk <= bytes.length; chunk++) {
      const decoder = protobufCodec.listDecoder(options({ drop, paths: [['spec', 'nodeName']] }));
      const items = readAll(decoder, bytes, chunk);
      expect(items.map(({ key, resourceVersion }) => `${key}@${resourceVersion}`)).toEqual(['team/a@7', 'team/b@7']);
      expect(decoder.head).toEqual({
        kind: 'PodList',
        apiVersion: 'v1',
        metadata: { resourceVersion: '42', continue: 'next' },
      });
      expect(decoder.done).toBe(true);
      expect(items[1]?.field(['spec', 'nodeName'])).toBe('n1');
    }
  });

  it('gives its items the kind of the list, and what JSON shows', () => {
    const [raw] = readAll<Raw<unknown>>(protobufCodec.listDecoder(options()), bytes, bytes.length);
    expect(raw!.decode()).toStrictEqual({ kind: 'Pod', apiVersion: 'v1', ...pod('a') });
    expect(raw!.json()).toMatch(/^\{"kind":"Pod","apiVersion":"v1","metadata":\{"name":"a","namespace":"team"/);
    expect(raw!.labels).toStrictEqual((pod('a')['metadata'] as { labels: object }).labels);
  });

  it('breaks off with an error that says so', () => {
    for (const length of [2, 10, 40, bytes.length - 10]) {
      const decoder = protobufCodec.listDecoder(options());
      expect(() => readAll(decoder, bytes.subarray(0, length), 7)).toThrow(/the bytes end in the middle of it/);
    }
  });

  it('continues after an item that is too large or malformed', () => {
    const broken = Buffer.from(encodeObject(pod('c'), podType));
    broken[broken.length - 1] = 0xff;
    const large = encodeObject(pod('d', { status: { message: 'x'.repeat(70_000) } }), podType);
    const stream = listOf([broken, large, encodeObject(pod('e'), podType)]);
    for (const chunk of [1000, 65_536]) {
      const items = readAll(protobufCodec.listDecoder(options({ maxObjectBytes: 5000 })), stream, chunk);
      expect(items.map((raw) => raw.key)).toEqual(['team/c', 'team/d', 'team/e']);
      expect(items.map((raw) => accessor.unreadable?.(raw)?.message ?? 'readable')).toEqual([
        expect.stringMatching(/^cannot decode "team\/c" at byte \d+: it ends in the middle of a number$/),
        expect.stringMatching(/^cannot decode "team\/d" at byte \d+: it is larger than the 5000 bytes/),
        'readable',
      ]);
    }
  });

  it('is refused if its metadata has more than a megabyte', () => {
    // The continue token is field 3 of the metadata, and has a tag and a length of 1 and 3 bytes.
    const metadataOf = (length: number): Buffer => {
      const token = Buffer.concat([fieldStart(3, length - 4), Buffer.alloc(length - 4, 'x')]);
      return Buffer.concat([fieldStart(1, token.length), token]);
    };
    const listWith = (length: number): Buffer => {
      const metadata = metadataOf(length);
      return Buffer.concat([documentStart('v1', 'PodList', metadata.length), metadata]);
    };
    const most = 1_048_576;
    const decoder = protobufCodec.listDecoder(options());
    readAll(decoder, listWith(most), 65_536);
    expect(decoder.head.metadata?.continue).toHaveLength(most - 4);
    expect(() => readAll(protobufCodec.listDecoder(options()), listWith(most + 1), 65_536)).toThrow(
      /its kind or metadata is too large/,
    );
  });

  it('is refused if it is no list', () => {
    expect(() => readAll(protobufCodec.listDecoder(options()), Buffer.from('{"kind":"PodList"}'), 5)).toThrow(
      /does not begin with 'k8s'/,
    );
    const twice = Buffer.concat([bytes.subarray(0, bytes.length - 4), fieldStart(2, 0)]);
    expect(() => readAll(protobufCodec.listDecoder(options()), twice, 50)).toThrow(/two objects/);
  });
});

describe('a protobuf watch', () => {
  const bookmark = { kind: 'Pod', apiVersion: 'v1', metadata: { resourceVersion: '9' } };
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', reason: 'Gone', code: 410 };
  const stream = Buffer.concat([
    event('ADDED', podDocument('a')),
    event('DELETED', podDocument('b')),
    event('BOOKMARK', encodeDocument(bookmark)),
    event('ERROR', encodeDocument(status)),
  ]);

  it('is decoded event by event, wherever it is cut into chunks', () => {
    for (let chunk = 1; chunk <= 400; chunk++) {
      const events = readAll(protobufCodec.watchDecoder<unknown>(options({ drop })), stream, chunk);
      expect(events.map(({ type }) => type)).toEqual(['ADDED', 'DELETED', 'BOOKMARK', 'ERROR']);
      expect(events.slice(0, 2).map(({ object }) => (object as Raw<unknown>).key)).toEqual(['team/a', 'team/b']);
      expect(events[2]?.object).toMatchObject(bookmark);
      expect(events[3]?.object).toEqual(status);
    }
  });

  it('drops fields from the bytes, and shortens the messages around them', () => {
    const [all, less] = [[], drop].map((paths) => {
      const [first] = readAll(
        protobufCodec.watchDecoder<Record<string, unknown>>(options({ drop: paths })),
        stream,
        99,
      );
      return first!.object as Raw<Record<string, unknown>>;
    });
    expect(less!.length).toBeLessThan(all!.length);
    const { managedFields, ...metadata } = all!.decode()['metadata'] as Record<string, unknown>;
    expect(managedFields).toEqual([{ manager: 'm', operation: 'Update', fieldsV1: { 'f:a': {} } }]);
    expect(less!.decode()).toStrictEqual({ ...all!.decode(), metadata });
  });

  it('merges the parts of an inlined message that occurs twice, lists in it too', () => {
    const field = (number: number, ...parts: Buffer[]): Buffer => {
      const payload = Buffer.concat(parts);
      const tag = (number << 3) | 2;
      return Buffer.concat([
        Buffer.from(tag < 128 ? [tag, payload.length] : [(tag & 127) | 128, tag >> 7, payload.length]),
        payload,
      ]);
    };
    const text = (number: number, value: string): Buffer => field(number, Buffer.from(value));
    const common = (...parts: Buffer[]): Buffer => field(1, ...parts);
    const container = field(34, common(text(1, 'a'), text(3, 'x')), common(text(3, 'y'), text(4, 'z')));
    const unknown = Buffer.concat([
      field(1, text(1, 'v1'), text(2, 'Pod')),
      field(2, field(1, text(1, 'p')), field(2, container)),
    ]);
    const document = Buffer.concat([Buffer.from('k8s\0'), unknown]);
    expect(protobufCodec.decode<{ spec: object }>(document).spec).toEqual({
      containers: null,
      ephemeralContainers: [{ name: 'a', command: ['x', 'y'], args: ['z'], resources: {} }],
    });
  });

  it('fails at once if bytes were lost, whatever length the stream then announces', () => {
    const whole = event('ADDED', podDocument('a'));
    for (let lost = 1; lost < whole.length; lost++) {
      const decoder = protobufCodec.watchDecoder(options());
      decoder.push(Buffer.concat([whole.subarray(lost), ...Array<Buffer>(3).fill(whole)]));
      const read = (): void => {
        while (decoder.read([]));
      };
      // The rest of an event may look like events; what does not is refused, and is not waited for.
      if (lost > 4 || whole[lost]! > 0) expect(read, `${lost} bytes`).toThrow(DecodeError);
    }
  });

  it('drops entries of maps and fields of inlined messages', () => {
    const volumes = [{ name: 'v', emptyDir: {} }];
    const document = encodeDocument({
      kind: 'Pod',
      apiVersion: 'v1',
      ...pod('a', { spec: { volumes, containers: [] } }),
    });
    const paths = [['metadata', 'labels', 'app'], ['spec'], ['metadata', 'uid'], ['absent']];
    const [first] = readAll(protobufCodec.watchDecoder(options({ drop: paths })), event('ADDED', document), 500);
    const decoded = (first!.object as Raw<Record<string, unknown>>).decode();
    expect(Object.keys((decoded['metadata'] as { labels: object }).labels)).toEqual(['__proto__']);
    // Go would print its zero value, but a dropped field is missing.
    expect(decoded).not.toHaveProperty('spec');
  });

  it('continues after an event that is too large, a kind without a schema and a document that is none', () => {
    const large = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'large' }, data: { a: 'x'.repeat(9000) } };
    const bytes = Buffer.concat([
      event('ADDED', encodeDocument(large)),
      event('MODIFIED', Buffer.from(podDocument('large').toString('latin1').replace('Pod', 'Pox'), 'latin1')),
      event('DELETED', Buffer.from('nonsense')),
      event('ADDED', podDocument('last')),
    ]);
    const events = readAll(protobufCodec.watchDecoder(options({ maxObjectBytes: 2000 })), bytes, 600);
    expect(events.map(({ type, object }) => [type, accessor.unreadable?.(object as Raw<unknown>)?.message])).toEqual([
      ['ADDED', expect.stringMatching(/"large" at byte \d+: it is larger than the 2000 bytes/)],
      ['MODIFIED', expect.stringMatching(/"team\/large" at byte \d+: there is no schema of the kind "Pox" of "v1"/)],
      ['DELETED', expect.stringMatching(/does not begin with 'k8s'/)],
      ['ADDED', undefined],
    ]);
  });

  it('is refused for an unknown type of events, and for a document', () => {
    expect(() => readAll(protobufCodec.watchDecoder(options()), event('LATER', podDocument('a')), 50)).toThrow(
      /its type is "LATER"/,
    );
    expect(() => readAll(protobufCodec.watchDecoder(options()), podDocument('a'), 50)).toThrow(/and not a watch/);
    const open = protobufCodec.watchDecoder(options());
    expect(() => readAll(open, stream.subarray(0, 30), 50)).toThrow(expect.objectContaining({ truncated: true }));
  });

  it('throws at a field that the schema lacks if it is strict, and else loses it', () => {
    const message = Buffer.concat([encodeObject(pod('a'), podType), fieldStart(99, 0)]);
    const document = Buffer.concat([documentStart('v1', 'Pod', message.length), message, DOCUMENT_END]);
    const bytes = Buffer.concat([event('ADDED', podDocument('first')), event('ADDED', document)]);
    expect(readAll(protobufCodec.watchDecoder(options()), bytes, 5000)).toHaveLength(2);
    const entries: unknown[] = [];
    const strict = protobufCodec.watchDecoder(options({ isStrict: () => true }));
    strict.push(bytes);
    expect(strict.read(entries as never[])).toBe(true);
    expect(entries).toHaveLength(1);
    expect(() => strict.read(entries as never[])).toThrow(UnknownFieldError);
    expect(() => protobufCodec.decode(document, { isStrict: () => true })).toThrow(/core\/v1.Pod field 99/);
  });
});

describe('a protobuf document', () => {
  const decode = (message: Uint8Array): Record<string, unknown> =>
    protobufCodec.decode(Buffer.concat([documentStart('v1', 'Pod', message.length), message, DOCUMENT_END]));

  it('merges messages that occur again, and takes the last of other values, as Go does', () => {
    const first = encodeObject({ metadata: { name: 'a', labels: { x: '1' } } }, podType);
    const second = encodeObject({ metadata: { namespace: 'n', labels: { y: '2' } } }, podType);
    const third = encodeObject({ metadata: { name: 'b' } }, podType);
    const merged = decode(Buffer.concat([first, second, third]));
    // Every part has the fields that are no pointers, so that the last name and namespace count.
    expect(merged['metadata']).toEqual({ name: 'b', labels: { x: '1', y: '2' } });
  });

  it('is refused if its bytes are malformed', () => {
    const cases: [string, number[]][] = [
      ['longer than its message', [10, 100]],
      ['longer than its message', [10, 0xff, 0xff, 0xff, 0xff, 0x0f]],
      ['ends in the middle of a number', [10, 0x80]],
      ['more than ten bytes', [80, ...new Array<number>(11).fill(0xff)]],
      ['more than ten bytes', [80, ...new Array<number>(10).fill(0x80), 0]],
      ['longer than its message', [10, 0x81, 1, ...new Array<number>(128).fill(0)]],
      ['longer than its message', [10, 0x82, 1, ...new Array<number>(128).fill(0)]],
      ['illegal number', [2, 0]],
      ['has the wire type 0', [8, 0]],
      ['has the wire type 4', [0x84, 1, 0]],
      ['has the wire type 7', [0x87, 1, 0]],
      ['ends in the middle of a number', [0x83, 1]],
    ];
    for (const [reason, bytes] of cases) {
      expect(() => decode(Buffer.from(bytes))).toThrow(DecodeError);
      expect(() => decode(Buffer.from(bytes))).toThrow(reason);
    }
    expect(() => protobufCodec.decode(Buffer.from('k8s'))).toThrow(DecodeError);
  });

  it('skips groups, takes packed numbers, and replaces invalid UTF-8', () => {
    const group = [0x83, 1, 10, 1, 65, 0x84, 1];
    const name = [10, 4, 10, 2, 0xff, 65];
    expect(decode(Buffer.from([...group, ...name]))['metadata']).toEqual({ name: '\ufffdA' });
    // spec.securityContext.supplementalGroups
    const packed = decode(Buffer.from([18, 7, 0x72, 5, 0x22, 3, 1, 2, 3]));
    expect(packed['spec']).toMatchObject({ securityContext: { supplementalGroups: [1, 2, 3] } });
  });

  it('is refused if it is nested too deep', () => {
    const inField = (number: number, bytes: Buffer): Buffer => Buffer.concat([fieldStart(number, bytes.length), bytes]);
    // JSONSchemaProps.not in openAPIV3Schema of schema of a version.
    let schema: Buffer = Buffer.alloc(0);
    for (let i = 0; i < 1200; i++) schema = inField(28, schema);
    const message = inField(2, inField(7, inField(4, inField(1, schema))));
    const start = documentStart('apiextensions.k8s.io/v1', 'CustomResourceDefinition', message.length);
    expect(() => protobufCodec.decode(Buffer.concat([start, message]))).toThrow(/nested deeper than 1000 levels/);
  });

  it('is not made of an object that is nested too deep', () => {
    const definition = (levels: number): object => {
      let openAPIV3Schema: object = {};
      for (let i = 0; i < levels; i++) openAPIV3Schema = { not: openAPIV3Schema };
      const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }];
      const spec = { group: 'g', names: { plural: 'p', kind: 'K' }, scope: 'Cluster', versions };
      return { kind: 'CustomResourceDefinition', apiVersion: 'apiextensions.k8s.io/v1', metadata: {}, spec };
    };
    expect(protobufCodec.encode(definition(500))).toBeDefined();
    expect(protobufCodec.encode(definition(100_000))).toBeUndefined();
  });

  it('is not made of what it cannot represent', () => {
    const metadata = { name: 'a' };
    expect(protobufCodec.encode({ kind: 'Widget', apiVersion: 'example.com/v1', metadata })).toBeUndefined();
    expect(protobufCodec.encode({ kind: 'Pod', apiVersion: 'v1', metadata, extra: 1 })).toBeUndefined();
    expect(protobufCodec.encode({ kind: 'Pod', apiVersion: 'v1', metadata: { name: 5 } })).toBeUndefined();
    expect(
      protobufCodec.encode({ kind: 'Secret', apiVersion: 'v1', metadata, data: { a: 'no base64' } }),
    ).toBeUndefined();
    expect(protobufCodec.encode({ kind: 'Pod', apiVersion: 'v1', metadata })).toBeDefined();
    expect(protobufCodec.knows({ group: '', version: 'v1', kind: 'Pod' })).toBe(true);
    expect(protobufCodec.knows({ group: 'example.com', version: 'v1', kind: 'Pod' })).toBe(false);
  });
});
