import { describe, expect, it, onTestFinished } from 'vitest';
import { startConnectProxy } from '../../../test/support/connect-proxy.js';
import { kubeconfigText } from '../../../test/support/kubeconfig-text.js';
import { TempFolder } from '../../../test/support/temp-folder.js';
import type { ApiHandler } from '../../apiserver/wire/exchange.js';
import { type HttpListener, listen } from '../../apiserver/wire/http-listener.js';
import { CertificateAuthority } from '../../certificates/certificate-authority.js';
import { isUnauthorized } from '../../meta/errors/error-predicates.js';
import { FakeClock } from '../../time/fake-clock.js';
import { realClock } from '../../time/real-clock.js';
import type { Environment } from '../credentials/config-environment.js';
import { RestClient } from '../request/rest-client.js';
import { loadKubeconfig } from './kubeconfig.js';

const authority = new CertificateAuthority(realClock);
const jane = authority.issueClient({ commonName: 'jane', organizations: ['dev'] });
const mary = authority.issueClient({ commonName: 'mary' });
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const ca = { 'certificate-authority-data': base64(authority.certificate) };

/** A request as the server received it. */
interface Seen {
  readonly headers: Record<string, string>;
  readonly commonName?: string;
}

/** A server that answers with the request it received, and 401 to tokens that are not valid. */
class Server {
  readonly goodTokens = new Set(['good']);
  requests = 0;
  listener!: HttpListener;

  async start(hosts: readonly string[] = ['127.0.0.1']): Promise<this> {
    const { certificate, key } = authority.issueServer(hosts);
    this.listener = await listen(this.#answer, { tls: { certificate, key, clientAuthority: authority.certificate } });
    onTestFinished(() => this.listener.close());
    return this;
  }

  readonly #answer: ApiHandler = async ({ headers, clientCertificate }, response) => {
    this.requests++;
    const token = /^Bearer (.*)$/.exec(headers.authorization ?? '')?.[1];
    const isGood = token === undefined || this.goodTokens.has(token);
    const commonName = clientCertificate === 'invalid' ? clientCertificate : clientCertificate?.commonName;
    const body = Buffer.from(JSON.stringify({ headers, commonName }));
    response.head(isGood ? 200 : 401, { 'content-type': 'application/json' });
    response.write(isGood ? body : Buffer.from('{}'));
    response.end();
  };
}

interface Asking {
  readonly user: object;
  readonly cluster?: object;
  readonly env?: Environment;
  readonly http2?: boolean;
}

/** A client of the server, from a kubeconfig. */
async function clientOf(server: Server, asking: Asking): Promise<{ rest: RestClient; clock: FakeClock }> {
  const clock = new FakeClock();
  const text = kubeconfigText(asking.user, { server: server.listener.url, ...ca, ...asking.cluster });
  const config = await loadKubeconfig({ text }, { clock, env: asking.env ?? {} });
  const rest = new RestClient(config, { http: { http2: asking.http2 ?? true } });
  onTestFinished(() => rest.close());
  return { rest, clock };
}

function ask(rest: RestClient): Promise<Seen> {
  return rest.get().absPath('/whoami').do<Seen>();
}

/** A plugin that prints the text in the file beside it. */
async function pluginIn(folder: TempFolder): Promise<{ exec: object; gives(status: object): Promise<void> }> {
  const apiVersion = 'client.authentication.k8s.io/v1';
  const command = await folder.write(
    'plugin',
    `#!${process.execPath}\nprocess.stdout.write(require('node:fs').readFileSync(__dirname + '/answer'))\n`,
    { mode: 0o755 },
  );
  return {
    exec: { apiVersion, command, interactiveMode: 'Never' },
    gives: async (status) => {
      await folder.write('answer', JSON.stringify({ kind: 'ExecCredential', apiVersion, status }));
    },
  };
}

describe.each([true, false])('a kubeconfig, a real handshake and a request (HTTP/2: %s)', (http2) => {
  it.each<[what: string, user: object, seen: object]>([
    ['an anonymous user', {}, {}],
    ['a token', { token: 'good' }, { headers: { authorization: 'Bearer good' } }],
    ['a password', { username: 'jane', password: 'p' }, { headers: { authorization: `Basic ${base64('jane:p')}` } }],
    [
      'a certificate',
      { 'client-certificate-data': base64(jane.certificate), 'client-key-data': base64(jane.key) },
      { commonName: 'jane' },
    ],
    [
      'impersonation',
      { token: 'good', as: 'bob', 'as-groups': ['a', 'b'], 'as-uid': '7', 'as-user-extra': { 'x/y': ['z'] } },
      {
        headers: {
          'impersonate-user': 'bob',
          'impersonate-group': 'a, b',
          'impersonate-uid': '7',
          'impersonate-extra-x%2fy': 'z',
        },
      },
    ],
  ])('%s', async (_what, user, seen) => {
    const server = await new Server().start();
    const { rest } = await clientOf(server, { user, http2 });
    const answer = await ask(rest);
    const headers = Object.fromEntries(
      Object.entries(answer.headers).map(([name, value]) => [name.toLowerCase(), value]),
    );
    expect({ ...answer, headers }).toMatchObject(seen);
  });

  it('a token file that is replaced when the server answers 401', async () => {
    const server = await new Server().start();
    const folder = new TempFolder();
    const { rest } = await clientOf(server, { user: { tokenFile: await folder.write('token', 'good') }, http2 });
    await ask(rest);
    server.goodTokens.clear();
    server.goodTokens.add('better');
    await folder.write('token', 'better');
    expect((await ask(rest)).headers.authorization).toBe('Bearer better');
    expect(server.requests).toBe(3);
    server.goodTokens.clear();
    expect(await ask(rest).catch(isUnauthorized)).toBe(true);
    expect(server.requests).toBe(4);
  });

  it('a plugin whose token is refreshed once after a 401', async () => {
    const server = await new Server().start();
    const plugin = await pluginIn(new TempFolder());
    await plugin.gives({ token: 'good' });
    const { rest } = await clientOf(server, { user: { exec: plugin.exec }, http2 });
    await ask(rest);
    server.goodTokens.clear();
    server.goodTokens.add('better');
    await plugin.gives({ token: 'better' });
    expect((await ask(rest)).headers.authorization).toBe('Bearer better');
    expect(server.requests).toBe(3);
    await plugin.gives({ token: 'worse' });
    server.goodTokens.clear();
    expect(await ask(rest).catch(isUnauthorized)).toBe(true);
    expect(server.requests).toBe(5);
  });

  it('a plugin whose certificate rotates', async () => {
    const server = await new Server().start();
    const plugin = await pluginIn(new TempFolder());
    const { rest, clock } = await clientOf(server, { user: { exec: plugin.exec }, http2 });
    const expirationTimestamp = new Date(clock.now() + 60_000).toISOString();
    await plugin.gives({ clientCertificateData: jane.certificate, clientKeyData: jane.key, expirationTimestamp });
    expect((await ask(rest)).commonName).toBe('jane');
    await plugin.gives({ clientCertificateData: mary.certificate, clientKeyData: mary.key });
    expect((await ask(rest)).commonName).toBe('jane');
    await clock.advance(60_001);
    expect((await ask(rest)).commonName).toBe('mary');
  });

  it('certificate files that are replaced under an open connection', async () => {
    const server = await new Server().start();
    const folder = new TempFolder();
    const user = {
      'client-certificate': await folder.write('tls.crt', jane.certificate),
      'client-key': await folder.write('tls.key', jane.key),
    };
    const clock = new FakeClock();
    const text = kubeconfigText(user, { server: server.listener.url, ...ca });
    const config = await loadKubeconfig({ text }, { clock, env: {} });
    await using rest = new RestClient(config, { http: { http2 } });
    expect((await ask(rest)).commonName).toBe('jane');
    await folder.write('tls.crt', mary.certificate);
    await folder.write('tls.key', mary.key);
    expect((await ask(rest)).commonName).toBe('jane');
    const rotated = new Promise<void>((resolve) => {
      config.tls?.onRotate?.(resolve);
    });
    await clock.advance(300_000);
    await rotated;
    expect((await ask(rest)).commonName).toBe('mary');
  });

  it('a proxy with a password, to a server with a TLS server name', async () => {
    const server = await new Server().start(['inside.example.com']);
    const proxy = await startConnectProxy(server.listener.port);
    const proxyUrl = `http://jane:hunter22@${proxy.host}`;
    const outside = { server: 'https://outside.example.com:6443', 'tls-server-name': 'inside.example.com' };
    const direct = await clientOf(server, { user: {}, cluster: { ...outside, 'proxy-url': proxyUrl }, http2 });
    await ask(direct.rest);
    const fromEnvironment = await clientOf(server, {
      user: {},
      cluster: outside,
      env: { HTTPS_PROXY: proxyUrl },
      http2,
    });
    await ask(fromEnvironment.rest);
    const tunnel = { target: 'outside.example.com:6443', authorization: `Basic ${base64('jane:hunter22')}` };
    expect(proxy.asked).toEqual([tunnel, tunnel]);
  });

  it('trust: refused without the authority or under another name, unless verification is skipped', async () => {
    const server = await new Server().start();
    const { rest } = await clientOf(server, { user: {}, cluster: { 'tls-server-name': 'other' }, http2 });
    await expect(rest.get().absPath('/').maxRetries(0).do()).rejects.toThrow(/other/);
    const anonymous = await clientOf(server, { user: {}, cluster: { 'certificate-authority-data': '' }, http2 });
    await expect(anonymous.rest.get().absPath('/').maxRetries(0).do()).rejects.toThrow(/certificate/);
    const cluster = { 'certificate-authority-data': '', 'insecure-skip-tls-verify': true };
    const careless = await clientOf(server, { user: {}, cluster, http2 });
    expect((await ask(careless.rest)).commonName).toBeUndefined();
  });
});
