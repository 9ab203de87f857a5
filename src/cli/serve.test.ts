import { once } from 'node:events';
import { chmod, mkdtemp, open, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { type RequestOptions, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type ServingCommand, startServing } from '../../test/support/serving-command.js';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kubeflect-'));
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

/** Runs to the end and returns exit code and output. */
async function finish(...args: string[]): Promise<{ code: number; output: string; errors: string }> {
  const started = startServing(...args);
  started.url.catch(() => {});
  return { code: await started.ended, output: started.output(), errors: started.errors() };
}

async function statusOf(url: string, options: RequestOptions): Promise<number | undefined> {
  const outgoing = request(url, { agent: false, ...options });
  outgoing.end();
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
  incoming.resume();
  return incoming.statusCode;
}

describe('kubeflect', () => {
  it('shows its help and its version', async () => {
    for (const word of ['--help', '-h', 'help']) {
      const { code, output } = await finish(word);
      expect(code).toBe(0);
      expect(output).toMatch(/^ {2}serve +Run a Kubernetes API server/m);
    }
    const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));
    expect(await finish('--version')).toEqual({ code: 0, output: `${version}\n`, errors: '' });
  });

  it('fails without a command, and with an unknown one', async () => {
    expect(await finish()).toMatchObject({ code: 2, output: '', errors: expect.stringContaining('Usage:') });
    const unknown = await finish('dance');
    expect(unknown.code).toBe(2);
    expect(unknown.errors).toContain('there is no command "dance"');
  });
});

describe('kubeflect serve', () => {
  it('shows its help', async () => {
    for (const args of [
      ['serve', '--help'],
      ['serve', '-h'],
      ['help', 'serve'],
    ]) {
      const { code, output } = await finish(...args);
      expect(code).toBe(0);
      for (const option of ['--port', '--kubeconfig', '--tls', '--faults', '--seed']) expect(output).toContain(option);
    }
  });

  it('serves until the signal aborts', async () => {
    const server = startServing('serve');
    const url = await server.url;
    expect(await (await fetch(`${url}/readyz`)).text()).toBe('ok');
    expect(await server.stop()).toBe(0);
    expect(server.errors()).toBe('');
    await expect(fetch(`${url}/readyz`)).rejects.toThrow();
  });

  it('--data keeps objects, the address and the credentials, and is used by one server at a time', async () => {
    const data = join(folder, 'data');
    const path = '/api/v1/namespaces/default/configmaps';
    const first = startServing('serve', '--data', data, '--kubeconfig', join(folder, 'first'), '--rbac');
    const url = await first.url;
    const { users, clusters } = parse(await readFile(join(folder, 'first'), 'utf8'));
    const decoded = (text: string): Buffer => Buffer.from(text, 'base64');
    const credentials = {
      ca: decoded(clusters[0].cluster['certificate-authority-data']),
      cert: decoded(users[0].user['client-certificate-data']),
      key: decoded(users[0].user['client-key-data']),
    };
    const body = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } });
    const headers = { 'content-type': 'application/json' };
    const created = request(`${url}${path}`, { method: 'POST', agent: false, headers, ...credentials }).end(body);
    const [answer] = (await once(created, 'response')) as [IncomingMessage];
    answer.resume();
    expect(answer.statusCode).toBe(201);
    expect(await finish('serve', '--data', data)).toMatchObject({
      code: 1,
      errors: `kubeflect serve: ${data} is in use by process ${process.pid}; stop it, or choose another directory\n`,
    });
    await first.stop();
    const second = startServing('serve', '--data', data, '--rbac');
    expect(await second.url).toBe(url);
    expect(await statusOf(`${url}${path}/a`, credentials)).toBe(200);
    await second.stop();
    expect(second.errors()).toBe('');
  });

  it('starts with a resourceVersion above those of earlier runs, unless a seed makes runs alike', async () => {
    const versionOf = async (...args: string[]): Promise<number> => {
      const server = startServing('serve', ...args);
      const list = await (await fetch(`${await server.url}/api/v1/namespaces`)).json();
      await server.stop();
      return Number((list as { metadata: { resourceVersion: string } }).metadata.resourceVersion);
    };
    expect(await versionOf()).toBeGreaterThan(1e11);
    expect(await versionOf('--seed', '7')).toBeLessThan(1000);
  });

  it('writes a kubeconfig of mode 0600, and overwrites its own', async () => {
    const path = join(folder, 'config');
    for (let round = 0; round < 2; round++) {
      const server = startServing('serve', '--kubeconfig', path, '--tls');
      const url = await server.url;
      const config = parse(await readFile(path, 'utf8'));
      expect(config.clusters[0].cluster.server).toBe(url);
      expect(config.users[0].user['client-key-data']).toEqual(expect.any(String));
      expect((await stat(path)).mode & 0o077).toBe(0);
      expect(server.output()).toContain(`kubectl --kubeconfig ${path}`);
      await server.stop();
    }
  });

  it.each(['', '# Written by kubeflect serve; overwritten the next time.\n'])(
    'replaces a file that others can read or have open instead of writing the key into it: %j',
    async (before) => {
      const path = join(folder, 'config');
      await writeFile(path, before);
      await chmod(path, 0o644);
      const reader = await open(path);
      await symlink(path, join(folder, 'link'));
      const server = startServing('serve', '--kubeconfig', join(folder, 'link'), '--tls');
      await server.url;
      expect((await stat(path)).mode & 0o777).toBe(0o600);
      expect(await readFile(path, 'utf8')).toContain('client-key-data');
      expect(await reader.readFile('utf8')).toBe(before);
      await reader.close();
      expect((await readdir(folder)).sort()).toEqual(['config', 'link']);
      await server.stop();
    },
  );

  it('accepts the Host names of --allowed-host', async () => {
    const server = startServing('serve', '--allowed-host', 'a.example', '--allowed-host=b.example');
    const { port } = new URL(await server.url);
    const ask = async (host: string): Promise<number | undefined> => {
      const outgoing = httpRequest({ port, host: '127.0.0.1', path: '/readyz', headers: { host }, agent: false });
      outgoing.end();
      const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
      incoming.resume();
      return incoming.statusCode;
    };
    expect([await ask('a.example'), await ask('b.example'), await ask('c.example')]).toEqual([200, 200, 403]);
    await server.stop();
    expect((await finish('serve', '--allowed-host', 'a.example:80')).errors).toContain('--allowed-host');
  });

  it('does not overwrite a kubeconfig that it did not write', async () => {
    const path = join(folder, 'config');
    await writeFile(path, 'kind: Config\n');
    const { code, errors } = await finish('serve', '--kubeconfig', path);
    expect(code).toBe(1);
    expect(errors).toContain('was not written by kubeflect serve');
    expect(await readFile(path, 'utf8')).toBe('kind: Config\n');
    expect((await finish('serve', '--kubeconfig', join(folder, 'missing', 'config'))).errors).toContain('cannot write');
    expect((await finish('serve', '--kubeconfig', folder)).errors).toContain('cannot write');
  });

  it('injects faults from a file', async () => {
    const path = join(folder, 'faults.json');
    await writeFile(path, JSON.stringify([{ resource: 'pods', respond: { status: 503 } }]));
    const server = startServing('serve', '--faults', path, '--seed', '7');
    const url = await server.url;
    expect((await fetch(`${url}/api/v1/pods`)).status).toBe(503);
    expect((await fetch(`${url}/api/v1/pods`)).status).toBe(200);
    await server.stop();
  });

  it('-f stores the objects of a folder, with definitions before their resources', async () => {
    const resource = 'apiVersion: example.com/v1\nkind: Thing\nmetadata:\n  name: t\n';
    const version = '{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}';
    const names = '{plural: things, kind: Thing}';
    const definition = `apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: things.example.com}\nspec: {group: example.com, scope: Namespaced, names: ${names}, versions: [${version}]}\n`;
    await writeFile(join(folder, 'a.yaml'), `# a comment\n---\n${resource}---\n${definition}`);
    const list = { kind: 'List', apiVersion: 'v1', items: [{ kind: 'ConfigMap', metadata: { name: 'c' } }] };
    await writeFile(join(folder, 'b.json'), JSON.stringify(list));
    const server = startServing('serve', '-f', folder);
    const url = await server.url;
    expect((await fetch(`${url}/apis/example.com/v1/namespaces/default/things/t`)).status).toBe(200);
    expect((await fetch(`${url}/api/v1/namespaces/default/configmaps/c`)).status).toBe(200);
    await server.stop();
  });

  it.each([
    ['kind: [', 'm.yaml, document 1 (line 1): not valid YAML: '],
    [
      '---\nkind: ConfigMap\nmetadata:\n  name: A_B',
      'm.yaml, document 1 (line 2): ConfigMap "A_B" is invalid: metadata.name',
    ],
    [
      'kind: ConfigMap\nmetadata: {name: a}\ndata: {a: 5}',
      'm.yaml, document 1 (line 1): json: cannot unmarshal number',
    ],
    ['kind: Nonsense', 'm.yaml, document 1 (line 1): no resource of any version, kind Nonsense is served'],
    ['name: x', 'm.yaml, document 1 (line 1): it has no kind'],
    ['5', 'm.yaml, document 1 (line 1): it is not an object'],
  ])('refuses the manifest %j with its place and a reason', async (text, message) => {
    const path = join(folder, 'm.yaml');
    await writeFile(path, text);
    const { code, errors } = await finish('serve', '-f', path);
    expect(code).toBe(1);
    expect(errors).toContain(message);
  });

  it('--workloads has nodes, and --workload-options takes them from a file', async () => {
    const nodesOf = async (server: ServingCommand): Promise<string[]> => {
      const answer = await fetch(`${await server.url}/api/v1/nodes`);
      const { items } = (await answer.json()) as { items: { metadata: { name: string } }[] };
      await server.stop();
      return items.map(({ metadata }) => metadata.name);
    };
    expect(await nodesOf(startServing('serve', '--workloads'))).toEqual(['node-1', 'node-2', 'node-3']);
    const path = join(folder, 'workloads.json');
    await writeFile(path, JSON.stringify({ nodes: [{ name: 'mine' }], readyAfterMs: 10 }));
    expect(await nodesOf(startServing('serve', '--workload-options', path))).toEqual(['mine']);
    await writeFile(path, JSON.stringify({ nodes: 'many' }));
    const { code, errors } = await finish('serve', '--workload-options', path);
    expect(code).toBe(1);
    expect(errors).toContain(`${path}: workloads.nodes must be`);
  });

  it('--controllers none runs none, and refuses unknown names', async () => {
    const server = startServing('serve', '--controllers', 'none');
    const namespaces = (await (await fetch(`${await server.url}/api/v1/namespaces`)).json()) as { items: unknown[] };
    expect(namespaces.items).toEqual([]);
    await server.stop();
    const { code, errors } = await finish('serve', '--controllers', 'nonsense');
    expect(code).toBe(2);
    expect(errors).toContain('--controllers must be');
  });

  it.each([
    ['{', 'cannot read faults'],
    ['{}', 'must be a JSON array'],
    ['[{"reset":"midEvent"},{"reset":"never"}]', 'fault 2 of 2: reset must be'],
  ])('refuses the faults %s with a reason', async (text, message) => {
    const path = join(folder, 'faults.json');
    await writeFile(path, text);
    const { code, errors } = await finish('serve', '--faults', path);
    expect(code).toBe(1);
    expect(errors).toContain(message);
  });

  it('--rbac authenticates clients over TLS, and the kubeconfig has administrator rights', async () => {
    const path = join(folder, 'config');
    const server = startServing('serve', '--rbac', '--kubeconfig', path);
    const url = await server.url;
    expect(url).toMatch(/^https:/);
    const { clusters, users } = parse(await readFile(path, 'utf8'));
    const decode = (text: string): Buffer => Buffer.from(text, 'base64');
    const ca = decode(clusters[0].cluster['certificate-authority-data']);
    const { 'client-certificate-data': cert, 'client-key-data': key } = users[0].user;
    expect(await statusOf(`${url}/api/v1/pods`, { ca })).toBe(403);
    expect(await statusOf(`${url}/api/v1/pods`, { ca, cert: decode(cert), key: decode(key) })).toBe(200);
    await server.stop();
  });

  it.each([
    [['--port', 'x'], '--port must be a whole number'],
    [['--port', '70000'], '--port must be a whole number from 0 to 65535'],
    [['--seed', '-1'], '--seed'],
    [['--dance'], '--dance'],
    [['extra'], 'extra'],
    [['--webhook', 'hooks/a'], '--webhook must be NAMESPACE/NAME=URL'],
    [['--webhook', 'hooks/a=http://127.0.0.1'], '--webhook must be a function or an https address'],
    [['--enable-admission-plugins', 'Dance'], '--enable-admission-plugins and --disable-admission-plugins must be'],
  ])('refuses %j', async (args, message) => {
    const { code, errors } = await finish('serve', ...args);
    expect(code).toBe(2);
    expect(errors).toContain(message);
    expect(errors).toContain("Try 'kubeflect serve --help'");
  });

  it('suggests another --port if the port is in use, and another --host if there is no such address', async () => {
    const server = startServing('serve');
    const { port } = new URL(await server.url);
    const { code, errors } = await finish('serve', '--port', port);
    expect(code).toBe(1);
    expect(errors).toContain(`127.0.0.1:${port} is in use; choose another --port`);
    await server.stop();
    expect((await finish('serve', '--host', '192.0.2.77')).errors).toContain('choose another --host');
  });
});
