import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { KubeConfig } from '@kubernetes/client-node';
import { describe, expect, it } from 'vitest';
import { kubeconfigText } from '../../../test/support/kubeconfig-text.js';
import { Client } from '../../client/client.js';
import { undoOnce } from '../../meta/undo.js';
import { connectionConfig } from '../config/connection-options.js';
import { type KubeconfigOptions, loadKubeconfig } from '../config/kubeconfig.js';
import type { LoadedConfig } from '../config/loaded-config.js';
import { ConfigError } from '../credentials/config-errors.js';
import { RestClient } from '../request/rest-client.js';
import { isReadableOnNetwork } from './plain-http.js';
import type { Transport, TransportRequest } from './transport.js';

const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: '/none', interactiveMode: 'Never' };
const oidc = { name: 'oidc', config: { 'idp-issuer-url': 'https://i', 'client-id': 'c', 'refresh-token': 'r' } };

function load(user: object, cluster: object, options: KubeconfigOptions = {}): Promise<LoadedConfig> {
  return loadKubeconfig({ text: kubeconfigText(user, cluster) }, { env: {}, ...options });
}

/** A transport to that address that records requests. */
function keeping(server: string): { transport: Transport; sent: TransportRequest[] } {
  const sent: TransportRequest[] = [];
  const transport: Transport = {
    server,
    isLocal: false,
    onConnect: () => undoOnce(() => {}),
    close: async () => {},
    send(request, handler) {
      sent.push(request);
      queueMicrotask(() => {
        const sink = handler.head(200, {});
        sink.chunk(Buffer.from('{}'));
        handler.end();
      });
      return { resume() {} };
    },
  };
  return { transport, sent };
}

describe('credentials over plain http', () => {
  it.each([
    ['a token', { token: 't' }],
    ['a password', { username: 'a', password: 'b' }],
    ['a plugin', { exec }],
    ['OIDC', { 'auth-provider': oidc }],
  ])('%s is not sent to another machine', async (_, user) => {
    const refused = load(user, { server: 'http://10.0.0.1:8080' });
    await expect(refused).rejects.toThrow(ConfigError);
    await expect(refused).rejects.toThrow(
      /^kubeconfig \(text\): user "x": credentials are not sent to http:\/\/10\.0\.0\.1:8080 because it is plain http.*: use https, or set allowPlainHttpCredentials$/,
    );
    for (const server of ['http://127.0.0.1:8080', 'http://localhost', 'http://[::1]:1', 'https://10.0.0.1']) {
      expect((await load(user, { server })).credentials).toBeDefined();
    }
    const allowed = await load(user, { server: 'http://10.0.0.1' }, { allowPlainHttpCredentials: true });
    expect(allowed).toMatchObject({ allowPlainHttpCredentials: true });
  });

  it('are refused of options too, and a client without any may use plain http', async () => {
    expect(() => connectionConfig({ server: 'http://kube.example.com', token: 't', env: {} })).toThrow(ConfigError);
    expect(() => new Client({ server: 'http://kube.example.com', username: 'a', password: 'b', env: {} })).toThrow(
      'options: credentials are not sent to http://kube.example.com',
    );
    expect(connectionConfig({ server: 'http://kube.example.com', env: {} }).credentials).toBeUndefined();
    expect((await load({}, { server: 'http://kube.example.com' })).credentials).toBeUndefined();
  });

  it('are not sent through a proxy on another machine either', async () => {
    const local = { server: 'http://127.0.0.1:8080' };
    await expect(load({ token: 't' }, { ...local, 'proxy-url': 'http://proxy:3128' })).rejects.toThrow(ConfigError);
    expect((await load({ token: 't' }, { ...local, 'proxy-url': 'http://127.0.0.1:3128' })).proxyUrl).toBeDefined();
    expect(isReadableOnNetwork('https://kube.example.com', 'http://proxy:3128')).toBe(false);
    expect(isReadableOnNetwork('memory', undefined)).toBe(false);
  });

  it('are refused by the request where nothing else knows that there are any', async () => {
    const server = 'http://kube.example.com';
    const { transport, sent } = keeping(server);
    for (const headers of [() => ({ authorization: 'Bearer t' }), async () => ({ authorization: 'Bearer t' })]) {
      const rest = new RestClient({ server, credentials: { headers } }, { transport });
      const said = /list pods of http:\/\/kube\.example\.com: credentials are not sent/;
      await expect(rest.get().resource('pods').do()).rejects.toThrow(said);
      await expect(
        rest
          .through((inner) => inner)
          .get()
          .resource('pods')
          .do(),
      ).rejects.toThrow(said);
    }
    expect(sent).toEqual([]);
    const anonymous = new RestClient(
      { server, credentials: { headers: () => ({ 'impersonate-user': 'a' }) } },
      { transport },
    );
    await anonymous.get().resource('pods').do();
    const credentials = { headers: () => ({ authorization: 'Bearer t' }) };
    const open = new RestClient({ server, credentials, allowPlainHttpCredentials: true }, { transport });
    await open.get().resource('pods').do();
    expect(sent).toHaveLength(2);
    expect(sent[1]?.headers).toMatchObject({ authorization: 'Bearer t' });
  });

  it('of a KubeConfig are refused by the request, and an anonymous one passes', async () => {
    const server = 'http://kube.example.com';
    const borrowed = async (user: object): Promise<LoadedConfig> => {
      const kubeconfig = new KubeConfig();
      kubeconfig.loadFromOptions({
        clusters: [{ name: 'c', server, skipTLSVerify: true }],
        users: [{ name: 'u', ...user }],
        contexts: [{ name: 'x', cluster: 'c', user: 'u' }],
        currentContext: 'x',
      });
      return loadKubeconfig(kubeconfig, { env: {} });
    };
    const { transport, sent } = keeping(server);
    const rest = new RestClient(await borrowed({ token: 't' }), { transport });
    await expect(rest.get().resource('pods').do()).rejects.toThrow('credentials are not sent');
    await new RestClient(await borrowed({}), { transport }).get().resource('pods').do();
    expect(sent).toHaveLength(1);
  });

  it('do not follow a redirect', async () => {
    const seen: unknown[] = [];
    const server = createServer((request, response) => {
      seen.push(request.url);
      response.writeHead(302, { location: '/elsewhere' }).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await using client = new Client({ server: url, token: 't', env: {} });
    await expect(client.core.v1.pods('a').get('b')).rejects.toMatchObject({ status: 302 });
    expect(seen).toEqual(['/api/v1/namespaces/a/pods/b']);
    server.closeAllConnections();
    server.close();
  });
});
