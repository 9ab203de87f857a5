import { KubeConfig } from '@kubernetes/client-node';
import { describe, expect, it } from 'vitest';
import { TempFolder } from '../../../test/support/temp-folder.js';
import { CertificateAuthority } from '../../certificates/certificate-authority.js';
import { FakeClock } from '../../time/fake-clock.js';
import { realClock } from '../../time/real-clock.js';
import { ConfigError } from '../credentials/config-errors.js';
import { loadKubeconfig } from './kubeconfig.js';
import type { LoadedConfig } from './loaded-config.js';

const authority = new CertificateAuthority(realClock);
const jane = authority.issueClient({ commonName: 'jane' });
const mary = authority.issueClient({ commonName: 'mary' });

function kubeConfig(cluster: object, user: object): KubeConfig {
  const kubeconfig = new KubeConfig();
  kubeconfig.loadFromOptions({
    clusters: [{ name: 'c', server: 'https://k8s.example.com:6443/', ...cluster }],
    users: [{ name: 'u', ...user }],
    contexts: [{ name: 'x', cluster: 'c', user: 'u', namespace: 'web' }],
    currentContext: 'x',
  });
  return kubeconfig;
}

function load(kubeconfig: KubeConfig, clock = new FakeClock()): Promise<LoadedConfig> {
  return loadKubeconfig(kubeconfig, { clock, env: {} });
}

describe("client-node's KubeConfig", () => {
  it('provides server, CA, TLS server name, proxy and namespace', async () => {
    const base64 = (text: string): string => Buffer.from(text).toString('base64');
    const cluster = { caData: base64(authority.certificate), tlsServerName: 'inside', proxyUrl: 'http://proxy:1' };
    const user = { certData: base64(jane.certificate), keyData: base64(jane.key), token: 'a', impersonateUser: 'bob' };
    const config = await load(kubeConfig(cluster, user));
    expect(config).toMatchObject({
      server: 'https://k8s.example.com:6443',
      proxyUrl: 'http://proxy:1',
      namespace: 'web',
    });
    expect(config.tls).toMatchObject({ serverName: 'inside', insecureSkipVerify: undefined });
    expect(await config.tls?.material()).toEqual({ ca: authority.certificate, cert: jane.certificate, key: jane.key });
    expect(config.credentials?.headers()).toEqual({ authorization: 'Bearer a', 'impersonate-user': 'bob' });
  });

  it('may skip verification and have a password', async () => {
    const config = await load(kubeConfig({ skipTLSVerify: true }, { username: 'jane', password: 'p:q' }));
    expect(config.tls?.insecureSkipVerify).toBe(true);
    const authorization = `Basic ${Buffer.from('jane:p:q').toString('base64')}`;
    expect(await config.credentials?.headers()).toEqual({ authorization });
    expect(config.proxyUrl).toBeUndefined();
  });

  it('is read again after 50 s, and new certificates are a rotation', async () => {
    const folder = new TempFolder();
    const clock = new FakeClock();
    const user = {
      certFile: await folder.write('tls.crt', jane.certificate),
      keyFile: await folder.write('tls.key', jane.key),
    };
    const config = await load(kubeConfig({}, user), clock);
    let rotations = 0;
    config.tls?.onRotate?.(() => rotations++);
    await folder.write('tls.crt', mary.certificate);
    await folder.write('tls.key', mary.key);
    expect((await config.tls?.material())?.cert).toBe(jane.certificate);
    await clock.advance(50_000);
    expect((await config.tls?.material())?.cert).toBe(mary.certificate);
    expect(rotations).toBe(1);
  });

  it('is read again when the server answers 401', async () => {
    const users: { token: string }[] = [{ token: 'one' }];
    const kubeconfig = kubeConfig({}, {});
    kubeconfig.getCurrentUser = () => ({ name: 'u', ...users[0] });
    const { credentials } = await load(kubeconfig);
    const one = (await credentials?.headers()) ?? {};
    expect(await credentials?.onUnauthorized?.(one)).toBe(false);
    users[0] = { token: 'two' };
    expect(await credentials?.onUnauthorized?.(one)).toBe(true);
    expect(await credentials?.headers()).toEqual({ authorization: 'Bearer two' });
  });

  it('must have a current cluster, and excludes the option context', async () => {
    await expect(load(new KubeConfig())).rejects.toThrow(/has no current cluster: load one/);
    await expect(loadKubeconfig(kubeConfig({}, {}), { context: 'x' })).rejects.toThrow(
      /the option "context" cannot be used with a KubeConfig: call its setCurrentContext\(\) instead/,
    );
  });

  it.each([
    ['10.0.0.1', /^KubeConfig: its server "10.0.0.1" must be a URL/],
    ['https://me:hunter22@k8s', /^KubeConfig: the URL of its server has credentials: move them to the user$/],
  ])('must have a valid server: not %s', async (server, message) => {
    const wrong = { getCurrentCluster: () => ({ server }), applyToHTTPSOptions: async () => {} };
    await expect(loadKubeconfig(wrong, { env: {} })).rejects.toSatisfy((error) => {
      return error instanceof ConfigError && message.test(error.message);
    });
  });

  it('is quoted in the error when it fails', async () => {
    await expect(load(kubeConfig({ caFile: '/none/ca.crt' }, {}))).rejects.toThrow(
      /^the KubeConfig failed to provide credentials: ENOENT/,
    );
  });
});
