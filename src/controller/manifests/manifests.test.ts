import { describe, expect, it } from 'vitest';
import { Client, defineResource, type KubernetesObject, resources } from '../../index.js';
import type { PolicyRule } from '../../resources/types/rbac-v1.js';
import { createController } from '../controller.js';
import type { ManagerOptions } from '../manager/manager-options.js';
import type { ControllerOptions } from '../types.js';
import { type Manifest, manifests } from './manifests.js';

const { configMaps, namespaces, nodes, secrets } = resources.core.v1;
const widgets = defineResource<KubernetesObject>({
  group: 'example.com',
  version: 'v1',
  resource: 'widgets',
  kind: 'Widget',
  namespaced: true,
});

function manager(
  options: Partial<ControllerOptions<KubernetesObject>> = {},
  more: Partial<ManagerOptions> = {},
): ManagerOptions {
  const controller = createController({ name: 'widgets', for: widgets, reconcile: () => {}, ...options });
  return { name: 'widget-operator', controllers: [controller], ...more };
}

function rulesOf(objects: readonly Manifest[], kind: string, namespace?: string): readonly PolicyRule[] {
  const role = objects.find((object) => object.kind === kind && object.metadata.namespace === namespace);
  return (role?.['rules'] as PolicyRule[] | undefined) ?? [];
}

const events: PolicyRule = { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] };

describe('manifests', () => {
  it('are in the order in which they are applied', () => {
    const kinds = manifests(manager(), { image: 'widgets:1' }).map(({ kind }) => kind);
    expect(kinds).toEqual([
      'Namespace',
      'ServiceAccount',
      'ClusterRole',
      'ClusterRoleBinding',
      'Role',
      'RoleBinding',
      'Service',
      'Deployment',
    ]);
    expect(manifests(manager({}, { port: false, election: false })).map(({ kind }) => kind)).toEqual([
      'Namespace',
      'ServiceAccount',
      'ClusterRole',
      'ClusterRoleBinding',
    ]);
  });

  it('begin with the definitions of the kinds in use, each once', () => {
    const definition = { metadata: { name: 'widgets.example.com' }, spec: { group: 'example.com', versions: [] } };
    const custom = Object.freeze({ ...widgets, definition });
    const objects = manifests(manager({ for: custom, owns: [custom] }));
    expect(objects.filter(({ kind }) => kind === 'CustomResourceDefinition')).toEqual([
      { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', ...definition },
    ]);
  });

  it('grant reads of `for` and its status, and no more', () => {
    const objects = manifests(manager());
    expect(rulesOf(objects, 'ClusterRole')).toEqual([
      events,
      { apiGroups: ['example.com'], resources: ['widgets'], verbs: ['get', 'list', 'watch'] },
      { apiGroups: ['example.com'], resources: ['widgets/status'], verbs: ['patch'] },
    ]);
    expect(rulesOf(objects, 'Role', 'widget-operator')).toEqual([
      { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create'] },
      {
        apiGroups: ['coordination.k8s.io'],
        resources: ['leases'],
        resourceNames: ['widget-operator'],
        verbs: ['get', 'update'],
      },
    ]);
  });

  it('grant what finalize, owns, watches, permissions and definitions add', () => {
    const definition = {
      metadata: { name: 'widgets.example.com' },
      spec: { versions: [{ name: 'v1', served: true, storage: true }] },
    };
    const custom = Object.freeze({ ...widgets, definition });
    const options = manager(
      {
        for: custom,
        finalize: () => {},
        owns: [configMaps],
        watches: (watch) => [watch(namespaces, { metadataOnly: true, requests: () => [] })],
        permissions: [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }],
      },
      { definitions: 'apply', election: false },
    );
    expect(rulesOf(manifests(options), 'ClusterRole')).toEqual([
      {
        apiGroups: [''],
        resources: ['configmaps'],
        verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'],
      },
      events,
      { apiGroups: [''], resources: ['namespaces'], verbs: ['get', 'list', 'watch'] },
      { apiGroups: [''], resources: ['secrets'], verbs: ['get'] },
      {
        apiGroups: ['apiextensions.k8s.io'],
        resources: ['customresourcedefinitions'],
        resourceNames: ['widgets.example.com'],
        verbs: ['get', 'create', 'patch'],
      },
      // Without a status subresource in the definition there is no right to write one.
      { apiGroups: ['example.com'], resources: ['widgets'], verbs: ['get', 'list', 'watch', 'patch'] },
      { apiGroups: ['example.com'], resources: ['widgets/finalizers'], verbs: ['update'] },
    ]);
  });

  it('grant Roles instead of a ClusterRole if the caches are limited to namespaces', () => {
    const options = manager(
      {
        owns: [configMaps, secrets],
        watches: (watch) => [watch(nodes, { requests: () => [] })],
        permissions: [
          { apiGroups: [''], resources: ['pods'], verbs: ['list'] },
          { apiGroups: ['storage.k8s.io'], resources: ['storageclasses'], verbs: ['get'] },
        ],
      },
      {
        election: false,
        cache: { namespace: ['blue', 'green'] },
        cacheOf: { secrets: { namespace: 'vault' } },
      },
    );
    const objects = manifests(options);
    const own = ['get', 'list', 'watch', 'create', 'patch', 'delete'];
    for (const namespace of ['blue', 'green'])
      expect(rulesOf(objects, 'Role', namespace)).toEqual([
        { apiGroups: [''], resources: ['configmaps'], verbs: own },
        events,
        { apiGroups: [''], resources: ['pods'], verbs: ['list'] },
        { apiGroups: ['example.com'], resources: ['widgets'], verbs: ['get', 'list', 'watch'] },
        { apiGroups: ['example.com'], resources: ['widgets/status'], verbs: ['patch'] },
      ]);
    expect(rulesOf(objects, 'Role', 'vault')).toEqual([{ apiGroups: [''], resources: ['secrets'], verbs: own }]);
    expect(rulesOf(objects, 'ClusterRole')).toEqual([
      { apiGroups: [''], resources: ['nodes'], verbs: ['get', 'list', 'watch'] },
      { apiGroups: ['storage.k8s.io'], resources: ['storageclasses'], verbs: ['get'] },
    ]);
  });

  it('leave out what is read with the client of another cluster', async () => {
    const other = new Client({ server: 'http://127.0.0.1:1' });
    const watching = manager({
      watches: (watch) => [watch(configMaps, { client: other, requests: () => [] })],
    });
    const text = JSON.stringify(manifests(watching));
    expect(text).not.toContain('configmaps');
    expect(JSON.stringify(manifests(manager({ client: other })))).not.toContain('widgets/status');
    await other.close();
  });

  it('make a Deployment whose pods stop within their grace period', () => {
    const [deployment] = manifests(manager({}, { drainMs: 50_000, port: 9000 }), {
      image: 'widgets:1',
      namespace: 'operators',
      replicas: 3,
    }).slice(-1);
    expect(deployment).toMatchObject({
      kind: 'Deployment',
      metadata: { name: 'widget-operator', namespace: 'operators' },
      spec: {
        replicas: 3,
        template: {
          spec: {
            serviceAccountName: 'widget-operator',
            terminationGracePeriodSeconds: 65,
            containers: [{ image: 'widgets:1', ports: [{ name: 'metrics', containerPort: 9000 }] }],
          },
        },
      },
    });
  });

  it('refuse wrong options at once', () => {
    const { controllers } = manager();
    expect(() => manifests({ name: 'Not a name', controllers })).toThrow(/name must be a DNS name/);
    expect(() => manifests({ name: 'a', controllers: [...(controllers ?? []), ...(controllers ?? [])] })).toThrow(
      /two controllers named "widgets"/,
    );
    expect(() => manifests(manager(), { image: '' })).toThrow(/image/);
    expect(() => manifests(manager(), { image: 'a', replica: 1 } as never)).toThrow(/replicas/);
  });
});
