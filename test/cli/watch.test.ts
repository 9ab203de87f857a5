import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { type ApiServer, startApiServer } from '../../src/apiserver/server.js';
import type { ApiServerOptions } from '../../src/apiserver/server-options.js';
import type { Client } from '../../src/client/client.js';
import type { New } from '../../src/meta/objects.js';
import type { Pod } from '../../src/resources/types/core-v1.js';
import { realClock } from '../../src/time/real-clock.js';
import { hasLine, linesOf } from '../support/json-lines.js';
import { kubeflect, type Program, repository } from '../support/program.js';
import { TempFolder } from '../support/temp-folder.js';

let api: ApiServer;
let client: Client;
let kubeconfig: string;

async function start(options: ApiServerOptions = {}): Promise<void> {
  api = await startApiServer(options);
  client = api.client();
  kubeconfig = await new TempFolder().write('kubeconfig', api.kubeconfig);
  const [ownApi, ownClient] = [api, client];
  onTestFinished(async () => {
    await ownClient.close();
    await ownApi.stop();
  });
}

const pod = (name: string, app = 'web'): New<Pod> => ({
  metadata: { name, labels: { app } },
  spec: { containers: [{ name: 'main', image: app }] },
});

function watch(...args: string[]): Program {
  return kubeflect(['watch', ...args, '--kubeconfig', kubeconfig]);
}

describe('kubeflect watch', () => {
  beforeEach(() => start());

  it('-o json: add, synced, update, delete and final, one object per line', async () => {
    const pods = client.core.v1.pods('default');
    const first = await pods.create(pod('a'));
    const program = watch('pods', '-o', 'json');
    await program.seen(hasLine('synced'));
    const [added, synced] = linesOf(program);
    expect(added).toEqual({
      type: 'add',
      resource: 'pods',
      key: 'default/a',
      resourceVersion: first.metadata.resourceVersion,
      isInInitialList: true,
      object: expect.objectContaining({ kind: 'Pod', apiVersion: 'v1', spec: expect.anything() }),
    });
    expect(synced).toEqual({ type: 'synced', resource: 'pods', count: 1, resourceVersion: expect.any(String) });

    const second = await pods.create(pod('b'));
    const changed = await pods.patchStatus('b', { phase: 'Running' });
    await program.seen(hasLine('update', 'default/b'));
    await pods.delete('a');
    await program.seen(hasLine('delete', 'default/a'));
    const { code, stdout, stderr } = await program.interrupt();
    const all = stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
    expect(all.slice(2)).toEqual([
      expect.objectContaining({ type: 'add', key: 'default/b', isInInitialList: false }),
      {
        type: 'update',
        resource: 'pods',
        key: 'default/b',
        resourceVersion: changed.metadata.resourceVersion,
        oldResourceVersion: second.metadata.resourceVersion,
        object: expect.objectContaining({ status: expect.objectContaining({ phase: 'Running' }) }),
      },
      expect.objectContaining({ type: 'update', key: 'default/a' }), // marked for deletion
      expect.objectContaining({ type: 'delete', key: 'default/a', finalStateKnown: true, object: expect.anything() }),
      { type: 'final', resource: 'pods', key: 'default/b', resourceVersion: changed.metadata.resourceVersion },
    ]);
    expect(stderr).toBe('');
    expect(code).toBe(0);
  });

  it('-o json --no-objects leaves the objects out; --for ends by itself', async () => {
    await client.core.v1.pods('default').create(pod('a'));
    const { code, stdout } = await watch('po', '-o', 'json', '--no-objects', '--for', '3').ended;
    const lines = stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
    expect(lines.map(({ type }) => type)).toEqual(['add', 'synced', 'final']);
    expect(lines[0]).not.toHaveProperty('object');
    expect(code).toBe(0);
  });

  it('-o name: the key of each changed object, after its resource if there are several', async () => {
    await client.core.v1.pods('default').create(pod('a'));
    const one = watch('Pod', '-o', 'name');
    const several = watch('pods,namespaces', '-o', 'name');
    await one.seen(/^default\/a$/m);
    await several.seen(/^pods default\/a$/m);
    await several.seen(/^namespaces kube-system$/m);
    await client.core.v1.pods('default').delete('a');
    await one.seen(/^default\/a\n(.*\n)*default\/a$/m);
    expect((await one.interrupt()).code).toBe(0);
    await several.interrupt();
  });

  it('-o yaml: a document per event', async () => {
    await client.core.v1.pods('default').create(pod('a'));
    const program = watch('pods', '-o', 'yaml');
    await program.seen(/^# synced pods: 1 at version \d+$/m);
    const { stdout } = await program.interrupt();
    expect(stdout).toContain('# add pods "default/a"');
    const [document] = parseAllDocuments(stdout);
    expect(document && 'toJS' in document && document.toJS()).toMatchObject({ kind: 'Pod', metadata: { name: 'a' } });
  });

  it('-o changes: a line per event with status and changes, without colours in a pipe', async () => {
    const pods = client.core.v1.pods('default');
    await pods.create(pod('a'));
    const program = watch('pods', 'deploy', '-A', '-o', 'changes');
    await program.seen(/add\s+pods\s+default\s+a\s+\d+s\s+Pending/);
    await pods.patchStatus('a', { phase: 'Running' });
    await program.seen(/update\s+pods\s+default\s+a\s+\d+s\s+Running {2}status.phase Pending → Running/);
    const { stdout } = await program.interrupt();
    expect(stdout).toMatch(/^EVENT\s+RESOURCE\s+NAMESPACE\s+NAME\s+AGE\s+STATUS$/m);
    expect(stdout).not.toContain('\u001b');
  });

  it('selects by namespace, label and field', async () => {
    await client.core.v1.namespaces().create({ metadata: { name: 'other' } });
    for (const name of ['a', 'b']) await client.core.v1.pods('other').create(pod(name, name));
    await client.core.v1.pods('default').create(pod('c'));
    const names = async (...args: string[]) => {
      const program = watch('pods', '-o', 'json', ...args);
      await program.seen(hasLine('synced'));
      await program.interrupt();
      return linesOf(program).flatMap(({ type, key }) => (type === 'final' ? [key] : []));
    };
    const [mine, all, labelled, field] = await Promise.all([
      names(),
      names('-A'),
      names('-n', 'other', '-l', 'app in (a,x)'),
      names('-n', 'other', '--field-selector', 'metadata.name!=a'),
    ]);
    expect(mine).toEqual(['default/c']);
    expect(all).toEqual(['default/c', 'other/a', 'other/b']);
    expect(labelled).toEqual(['other/a']);
    expect(field).toEqual(['other/b']);
  });

  it('continues after a restart of the server without its history', async () => {
    const pods = client.core.v1.pods('default');
    await pods.create(pod('a'));
    const program = watch('pods', '-o', 'json', '--no-objects');
    await program.seen(hasLine('synced'));
    await api.restart();
    await pods.create(pod('b'));
    await program.seen(hasLine('add', 'default/b'));
    await program.interrupt();
    // A relist that finds an object unchanged prints nothing.
    expect(linesOf(program).filter(({ type, key }) => type !== 'final' && key === 'default/a')).toHaveLength(1);
  });

  it('ends with 0 when its reader closes the pipe', async () => {
    await client.core.v1.pods('default').create(pod('a'));
    const program = watch('pods', '-o', 'name');
    await program.seen(/default\/a/);
    program.stopReading();
    // The next write fails with EPIPE.
    await client.core.v1.pods('default').create(pod('b'));
    const { code, stderr } = await program.ended;
    expect(stderr).toBe('');
    expect(code).toBe(0);
  });

  it('follows one object by RESOURCE/NAME, and prints a name with line breaks as one line', async () => {
    for (const name of ['a', 'b']) await client.core.v1.pods('default').create(pod(name));
    const forged = 'x\n---\nkind: Forged\u001b[2J';
    const roles = client.rbac.v1.roles('default');
    await roles.create({ metadata: { name: forged }, rules: [] });
    const program = watch('pods/b', 'roles', '-o', 'yaml');
    await program.seen(/^# synced pods: 1 at version \d+$/m);
    await program.seen(/^# synced roles.rbac.authorization.k8s.io: 1 at version \d+$/m);
    const { stdout } = await program.interrupt();
    expect(stdout).toContain('# add pods "default/b"');
    expect(stdout).not.toContain('default/a');
    expect(stdout).not.toContain('\u001b');
    const kinds = parseAllDocuments(stdout).map((one) => (one as { toJS(): { kind: string } }).toJS().kind);
    expect(kinds.sort()).toEqual(['Pod', 'Role']);
  });

  it.each([
    [['pods', 'p1'], 1, 'To follow one object, type pods/p1.'],
    [['pods/a/b'], 2, "'pods/a/b' is neither a resource nor RESOURCE/NAME"],
    [['pods/'], 2, 'as in pods/web-0'],
    [['pods/a,pods/b'], 2, 'pods is there twice'],
    [['pots'], 1, 'the server has no resource for "pots"; did you mean pods?'],
    [['bindings'], 1, 'bindings cannot be watched: the server has no list and no watch for it'],
    [['pods', '--context', 'prod'], 1, 'there is no context "prod"; its contexts: kubeflect'],
    [[], 2, 'which resource?'],
    [['pods', '-o', 'xml'], 2, '--output must be one of table, wide, changes, json, yaml, name'],
    [['pods', '-o', 'name', '--no-objects'], 2, '--no-objects goes with -o json only'],
    [['pods', '-l', 'a=('], 2, '--selector: cannot parse'],
    [['pods', '-n', 'x', '-A'], 2, 'contradict each other'],
    [['pods', '-n', ''], 2, "--namespace must be the name of a namespace, got ''"],
    [['pods', '-n', 'a/b'], 2, "--namespace must be the name of a namespace, got 'a/b'"],
    [['pods', '--for', '-1'], 2, "--for must be a number of seconds above 0, got '-1'"],
    [['pods', '--for', 'ever'], 2, '--for must be a number of seconds'],
    [['pods', '--dance'], 2, "'--dance'"],
  ])('watch %j fails with %i', async (args, expected, message) => {
    const { code, stdout, stderr } = await watch(...args).ended;
    expect(stderr).toContain(message);
    expect(stdout).toBe('');
    expect(code).toBe(expected);
  });

  it('-o table: says that there are no objects yet', async () => {
    const end = await watch('pods', 'po', '--for', '0.5').ended;
    expect(end).toEqual({ code: 0, stdout: '', stderr: 'pods: there are none yet, waiting for the first\n' });
  });

  it('fails when the list takes longer than --for', async () => {
    api.faults.inject({ resource: 'pods', times: 1_000, respond: { status: 503, reason: 'ServiceUnavailable' } });
    const { code, stderr } = await watch('pods', '--for', '1').ended;
    expect(stderr).toContain('pods could not be listed within 1 s');
    expect(code).toBe(1);
  });
});

describe('kubeflect watch cannot connect', () => {
  it('an unreachable server', async () => {
    await start();
    await api.stop();
    const { code, stderr } = await watch('pods').ended;
    expect(stderr).toMatch(/ECONNREFUSED.*no server listens at this address/);
    expect(stderr).not.toContain('    at ');
    expect(code).toBe(1);
  });

  it('an expired certificate', async () => {
    const tenYearsMs = 10 * 365 * 86_400_000;
    await start({ tls: true, clock: { ...realClock, now: () => realClock.now() - tenYearsMs } });
    const { code, stderr } = await watch('pods').ended;
    expect(stderr).toContain("the server's certificate has expired");
    expect(code).toBe(1);
  });

  it('a missing permission, and an unknown token', async () => {
    await start({ tls: true, authorization: 'rbac', tokens: { secret: { name: 'jane' } } });
    const config = parse(api.kubeconfig);
    const as = async (token: string) => {
      config.users[0].user = { token };
      kubeconfig = await new TempFolder().write('kubeconfig', stringify(config));
      return watch('pods').ended;
    };
    const forbidden = await as('secret');
    expect(forbidden.stderr).toMatch(/pods is forbidden: User "jane" cannot (list|watch) resource "pods"/);
    expect(forbidden.stderr).toContain('kubectl auth can-i');
    expect(forbidden.code).toBe(1);
    const unknown = await as('wrong');
    expect(unknown.stderr).toContain('The server does not accept your credentials');
    expect(unknown.code).toBe(1);
  });

  it('no cluster at all', async () => {
    const { code, stderr } = await kubeflect(['watch', 'pods']).ended;
    expect(stderr).toContain('no cluster is configured');
    expect(code).toBe(1);
  });
});

describe('kubeflect', () => {
  it('shows its help and its version', async () => {
    const [unknown, help, version, own] = await Promise.all([
      kubeflect(['help', 'dance']).ended,
      kubeflect(['--help']).ended,
      kubeflect(['--version']).ended,
      kubeflect(['watch', '--help']).ended,
    ]);
    expect(unknown).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('no command "dance"') });
    expect(help).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/^ {2}watch {2,}Follow/m) });
    const manifest = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8')) as { version: string };
    expect(version).toEqual({ code: 0, stderr: '', stdout: `${manifest.version}\n` });
    expect(own).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('--field-selector') });
  });
});
