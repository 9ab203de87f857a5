import { beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type CommandRig, commandRig } from '../../../test/support/command-rig.js';

let rig: CommandRig;
beforeEach(async () => {
  rig = await commandRig();
  for (const [name, app] of [
    ['a', 'web'],
    ['b', 'other'],
  ] as const) {
    await rig.client.core.v1.pods('default').create({
      metadata: { name, labels: { app } },
      spec: { containers: [{ name: 'main', image: 'web:1' }] },
    });
  }
  await rig.client.core.v1.namespaces().create({ metadata: { name: 'other' } });
  await rig.client.core.v1.configMaps('other').create({ metadata: { name: 'c' }, data: { text: '\u009b31mred' } });
});

const get = (...args: string[]) => rig.run('get', ...args);

describe('kubeflect get', () => {
  it('shows the columns of the server', async () => {
    await rig.clock.advance(5 * 60_000);
    const { code, output, errors } = await get('po');
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
    expect(output).toBe(
      'NAME  READY  STATUS   RESTARTS  AGE\n' +
        'a     0/1    Pending  0         5m\n' +
        'b     0/1    Pending  0         5m\n',
    );
  });

  it.each([
    [['pods', '-l', 'app=web', '-o', 'name'], 'pod/a\n'],
    [['pods', '--field-selector', 'metadata.name!=a', '-o', 'name'], 'pod/b\n'],
    [['pods/b', 'ns/other', '-o', 'name'], 'pod/b\nnamespace/other\n'],
    [['pods', 'b', 'a', '--no-headers', '-n', 'default'], 'b  0/1  Pending  0  0s\na  0/1  Pending  0  0s\n'],
    [['cm', '-A', '--field-selector', 'metadata.name=c'], 'NAMESPACE  NAME  DATA  AGE\nother      c     1     0s\n'],
    [
      ['po/a,ns/other'],
      'NAME   READY  STATUS   RESTARTS  AGE\npod/a  0/1    Pending  0         0s\n\n' +
        'NAME             STATUS  AGE\nnamespace/other  Active  0s\n',
    ],
    [['all', '-o', 'name', '-l', 'app'], 'pod/a\npod/b\n'],
  ])('%j', async (args, output) => {
    expect(await get(...args)).toEqual({ code: 0, output, errors: '' });
  });

  it('-o wide shows more columns, and colours belong to terminals without NO_COLOR', async () => {
    const { output } = await get('pods', '-o', 'wide');
    expect(output).toMatch(/^NAME +READY +STATUS +RESTARTS +AGE +IP +NODE +NOMINATED NODE +READINESS GATES\n/);
    expect(output).not.toContain('\u001b');
    const coloured = await rig.start(['get', 'pods'], { isTTY: true }).ended();
    expect(coloured.output).toContain('\u001b[1mNAME  READY  STATUS   RESTARTS  AGE\u001b[22m\n');
    const plain = await rig.start(['get', 'pods'], { isTTY: true, env: { NO_COLOR: '1' } }).ended();
    expect(plain.output).not.toContain('\u001b');
  });

  it('-o json and -o yaml: one object as it is, several as a List, without managedFields and C1 controls', async () => {
    const one = await get('cm/c', '-n', 'other', '-o', 'json');
    expect(one.output).not.toMatch(/[\u0080-\u009f]/);
    const object = JSON.parse(one.output);
    expect(object).toMatchObject({ kind: 'ConfigMap', apiVersion: 'v1', data: { text: '\u009b31mred' } });
    expect(object.metadata).not.toHaveProperty('managedFields');
    expect(parse((await get('cm/c', '-n', 'other', '-o', 'yaml')).output)).toEqual(object);
    const list = JSON.parse((await get('pods', '-o', 'json')).output);
    expect(list).toMatchObject({ kind: 'List', apiVersion: 'v1', items: [{ kind: 'Pod' }, { kind: 'Pod' }] });
    expect(parse((await get('pods', '-o', 'yaml')).output)).toEqual(list);
    const empty = await get('pods', '-l', 'app=none', '-o', 'json');
    expect(JSON.parse(empty.output)).toMatchObject({ kind: 'List', items: [] });
    expect(parse((await get('pods', '-l', 'app=none', '-o', 'yaml')).output)).toEqual(JSON.parse(empty.output));
  });

  it('reads a large collection in pages', async () => {
    const names = Array.from({ length: 1203 }, (_, i) => `m${String(i).padStart(4, '0')}`);
    const objects = names.map((name) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace: 'default' },
    }));
    const large = await commandRig({ objects });
    const { output } = await large.run('get', 'cm', '--no-headers');
    expect(output.split('\n').map((line) => line.split(' ')[0])).toEqual([...names, '']);
    expect((await large.run('get', 'cm', '-o', 'name')).output.split('\n')).toHaveLength(1204);
  });

  it('says that there are none, and which object does not exist', async () => {
    expect(await get('deploy')).toEqual({ code: 0, output: '', errors: 'no objects found in namespace default\n' });
    const { code, output, errors } = await get('pods', 'a', 'gone', '--no-headers');
    expect([code, output]).toEqual([1, 'a  0/1  Pending  0  0s\n']);
    expect(errors).toMatch(/^kubeflect get: .*pods "gone" not found \(404 NotFound\)\n$/);
  });

  it.each([
    [[], 2, 'which resource? For instance: kubeflect get pods'],
    [['pods/'], 2, 'as in pods/web-0'],
    [['pods', ''], 2, 'is no name of an object'],
    [['pots'], 1, 'did you mean pods?'],
    [['pods', '-o', 'xml'], 2, '--output must be one of table, wide, json, yaml, name'],
    [['pods', '-n', 'x', '-A'], 2, 'contradict each other'],
    [['pods', 'a', '-l', 'app'], 2, 'leave them out, or the names'],
    [['pods', 'a', '-A'], 2, 'name it with -n'],
    [['pods', '-l', 'a=('], 2, '--selector: cannot parse'],
    [['bindings'], 1, 'the server has no list for it'],
  ])('refuses %j', async (args, expected, message) => {
    const { code, output, errors } = await get(...args);
    expect([code, output, errors]).toEqual([expected, '', expect.stringContaining(message)]);
  });

  it('ends quietly when it is interrupted', async () => {
    const running = rig.start(['get', 'pods']);
    expect(await running.interrupt()).toEqual({ code: 1, output: '', errors: '' });
  });
});
