import { execFile } from 'node:child_process';
import { chmod } from 'node:fs/promises';
import { delimiter, dirname } from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import { type CommandRig, commandRig } from '../../../test/support/command-rig.js';
import { TempFolder } from '../../../test/support/temp-folder.js';
import { scripts } from './scripts.js';

let rig: CommandRig;
beforeEach(async () => {
  rig = await commandRig();
  const spec = { containers: [{ name: 'main', image: 'web:1' }] };
  for (const name of ['web-0', 'web-1', 'api'])
    await rig.client.core.v1.pods('default').create({ metadata: { name }, spec });
  await rig.client.core.v1.namespaces().create({ metadata: { name: 'team-a' } });
  await rig.client.core.v1.configMaps('team-a').create({ metadata: { name: 'settings' } });
  await rig.client.rbac.v1.roles('default').create({ metadata: { name: 'a\u001b[2J;rm' }, rules: [] });
});

const complete = async (...words: string[]) => (await rig.run('__complete', ...words)).output.split('\n').slice(0, -1);

describe('kubeflect __complete', () => {
  it.each([
    [['wa'], ['wait', 'watch']],
    [['help', 'do'], ['doctor']],
    [['get', '--all'], ['--all-namespaces']],
    [
      ['logs', '--since'],
      ['--since', '--since-time'],
    ],
    [['get', 'pods', '-o', 'w'], ['wide']],
    [['get', 'pods', '--output=y'], ['--output=yaml']],
    [
      ['watch', 'pods', '-o', ''],
      ['changes', 'json', 'name', 'table', 'wide', 'yaml'],
    ],
    [['get', 'deployments.'], ['deployments.apps']],
    [['get', 'deplo'], ['deployments']],
    [['get', 'pods,deplo'], ['pods,deployments']],
    [
      ['get', 'pods', 'web'],
      ['web-0', 'web-1'],
    ],
    [
      ['get', 'pods/w'],
      ['pods/web-0', 'pods/web-1'],
    ],
    [['why', 'deployment'], ['deployments/']],
    [['tree', 'po/a'], ['po/api']],
    [
      ['logs', 'we'],
      ['web-0', 'web-1'],
    ],
    [['logs', '-c', 'x'], []],
    [['get', 'cm', '-n', 'tea'], ['team-a']],
    [['get', '-n', 'team-a', 'cm', 's'], ['settings']],
    [['get', 'roles', 'a'], []],
    [['get', 'pots', 'a'], []],
    [['serve', 'a'], []],
    [['dance', 'a'], []],
  ])('%j', async (words, expected) => {
    expect(await complete(...words)).toEqual(expected);
  });

  it('completes contexts of the kubeconfig', async () => {
    const config = { contexts: ['dev', 'prod'].map((name) => ({ name, context: { cluster: 'a', user: 'b' } })) };
    const path = await new TempFolder().write('config', JSON.stringify(config));
    const given = await rig.start(['__complete', 'get', 'pods', '--kubeconfig', path, '--context', '']).finished;
    expect(given.output).toBe('dev\nprod\n');
    const own = await rig.start(['__complete', 'get', '--context', 'p'], { env: { KUBECONFIG: path } }).finished;
    expect(own.output).toBe('prod\n');
  });

  it('has no candidates, and prints nothing, if the cluster does not answer', async () => {
    const connect = () => Promise.reject(new Error('no cluster'));
    expect(await rig.start(['__complete', 'get', 'po'], { connect }).ended()).toEqual({
      code: 0,
      output: '',
      errors: '',
    });
    rig.api.faults.inject({ times: 100, delayMs: 60_000 });
    expect(await rig.run('__complete', 'get', 'po')).toEqual({ code: 0, output: '', errors: '' });
  });
});

describe('kubeflect completion', () => {
  it('prints the program of a shell', async () => {
    for (const shell of ['bash', 'zsh', 'fish'] as const) {
      expect(await rig.run('completion', shell)).toEqual({ code: 0, output: scripts[shell], errors: '' });
    }
    expect(await rig.run('completion', 'tcsh')).toMatchObject({
      code: 2,
      errors: expect.stringContaining("got 'tcsh'"),
    });
    expect(await rig.run('completion')).toMatchObject({ code: 2 });
  });

  it('bash asks with the words of the line, and offers what follows a colon or an equals sign', async () => {
    const folder = new TempFolder();
    const program = await folder.write(
      'kubeflect',
      '#!/bin/bash\nshift\nprintf "%s|" "$@" >&3\nprintf -- "--output=yaml\\n"\n',
    );
    await chmod(program, 0o755);
    const line = 'kubeflect get pods --output=y';
    const test = `${scripts.bash}
exec 3>&1
COMP_LINE=${JSON.stringify(line)} COMP_POINT=${line.length} COMP_CWORD=5
COMP_WORDS=(kubeflect get pods --output = y)
_kubeflect
echo; printf '<%s>' "\${COMPREPLY[@]}"`;
    const env = { ...process.env, PATH: `${dirname(program)}${delimiter}${process.env['PATH']}` };
    const { stdout } = await promisify(execFile)('bash', ['-c', test], { env });
    expect(stdout).toBe('get|pods|--output=y|\n<yaml>');
  });
});
