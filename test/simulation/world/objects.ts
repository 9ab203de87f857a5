import { defineResource, type KubernetesObject } from '../../../src/index.js';

/** The namespaces of the objects, and that of the managers. */
export const namespaces: readonly string[] = ['blue', 'green', 'ops'];
export const home = 'ops';

/** A custom resource that comes and goes. */
export interface Widget extends KubernetesObject {
  spec: { size?: number };
  status?: { size?: number };
}

export const widgets = defineResource<Widget>({
  group: 'example.com',
  version: 'v1',
  resource: 'widgets',
  kind: 'Widget',
  namespaced: true,
});

const part = { type: 'object', properties: { size: { type: 'integer' } } };

export const widgetDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: part, status: part } } },
      },
    ],
  },
};

/** Allows the processes everything; without it they may do nothing. */
export const accessBinding = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRoleBinding',
  metadata: { name: 'sim-access' },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
  subjects: [
    { kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'sim' },
    { kind: 'ServiceAccount', name: 'sim', namespace: 'blue' },
  ],
};

/** Where the objects of a plan are: the ConfigMaps with an even number are copied by managers. */
export function placeOf(index: number): { readonly namespace: string; readonly name: string; readonly key: string } {
  const namespace = namespaces[index % 2] as string;
  const name = `n${index}`;
  return { namespace, name, key: `${namespace}/${name}` };
}

/** The labels of a ConfigMap. */
export function labelsOf(index: number): Record<string, string> {
  return { tier: index % 3 === 0 ? 'back' : 'front', copy: Math.floor(index / 2) % 2 === 0 ? 'yes' : 'no' };
}
