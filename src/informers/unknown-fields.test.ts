import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ApiHandler } from '../apiserver/wire/exchange.js';
import { connectInMemory } from '../apiserver/wire/memory-connection.js';
import { Client } from '../client/client.js';
import { protobufCodec } from '../codec/protobuf/protobuf-codec.js';
import { initialEventsEndAnnotation } from '../meta/watch-event.js';
import { MemoryTransport } from '../rest/http/memory-transport.js';
import { RestClient } from '../rest/request/rest-client.js';
import { FakeClock } from '../time/fake-clock.js';
import { SharedInformerFactory } from './shared-informer-factory.js';

/** One field of a protobuf message: its number, and its bytes. */
const field = (number: number, bytes: Uint8Array): Buffer =>
  Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes]);

function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...bytes, rest]);
    bytes.push((rest % 128) + 128);
  }
}

/** The fields of a message that has no other than length-delimited ones. */
function fieldsOf(message: Buffer): [number, Buffer][] {
  const fields: [number, Buffer][] = [];
  const number = (): number => {
    for (let value = 0, factor = 1; ; factor *= 128) {
      const byte = message[at++]!;
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  };
  let at = 0;
  while (at < message.length) {
    const tag = number();
    const length = number();
    fields.push([tag >>> 3, message.subarray(at, at + length)]);
    at += length;
  }
  return fields;
}

/** An object as a newer server encodes it: `fromTheFuture` is field 900, which the schema of this package does not have. */
function encoded({ fromTheFuture, ...known }: Record<string, unknown>): Buffer {
  const bytes = Buffer.from(protobufCodec.encode(known) as Uint8Array);
  if (fromTheFuture === undefined) return bytes;
  const magic = bytes.subarray(0, 4);
  const fields = fieldsOf(bytes.subarray(4)).map(([number, value]) =>
    field(number, number === 2 ? Buffer.concat([value, field(900, Buffer.from(String(fromTheFuture)))]) : value),
  );
  return Buffer.concat([magic, ...fields]);
}

function frame(type: string, object: Record<string, unknown>): Buffer {
  const event = Buffer.concat([field(1, Buffer.from(type)), field(2, field(1, encoded(object)))]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(event.length);
  return Buffer.concat([length, event]);
}

const pod = (name: string, resourceVersion: string, more: object = {}): Record<string, unknown> => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'a', resourceVersion },
  ...more,
});
const future = { fromTheFuture: 'kept' };

/** A server of a version, whose watch-list has these pods, in protobuf where that is accepted. */
function start(
  minor: string,
  pods: readonly Record<string, unknown>[],
  later: readonly Record<string, unknown>[] = [],
) {
  const clock = new FakeClock();
  const asked: string[] = [];
  const bodies: string[] = [];
  const handler: ApiHandler = async ({ method, target, headers, body, signal }, response) => {
    const isProtobuf = headers['accept']?.startsWith('application/vnd.kubernetes.protobuf') === true;
    const isWatch = target.includes('watch=');
    response.head(200, { 'content-type': isProtobuf ? 'application/vnd.kubernetes.protobuf' : 'application/json' });
    const write = (type: string, object: Record<string, unknown>) =>
      response.write(isProtobuf ? frame(type, object) : Buffer.from(`${JSON.stringify({ type, object })}\n`));
    if (target === '/version') {
      response.write(Buffer.from(JSON.stringify({ major: '1', minor })));
      return;
    }
    asked.push(`${isWatch ? 'watch' : method} ${isProtobuf ? 'protobuf' : 'JSON'}`);
    if (method === 'PUT') {
      bodies.push(`${headers['content-type']} ${Buffer.from(body)}`);
      response.write(body);
      return;
    }
    if (!isWatch) {
      const [first = {}] = pods;
      response.write(isProtobuf ? encoded(first) : Buffer.from(JSON.stringify(first)));
      return;
    }
    if (target.includes('sendInitialEvents=true')) {
      for (const one of pods) write('ADDED', one);
      const annotations = { [initialEventsEndAnnotation]: 'true' };
      write('BOOKMARK', { apiVersion: 'v1', kind: 'Pod', metadata: { resourceVersion: '10', annotations } });
    }
    for (const one of later) write('MODIFIED', one);
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  };
  const transport = new MemoryTransport(connectInMemory(handler, clock));
  const client = new Client({ rest: new RestClient({ server: 'memory' }, { clock, transport }) });
  const factory = new SharedInformerFactory(client);
  const informer = factory.core.v1.pods();
  return { clock, client, factory, informer, asked, bodies };
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe('fields of a server that is newer than the schema', () => {
  it('make an informer list again as JSON before any handler is called; a read and a write lose nothing', async () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const { clock, client, factory, informer, asked, bodies } = start('99', [pod('x', '5'), pod('y', '6', future)]);
    const told: string[] = [];
    informer.subscribe((event) => void told.push(`${event.type} ${event.key} after ${asked.join(', ')}`));
    factory.start();
    await clock.advance(10_000);
    expect(told).toEqual(['add a/x after watch protobuf, watch JSON', 'add a/y after watch protobuf, watch JSON']);
    const object = informer.lister.get('a/y');
    expect(object).toMatchObject(future);
    expect(warn.mock.calls.map(([text]) => String(text))).toEqual([
      expect.stringContaining('the server sends pods with fields that this version of kubeflect does not know'),
    ]);
    await client.core.v1
      .pods('a')
      .update({ ...object, metadata: { ...object!.metadata, labels: { a: 'b' } } } as never);
    expect(bodies).toEqual([expect.stringMatching(/^application\/json .*"fromTheFuture":"kept"/)]);
  });

  it('of a later event end the watch, and the next one is JSON', async () => {
    vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const { clock, factory, informer, asked } = start('99', [pod('x', '5')], [pod('x', '11', future)]);
    const told: string[] = [];
    informer.subscribe((event) => void told.push(`${event.type} ${JSON.stringify(event.object).includes('kept')}`));
    factory.start();
    await clock.advance(10_000);
    expect(asked).toEqual(['watch protobuf', 'watch JSON']);
    expect(told).toEqual(['add false', 'update true']);
  });

  it('make a single read JSON, and an object with one is sent as JSON', async () => {
    vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const { client, asked, bodies } = start('99', [pod('x', '5', future)]);
    const object = await client.core.v1.pods('a').get('x');
    expect(object).toMatchObject(future);
    await client.core.v1.pods('a').update(object);
    expect(asked).toEqual(['GET protobuf', 'GET JSON', 'PUT JSON']);
    expect(bodies[0]).toContain('"fromTheFuture":"kept"');
  });
});

it('a server of the version of the schema is read as protobuf only', async () => {
  const { clock, factory, informer, asked } = start(protobufCodec.schemaVersion!.split('.')[1]!, [
    pod('x', '5'),
    pod('y', '6'),
  ]);
  factory.start();
  await clock.advance(10_000);
  expect(informer.lister.count()).toBe(2);
  expect(asked).toEqual(['watch protobuf']);
});
