import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { startApiServer } from '../../src/apiserver/server.js';
import type { Client } from '../../src/client/client.js';
import { hasLine, linesOf } from '../support/json-lines.js';
import { kubeflect, type Program, repository } from '../support/program.js';
import { TempFolder } from '../support/temp-folder.js';

// What only a process of its own shows: signals, pipes, exit codes and kubeconfigs. Tests beside src/cli/ have the rest.

const pod = (name: string) => ({ metadata: { name }, spec: { containers: [{ name: 'main', image: 'web' }] } });

describe('the kubeflect command, watching', () => {
  let client: Client;
  let kubeconfig: string;

  beforeEach(async () => {
    const api = await startApiServer();
    client = api.client();
    kubeconfig = await new TempFolder().write('kubeconfig', api.kubeconfig);
    const ownClient = client;
    onTestFinished(async () => {
      await ownClient.close();
      await api.stop();
    });
    await client.core.v1.pods('default').create(pod('a'));
  });

  const watch = (...args: string[]): Program => kubeflect(['watch', ...args, '--kubeconfig', kubeconfig]);

  it('ends with 0 after SIGINT, with its last lines', async () => {
    const program = watch('pods', '-o', 'json', '--no-objects');
    await program.seen(hasLine('synced'));
    await client.core.v1.pods('default').create(pod('b'));
    await program.seen(hasLine('add', 'default/b'));
    const { code, stderr } = await program.interrupt();
    expect(linesOf(program).map(({ type, key }) => [type, key])).toEqual([
      ['add', 'default/a'],
      ['synced', undefined],
      ['add', 'default/b'],
      ['final', 'default/a'],
      ['final', 'default/b'],
    ]);
    expect(stderr).toBe('');
    expect(code).toBe(0);
  });

  it('ends with 0 when its reader closes the pipe', async () => {
    const program = watch('pods', '-o', 'name');
    await program.seen(/default\/a/);
    program.stopReading();
    // The next write fails with EPIPE.
    await client.core.v1.pods('default').create(pod('b'));
    const { code, stderr } = await program.ended;
    expect(stderr).toBe('');
    expect(code).toBe(0);
  });

  it('ends with 1 when the kubeconfig has no such context', async () => {
    const { code, stdout, stderr } = await watch('pods', '--context', 'prod').ended;
    expect(stderr).toContain('there is no context "prod"; its contexts: kubeflect');
    expect(stdout).toBe('');
    expect(code).toBe(1);
  });
});

describe('the kubeflect command', () => {
  it('ends with 1 without a cluster', async () => {
    const { code, stderr } = await kubeflect(['watch', 'pods']).ended;
    expect(stderr).toContain('no cluster is configured');
    expect(stderr).not.toContain('    at ');
    expect(code).toBe(1);
  });

  it('ends with 2 when its arguments are wrong', async () => {
    const { code, stdout, stderr } = await kubeflect(['help', 'dance']).ended;
    expect(stderr).toContain('no command "dance"');
    expect(stdout).toBe('');
    expect(code).toBe(2);
  });

  it('shows its version', async () => {
    const manifest = JSON.parse(await readFile(join(repository, 'package.json'), 'utf8')) as { version: string };
    const end = await kubeflect(['--version']).ended;
    expect(end).toEqual({ code: 0, stderr: '', stdout: `${manifest.version}\n` });
  });
});
