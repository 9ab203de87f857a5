import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { type RequestOptions, request } from 'node:https';
import { afterEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../../time/fake-clock.js';
import { realClock } from '../../time/real-clock.js';
import { CertificateAuthority } from './certificates.js';
import type { ApiHandler } from './exchange.js';
import { type HttpListener, listen } from './http-listener.js';

const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

describe('CertificateAuthority', () => {
  it('certifies itself', () => {
    const clock = new FakeClock({ now: Date.UTC(2030, 0, 1) });
    const certificate = new X509Certificate(new CertificateAuthority(clock, 'test').certificate);
    expect(certificate.ca).toBe(true);
    expect(certificate.subject).toBe('CN=test');
    expect(certificate.issuer).toBe('CN=test');
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(certificate.validFrom).toBe('Dec 31 23:00:00 2029 GMT');
    expect(certificate.validTo).toBe('Dec 30 00:00:00 2039 GMT');
  });

  it('writes years after 2049', () => {
    const clock = new FakeClock({ now: Date.UTC(2045, 0, 1) });
    const certificate = new X509Certificate(new CertificateAuthority(clock).certificate);
    expect(certificate.validTo).toBe('Dec 30 00:00:00 2054 GMT');
  });

  it('certifies servers by name and address', () => {
    const authority = new CertificateAuthority(realClock);
    const root = new X509Certificate(authority.certificate);
    const server = new X509Certificate(authority.issueServer().certificate);
    expect(server.checkIssued(root)).toBe(true);
    expect(server.verify(root.publicKey)).toBe(true);
    expect(server.ca).toBe(false);
    expect(server.checkHost('localhost')).toBe('localhost');
    expect(server.checkIP('127.0.0.1')).toBe('127.0.0.1');
    expect(server.checkIP('::1')).toBe('::1');
    const other = new X509Certificate(
      authority.issueServer(['a.example', '2001:db8::2:1', '1:2:3:4:5:6:7:8']).certificate,
    );
    expect(other.checkHost('localhost')).toBeUndefined();
    expect(other.checkHost('a.example')).toBe('a.example');
    expect(other.checkIP('2001:db8::2:1')).toBe('2001:db8::2:1');
    expect(other.checkIP('1:2:3:4:5:6:7:8')).toBe('1:2:3:4:5:6:7:8');
    expect(() => authority.issueServer([''])).toThrow('hosts[] must be');
  });

  it('certifies clients with their groups', () => {
    const authority = new CertificateAuthority(realClock);
    const long = 'a-name-of-more-than-128-bytes-'.repeat(6);
    const pair = authority.issueClient({ commonName: 'ada', organizations: ['dev', 'ops:ü', long] });
    const certificate = new X509Certificate(pair.certificate);
    expect(certificate.toLegacyObject().subject).toMatchObject({ CN: 'ada', O: ['dev', 'ops:ü', long] });
    expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.2']);
    expect(certificate.serialNumber).not.toBe(
      new X509Certificate(authority.issueClient({ commonName: 'ada' }).certificate).serialNumber,
    );
    expect(() => authority.issueClient({ commonName: '' })).toThrow('commonName must be');
  });
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

  it('ignores certificates of another authority, and is not trusted by clients with another one', async () => {
    const listener = await start(new CertificateAuthority(realClock));
    const stranger = new CertificateAuthority(realClock);
    const pair = stranger.issueClient({ commonName: 'mallory', organizations: ['system:masters'] });
    expect(await ask(listener, { rejectUnauthorized: false, key: pair.key, cert: pair.certificate })).toBeNull();
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
