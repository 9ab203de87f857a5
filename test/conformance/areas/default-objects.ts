import { expect } from 'vitest';
import { defaultApiServices, defaultBindings, defaultRoles } from '../../../src/resources/default-objects.js';
import { type Area, defineArea } from '../area.js';
import { at, type Doc } from '../doc.js';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const AGGREGATED = new Set(defaultRoles.filter(({ isAggregated }) => isAggregated).map(({ name }) => name));

interface Rule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

function printRule({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: Rule): string {
  return [verbs, apiGroups, resources, resourceNames, nonResourceURLs].filter((list) => list !== undefined).join('|');
}

/** The objects of a list that the server has created at its start. */
function ofStart(list: Doc): Doc[] {
  return list.items.filter(({ metadata }) => metadata.labels?.['kubernetes.io/bootstrapping'] === 'rbac-defaults');
}

function keyOf({ namespace, name }: { readonly namespace?: string; readonly name: string }): string {
  return `${namespace ?? ''}/${name}`;
}

export const area: Area = defineArea('default objects', (rule) => {
  rule('the default roles have their rules', async (api) => {
    const found = [...ofStart(await api.get(`${RBAC}/clusterroles`)), ...ofStart(await api.get(`${RBAC}/roles`))];
    expect(found.map(({ metadata }) => keyOf(metadata)).sort()).toEqual(defaultRoles.map(keyOf).sort());
    const wanted = new Map(defaultRoles.map((role) => [keyOf(role), role]));
    for (const role of found) {
      // Those of aggregated roles come from a controller.
      if (AGGREGATED.has(role.metadata.name)) continue;
      const rules = (at(role, 'rules') as unknown as Rule[]).map(printRule);
      expect([role.metadata.name, rules]).toEqual([role.metadata.name, wanted.get(keyOf(role.metadata))?.rules]);
    }
  });

  rule('the default roles are marked, and added to by labels', async (api) => {
    const edit = await api.get(`${RBAC}/clusterroles/edit`);
    expect(edit.metadata.labels).toEqual({
      'kubernetes.io/bootstrapping': 'rbac-defaults',
      'rbac.authorization.k8s.io/aggregate-to-admin': 'true',
    });
    expect(edit.metadata.annotations).toEqual({ 'rbac.authorization.kubernetes.io/autoupdate': 'true' });
    expect(at(edit, 'aggregationRule')).toEqual({
      clusterRoleSelectors: [{ matchLabels: { 'rbac.authorization.k8s.io/aggregate-to-edit': 'true' } }],
    });
    expect(edit.metadata.managedFields).toContainEqual(
      expect.objectContaining({
        operation: 'Update',
        fieldsV1: {
          'f:aggregationRule': { '.': {}, 'f:clusterRoleSelectors': {} },
          'f:metadata': {
            'f:annotations': { '.': {}, 'f:rbac.authorization.kubernetes.io/autoupdate': {} },
            'f:labels': {
              '.': {},
              'f:kubernetes.io/bootstrapping': {},
              'f:rbac.authorization.k8s.io/aggregate-to-admin': {},
            },
          },
        },
      }),
    );
  });

  rule('the default bindings bind them', async (api) => {
    const found = [
      ...ofStart(await api.get(`${RBAC}/clusterrolebindings`)),
      ...ofStart(await api.get(`${RBAC}/rolebindings`)),
    ];
    const print = (binding: Doc): object => ({
      ...(binding.metadata.namespace === undefined ? {} : { namespace: binding.metadata.namespace }),
      name: binding.metadata.name,
      role: at(binding, 'roleRef.name'),
      subjects: ((at(binding, 'subjects') ?? []) as unknown as Record<string, string>[]).map(
        ({ kind, name, namespace }) => [kind, name, namespace].filter((part) => part !== undefined).join('|'),
      ),
    });
    const sorted = (list: readonly object[]): string[] => list.map((item) => JSON.stringify(item)).sort();
    expect(sorted(found.map(print))).toEqual(sorted(defaultBindings));
    expect(found[0]?.metadata.managedFields?.[0]?.fieldsV1).toMatchObject({ 'f:roleRef': {}, 'f:subjects': {} });
  });

  rule('each group and version has an APIService', async (api) => {
    const { items } = await api.get('/apis/apiregistration.k8s.io/v1/apiservices', {
      labelSelector: 'kube-aggregator.kubernetes.io/automanaged=onstart',
    });
    const found = items.map((service) => ({
      name: service.metadata.name,
      groupPriorityMinimum: at(service, 'spec.groupPriorityMinimum'),
      versionPriority: at(service, 'spec.versionPriority'),
    }));
    expect(found).toEqual(defaultApiServices);
    expect(at(items[3]!, 'status.conditions')).toEqual([
      expect.objectContaining({ type: 'Available', status: 'True', reason: 'Local' }),
    ]);
    expect(items[3]?.metadata.managedFields?.[0]?.fieldsV1).toEqual({
      'f:metadata': { 'f:labels': { '.': {}, 'f:kube-aggregator.kubernetes.io/automanaged': {} } },
      'f:spec': { 'f:group': {}, 'f:groupPriorityMinimum': {}, 'f:version': {}, 'f:versionPriority': {} },
    });
  });

  rule('a default role can be deleted', async (api) => {
    const path = `${RBAC}/clusterroles/system:heapster`;
    const answer = await api.request('DELETE', path, { query: { dryRun: 'All' } });
    expect(answer.status).toBe(200);
  });
});
