import { once } from 'node:events';
import { createServer as createHttp, type RequestListener } from 'node:http';
import { createServer as createHttps } from 'node:https';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startConnectProxy } from '../../../test/support/connect-proxy.js';
import { kubeconfigText } from '../../../test/support/kubeconfig-text.js';
import { TempFolder } from '../../../test/support/temp-folder.js';
import { CertificateAuthority } from '../../certificates/certificate-authority.js';
import { FakeClock } from '../../time/fake-clock.js';
import { realClock } from '../../time/real-clock.js';
import { loadKubeconfig } from '../config/kubeconfig.js';
import type { Credentials } from '../http/connection-config.js';

const authority = new CertificateAuthority(realClock);

/** An ID token that expires `lifeMs` from the clock's now. */
function idToken(clock: FakeClock, name: string, lifeMs: number): string {
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  return [part({ alg: 'none' }), part({ sub: name, exp: (clock.now() + lifeMs) / 1000 }), 'signature'].join('.');
}

interface Refresh {
  readonly form: Record<string, string>;
  readonly authorization: string | undefined;
}

/** An identity provider that sends the test's responses and records requests. */
class Provider {
  readonly clock = new FakeClock();
  readonly refreshes: Refresh[] = [];
  discoveries = 0;
  discovery: Record<string, unknown> = {};
  status = 200;
  answer: unknown = {};
  url = '';

  async start(options: { readonly tls?: boolean; readonly host?: string } = {}): Promise<void> {
    const pair = authority.issueServer([options.host ?? '127.0.0.1']);
    const listener: RequestListener = async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      response.setHeader('content-type', 'application/json');
      if (request.method === 'GET' && request.url === '/realm/.well-known/openid-configuration') {
        this.discoveries++;
        response.end(JSON.stringify({ token_endpoint: `${this.url}/token`, ...this.discovery }));
      } else if (request.method === 'POST' && request.url === '/realm/token') {
        const form = Object.fromEntries(new URLSearchParams(body));
        this.refreshes.push({ form, authorization: request.headers.authorization });
        response.writeHead(this.status).end(JSON.stringify(this.answer));
      } else {
        response.writeHead(404).end('hunter22');
      }
    };
    const server = options.tls
      ? createHttps({ cert: pair.certificate, key: pair.key }, listener)
      : createHttp(listener);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    this.url = `${options.tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}/realm`;
  }

  async load(config: Record<string, string> = {}, env: Record<string, string> = {}): Promise<Credentials> {
    const base = { 'idp-issuer-url': this.url, 'client-id': 'me', 'client-secret': 's p', 'refresh-token': 'again' };
    const text = kubeconfigText({ 'auth-provider': { name: 'oidc', config: { ...base, ...config } } });
    const { credentials } = await loadKubeconfig({ text }, { clock: this.clock, env });
    return credentials as Credentials;
  }
}

describe('OIDC', () => {
  it('uses a token until ten seconds before it expires, then refreshes it', async () => {
    const provider = new Provider();
    await provider.start();
    const [one, two] = [idToken(provider.clock, 'one', 60_000), idToken(provider.clock, 'two', 600_000)];
    provider.answer = { id_token: two, refresh_token: 'once more' };
    const credentials = await provider.load({ 'id-token': one });
    await provider.clock.advance(49_999);
    expect(credentials.headers()).toEqual({ authorization: `Bearer ${one}` });
    expect(provider.discoveries).toBe(0);
    await provider.clock.advance(1);
    expect(await Promise.all([credentials.headers(), credentials.headers()])).toEqual([
      { authorization: `Bearer ${two}` },
      { authorization: `Bearer ${two}` },
    ]);
    const authorization = `Basic ${Buffer.from('me:s%20p').toString('base64')}`;
    expect(provider.refreshes).toEqual([
      { form: { grant_type: 'refresh_token', refresh_token: 'again' }, authorization },
    ]);

    await provider.clock.advance(600_000);
    provider.answer = { id_token: idToken(provider.clock, 'three', 600_000) };
    await credentials.headers();
    expect(provider.refreshes[1]?.form.refresh_token).toBe('once more');
  });

  it.each<[how: string, discovery: Record<string, unknown>, config: Record<string, string>, form: object]>([
    [
      'in the body',
      { token_endpoint_auth_methods_supported: ['client_secret_post'] },
      {},
      { client_id: 'me', client_secret: 's p' },
    ],
    ['without a secret', {}, { 'client-secret': '' }, { client_id: 'me' }],
  ])('authenticates the client %s if the provider asks for it', async (_how, discovery, config, form) => {
    const provider = new Provider();
    await provider.start();
    provider.discovery = discovery;
    provider.answer = { id_token: idToken(provider.clock, 'one', 600_000) };
    await (await provider.load(config)).headers();
    expect(provider.refreshes).toEqual([
      { form: { grant_type: 'refresh_token', refresh_token: 'again', ...form }, authorization: undefined },
    ]);
  });

  it('uses https with the given authority, as a file or as data', async () => {
    const provider = new Provider();
    await provider.start({ tls: true });
    const answer = idToken(provider.clock, 'one', 600_000);
    provider.answer = { id_token: answer };
    const file = await new TempFolder().write('ca.crt', authority.certificate);
    const data = Buffer.from(authority.certificate).toString('base64');
    for (const ca of [{ 'idp-certificate-authority': file }, { 'idp-certificate-authority-data': data }]) {
      expect(await (await provider.load(ca)).headers()).toEqual({ authorization: `Bearer ${answer}` });
    }
    expect(provider.refreshes).toHaveLength(2);
    await expect(provider.load().then((credentials) => credentials.headers())).rejects.toThrow(
      /^the request to the OIDC provider https:\/\/127\.0\.0\.1:\d+\/realm\/\.well-known\/openid-configuration failed: .*certificate/,
    );
  });

  it('uses the proxy of the environment', async () => {
    const provider = new Provider();
    await provider.start({ tls: true, host: 'idp.example.com' });
    const { port } = new URL(provider.url);
    provider.url = `https://idp.example.com:${port}/realm`;
    const answer = idToken(provider.clock, 'one', 600_000);
    provider.answer = { id_token: answer };
    const proxy = await startConnectProxy(Number(port));
    const env = { HTTPS_PROXY: `http://${proxy.host}` };
    const ca = { 'idp-certificate-authority-data': Buffer.from(authority.certificate).toString('base64') };
    const credentials = await provider.load(ca, env);
    expect(await credentials.headers()).toEqual({ authorization: `Bearer ${answer}` });
    const tunnel = { target: `idp.example.com:${port}`, authorization: undefined };
    expect(proxy.asked).toEqual([tunnel, tunnel]);
  });

  it('refreshes when the server answers 401, once for all requests', async () => {
    const provider = new Provider();
    await provider.start();
    const [one, two] = [idToken(provider.clock, 'one', 600_000), idToken(provider.clock, 'two', 600_000)];
    provider.answer = { id_token: two };
    const credentials = await provider.load({ 'id-token': one });
    const used = await credentials.headers();
    expect(await Promise.all([1, 2].map(() => credentials.onUnauthorized?.(used)))).toEqual([true, true]);
    expect(await credentials.onUnauthorized?.(used)).toBe(true);
    expect(provider.refreshes).toHaveLength(1);
    expect(await credentials.onUnauthorized?.(await credentials.headers())).toBe(false);

    const fixed = await provider.load({ 'id-token': one, 'refresh-token': '' });
    expect(await fixed.onUnauthorized?.(await fixed.headers())).toBe(false);
  });

  it('is one provider for all clients with the same configuration', async () => {
    const provider = new Provider();
    await provider.start();
    provider.answer = { id_token: idToken(provider.clock, 'one', 600_000), refresh_token: 'next' };
    const env = {};
    await (await provider.load({}, env)).headers();
    await (await provider.load({}, env)).headers();
    expect(provider.refreshes).toHaveLength(1);
    await (await provider.load({ 'client-secret': 'other' }, env)).headers();
    expect(provider.refreshes).toHaveLength(2);
  });

  it.each<[what: string, change: (provider: Provider) => void, config: Record<string, string>, message: RegExp]>([
    ['no refresh token', () => {}, { 'refresh-token': '' }, /expired and there is no refresh-token: log in again$/],
    [
      'refused',
      (p) => {
        p.status = 400;
        p.answer = { error: 'invalid_grant', error_description: 'again has expired' };
      },
      {},
      /refused to refresh the token: HTTP 400 invalid_grant: \[redacted\] has expired$/,
    ],
    [
      'no id_token',
      (p) => {
        p.answer = { access_token: 'hunter22' };
      },
      {},
      /its response has no id_token: log in again with the scope "openid"$/,
    ],
    [
      'no JWT',
      (p) => {
        p.answer = { id_token: 'hunter22' };
      },
      {},
      /the id-token is not a JWT with an expiry \(exp\)$/,
    ],
    [
      'no endpoint',
      (p) => {
        p.discovery = { token_endpoint: 1 };
      },
      {},
      /discovery document \(HTTP 200\) has no token_endpoint: check idp-issuer-url$/,
    ],
    [
      'no discovery',
      (p) => {
        p.url += '/x';
      },
      {},
      /discovery document \(HTTP 404\) has no token_endpoint: check idp-issuer-url$/,
    ],
    [
      'clear text',
      (p) => {
        p.discovery = { token_endpoint: 'http://idp.example.com/token' };
      },
      {},
      /http:\/\/idp\.example\.com\/token must have a URL with https, since tokens are sent to it$/,
    ],
    [
      'no URL',
      (p) => {
        p.discovery = { token_endpoint: 'hunter22' };
      },
      {},
      /has an invalid URL/,
    ],
    [
      'too long',
      (p) => {
        p.answer = { id_token: 'hunter22'.repeat(200_000) };
      },
      {},
      /its response has more than 1048576 bytes$/,
    ],
  ])('fails without showing secrets: %s', async (_what, change, config, message) => {
    const provider = new Provider();
    await provider.start();
    change(provider);
    const credentials = await provider.load(config);
    const error = await Promise.resolve(credentials.headers()).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect((error as Error | undefined)?.message).toMatch(message);
    expect((error as Error).message).not.toMatch(/hunter22/);
  });

  it('refuses an invalid ID token when it is loaded', async () => {
    const provider = new Provider();
    await provider.start();
    await expect(provider.load({ 'id-token': 'a.b' })).rejects.toThrow(/the id-token is not a JWT/);
  });

  /** A provider that accepts requests and never answers. */
  async function silent(): Promise<{ readonly provider: Provider; readonly asked: Promise<unknown> }> {
    const provider = new Provider();
    const server = createHttp(() => {});
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    provider.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return { provider, asked: once(server, 'request') };
  }

  it('fails after a minute if the provider does not answer', async () => {
    const { provider, asked } = await silent();
    const waiting = Promise.resolve((await provider.load()).headers());
    const outcome = expect(waiting).rejects.toThrow(
      /^the request to the OIDC provider .*: its response took more than 60000 ms$/,
    );
    await asked;
    await provider.clock.advance(60_000);
    await outcome;
    expect(provider.clock.pendingTimers).toEqual([]);
  });

  it('can be aborted', async () => {
    const { provider, asked } = await silent();
    const controller = new AbortController();
    const waiting = Promise.resolve((await provider.load()).headers(controller.signal));
    await asked;
    controller.abort(new Error('gave up'));
    await expect(waiting).rejects.toThrow('gave up');
    expect(provider.clock.pendingTimers).toEqual([]);
  });
});
