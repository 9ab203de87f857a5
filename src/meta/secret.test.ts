import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcp } from 'node:net';
import { inspect } from 'node:util';
import { KubeConfig } from '@kubernetes/client-node';
import { describe, expect, it, onTestFinished } from 'vitest';
import { kubeconfigText } from '../../test/support/kubeconfig-text.js';
import { TempFolder } from '../../test/support/temp-folder.js';
import { CertificateAuthority } from '../certificates/certificate-authority.js';
import { connectionConfig } from '../rest/config/connection-options.js';
import { configFor, loadKubeconfig } from '../rest/config/kubeconfig.js';
import { parseKubeconfig } from '../rest/config/kubeconfig-parse.js';
import type { LoadedConfig } from '../rest/config/loaded-config.js';
import { FakeClock } from '../time/fake-clock.js';
import { realClock } from '../time/real-clock.js';
import { Secret } from './secret.js';

const secret = 'hunter22';
const authority = new CertificateAuthority(realClock);
const { certificate, key } = authority.issueClient({ commonName: 'jane' });
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const keyLine = key.split('\n')[1] ?? '';
const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: './plugin', interactiveMode: 'Never' };
const jwt = `${base64('{}')}.${Buffer.from(`{"exp":9999999999,"x":"${secret}"}`).toString('base64url')}.${secret}`;

/** The forms in which a secret could appear: as text, in base64, as bytes. */
const traces = [
  secret,
  base64(secret).slice(0, 8),
  base64(`jane:${secret}`),
  jwt,
  keyLine,
  base64(key).slice(0, 60),
  Buffer.from(secret).toString('hex').replace(/../g, '$& ').trim(),
];

/** A value in all forms in which it may be logged. */
function printed(value: unknown): string {
  const deep = { depth: Number.POSITIVE_INFINITY, showHidden: true, getters: true, maxStringLength: null };
  const texts = [inspect(value, deep), inspect(value), JSON.stringify(value), String(value)];
  if (value instanceof Error) texts.push(value.message, value.stack ?? '', printed(value.cause));
  return texts.join('\n');
}

function expectNoTrace(...values: unknown[]): void {
  for (const value of values) {
    const text = printed(value);
    for (const trace of traces) expect(text).not.toContain(trace);
  }
}

/** Loads a kubeconfig and uses all of it, so that every object that holds a secret exists; returns errors as well. */
async function useAll(text: string, folder: TempFolder): Promise<unknown[]> {
  const seen: unknown[] = [];
  const note = async (work: () => unknown): Promise<void> => {
    try {
      await work();
    } catch (error) {
      seen.push(error);
    }
  };
  await note(async () => {
    const parsed = await parseKubeconfig(text, { file: 'kubeconfig', directory: folder.path });
    seen.push(parsed, parsed.clusters, parsed.users);
    const around = { clock: new FakeClock(), env: {}, isTerminal: () => false, writeStderr: () => {} };
    const config = await configFor(parsed, {}, around);
    seen.push(config, { ...config, proxyUrl: undefined }, config.credentials, config.tls);
    await note(() => config.credentials?.headers());
    await note(() => config.tls?.material());
    await note(async () => config.credentials?.onUnauthorized?.({}));
  });
  return seen;
}

describe('secrets', () => {
  it('are found by the search of these tests', () => {
    expect(() => expectNoTrace({ a: { b: { c: { d: secret } } } })).toThrow();
    expect(() => expectNoTrace(new Error('a', { cause: new Error(secret) }))).toThrow();
    expect(() => expectNoTrace(Buffer.from(`x${secret}`))).toThrow();
  });

  it('are returned by reveal() only', () => {
    const wrapped = new Secret(secret);
    expect(wrapped.reveal()).toBe(secret);
    expect(`${wrapped} ${JSON.stringify({ wrapped })}`).toBe('[redacted] {"wrapped":"[redacted]"}');
    expectNoTrace(wrapped, { wrapped }, [wrapped], new Map([['a', wrapped]]));
  });

  it.each<[what: string, user: object, cluster?: object]>([
    ['token', { token: secret }],
    ['password', { username: 'jane', password: secret }],
    ['client key', { 'client-certificate-data': base64(certificate), 'client-key-data': base64(key) }],
    ['password of a proxy', {}, { 'proxy-url': `http://jane:${secret}@proxy:3128` }],
    ['password of a wrong proxy', {}, { 'proxy-url': `socks5://jane:${secret}@proxy:3128` }],
    ['token and password', { token: secret, username: 'jane', password: secret }],
    ['token that is no string', { token: [secret] }],
    ['key that is none', { 'client-certificate-data': base64(certificate), 'client-key-data': base64(secret) }],
    ['key of another', { 'client-certificate-data': base64(authority.certificate), 'client-key-data': base64(key) }],
    ['key without certificate', { 'client-key-data': base64(key) }],
    ['environment of a plugin that is not there', { exec: { ...exec, env: [{ name: 'A', value: secret }] } }],
    [
      'refresh token',
      {
        'auth-provider': {
          name: 'oidc',
          config: {
            'idp-issuer-url': 'https://127.0.0.1:1',
            'client-id': 'a',
            'client-secret': secret,
            'refresh-token': secret,
          },
        },
      },
    ],
    [
      'ID token',
      {
        'auth-provider': {
          name: 'oidc',
          config: { 'idp-issuer-url': 'https://127.0.0.1:1', 'client-id': 'a', 'id-token': jwt },
        },
      },
    ],
    [
      'ID token that is none',
      {
        'auth-provider': {
          name: 'oidc',
          config: { 'idp-issuer-url': 'https://127.0.0.1:1', 'client-id': 'a', 'id-token': secret },
        },
      },
    ],
  ])('stay hidden: %s', async (_what, user, cluster) => {
    const seen = await useAll(kubeconfigText(user, cluster), new TempFolder());
    expect(seen.length).toBeGreaterThan(0);
    expectNoTrace(...seen);
  });

  it.each<[what: string, body: string]>([
    [
      'a token',
      `process.stdout.write(JSON.stringify({ kind: 'ExecCredential', apiVersion: '${exec.apiVersion}', status: { token: '${secret}' } }))`,
    ],
    ['a broken token', `process.stdout.write('{"token": "${secret}')`],
    ['an echo of its environment', `process.stderr.write(process.env.A); process.exit(1)`],
  ])('stay hidden: a plugin prints %s', async (_what, body) => {
    const folder = new TempFolder();
    await folder.write('plugin', `#!${process.execPath}\n${body}`, { mode: 0o755 });
    const seen = await useAll(kubeconfigText({ exec: { ...exec, env: [{ name: 'A', value: secret }] } }), folder);
    expect(seen.length).toBeGreaterThan(0);
    expectNoTrace(...seen);
  });

  it('stay hidden: files', async () => {
    const folder = new TempFolder();
    const token = await folder.write('token', secret);
    expectNoTrace(...(await useAll(kubeconfigText({ tokenFile: token }), folder)));
    const user = {
      'client-certificate': await folder.write('c', certificate),
      'client-key': await folder.write('k', secret),
    };
    expectNoTrace(...(await useAll(kubeconfigText(user), folder)));
  });

  it.each<[what: string, answer: string]>([
    ['JSON', JSON.stringify({ id_token: secret })],
    ['something else', secret],
  ])('stay hidden: an identity provider answers with %s', async (_what, answer) => {
    const server = createServer((request, response) => {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`;
      response.end(request.method === 'GET' ? JSON.stringify({ token_endpoint: url }) : answer);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const config = { 'idp-issuer-url': issuer, 'client-id': 'a', 'client-secret': secret, 'refresh-token': secret };
    const seen = await useAll(kubeconfigText({ 'auth-provider': { name: 'oidc', config } }), new TempFolder());
    expect(seen.some((value) => value instanceof Error)).toBe(true);
    expectNoTrace(...seen);
  });

  it('stay hidden: the response is not HTTP', async () => {
    const server = createTcp((socket) => void socket.end(`${secret}\r\n\r\n`));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const config = { 'idp-issuer-url': issuer, 'client-id': 'a', 'refresh-token': secret };
    const seen = await useAll(kubeconfigText({ 'auth-provider': { name: 'oidc', config } }), new TempFolder());
    expect(seen.some((value) => value instanceof Error)).toBe(true);
    expectNoTrace(...seen);
  });

  it('stay hidden: broken YAML, and a password in the URL of the server', async () => {
    const texts = [
      kubeconfigText({}, { server: `https://jane:${secret}@k8s` }),
      `token: "${secret}`,
      `a: *${secret}`,
      `a: b: ${secret}`,
      `@${secret}`,
      `{${secret}`,
      `a: !!x ${secret}\n- ${secret}`,
    ];
    for (const text of texts) {
      const error = await loadKubeconfig({ text }).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      expect(error).toBeInstanceOf(Error);
      expectNoTrace(error);
    }
  });

  it('stay hidden: options, and the KubeConfig of another library', async () => {
    const options = { server: 'https://a', cert: certificate, key, proxyUrl: `http://a:${secret}@p`, env: {} };
    const kubeconfig = new KubeConfig();
    const cluster = { name: 'c', server: 'https://a', skipTLSVerify: false, proxyUrl: `http://a:${secret}@p` };
    kubeconfig.loadFromClusterAndUser(cluster, { name: 'u', token: secret, keyData: base64(key) });
    const configs: LoadedConfig[] = [
      connectionConfig({ ...options, token: secret }),
      connectionConfig({ ...options, username: 'jane', password: secret }),
      await loadKubeconfig(kubeconfig, { env: {} }),
    ];
    for (const config of configs) {
      await config.credentials?.headers();
      await config.tls?.material();
      expect(config.proxyUrl).toContain(secret);
      expectNoTrace(config, config.credentials, config.tls);
    }
    for (const wrong of [
      { token: [secret] },
      { ca: secret },
      { proxyUrl: `${secret}:x@y` },
      { server: `https://a:${secret}@b` },
    ]) {
      let error: unknown;
      try {
        connectionConfig({ ...options, ...(wrong as object) });
      } catch (reason) {
        error = reason;
      }
      expect(error).toBeInstanceOf(Error);
      expectNoTrace(error);
    }
  });
});
