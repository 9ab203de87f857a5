import { beforeEach, describe, expect, it } from 'vitest';
import { type CommandRig, commandRig } from '../../../test/support/command-rig.js';

let rig: CommandRig;
beforeEach(async () => {
  rig = await commandRig();
});

const pod = (name: string) => ({ metadata: { name }, spec: { containers: [{ name: 'main', image: 'web:1' }] } });
const pods = () => rig.client.core.v1.pods('default');

describe('kubeflect watch -o table', () => {
  it('prints a line per event with the columns of the server', async () => {
    await pods().create(pod('a'));
    const watching = rig.start(['watch', 'pods']);
    await watching.seen(/^add +a/m);
    await pods().create(pod('b-with-a-long-name'));
    await pods().patchStatus('a', { phase: 'Running' });
    await pods().delete('a', { gracePeriodSeconds: 0 });
    await watching.seen(/^delete/m);
    expect(await watching.interrupt()).toEqual({
      code: 0,
      output:
        'EVENT   NAME  READY  STATUS   RESTARTS  AGE\n' +
        'add     a     0/1    Pending  0         0s\n' +
        'add     b-with-a-long-name  0/1    Pending  0         0s\n' +
        'update  a                   0/1    Running  0         0s\n' +
        'update  a                   0/1    Terminating  0         0s\n' +
        'delete  a                   0/1    Terminating  0         0s\n',
      errors: '',
    });
  });

  it('colours the cells that changed, except ages', async () => {
    await pods().create(pod('a'));
    const watching = rig.start(['watch', 'pods'], { isTTY: true });
    await watching.seen(/add/);
    await rig.clock.advance(7_000);
    await pods().patchStatus('a', { phase: 'Running' });
    await watching.seen(/update/);
    const line = watching.output.split('\n').find((one) => one.includes('update'));
    expect(line).toBe(
      '\u001b[33mupdate\u001b[39m  a     0/1    \u001b[1m\u001b[33mRunning\u001b[39m\u001b[22m  0         7s',
    );
    await watching.interrupt();
  });

  it('prints the columns again for each of several resources, with their names', async () => {
    await pods().create(pod('a'));
    const watching = rig.start([
      'watch',
      'pods,cm',
      '-A',
      '-l',
      '!kubernetes.io/x',
      '--field-selector',
      'metadata.name=a',
    ]);
    await watching.seen(/pod\/a/);
    await rig.client.core.v1.configMaps('default').create({ metadata: { name: 'a' } });
    await watching.seen(/configmap\/a/);
    const { output } = await watching.interrupt();
    expect(output).toBe(
      'EVENT   NAMESPACE  NAME   READY  STATUS   RESTARTS  AGE\n' +
        'add     default    pod/a  0/1    Pending  0         0s\n' +
        'EVENT   NAMESPACE  NAME         DATA  AGE\n' +
        'add     default    configmap/a  0     0s\n',
    );
  });

  it('-o wide shows more columns, of one object', async () => {
    for (const name of ['a', 'b']) await pods().create(pod(name));
    const watching = rig.start(['watch', 'pods/b', '-o', 'wide']);
    await watching.seen(/^add/m);
    const { output } = await watching.interrupt();
    expect(output).toMatch(/^EVENT +NAME +READY +STATUS +RESTARTS +AGE +IP +NODE .*\nadd +b .*\n$/);
  });

  it('goes on after a restart without history, and prints the changes that it missed', async () => {
    await pods().create(pod('a'));
    await pods().create(pod('b'));
    const watching = rig.start(['watch', 'pods']);
    await watching.seen(/^add +b/m);
    await rig.api.restart();
    await pods().delete('a', { gracePeriodSeconds: 0 });
    await pods().patchStatus('b', { phase: 'Running' });
    await watching.seen(/^update +b +0\/1 +Running/m);
    const { output } = await watching.interrupt();
    expect(output).toMatch(/^delete +a /m);
    expect(output.match(/^add/gm)).toHaveLength(2);
  });

  it('says that there are none yet, and ends after --for', async () => {
    const errors = 'pods: there are none yet, waiting for the first\n';
    expect(await rig.run('watch', 'pods', 'po', '--for', '5')).toEqual({ code: 0, output: '', errors });
  });
});

describe('kubeflect watch', () => {
  it.each([
    [['pods', 'p1'], 1, 'To follow one object, type pods/p1.'],
    [['pods/a/b'], 2, "'pods/a/b' is neither a resource nor RESOURCE/NAME"],
    [['pods/'], 2, 'as in pods/web-0'],
    [['pods/a,pods/b'], 2, 'pods is there twice'],
    [['pots'], 1, 'the server has no resource for "pots"; did you mean pods?'],
    [['bindings'], 1, 'bindings cannot be watched: the server has no list and no watch for it'],
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
  ])('%j fails with %i', async (args, code, message) => {
    expect(await rig.run('watch', ...args)).toEqual({ code, output: '', errors: expect.stringContaining(message) });
  });

  it('fails when the list takes longer than --for', async () => {
    rig.api.faults.inject({ resource: 'pods', times: 1_000, respond: { status: 503, reason: 'ServiceUnavailable' } });
    const { code, errors } = await rig.run('watch', 'pods', '--for', '1');
    expect(errors).toContain('pods could not be listed within 1 s');
    expect(code).toBe(1);
  });

  it('is in the help, and has its own', async () => {
    const help = { code: 0, output: expect.stringMatching(/^ {2}watch {2,}Follow/m), errors: '' };
    expect(await rig.run('--help')).toEqual(help);
    const own = { code: 0, output: expect.stringContaining('--field-selector'), errors: '' };
    expect(await rig.run('watch', '--help')).toEqual(own);
  });
});
