import { readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { kubeconfigText } from '../../../test/support/kubeconfig-text.js';
import { TempFolder } from '../../../test/support/temp-folder.js';
import { ConfigError } from '../credentials/config-errors.js';
import { loadKubeconfig } from './kubeconfig.js';
import { readKubeconfig } from './read-kubeconfig.js';
import { updateKubeconfig } from './update-kubeconfig.js';

const first = `# A comment, which is lost.
apiVersion: v1
kind: Config
preferences: {colors: true}
future-field: [1, 2]
current-context: dev
contexts:
- name: dev
  context: {cluster: dev, user: jane, namespace: web, extensions: [{name: a, extension: {b: "yes"}}]}
clusters:
- name: dev
  cluster: {server: "https://127.0.0.1:6443", future: on}
`;
const second = `contexts:
- name: prod
  context: {cluster: prod, user: jane}
clusters:
- name: prod
  cluster: {server: "https://10.0.0.1:6443"}
users:
- name: jane
  user: {token: secret-token}
`;

/** Two files, as of KUBECONFIG=first:second. */
async function twoFiles() {
  const folder = new TempFolder();
  const path = [await folder.write('first', first), await folder.write('second', second)];
  return { folder, path, document: (at: 0 | 1) => parse(readFileSync(path[at] as string, 'utf8'), { version: '1.1' }) };
}

describe('readKubeconfig', () => {
  it('lists contexts, clusters and users with their files, and no secrets', async () => {
    const { path } = await twoFiles();
    const contents = await readKubeconfig({ env: { KUBECONFIG: [...path, '/nowhere'].join(':') } });
    expect(contents).toEqual({
      files: path,
      currentContext: 'dev',
      contexts: [
        { name: 'dev', file: path[0], cluster: 'dev', user: 'jane', namespace: 'web' },
        { name: 'prod', file: path[1], cluster: 'prod', user: 'jane', namespace: undefined },
      ],
      clusters: [
        { name: 'dev', file: path[0], server: 'https://127.0.0.1:6443' },
        { name: 'prod', file: path[1], server: 'https://10.0.0.1:6443' },
      ],
      users: [{ name: 'jane', file: path[1], by: 'token' }],
    });
    expect(JSON.stringify(contents)).not.toContain('secret-token');
  });

  it.each([
    [{}, 'nothing'],
    [{ username: 'a', password: 'b' }, 'password'],
    [{ 'client-certificate': '/a', 'client-key': '/b' }, 'certificate'],
    [{ exec: { command: 'c', apiVersion: 'client.authentication.k8s.io/v1beta1' } }, 'exec'],
    [{ tokenFile: '/t' }, 'token'],
    [{ 'auth-provider': { name: 'oidc', config: { 'idp-issuer-url': 'https://a', 'client-id': 'b' } } }, 'oidc'],
  ])('says how the user %j authenticates', async (user, by) => {
    const path = await new TempFolder().write('config', kubeconfigText(user));
    expect((await readKubeconfig({ path })).users).toMatchObject([{ by }]);
  });

  it('is empty without files, and refuses a file that is no kubeconfig', async () => {
    expect((await readKubeconfig({ path: '/nowhere' })).contexts).toEqual([]);
    const path = await new TempFolder().write('config', 'kind: Pod');
    await expect(readKubeconfig({ path })).rejects.toBeInstanceOf(ConfigError);
    await expect(readKubeconfig({ path: [] })).rejects.toThrow('path must be a path or several');
  });
});

describe('updateKubeconfig', () => {
  it('changes each entry in the file that has it, and keeps fields that it does not know', async () => {
    const { path, document, folder } = await twoFiles();
    await updateKubeconfig(
      (config) => {
        expect(config.currentContext).toBe('dev');
        config.setContext('dev', { namespace: 'api' });
        config.setUser('jane', { token: null, 'client-certificate': 'jane.crt', 'client-key': 'jane.key' });
      },
      { path },
    );
    expect(document(0)).toEqual({
      ...parse(first, { version: '1.1' }),
      contexts: [
        {
          name: 'dev',
          context: {
            cluster: 'dev',
            user: 'jane',
            namespace: 'api',
            extensions: [{ name: 'a', extension: { b: 'yes' } }],
          },
        },
      ],
    });
    expect(readFileSync(path[0] as string, 'utf8')).toContain('b: "yes"');
    expect(document(1).users).toEqual([
      { name: 'jane', user: { 'client-certificate': 'jane.crt', 'client-key': 'jane.key' } },
    ]);
    expect(statSync(path[1] as string).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder.path).sort()).toEqual(['first', 'second']);
  });

  it('writes new entries and the current context to the first file that exists', async () => {
    const { folder, path, document } = await twoFiles();
    const files = [folder.file('missing'), ...path];
    await updateKubeconfig(
      (config) => {
        config.setCluster('new', { server: 'https://127.0.0.1:1' });
        config.setContext('new', { cluster: 'new', user: 'jane' });
        config.currentContext = 'new';
      },
      { path: files },
    );
    expect(document(0).clusters.map(({ name }: { name: string }) => name)).toEqual(['dev', 'new']);
    expect(await readKubeconfig({ path: files })).toMatchObject({ currentContext: 'new', files: path });
    expect(readFileSync(path[1] as string, 'utf8')).toBe(second);
  });

  it('creates the last file, and its folder, if there is none', async () => {
    const folder = new TempFolder();
    const path = folder.file('.kube/config');
    await updateKubeconfig(
      (config) => {
        config.setCluster('a', { server: 'https://127.0.0.1:1' });
        config.setUser('a', { token: 't' });
        config.setContext('a', { cluster: 'a', user: 'a' });
        config.currentContext = 'a';
      },
      { env: { HOME: folder.path } },
    );
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(await loadKubeconfig({ path })).toMatchObject({ server: 'https://127.0.0.1:1', context: 'a' });
  });

  it('removes entries, and clears the current context in all files', async () => {
    const { path, document } = await twoFiles();
    await updateKubeconfig(
      (config) => {
        expect(config.remove('context', 'prod')).toBe(true);
        expect(config.remove('user', 'stranger')).toBe(false);
        config.currentContext = undefined;
      },
      { path },
    );
    expect(document(1).contexts).toEqual([]);
    expect(document(0)).not.toHaveProperty('current-context');
  });

  it('writes nothing if the edit fails, or would make an entry or the file invalid', async () => {
    const { folder, path } = await twoFiles();
    const mistake = new Error('mistake');
    const edits: [Parameters<typeof updateKubeconfig>[0], unknown][] = [
      [
        (config) => {
          config.setContext('dev', { namespace: 'other' });
          throw mistake;
        },
        'mistake',
      ],
      [(config) => config.setCluster('dev', { server: 5 }), 'server must be a string'],
      [(config) => config.setUser('jane', { 'client-key-data': '!' }), 'client-key-data must be the base64'],
      [
        (config) => {
          config.currentContext = 'nowhere';
        },
        'there is no context "nowhere"',
      ],
    ];
    for (const [edit, message] of edits) {
      await expect(updateKubeconfig(edit, { path })).rejects.toThrow(message as string);
    }
    expect(readFileSync(path[0] as string, 'utf8')).toBe(first);
    expect(readFileSync(path[1] as string, 'utf8')).toBe(second);
    expect(readdirSync(folder.path).sort()).toEqual(['first', 'second']);
  });

  it('waits for the lock of another program', async () => {
    const { path, document } = await twoFiles();
    const many = Array.from({ length: 5 }, (_, i) =>
      updateKubeconfig((config) => config.setContext(`c${i}`, { cluster: 'dev' }), { path }),
    );
    await Promise.all(many);
    expect(document(0).contexts).toHaveLength(6);
  });

  it('replaces the target of a symbolic link, not the link', async () => {
    const { folder, path } = await twoFiles();
    const link = folder.file('link');
    symlinkSync(path[0] as string, link);
    await updateKubeconfig((config) => config.setContext('dev', { namespace: 'api' }), { path: link });
    expect(readFileSync(path[0] as string, 'utf8')).toContain('namespace: api');
    writeFileSync(path[0] as string, first);
    expect(readFileSync(link, 'utf8')).toBe(first);
  });
});
