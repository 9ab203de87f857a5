import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import type { ApiHandler } from '../../apiserver/wire/exchange.js';
import { listen } from '../../apiserver/wire/http-listener.js';
import type { KubernetesObject } from '../../meta/objects.js';
import { RestClient } from '../request/rest-client.js';
import { GunzipBody } from './gunzip.js';
import { RequestError } from './request-errors.js';
import type { BodySink } from './transport.js';

const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function clientOf(handler: ApiHandler): Promise<RestClient> {
  const listener = await listen(handler);
  closing.push(() => listener.close());
  const rest = new RestClient({ server: listener.url }, { gzip: true, maxRetries: 0 });
  closing.push(() => rest.close());
  return rest;
}

const items = Array.from({ length: 20_000 }, (_, i) => ({ metadata: { name: `p${i}`, uid: `${i * 7919}` } }));
const packed = gzipSync(
  JSON.stringify({ kind: 'PodList', apiVersion: 'v1', metadata: { resourceVersion: '9' }, items }),
);

describe('responses with gzip', () => {
  it('are decompressed while a list is read', async () => {
    const rest = await clientOf(async ({ headers }, response) => {
      const isAsked = headers['accept-encoding'] === 'gzip';
      response.head(isAsked ? 200 : 406, { 'content-encoding': 'gzip' });
      for (let at = 0; at < packed.length; at += 1000) response.write(packed.subarray(at, at + 1000));
    });
    const list = await rest.get().resource('pods').list<KubernetesObject>();
    expect(list.items.map(({ metadata }) => metadata.name)).toEqual(items.map(({ metadata }) => metadata.name));
    expect(list.metadata.resourceVersion).toBe('9');
  });

  it('are decompressed if they are errors', async () => {
    const status = {
      kind: 'Status',
      apiVersion: 'v1',
      status: 'Failure',
      message: 'no',
      reason: 'Forbidden',
      code: 403,
    };
    const rest = await clientOf(async (_, response) => {
      response.head(403, { 'content-encoding': 'gzip' });
      response.write(gzipSync(JSON.stringify(status)));
    });
    await expect(rest.get().resource('pods').do()).rejects.toMatchObject({ status: 403, reason: 'Forbidden' });
  });

  it('fail if they are damaged or truncated', async () => {
    for (const bytes of [Buffer.from('this is not packed'), packed.subarray(0, packed.length / 2)]) {
      const rest = await clientOf(async (_, response) => {
        response.head(200, { 'content-encoding': 'gzip' });
        response.write(bytes);
      });
      await expect(rest.get().resource('pods').list()).rejects.toBeInstanceOf(RequestError);
    }
  });
});

describe('a server that continues a gzip body', () => {
  it.each([
    ['is damaged', Buffer.from('this is not packed')],
    ['has ended already', Buffer.concat([gzipSync('{"items":[]}'), Buffer.alloc(64)])],
  ])('loses the connection when the body %s', async (_what, bytes) => {
    let isLeft = false;
    const rest = await clientOf(async ({ signal }, response) => {
      response.head(200, { 'content-encoding': 'gzip' });
      response.write(bytes);
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      isLeft = true;
    });
    await Promise.allSettled([rest.get().resource('pods').list()]);
    await expect.poll(() => isLeft).toBe(true);
  });
});

describe('GunzipBody', () => {
  it('accepts a response without a body', async () => {
    const rest = await clientOf(async (_, response) => response.head(204, { 'content-encoding': 'GZIP' }));
    const { status, body } = await rest.delete().resource('pods').name('a').doRaw();
    expect([status, body.length]).toEqual([204, 0]);
  });

  it('pauses its source while the sink pauses', async () => {
    let received = 0;
    let mayGoOn = false;
    let isDrained = false;
    const sink: BodySink = {
      chunk: (bytes) => {
        received += bytes.length;
        return mayGoOn;
      },
    };
    const gunzip = new GunzipBody(sink, {
      resume() {
        isDrained = true;
      },
      stop() {},
      end() {},
      fail() {},
    });
    // More than zlib buffers on any version of Node, compressed or not.
    const large = gzipSync(randomBytes(1024 * 1024));
    let at = 0;
    while (gunzip.chunk(large.subarray(at, at + 512))) at += 512;
    await expect.poll(() => received).toBeGreaterThan(0);
    const atPause = received;
    expect(gunzip.chunk(large.subarray(at + 512))).toBe(false);
    expect(received).toBe(atPause);
    mayGoOn = true;
    gunzip.resume();
    await expect.poll(() => received).toBe(1024 * 1024);
    expect(isDrained).toBe(true);
    gunzip.fail(new Error('over'));
  });
});
