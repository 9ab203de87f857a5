import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { TempFolder } from '../../../test/support/temp-folder.js';
import { CertificateAuthority } from '../../certificates/certificate-authority.js';
import { FakeClock } from '../../time/fake-clock.js';
import { realClock } from '../../time/real-clock.js';
import { ConfigError } from '../credentials/config-errors.js';
import { defaultConfig } from './default-config.js';
import { loadKubeconfig } from './kubeconfig.js';
import { loadKubeconfigFiles } from './kubeconfig-files.js';
import { mergeKubeconfigs } from './kubeconfig-merge.js';
import { type Kubeconfig, parseKubeconfig } from './kubeconfig-parse.js';
import type { LoadedConfig } from './loaded-config.js';

const authority = new CertificateAuthority(realClock);
const jane = authority.issueClient({ commonName: 'jane' });
const base64 = (text: string): string => Buffer.from(text).toString('base64');

function load(text: string, options: Parameters<typeof loadKubeconfig>[1] = {}): Promise<LoadedConfig> {
  return loadKubeconfig({ text }, { clock: new FakeClock(), env: {}, ...options });
}

/** A kubeconfig with one context, whose cluster and user have these lines. */
function one(cluster: readonly string[], user: readonly string[] = []): string {
  const indent = (lines: readonly string[]): string => lines.map((line) => `    ${line}\n`).join('');
  return `apiVersion: v1
kind: Config
current-context: dev
contexts:
- name: dev
  context: {cluster: c, user: u, namespace: web}
clusters:
- name: c
  cluster:
    x: y
${indent(cluster)}
users:
- name: u
  user:
    x: y
${indent(user)}`;
}

const https = 'server: https://k8s.example.com:6443';

describe('loadKubeconfig', () => {
  it('returns server, namespace, context and source', async () => {
    const config = await load(one([https]));
    expect(config).toMatchObject({ server: 'https://k8s.example.com:6443', namespace: 'web', context: 'dev' });
    expect(config.source).toBe('(text)');
    expect(config.credentials).toBeUndefined();
    expect(await config.tls?.material()).toEqual({ ca: undefined, cert: undefined, key: undefined });
    expect((await load(one(['server: http://127.0.0.1:8001/']))).tls).toBeUndefined();
    expect((await load(one(['server: https://rancher/k8s/clusters/c1/']))).server).toBe(
      'https://rancher/k8s/clusters/c1',
    );
  });

  it('sends the given User-Agent, or that of the program', async () => {
    expect((await load(one([https]), { userAgent: 'me/1' })).userAgent).toBe('me/1');
    expect((await load(one([https]))).userAgent).toBeUndefined();
  });

  it('reads certificates from data and from files relative to the kubeconfig', async () => {
    const folder = new TempFolder();
    await folder.write('pki/ca.crt', authority.certificate);
    await folder.write('jane.crt', jane.certificate);
    await folder.write('jane.key', jane.key);
    const path = await folder.write(
      'config',
      one(
        [https, 'certificate-authority: pki/ca.crt', 'tls-server-name: inside'],
        ['client-certificate: jane.crt', `client-key: ${folder.file('jane.key')}`],
      ),
    );
    const files = await loadKubeconfig({ path }, { clock: new FakeClock(), env: {} });
    const material = { ca: authority.certificate, cert: jane.certificate, key: jane.key };
    expect(await files.tls?.material()).toEqual(material);
    expect(files.tls?.serverName).toBe('inside');
    expect(files.source).toBe(path);

    const data = await load(
      one(
        [https, `certificate-authority-data: ${base64(authority.certificate)}`],
        [`client-certificate-data: ${base64(jane.certificate)}`, `client-key-data: ${base64(jane.key)}`],
      ),
    );
    expect(await data.tls?.material()).toEqual(material);
    expect(data.tls?.insecureSkipVerify).toBeUndefined();
  });

  it('skips verification only with insecure-skip-tls-verify', async () => {
    expect((await load(one([https, 'insecure-skip-tls-verify: true']))).tls?.insecureSkipVerify).toBe(true);
    expect((await load(one([https, 'insecure-skip-tls-verify: false']))).tls?.insecureSkipVerify).toBeUndefined();
  });

  it.each([
    [['token: abc'], 'Bearer abc'],
    [['username: jane', 'password: secret'], `Basic ${base64('jane:secret')}`],
    [['username: jane'], `Basic ${base64('jane:')}`],
  ])('sends %s as authorization', async (user, authorization) => {
    expect(await (await load(one([https], user))).credentials?.headers()).toEqual({ authorization });
  });

  it('prefers the token file to the token', async () => {
    const folder = new TempFolder();
    const user = ['token: old', `tokenFile: ${await folder.write('token', 'new')}`];
    expect(await (await load(one([https], user))).credentials?.headers()).toEqual({ authorization: 'Bearer new' });
  });

  it('reads impersonation', async () => {
    const config = await load(
      one([https], ['as: bob', 'as-uid: "7"', 'as-groups: [dev, ops]', 'as-user-extra: {scope: [view]}']),
    );
    expect(config.impersonate).toEqual({ user: 'bob', uid: '7', groups: ['dev', 'ops'], extra: { scope: ['view'] } });
  });

  it('uses the proxy of the cluster, else of the environment', async () => {
    const env = { HTTPS_PROXY: 'http://everywhere:1' };
    expect((await load(one([https]), { env })).proxyUrl).toBe('http://everywhere:1');
    expect((await load(one([https, 'proxy-url: http://here:2']), { env })).proxyUrl).toBe('http://here:2');
    expect((await load(one([https]), { env: { ...env, NO_PROXY: 'example.com' } })).proxyUrl).toBeUndefined();
  });

  it('names the user and its file, for the error of a 401', async () => {
    expect((await load(one([https]))).identity).toBe('user "u" of context "dev" in kubeconfig (text)');
    const anonymous = one([https]).replace(', user: u', '');
    expect((await load(anonymous)).identity).toBe('no user of context "dev" in kubeconfig (text)');
    const folder = new TempFolder();
    const [clusters, users] = one([https]).split('users:');
    const first = await folder.write('first', clusters!);
    const second = await folder.write('second', `users:${users}`);
    const merged = await defaultConfig({ env: { KUBECONFIG: `${first}:${second}` } });
    expect(merged.identity).toBe(`user "u" of context "dev" in kubeconfig ${second}`);
  });

  it('finds duplicate keys without comparing each with all others', async () => {
    const keys = Array.from({ length: 20_000 }, (_, i) => `k${i}: v`).join('\n');
    // Counts how often keys are read, and so how many are compared.
    const some = vi.spyOn(Array.prototype, 'some');
    let searched = 0;
    some.mockImplementation(function (this: unknown[], ...args) {
      searched += this.length;
      return Array.from(this).findIndex(...(args as Parameters<unknown[]['findIndex']>)) >= 0;
    });
    try {
      await load(`${keys}\n${one([https])}`);
    } finally {
      some.mockRestore();
    }
    expect(searched).toBeLessThan(1_000_000);
    await expect(load(`${keys}\nk7: v\n${one([https])}`)).rejects.toThrow('line 20001, column 1 (duplicate key)');
  });

  it('uses the entries of the overrides', async () => {
    const text = `
current-context: dev
contexts:
- {name: dev, context: {cluster: a, user: u}}
- {name: prod, context: {cluster: b, user: v, namespace: shop}}
clusters:
- {name: a, cluster: {server: "https://a"}}
- {name: b, cluster: {server: "https://b"}}
users:
- {name: u, user: {token: one}}
- {name: v, user: {token: two}}
`;
    const token = async (config: LoadedConfig): Promise<unknown> =>
      (await config.credentials?.headers())?.authorization;
    const prod = await load(text, { context: 'prod' });
    expect([prod.server, prod.namespace, prod.context]).toEqual(['https://b', 'shop', 'prod']);
    expect(await token(prod)).toBe('Bearer two');
    const mixed = await load(text, { context: 'prod', cluster: 'a', user: 'u', namespace: 'other' });
    expect([mixed.server, mixed.namespace, await token(mixed)]).toEqual(['https://a', 'other', 'Bearer one']);
    const without = await load(text.replace('current-context: dev', ''), { cluster: 'b' });
    expect([without.server, without.credentials, without.context]).toEqual(['https://b', undefined, undefined]);
  });

  it('reads YAML as kubectl does: version 1.1, anchors and merges, JSON too', async () => {
    const text = `
current-context: &name dev
x: &defaults {server: "https://a", insecure-skip-tls-verify: yes}
contexts: [{name: *name, context: {cluster: a, user: u, namespace: 2026-01-01}}]
clusters: [{name: a, cluster: {<<: *defaults}}]
users: [{name: u}]
`;
    const config = await load(text);
    expect([config.server, config.namespace, config.tls?.insecureSkipVerify]).toEqual([
      'https://a',
      '2026-01-01',
      true,
    ]);
    const json = { 'current-context': 'd', contexts: [{ name: 'd', context: { cluster: 'a' } }] };
    const clusters = [{ name: 'a', cluster: { server: 'https://j' } }];
    expect((await load(JSON.stringify({ ...json, clusters }))).server).toBe('https://j');
  });
});

describe('errors of kubeconfigs', () => {
  it.each<[what: string, text: string, message: RegExp]>([
    [
      'unknown context',
      one([https]).replace('current-context: dev', 'current-context: x'),
      /no context "x"; its contexts: dev/,
    ],
    ['no context', 'users: []', /no current-context is set: choose one with the option "context"; it has no contexts/],
    [
      'unknown cluster',
      one([https]).replace('cluster: c', 'cluster: z'),
      /no cluster "z" of context "dev"; its clusters: c/,
    ],
    ['unknown user', one([https]).replace('user: u', 'user: z'), /no user "z" of context "dev"; its users: u/],
    ['context without cluster', one([https]).replace('cluster: c, ', ''), /context "dev" names no cluster/],
    ['no server', one([]), /cluster "c" of context "dev" has no server/],
    ['server without scheme', one(['server: 10.0.0.1']), /cluster "c": its server "10.0.0.1" must be a URL/],
    ['credentials in the URL', one(['server: https://a:b@c']), /the URL of its server has credentials/],
    [
      'authority and insecure',
      one([https, 'insecure-skip-tls-verify: true', `certificate-authority-data: ${base64(authority.certificate)}`]),
      /cluster "c": it has both a certificate authority and insecure-skip-tls-verify/,
    ],
    [
      'certificate without key',
      one([https], [`client-certificate-data: ${base64(jane.certificate)}`]),
      /user "u": it has only one of/,
    ],
    ['token and password', one([https], ['token: a', 'username: b']), /user "u": it has both a token and a password/],
    [
      'no PEM',
      one([https, `certificate-authority-data: ${base64('hunter22')}`]),
      /clusters\[0\]\.cluster\.certificate-authority-data must be the base64 form/,
    ],
    [
      'no base64',
      one([https], ['client-key-data: "!hunter22!"']),
      /users\[0\]\.user\.client-key-data must be the base64 form/,
    ],
    [
      'token as a number',
      one([https], ['token: 12345678']),
      /users\[0\]\.user\.token must be a string: put it in quotes/,
    ],
    ['groups without user', one([https], ['as-groups: [a]']), /users\[0\]\.user\.as is missing/],
    [
      'missing authority file',
      one([https, 'certificate-authority: /none/ca.crt']),
      /cluster "c": cannot read the certificate authority \/none\/ca\.crt: there is no such file/,
    ],
    [
      'missing token file',
      one([https], ['tokenFile: /none/token']),
      /user "u": cannot read the token file \/none\/token: there is no such file/,
    ],
    ['old auth provider', one([https], ['auth-provider: {name: gcp}']), /auth-provider "gcp".*with a plugin \(exec\)/],
    ['socks proxy', one([https, 'proxy-url: socks5://p:1']), /cluster "c": cannot use the proxy/],
    ['two of a name', 'clusters: [{name: a}, {name: a}]', /clusters has two entries named "a"/],
    ['no name', 'clusters: [{cluster: {}}]', /clusters\[0\]\.name is missing/],
    ['a list that is none', 'clusters: {}', /clusters must be a list/],
    ['a map that is none', 'clusters: [1]', /clusters\[0\] must be a map/],
    ['another kind', 'kind: Pod', /kind must be Config/],
    ['no document', '[]', /the document must be a map/],
    ['broken YAML', 'users:\n- token: "hunter22\n', /not valid YAML at line 3, column 1/],
    ['lists in lists', '['.repeat(3000), /its YAML exceeded max depth of 256/],
    ['keys in keys', '? '.repeat(3000), /its YAML exceeded max depth of 256/],
    ['a key twice', 'users:\n- {name: a, name: hunter22}', /not valid YAML at line 2, column 13 \(duplicate key\)/],
    ['a key that is a map', '? {a: hunter22}\n: b', /not valid YAML at line 1, column 3 \(a key is a map or a list\)/],
    ['YAML aliases', 'a: *hunter22', /YAML aliases cannot be resolved/],
    [
      'exec without command',
      one([https], ['exec: {apiVersion: client.authentication.k8s.io/v1}']),
      /exec\.command is missing/,
    ],
    [
      'exec of alpha times',
      one([https], ['exec: {command: a, apiVersion: client.authentication.k8s.io/v1alpha1}']),
      /exec\.apiVersion must be one of/,
    ],
    [
      'exec without mode',
      one([https], ['exec: {command: a, apiVersion: client.authentication.k8s.io/v1}']),
      /exec\.interactiveMode is missing: set it to one of/,
    ],
    [
      'exec with a wrong mode',
      one([https], ['exec: {command: a, interactiveMode: Ask, apiVersion: client.authentication.k8s.io/v1}']),
      /exec\.interactiveMode must be one of/,
    ],
    [
      'oidc without issuer',
      one([https], ['auth-provider: {name: oidc, config: {client-id: a}}']),
      /idp-issuer-url is missing/,
    ],
  ])('%s', async (_what, text, message) => {
    const error = await load(text).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(ConfigError);
    expect((error as ConfigError).message).toMatch(message);
    expect((error as ConfigError).message).toMatch(/^kubeconfig \(text\): /);
    expect((error as ConfigError).code).toBe('CONFIG');
    expect(inspect(error, { depth: 9 })).not.toMatch(/hunter22|12345678/);
  });

  it('an alias that is a key: prints no warning, which would contain it', async () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    await load('a: &x {token: hunter22}\n? *x\n: b').catch(() => {});
    expect(warn.mock.calls).toEqual([]);
    warn.mockRestore();
  });

  it('of entries that are not used are ignored', async () => {
    const old = 'exec: {command: a, apiVersion: client.authentication.k8s.io/v1alpha1}';
    const lines = `- {name: old, user: {${old}}}\n- {name: half, user: {as-groups: [a]}}\n`;
    const text = one([https], ['token: secret1'])
      .replace('users:\n', `users:\n${lines}`)
      .replace('clusters:\n', `clusters:\n- {name: shown, cluster: {certificate-authority-data: DATA+OMITTED}}\n`);
    expect((await load(text)).server).toBe('https://k8s.example.com:6443');
    await expect(load(text, { user: 'old' })).rejects.toThrow(/users\[0\]\.user\.exec\.apiVersion must be one of/);
    await expect(load(text, { user: 'half' })).rejects.toThrow(/users\[1\]\.user\.as is missing/);
    await expect(load(text, { cluster: 'shown' })).rejects.toThrow(
      /clusters\[0\]\.cluster\.certificate-authority-data/,
    );
  });

  it('have file and context', async () => {
    const folder = new TempFolder();
    const path = await folder.write('config', one([https]));
    await expect(loadKubeconfig({ path }, { context: 'x' })).rejects.toMatchObject({ file: path, context: 'x' });
    await expect(loadKubeconfig({ path: folder.file('none') })).rejects.toMatchObject({
      message: `kubeconfig ${folder.file('none')}: there is no such file`,
    });
    await expect(loadKubeconfig({ path: folder.path })).rejects.toThrow(/cannot read it: it is a directory/);
  });
});

describe('merging', () => {
  const names = ['a', 'b', 'c'];
  const entries = fc.uniqueArray(fc.constantFrom(...names));
  interface Shape {
    readonly clusters: readonly string[];
    readonly users: readonly string[];
    readonly contexts: readonly string[];
    readonly current: string | undefined;
  }
  const shape: fc.Arbitrary<Shape> = fc.record({
    clusters: entries,
    users: entries,
    contexts: entries,
    current: fc.option(fc.constantFrom(...names), { nil: undefined }),
  });
  const parse = (shapes: readonly Shape[]): Promise<Kubeconfig[]> =>
    Promise.all(
      shapes.map(({ clusters, users, contexts, current }, at) =>
        parseKubeconfig(
          JSON.stringify({
            'current-context': current,
            clusters: clusters.map((name) => ({ name, cluster: { server: `https://${at}` } })),
            users: users.map((name) => ({ name, user: { username: `${at}` } })),
            contexts: contexts.map((name) => ({ name, context: { namespace: `${at}` } })),
          }),
          { file: `f${at}`, directory: '/' },
        ),
      ),
    );

  it('uses the first entry of each name as a whole, and the first current context', () =>
    fc.assert(
      fc.asyncProperty(fc.array(shape, { maxLength: 5 }), async (shapes) => {
        const merged = mergeKubeconfigs(await parse(shapes));
        for (const what of ['clusters', 'users', 'contexts'] as const) {
          for (const name of names) {
            const first = shapes.findIndex((one) => one[what].includes(name));
            expect(merged[what].get(name)?.file).toBe(first < 0 ? undefined : `f${first}`);
          }
        }
        for (const [name, { server }] of merged.clusters) {
          expect(server).toBe(`https://${shapes.findIndex((one) => one.clusters.includes(name))}`);
        }
        expect(merged.currentContext).toBe(shapes.find((one) => one.current !== undefined)?.current);
        expect(merged.files).toEqual(shapes.map((_, at) => `f${at}`));
      }),
    ));

  it('does not depend on how the merges are grouped', () =>
    fc.assert(
      fc.asyncProperty(fc.array(shape, { minLength: 2, maxLength: 5 }), fc.nat(), async (shapes, cut) => {
        const configs = await parse(shapes);
        const at = cut % configs.length;
        const grouped = mergeKubeconfigs([mergeKubeconfigs(configs.slice(0, at)), mergeKubeconfigs(configs.slice(at))]);
        expect(grouped).toEqual(mergeKubeconfigs(configs));
      }),
    ));

  it('skips missing files and resolves paths against the file that contains them', async () => {
    const folder = new TempFolder();
    const first = await folder.write('a/config', 'users: [{name: u, user: {tokenFile: token}}]');
    const second = await folder.write('b/config', one(['certificate-authority: ca.crt', https], ['tokenFile: token']));
    const merged = await loadKubeconfigFiles([folder.file('none'), first, folder.file('a/config/none'), second]);
    expect(merged?.files).toEqual([first, second]);
    expect(merged?.users.get('u')?.tokenFile).toBe(folder.file('a/token'));
    expect(merged?.clusters.get('c')?.ca).toEqual({ file: folder.file('b/ca.crt') });
    expect(await loadKubeconfigFiles([folder.file('none')])).toBeUndefined();
  });
});
