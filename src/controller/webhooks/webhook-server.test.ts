import { once } from 'node:events';
import { Agent, type RequestOptions, request } from 'node:https';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { CertificateAuthority } from '../../certificates/certificate-authority.js';
import { realClock } from '../../index.js';
import { defineResource } from '../../kinds/define-resource.js';
import { field } from '../../kinds/field.js';
import { admissionPath, WebhookEndpoints } from './endpoints.js';
import { type AdmissionDefinition, validate, webhookDefinition } from './webhook.js';
import { WebhookServer } from './webhook-server.js';

const widgets = defineResource({
  group: 'example.com',
  version: 'v1',
  kind: 'Widget',
  spec: { size: field.integer() },
});
const review = {
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  request: { uid: 'u', operation: 'CREATE', object: { metadata: { name: 'a' }, spec: { size: 1 } } },
};

let server: WebhookServer | undefined;
const errors: Error[] = [];
const authority = new CertificateAuthority(realClock);
const agent = new Agent({ keepAlive: true, ca: authority.certificate });

afterEach(async () => {
  agent.destroy();
  errors.length = 0;
  await server?.close();
  server = undefined;
});

async function serve(check: AdmissionDefinition['call'] = () => {}): Promise<string> {
  const definition = webhookDefinition(validate(widgets, { check: check as never })) as AdmissionDefinition;
  const endpoints = new WebhookEndpoints([definition], {
    clock: realClock,
    cacheOf: () => Promise.reject(new Error('no caches')),
    onError: (error) => errors.push(error),
  });
  server = await WebhookServer.listen(endpoints, { port: 0, host: '127.0.0.1' });
  server.use(authority.issueServer(['127.0.0.1']));
  return admissionPath(definition);
}

interface Answer {
  readonly code: number | undefined;
  readonly body: Record<string, unknown>;
  readonly connection: string | undefined;
}

function post(path: string, body: string | Buffer, options: RequestOptions = {}): Promise<Answer> {
  const headers = { 'content-type': 'application/json', ...options.headers };
  const port = server!.port;
  return new Promise((resolve, reject) => {
    const sent = request({ agent, host: '127.0.0.1', port, path, method: 'POST', ...options, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const { connection } = response.headers;
        const text = Buffer.concat(chunks).toString();
        resolve({ code: response.statusCode, body: JSON.parse(text || '{}') as Answer['body'], connection });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

describe('the webhook server', () => {
  it('answers reviews', async () => {
    const path = await serve();
    const { code, body } = await post(`${path}?timeout=5s`, JSON.stringify(review));
    expect([code, body['response']]).toEqual([200, { uid: 'u', allowed: true }]);
  });

  it('refuses what is no review, and goes on', async () => {
    const path = await serve();
    const text = JSON.stringify(review);
    const refused: readonly [number, () => Promise<Answer>][] = [
      [404, () => post('/other', text)],
      [404, () => post('//', text)],
      [404, () => post('/__proto__', text)],
      [405, () => post(path, text, { method: 'PUT' })],
      [415, () => post(path, text, { headers: { 'content-type': 'text/plain' } })],
      [400, () => post(path, 'no json')],
      [400, () => post(path, '')],
      [400, () => post(path, '[')],
      [400, () => post(path, 'null')],
      [400, () => post(path, '{"kind":"Pod"}')],
      [400, () => post(path, Buffer.from([0xff, 0xfe, 0]))],
      [400, () => post(path, Buffer.alloc(16 * 1024 * 1024, 32))],
      [413, () => post(path, Buffer.alloc(16 * 1024 * 1024 + 1, 32))],
    ];
    for (const [code, send] of refused) expect((await send().catch(() => ({ code: 413 }))).code).toBe(code);
    expect((await post(path, text)).code).toBe(200);
    expect(errors).toEqual([]);
  });

  it('survives deep nesting, and strange names', async () => {
    const path = await serve((object: never) => void structuredClone(object));
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const hostile = `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u","operation":"CREATE","__proto__":{"x":1},"object":{"metadata":{},"spec":${deep}}}}`;
    expect([200, 400, 500]).toContain((await post(path, hostile)).code);
    expect((await post(path, JSON.stringify(review))).code).toBe(200);
    expect(({} as { x?: number }).x).toBeUndefined();
  });

  it('[C73] answers a throw with 500', async () => {
    const path = await serve(() => {
      throw new Error('broken');
    });
    const { code, body } = await post(path, JSON.stringify(review));
    expect([code, body]).toEqual([500, expect.objectContaining({ kind: 'Status', message: 'broken', code: 500 })]);
    expect(errors.map(({ message }) => message)).toEqual([
      'the webhook validate.v1.widgets.example.com failed: broken',
    ]);
  });

  it('[C73] answers before the time of the request is over', async () => {
    let reason: unknown;
    const path = await serve((_object: never, { signal }) => {
      return new Promise<void>(() => signal.addEventListener('abort', () => (reason = signal.reason)));
    });
    const { code, body } = await post(`${path}?timeout=200ms`, JSON.stringify(review));
    expect([code, body['message']]).toEqual([500, expect.stringContaining('took more than 180 ms')]);
    expect(reason).toMatchObject({ name: 'TimeoutError' });
  });

  it('uses a new certificate for new connections, and keeps the old ones', async () => {
    const path = await serve();
    const text = JSON.stringify(review);
    expect((await post(path, text)).code).toBe(200);
    const other = new CertificateAuthority(realClock, { commonName: 'other' });
    server!.use(other.issueServer(['127.0.0.1']));
    // The connection that is kept does not notice.
    expect((await post(path, text)).code).toBe(200);
    const fresh = { agent: new Agent({ ca: other.certificate }) };
    expect((await post(path, text, fresh)).code).toBe(200);
    await expect(post(path, text, { agent: new Agent({ ca: authority.certificate }) })).rejects.toThrow();
  });

  it('closes connections after their answers while it drains', async () => {
    const path = await serve();
    expect((await post(path, JSON.stringify(review))).connection).toBe('keep-alive');
    server!.drain();
    expect((await post(path, JSON.stringify(review))).connection).toBe('close');
  });

  it('answers what was asked before it closes', async () => {
    let release: () => void = () => {};
    let isCalled: () => void = () => {};
    const called = new Promise<void>((resolve) => (isCalled = resolve));
    const path = await serve(() => {
      isCalled();
      return new Promise<void>((resolve) => (release = resolve));
    });
    const asked = post(path, JSON.stringify(review));
    await called;
    const closed = server!.close();
    server = undefined;
    release();
    expect((await asked).code).toBe(200);
    await closed;
  });

  it('is not held up by connections that are no TLS, or end early', async () => {
    const path = await serve();
    const plain = connect(server!.port, '127.0.0.1');
    plain.on('error', () => {});
    plain.write('GET / HTTP/1.1\r\n\r\n');
    await once(plain, 'close');
    const half = connectTls({ port: server!.port, host: '127.0.0.1', ca: authority.certificate });
    await once(half, 'secureConnect');
    half.write(`POST ${path} HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{`);
    half.destroy();
    expect((await post(path, JSON.stringify(review))).code).toBe(200);
  });
});
