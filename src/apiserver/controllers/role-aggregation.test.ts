import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Doc, MemoryClient } from '../../../test/apiserver/memory-client.js';
import { FakeClock } from '../../time/fake-clock.js';
import { type ApiServer, startApiServer } from '../index.js';

const ROLES = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
const THINGS = { verbs: ['get'], apiGroups: ['example.com'], resources: ['things'] };

let clock: FakeClock;
let api: ApiServer;
let client: MemoryClient;

beforeEach(async () => {
  clock = new FakeClock();
  api = await startApiServer({ clock, listen: false, onError: (error) => expect.fail(String(error)) });
  client = new MemoryClient(api);
});

afterEach(() => api.stop());

async function rulesOf(name: string): Promise<Doc[]> {
  await clock.runUntilIdle();
  return (await client.get(`${ROLES}/${name}`)).json.rules ?? [];
}

function adding(name: string, to: string): object {
  const labels = { [`rbac.authorization.k8s.io/aggregate-to-${to}`]: 'true' };
  return { metadata: { name, labels }, rules: [THINGS] };
}

describe('aggregated cluster roles', () => {
  it('have the rules of the default roles from the start, and are not written again', async () => {
    const before = (await client.get(ROLES)).json;
    await clock.runUntilIdle();
    const after = (await client.get(ROLES)).json;
    expect(after).toEqual(before);
    const rules = async (name: string): Promise<string[]> => (await rulesOf(name)).map((rule) => JSON.stringify(rule));
    const [view, edit, admin] = [await rules('view'), await rules('edit'), await rules('admin')];
    expect(view).toEqual(await rules('system:aggregate-to-view'));
    expect(edit).toEqual([...new Set([...(await rules('system:aggregate-to-edit')), ...view])]);
    expect(admin).toEqual([...new Set([...edit, ...(await rules('system:aggregate-to-admin'))])]);
  });

  it('follow the roles that add rules to them, and roles that add theirs in turn', async () => {
    await client.post(ROLES, adding('more-view', 'view'));
    for (const name of ['view', 'edit', 'admin']) expect(await rulesOf(name)).toContainEqual(THINGS);
    await client.delete(`${ROLES}/more-view`);
    for (const name of ['view', 'edit', 'admin']) expect(await rulesOf(name)).not.toContainEqual(THINGS);
  });

  it('may be created, with selectors that select nothing yet', async () => {
    const labels = { 'rbac.authorization.k8s.io/aggregate-to-mine': 'true' };
    const selectors = [{ matchLabels: labels }, { matchExpressions: [{ key: 'extra', operator: 'Exists' }] }];
    const aggregationRule = { clusterRoleSelectors: selectors };
    const own = [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }];
    await client.post(ROLES, { metadata: { name: 'mine' }, aggregationRule, rules: own });
    expect(await rulesOf('mine')).toEqual([]);
    await client.post(ROLES, adding('first', 'mine'));
    await client.post(ROLES, { metadata: { name: 'second', labels: { extra: '' } }, rules: [THINGS, ...own] });
    expect(await rulesOf('mine')).toEqual([THINGS, ...own]);
    const { managedFields } = (await client.get(`${ROLES}/mine`)).json.metadata;
    expect(managedFields.map((entry: Doc) => entry.manager)).toContain('clusterrole-aggregation-controller');
  });

  it('are left alone without the controller', async () => {
    const other = await startApiServer({ clock, listen: false, controllers: ['system-namespaces'] });
    const without = new MemoryClient(other);
    await without.post(ROLES, adding('more-view', 'view'));
    await clock.runUntilIdle();
    expect((await without.get(`${ROLES}/view`)).json.rules).not.toContainEqual(THINGS);
    await other.stop();
  });
});
