import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { undoOnce } from '../meta/undo.js';
import type { Transport } from '../rest/http/transport.js';
import { RestClient } from '../rest/request/rest-client.js';

/** A server whose response arrives byte by byte, in a buffer that is overwritten after each call. */
function clientOf(status: number, body: Buffer, headers: Record<string, string> = {}): RestClient {
  const transport: Transport = {
    server: 'http://kube.example.com',
    isLocal: true,
    send(_request, handler) {
      const shared = Buffer.alloc(1);
      queueMicrotask(() => {
        const sink = handler.head(status, { 'content-type': 'application/json', ...headers });
        for (const byte of body) {
          shared[0] = byte;
          sink.chunk(shared);
          shared[0] = 0xff;
        }
        handler.end();
      });
      return { resume() {} };
    },
    onConnect: () => undoOnce(() => {}),
    close: () => Promise.resolve(),
  };
  return new RestClient({ server: transport.server }, { transport });
}

const pod = { kind: 'Pod', apiVersion: 'v1', metadata: { name: 'web-0', namespace: 'default', resourceVersion: '7' } };
const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

describe('bytes of a response are copied before they are stored', () => {
  it('an object', async () => {
    const request = clientOf(200, json(pod)).get().namespace('default').resource('pods').name('web-0');
    expect(await request.do()).toEqual(pod);
  });

  it('a list, with and without compression', async () => {
    const list = { kind: 'PodList', apiVersion: 'v1', metadata: { resourceVersion: '9' }, items: [pod] };
    const plain = clientOf(200, json(list)).get().resource('pods').list();
    const packed = clientOf(200, gzipSync(json(list)), { 'content-encoding': 'gzip' })
      .get()
      .resource('pods')
      .list();
    for (const answer of await Promise.all([plain, packed])) expect(answer).toEqual(list);
  });

  it('a watch', async () => {
    const events = [{ type: 'ADDED', object: pod }];
    const seen: unknown[] = [];
    for await (const event of clientOf(200, json(events[0])).get().resource('pods').watch()) seen.push(event);
    expect(seen).toEqual(events);
  });

  it('a stream', async () => {
    const stream = clientOf(200, Buffer.from('one\ntwo\n')).get().resource('pods').name('web-0').stream();
    expect(await text(stream)).toBe('one\ntwo\n');
  });

  it('an error', async () => {
    const status = {
      kind: 'Status',
      apiVersion: 'v1',
      status: 'Failure',
      message: 'no such pod',
      reason: 'NotFound',
      code: 404,
    };
    const request = clientOf(404, json(status)).get().namespace('default').resource('pods').name('web-0');
    await expect(request.do()).rejects.toThrow('no such pod');
  });
});
