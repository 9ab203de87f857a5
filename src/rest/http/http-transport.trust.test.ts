import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { fixedTls } from '../../../test/support/fixed-tls.js';
import {
  ask,
  authority,
  echo,
  holding,
  serve,
  serveHttp2,
  serveSockets,
  tls,
  transportTo,
  trusting,
  ways,
} from '../../../test/support/transport-rig.js';
import type { TlsMaterial } from './connection-config.js';

describe('TLS', () => {
  it('refuses a certificate of an unknown authority, unless insecureSkipVerify is set', async () => {
    const listener = await serve(echo, { tls });
    const strict = transportTo({ server: listener.url });
    await expect(ask(strict).done).rejects.toMatchObject({ code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' });
    const careless = transportTo({ server: listener.url, tls: fixedTls({ insecureSkipVerify: true }) });
    expect(await ask(careless).done).toBe('GET / ');
  });

  it('checks the certificate against serverName', async () => {
    const elsewhere = authority.issueServer(['kube.example.com']);
    const listener = await serve(echo, { tls: { key: elsewhere.key, certificate: elsewhere.certificate } });
    const wrong = transportTo({ server: listener.url, tls: trusting });
    await expect(ask(wrong).done).rejects.toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
    const named = fixedTls({ ca: authority.certificate, serverName: 'kube.example.com' });
    expect(await ask(transportTo({ server: listener.url, tls: named })).done).toBe('GET / ');
  });

  it('keeps a connection whose material was rotated while it was read, as by a plugin with a new certificate each time', async () => {
    const { url, sockets } = await serveHttp2((stream) => {
      stream.respond({ ':status': 200 });
      stream.end('ok');
    });
    let rotate = (): void => {};
    const rotating = {
      material: async () => {
        rotate();
        return { ca: authority.certificate };
      },
      onRotate: (listener: () => void) => {
        rotate = listener;
        return () => {};
      },
    };
    const transport = transportTo({ server: url, tls: rotating });
    expect(await ask(transport).done).toBe('ok');
    expect(await ask(transport).done).toBe('ok');
    expect(sockets).toHaveLength(1);
  });

  it('uses the client certificate, and a rotated one for new connections while old ones finish', async () => {
    const { handler, held } = holding();
    const listener = await serve(handler, { tls: { ...tls, clientAuthority: authority.certificate } });
    const users = ['first', 'second'].map((commonName) => authority.issueClient({ commonName }));
    let current = 0;
    let rotate = (): void => {};
    const source = {
      material: async (): Promise<TlsMaterial> => {
        const { certificate: cert, key } = users[current]!;
        return { ca: authority.certificate, cert, key };
      },
      onRotate: (listen: () => void) => {
        rotate = listen;
        return () => {};
      },
    };
    const transport = transportTo({ server: listener.url, tls: source });
    const old = ask(transport);
    await old.until('open');
    current = 1;
    void rotate();
    const fresh = ask(transport);
    await fresh.until('open');
    expect(held.map(({ request }) => request.clientCertificate)).toMatchObject([
      { commonName: 'first' },
      { commonName: 'second' },
    ]);
    held[0]!.response.write(Buffer.from(' still'));
    await old.until('open still');
  });
});

describe('through a CONNECT proxy', () => {
  async function proxy(
    answer = 'HTTP/1.1 200 Connection established\r\n\r\n',
  ): Promise<{ port: number; heads: string[] }> {
    const heads: string[] = [];
    const port = await serveSockets((socket) => {
      socket.once('data', (data) => {
        const head = data.toString();
        heads.push(head);
        if (!answer.includes(' 200 ')) {
          socket.end(answer);
          return;
        }
        const [host, target] = /^CONNECT (.+):(\d+) /.exec(head)!.slice(1) as [string, string];
        const upstream = connect(Number(target), host, () => {
          socket.write(answer);
          socket.pipe(upstream).pipe(socket);
        });
        upstream.on('error', () => socket.destroy());
        socket.on('close', () => upstream.destroy());
      });
    });
    return { port, heads };
  }

  it.each(ways)('reaches the server over $name', async ({ options, transport: chosen }) => {
    const listener = await serve(echo, options);
    const { port, heads } = await proxy();
    const proxyUrl = `http://me:se%20cret@127.0.0.1:${port}`;
    const transport = transportTo({ server: listener.url, tls: trusting, proxyUrl }, chosen);
    expect(await ask(transport).done).toBe('GET / ');
    expect(heads[0]).toContain(`CONNECT 127.0.0.1:${listener.port} HTTP/1.1`);
    expect(heads[0]).toContain(`Basic ${Buffer.from('me:se cret').toString('base64')}`);
  });

  it.each([
    ['a percent sign that is no escape', 'me:100%25%!', 'me:100%%!'],
    ['no user', ':token', ':token'],
    ['other scripts', 'm%C3%A9:x', 'mé:x'],
  ])('sends the password of the URL: %s', async (_, written, meant) => {
    const { port, heads } = await proxy('HTTP/1.1 403 Forbidden\r\n\r\n');
    const transport = transportTo({
      server: 'https://kube.example.com',
      proxyUrl: `http://${written}@127.0.0.1:${port}`,
    });
    await expect(ask(transport).done).rejects.toThrow('refused to connect');
    expect(heads[0]).toContain(`Basic ${Buffer.from(meant).toString('base64')}\r\n`);
  });

  it('names the proxy that refused, without its password', async () => {
    const { port } = await proxy('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    const proxyUrl = `http://me:secret@127.0.0.1:${port}`;
    const transport = transportTo({ server: 'https://kube.example.com', proxyUrl });
    const error = (await ask(transport).done.catch((reason: unknown) => reason)) as Error;
    expect(error.message).toBe(
      `the proxy 127.0.0.1:${port} refused to connect to kube.example.com:443: HTTP/1.1 407 Proxy Authentication Required`,
    );
    expect(String(error.stack)).not.toContain('secret');
  });

  it('uses TLS with an https proxy, and checks its certificate', async () => {
    const listener = await serve(echo, { tls });
    const transport = transportTo({ server: 'https://kube.example.com', proxyUrl: listener.url });
    await expect(ask(transport).done).rejects.toMatchObject({ code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' });
  });

  it('names the proxy that closed the connection', async () => {
    const port = await serveSockets((socket) => socket.once('data', () => socket.destroy()));
    const transport = transportTo({ server: 'https://kube.example.com', proxyUrl: `http://127.0.0.1:${port}` });
    await expect(ask(transport).done).rejects.toThrow(`the proxy 127.0.0.1:${port} closed the connection`);
  });
});
