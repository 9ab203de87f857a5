import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { type RequestOptions, request } from 'node:https';
import { afterEach, describe, expect, it } from 'vitest';
import { CertificateAuthority } from '../../certificates/certificate-authority.js';
import { realClock } from '../../time/real-clock.js';
import type { ApiHandler } from './exchange.js';
import { type HttpListener, listen } from './http-listener.js';

const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

describe('a listener with TLS', () => {
  const whoami: ApiHandler = async (received, response) => {
    const answer = Buffer.from(JSON.stringify(received.clientCertificate ?? null));
    response.head(200, { 'content-length': String(answer.length) });
    response.write(answer);
  };

  async function start(authority: CertificateAuthority): Promise<HttpListener> {
    const listener = await listen(whoami, {
      tls: { ...authority.issueServer(), clientAuthority: authority.certificate },
    });
    closing.push(() => listener.close());
    return listener;
  }

  async function ask(listener: HttpListener, options: RequestOptions): Promise<unknown> {
    const outgoing = request(listener.url, { agent: false, ...options });
    outgoing.end();
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
    let body = '';
    for await (const chunk of incoming) body += chunk;
    return JSON.parse(body);
  }

  it('is trusted by clients with its authority, and reads client certificates', async () => {
    const authority = new CertificateAuthority(realClock);
    const listener = await start(authority);
    expect(listener.url).toBe(`https://127.0.0.1:${listener.port}`);
    const ca = authority.certificate;
    expect(await ask(listener, { ca })).toBeNull();
    const one = authority.issueClient({ commonName: 'ada', organizations: ['dev'] });
    expect(await ask(listener, { ca, key: one.key, cert: one.certificate })).toEqual({
      commonName: 'ada',
      organizations: ['dev'],
    });
    const more = authority.issueClient({ commonName: 'bob', organizations: ['dev', 'ops'] });
    expect(await ask(listener, { ca, key: more.key, cert: more.certificate })).toMatchObject({
      organizations: ['dev', 'ops'],
    });
  });

  it('names certificates of another authority and expired ones invalid, and is not trusted by clients with another one', async () => {
    let now = realClock.now();
    const authority = new CertificateAuthority({ ...realClock, now: () => now });
    const listener = await start(authority);
    now -= 2 * 365 * 86_400_000;
    const old = authority.issueClient({ commonName: 'ada' });
    const ca = authority.certificate;
    expect(await ask(listener, { ca, key: old.key, cert: old.certificate })).toBe('invalid');
    const stranger = new CertificateAuthority(realClock);
    const pair = stranger.issueClient({ commonName: 'mallory', organizations: ['system:masters'] });
    expect(await ask(listener, { rejectUnauthorized: false, key: pair.key, cert: pair.certificate })).toBe('invalid');
    await expect(ask(listener, { ca: stranger.certificate })).rejects.toThrow(/certificate|signature/i);
  });

  it('speaks HTTP/2 to clients that offer it by ALPN', async () => {
    const authority = new CertificateAuthority(realClock);
    const listener = await start(authority);
    const pair = authority.issueClient({ commonName: 'ada' });
    const session = connectHttp2(listener.url, {
      ca: authority.certificate,
      key: pair.key,
      cert: pair.certificate,
    });
    closing.push(() => session.destroy());
    const stream = session.request({ ':path': '/' });
    let body = '';
    for await (const chunk of stream) body += chunk;
    expect(session.alpnProtocol).toBe('h2');
    expect(JSON.parse(body)).toEqual({ commonName: 'ada', organizations: [] });
  });

  it('is not held up by a handshake that never ends', async () => {
    const listener = await start(new CertificateAuthority(realClock));
    const { connect } = await import('node:net');
    const socket = connect(listener.port, listener.host);
    await once(socket, 'connect');
    socket.on('error', () => {});
    const gone = new Promise((resolve) => socket.once('close', resolve));
    await listener.close();
    await gone;
  });
});
