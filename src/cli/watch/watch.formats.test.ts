import { beforeEach, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { type CommandRig, commandRig, type RunningCommand } from '../../../test/support/command-rig.js';
import { hasLine, linesOf } from '../../../test/support/json-lines.js';

let rig: CommandRig;
beforeEach(async () => {
  rig = await commandRig();
});

const pod = (name: string, app = 'web') => ({
  metadata: { name, labels: { app } },
  spec: { containers: [{ name: 'main', image: app }] },
});
const pods = (namespace = 'default') => rig.client.core.v1.pods(namespace);
const watch = (...args: string[]): RunningCommand => rig.start(['watch', ...args]);

describe('kubeflect watch -o json', () => {
  it('add, synced, update, delete and final, one object per line', async () => {
    const first = await pods().create(pod('a'));
    const watching = watch('pods', '-o', 'json');
    await watching.seen(hasLine('synced'));
    const second = await pods().create(pod('b'));
    const changed = await pods().patchStatus('b', { phase: 'Running' });
    await watching.seen(hasLine('update', 'default/b'));
    await pods().delete('a');
    await watching.seen(hasLine('delete', 'default/a'));
    const { code, errors } = await watching.interrupt();
    expect(linesOf(watching)).toEqual([
      {
        type: 'add',
        resource: 'pods',
        key: 'default/a',
        resourceVersion: first.metadata.resourceVersion,
        isInInitialList: true,
        object: expect.objectContaining({ kind: 'Pod', apiVersion: 'v1', spec: expect.anything() }),
      },
      { type: 'synced', resource: 'pods', count: 1, resourceVersion: expect.any(String) },
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
    expect(errors).toBe('');
    expect(code).toBe(0);
  });

  it('--no-objects leaves the objects out; --for ends by itself', async () => {
    await pods().create(pod('a'));
    const watching = watch('po', '-o', 'json', '--no-objects', '--for', '3');
    expect((await watching.ended()).code).toBe(0);
    const lines = linesOf(watching);
    expect(lines.map(({ type }) => type)).toEqual(['add', 'synced', 'final']);
    expect(lines[0]).not.toHaveProperty('object');
  });

  it('selects by namespace, label and field', async () => {
    await rig.client.core.v1.namespaces().create({ metadata: { name: 'other' } });
    for (const name of ['a', 'b']) await pods('other').create(pod(name, name));
    await pods().create(pod('c'));
    const names = async (...args: string[]) => {
      const watching = watch('pods', '-o', 'json', ...args);
      await watching.seen(hasLine('synced'));
      await watching.interrupt();
      return linesOf(watching).flatMap(({ type, key }) => (type === 'final' ? [key] : []));
    };
    expect(await names()).toEqual(['default/c']);
    expect(await names('-A')).toEqual(['default/c', 'other/a', 'other/b']);
    expect(await names('-n', 'other', '-l', 'app in (a,x)')).toEqual(['other/a']);
    expect(await names('-n', 'other', '--field-selector', 'metadata.name!=a')).toEqual(['other/b']);
  });

  it('continues after a restart of the server without its history', async () => {
    await pods().create(pod('a'));
    const watching = watch('pods', '-o', 'json', '--no-objects');
    await watching.seen(hasLine('synced'));
    await rig.api.restart();
    await pods().create(pod('b'));
    await watching.seen(hasLine('add', 'default/b'));
    await watching.interrupt();
    // A relist that finds an object unchanged prints nothing.
    expect(linesOf(watching).filter(({ type, key }) => type !== 'final' && key === 'default/a')).toHaveLength(1);
  });
});

describe('kubeflect watch -o name', () => {
  it('prints the key of each changed object, after its resource if there are several', async () => {
    await pods().create(pod('a'));
    const one = watch('Pod', '-o', 'name');
    const several = watch('pods,namespaces', '-o', 'name');
    await one.seen(/^default\/a$/m);
    await several.seen(/^pods default\/a$/m);
    await several.seen(/^namespaces kube-system$/m);
    await pods().delete('a');
    await one.seen(/^default\/a\n(.*\n)*default\/a$/m);
    expect((await one.interrupt()).code).toBe(0);
    await several.interrupt();
  });
});

describe('kubeflect watch -o yaml', () => {
  it('prints a document per event', async () => {
    await pods().create(pod('a'));
    const watching = watch('pods', '-o', 'yaml');
    await watching.seen(/^# synced pods: 1 at version \d+$/m);
    const { output } = await watching.interrupt();
    expect(output).toContain('# add pods "default/a"');
    const [document] = parseAllDocuments(output);
    expect(document && 'toJS' in document && document.toJS()).toMatchObject({ kind: 'Pod', metadata: { name: 'a' } });
  });

  it('follows one object by RESOURCE/NAME, and prints a name with line breaks as one line', async () => {
    for (const name of ['a', 'b']) await pods().create(pod(name));
    const forged = 'x\n---\nkind: Forged\u001b[2J';
    await rig.client.rbac.v1.roles('default').create({ metadata: { name: forged }, rules: [] });
    const watching = watch('pods/b', 'roles', '-o', 'yaml');
    await watching.seen(/^# synced pods: 1 at version \d+$/m);
    await watching.seen(/^# synced roles.rbac.authorization.k8s.io: 1 at version \d+$/m);
    const { output } = await watching.interrupt();
    expect(output).toContain('# add pods "default/b"');
    expect(output).not.toContain('default/a');
    expect(output).not.toContain('\u001b');
    const kinds = parseAllDocuments(output).map((one) => (one as { toJS(): { kind: string } }).toJS().kind);
    expect(kinds.sort()).toEqual(['Pod', 'Role']);
  });
});

describe('kubeflect watch -o changes', () => {
  it('prints a line per event with status and changes, without colours in a pipe', async () => {
    await pods().create(pod('a'));
    const watching = watch('pods', 'deploy', '-A', '-o', 'changes');
    await watching.seen(/add\s+pods\s+default\s+a\s+\d+s\s+Pending/);
    await pods().patchStatus('a', { phase: 'Running' });
    await watching.seen(/update\s+pods\s+default\s+a\s+\d+s\s+Running {2}status.phase Pending → Running/);
    const { output } = await watching.interrupt();
    expect(output).toMatch(/^EVENT\s+RESOURCE\s+NAMESPACE\s+NAME\s+AGE\s+STATUS$/m);
    expect(output).not.toContain('\u001b');
  });
});
