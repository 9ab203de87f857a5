import { describe, expect, it } from 'vitest';
import { TempFolder } from '../../../test/support/temp-folder.js';
import { CertificateAuthority } from '../../certificates/certificate-authority.js';
import { FakeClock } from '../../time/fake-clock.js';
import { realClock } from '../../time/real-clock.js';
import { connectionConfig } from './connection-options.js';
import { type DefaultConfigOptions, defaultConfig } from './default-config.js';
import { inClusterConfig } from './in-cluster.js';
import type { LoadedConfig } from './loaded-config.js';

const authority = new CertificateAuthority(realClock);
const jane = authority.issueClient({ commonName: 'jane' });

const kubeconfig = (server: string): string =>
  JSON.stringify({
    'current-context': server,
    contexts: [{ name: server, context: { cluster: 'c' } }],
    clusters: [{ name: 'c', cluster: { server: `https://${server}` } }],
  });

/** A home directory, the files of a pod, and environment variables for them. */
class Home {
  readonly folder = new TempFolder();
  readonly clock = new FakeClock();
  env: Record<string, string> = { HOME: this.folder.file('home') };

  async isPod(): Promise<void> {
    await this.folder.write('pod/token', 'pod-token');
    await this.folder.write('pod/ca.crt', authority.certificate);
    await this.folder.write('pod/namespace', 'shop\n');
    this.env = { ...this.env, KUBERNETES_SERVICE_HOST: '10.96.0.1', KUBERNETES_SERVICE_PORT: '443' };
  }

  load(options: DefaultConfigOptions = {}): Promise<LoadedConfig> {
    const serviceAccountPath = this.folder.file('pod');
    return defaultConfig({ clock: this.clock, env: this.env, serviceAccountPath, ...options });
  }
}

describe('defaultConfig', () => {
  it('prefers KUBECONFIG to ~/.kube/config, and that to in-cluster', async () => {
    const home = new Home();
    await home.isPod();
    expect(await home.load()).toMatchObject({ source: 'in-cluster', server: 'https://10.96.0.1' });
    const path = await home.folder.write('home/.kube/config', kubeconfig('home'));
    expect(await home.load()).toMatchObject({ source: path, server: 'https://home' });
    const listed = await home.folder.write('listed', kubeconfig('listed'));
    const second = await home.folder.write('second', kubeconfig('second'));
    home.env.KUBECONFIG = `:${listed}:${home.folder.file('none')}:${second}:${listed}`;
    expect(await home.load()).toMatchObject({ source: `${listed}, ${second}`, server: 'https://listed' });
    expect(await home.load({ context: 'second' })).toMatchObject({ context: 'second', server: 'https://listed' });
  });

  it('does not read ~/.kube/config when KUBECONFIG is set, even if its files are missing', async () => {
    const home = new Home();
    await home.isPod();
    await home.folder.write('home/.kube/config', kubeconfig('home'));
    home.env.KUBECONFIG = home.folder.file('none');
    expect((await home.load()).source).toBe('in-cluster');
  });

  it('skips an empty file, and rejects an invalid one', async () => {
    const home = new Home();
    await home.isPod();
    await home.folder.write('home/.kube/config', '\n');
    expect((await home.load()).source).toBe('in-cluster');
    await home.folder.write('home/.kube/config', 'apiVersion: v1\nkind: Config\n');
    expect((await home.load()).source).toBe('in-cluster');
    await home.folder.write('home/.kube/config', 'current-context: x');
    await expect(home.load()).rejects.toThrow(/there is no context "x"; it has no contexts/);
  });

  it('names the files and variables it looked for when it finds nothing', async () => {
    const home = new Home();
    const path = home.folder.file('home/.kube/config');
    await expect(home.load()).rejects.toThrow(
      `no cluster is configured: there is no kubeconfig (${path}), and this process is not in a pod (KUBERNETES_SERVICE_HOST is not set). ` +
        'Set KUBECONFIG to a file, or pass the server as an option',
    );
  });

  it('does not use the in-cluster configuration when a context is given', async () => {
    const home = new Home();
    await home.isPod();
    await expect(home.load({ context: 'prod' })).rejects.toThrow(/the context "prod" cannot be used: there is no kube/);
  });
});

describe('inClusterConfig', () => {
  it('reads token, certificate authority and namespace of the service account', async () => {
    const home = new Home();
    await home.isPod();
    const config = await home.load();
    expect(config.namespace).toBe('shop');
    expect(await config.credentials?.headers()).toEqual({ authorization: 'Bearer pod-token' });
    expect((await config.tls?.material())?.ca).toBe(authority.certificate);
    await home.folder.write('pod/token', 'next');
    await home.clock.advance(50_000);
    expect(await config.credentials?.headers()).toEqual({ authorization: 'Bearer next' });
    expect((await home.load({ namespace: 'other' })).namespace).toBe('other');
  });

  it('puts IPv6 addresses into brackets', async () => {
    const home = new Home();
    await home.isPod();
    home.env = { ...home.env, KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '6443' };
    expect((await home.load()).server).toBe('https://[fd00::1]:6443');
  });

  it('needs no authority and namespace, but a token and an address', async () => {
    const home = new Home();
    const env = { KUBERNETES_SERVICE_HOST: 'a', KUBERNETES_SERVICE_PORT: '1' };
    const serviceAccountPath = home.folder.path;
    await expect(inClusterConfig({ env, serviceAccountPath })).rejects.toThrow(
      /^in-cluster: the service account .*: cannot read the token file .*\/token: there is no such file/,
    );
    await home.folder.write('token', 'a');
    const config = await inClusterConfig({ env, serviceAccountPath });
    expect([config.namespace, await config.tls?.material()]).toEqual([undefined, { ca: undefined }]);
    await expect(inClusterConfig({ env: {} })).rejects.toThrow(/^not in a cluster: KUBERNETES_SERVICE_HOST/);
  });
});

describe('connectionConfig', () => {
  it('accepts all settings of a kubeconfig', async () => {
    const folder = new TempFolder();
    const config = connectionConfig({
      server: 'https://k8s.example.com:6443/',
      caFile: await folder.write('ca.crt', authority.certificate),
      cert: jane.certificate,
      key: jane.key,
      token: 'a',
      tlsServerName: 'inside',
      proxyUrl: 'http://proxy:1',
      impersonate: { user: 'bob' },
      namespace: 'web',
      userAgent: 'me/1',
      env: {},
      clock: new FakeClock(),
    });
    expect(config).toMatchObject({
      server: 'https://k8s.example.com:6443',
      proxyUrl: 'http://proxy:1',
      impersonate: { user: 'bob' },
      namespace: 'web',
      userAgent: 'me/1',
      source: 'options',
    });
    expect(config.tls?.serverName).toBe('inside');
    expect(await config.tls?.material()).toEqual({ ca: authority.certificate, cert: jane.certificate, key: jane.key });
    expect(await config.credentials?.headers()).toEqual({ authorization: 'Bearer a' });
  });

  it('reports missing files at the first use', async () => {
    const config = connectionConfig({ server: 'https://a', tokenFile: '/none/token', caFile: '/none/ca', env: {} });
    await expect(config.credentials?.headers()).rejects.toThrow(/token file \/none\/token/);
    await expect(config.tls?.material()).rejects.toThrow(/certificate authority \/none\/ca/);
  });

  it.each<[options: object, message: RegExp]>([
    [{ server: '' }, /^server must be/],
    [{ token: 12345678 }, /^token must be a string that is not empty$/],
    [{ password: '' }, /^password must be/],
    [{ ca: 'hunter22' }, /^ca must be a PEM text$/],
    [{ ca: authority.certificate, caFile: 'a' }, /^caFile must be left out when ca is given/],
    [{ impersonate: {} }, /^impersonate\.user must be/],
  ])('refuses %s', (options, message) => {
    expect(() => connectionConfig({ server: 'https://a', env: {}, ...options })).toThrow(message);
  });
});
