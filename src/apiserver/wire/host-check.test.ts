import { once } from 'node:events';
import { type IncomingMessage, type RequestOptions, request } from 'node:http';
import { connect } from 'node:http2';
import { request as secureRequest } from 'node:https';
import { afterEach, describe, expect, it } from 'vitest';
import { type ApiServer, type ApiServerOptions, startApiServer } from '../index.js';

let api: ApiServer | undefined;

afterEach(async () => {
  await api?.stop();
  api = undefined;
});

async function start(options: ApiServerOptions = {}): Promise<URL> {
  api = await startApiServer(options);
  return new URL(api.url);
}

interface Asked {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The status of an answer, and its text. */
async function ask(url: URL, { path = '/api/v1/secrets', body = '', ...asked }: Asked): Promise<[number, string]> {
  const options: RequestOptions = { agent: false, host: '127.0.0.1', port: url.port, path, ...asked };
  const outgoing =
    url.protocol === 'https:' ? secureRequest({ ...options, rejectUnauthorized: false }) : request(options);
  outgoing.end(asked.method === 'POST' ? body : undefined);
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
  let text = '';
  for await (const chunk of incoming) text += chunk;
  return [incoming.statusCode ?? 0, text];
}

describe('a server on plain http', () => {
  it.each(['127.0.0.1', '127.0.0.1:1', '127.9.9.9', 'localhost', 'LOCALHOST:80', 'a.localhost', '[::1]:8080'])(
    'answers to the host %s',
    async (host) => {
      expect((await ask(await start(), { headers: { host } }))[0]).toBe(200);
    },
  );

  it.each([
    'evil.example',
    'evil.example:80',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    '192.0.2.1',
    'evil.example@127.0.0.1',
    '127.0.0.1/evil',
  ])('refuses the host "%s"', async (host) => {
    const [status, text] = await ask(await start(), { headers: { host } });
    expect(status).toBe(403);
    expect(text).toContain('allowedHosts');
    expect(text).not.toContain('SecretList');
  });

  it('refuses other hosts over HTTP/2 as well', async () => {
    const url = await start();
    const session = connect(url.href);
    const statusOf = async (authority: string): Promise<unknown> => {
      const stream = session.request({ ':path': '/api/v1/secrets', ':authority': authority });
      stream.resume();
      const [headers] = await once(stream, 'response');
      return headers[':status'];
    };
    expect([await statusOf(url.host), await statusOf('evil.example')]).toEqual([200, 403]);
    session.destroy();
  });

  it('answers to the hosts that it was given', async () => {
    const url = await start({ allowedHosts: ['Api.Example', 'fd00::1'] });
    const statusOf = async (host: string): Promise<number> => (await ask(url, { headers: { host } }))[0];
    expect(await Promise.all(['api.example:8080', '[fd00:0::1]', 'localhost', 'example'].map(statusOf))).toEqual([
      200, 200, 200, 403,
    ]);
  });

  it('answers to any address, but to no other name, with 0.0.0.0 or ::', async () => {
    const url = await start({ allowedHosts: ['0.0.0.0'] });
    const statusOf = async (host: string): Promise<number> => (await ask(url, { headers: { host } }))[0];
    expect(await Promise.all(['192.0.2.1:80', '[2001:db8::1]', 'evil.example'].map(statusOf))).toEqual([200, 200, 403]);
  });

  it('answers to the name that it listens on', async () => {
    const url = await start({ host: 'localhost' });
    expect(await (await fetch(`${url.href}readyz`)).text()).toBe('ok');
  });

  it.each([['a.example:80'], ['http://a.example'], [''], ['a b']])('cannot be given the host %j', async (host) => {
    await expect(startApiServer({ allowedHosts: [host] })).rejects.toThrow('allowedHosts must be');
  });
});

describe('a request of a browser', () => {
  const create = { method: 'POST', path: '/api/v1/namespaces', body: '{"metadata":{"name":"forged"}}' };

  it.each([{ tls: false }, { tls: true }])('is refused for the page of another origin: %j', async (options) => {
    const url = await start(options);
    const other = 'http://127.0.0.1:1';
    for (const origin of ['https://evil.example', 'null', other, 'file://', `${url.protocol}//localhost:${url.port}`]) {
      const [status, text] = await ask(url, { ...create, headers: { host: url.host, origin } });
      expect([status, text]).toEqual([403, expect.stringContaining('origin')]);
    }
    expect((await ask(url, { ...create, headers: { host: url.host, origin: url.origin } }))[0]).toBe(201);
  });

  it('reaches nothing under /kubeflect/ without the Content-Type application/json', async () => {
    const url = await start({ admin: true });
    const fault = JSON.stringify({ verb: 'list', respond: { status: 500 } });
    for (const contentType of ['text/plain', 'application/x-www-form-urlencoded', undefined, 'application/jsonx']) {
      for (const [method, what] of [
        ['POST', 'faults'],
        ['DELETE', 'faults'],
        ['POST', 'compact'],
        ['POST', 'restart'],
        ['POST', 'drop-connections'],
      ] as const) {
        const headers: Record<string, string> = contentType === undefined ? {} : { 'content-type': contentType };
        const [status] = await ask(url, { method, path: `/kubeflect/${what}`, body: fault, headers });
        expect(status).toBe(415);
      }
    }
    const headers = { 'content-type': 'application/json; charset=utf-8' };
    expect(await ask(url, { method: 'POST', path: '/kubeflect/faults', body: fault, headers })).toEqual([200, '{}\n']);
    expect((await ask(url, {}))[0]).toBe(500);
  });
});
