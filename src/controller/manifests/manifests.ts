import type { KubernetesObject, New } from '../../index.js';
import { checkOptions } from '../../meta/options/known-options.js';
import { requireInteger, requireObject, requireString } from '../../meta/options/validate.js';
import type { PolicyRule } from '../../resources/types/rbac-v1.js';
import { checkManagerOptions, type ManagerOptions } from '../manager/manager-options.js';
import { webhookConfigurations, webhookServiceOf } from '../webhooks/configurations.js';
import { webhookDefinition } from '../webhooks/webhook.js';
import { customDefinitions } from './custom-definitions.js';
import { declaredRules } from './declared-rules.js';

/** How a manager is deployed. */
export interface DeployOptions {
  /** The image of the Deployment. */
  readonly image: string;
  /** @default the namespace of the manager, or its name */
  readonly namespace?: string | undefined;
  /** @default 2 */
  readonly replicas?: number | undefined;
}

/** An object to be applied: with apiVersion, kind and name. */
export type Manifest = New<KubernetesObject> & {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
} & { readonly [field: string]: unknown };

/** Namespaces that every cluster has. */
const GIVEN_NAMESPACES: readonly string[] = ['default', 'kube-system', 'kube-public', 'kube-node-lease'];
const RBAC = 'rbac.authorization.k8s.io';
/** The time that a pod has after `drainMs` for statuses, events and the Lease, before it is killed. */
const GRACE_SECONDS = 15;

/**
 * All objects that a manager needs to run, in the order in which they are applied: definitions, Namespace, ServiceAccount, Roles
 * and their bindings, Service, webhook configurations and, if `deploy` is given, the Deployment. The Roles grant what the options of the controllers
 * declare, and no more; they do not cover kinds that are read with another cluster's client.
 *
 * `npx kubeflect manifests` prints them.
 */
export function manifests(options: ManagerOptions, deploy?: DeployOptions): readonly Manifest[] {
  checkManagerOptions('manifests', options);
  if (deploy !== undefined) {
    requireObject('deploy', deploy, 'an object with an image');
    checkOptions('manifests', deploy, { image: true, namespace: true, replicas: true });
    requireString('image', deploy.image);
    requireInteger('replicas', deploy.replicas ?? 2);
  }
  const { name } = options;
  const namespace = deploy?.namespace ?? options.namespace ?? name;
  const labels = { 'app.kubernetes.io/name': name };
  const make = (apiVersion: string, kind: string, where: string | undefined, rest: object): Manifest => ({
    apiVersion,
    kind,
    metadata: where === undefined ? { name, labels } : { name, namespace: where, labels },
    ...rest,
  });
  const objects: Manifest[] = customDefinitions(options, namespace)
    .filter(({ client }) => client === undefined)
    .map(({ definition }) => ({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { ...definition.metadata, name: definition.metadata?.name ?? '' },
      spec: definition.spec,
    }));
  if (!GIVEN_NAMESPACES.includes(namespace)) {
    objects.push({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels } });
  }
  objects.push(make('v1', 'ServiceAccount', namespace, {}));
  for (const scope of declaredRules(options, namespace)) {
    if (scope.client !== undefined) continue;
    objects.push(...roleAndBinding(make, scope.namespace, scope.rules.toRules(), { name, namespace }));
  }
  objects.push(...services(make, options, namespace));
  const webhooks = (options.webhooks ?? []).map(webhookDefinition);
  for (const { kind, webhooks: hooks } of webhookConfigurations(webhooks, options, namespace))
    objects.push(make('admissionregistration.k8s.io/v1', kind, undefined, { webhooks: hooks }));
  if (deploy !== undefined)
    objects.push(make('apps/v1', 'Deployment', namespace, { spec: deployment(options, deploy) }));
  return objects;
}

/** The Service of metrics and webhooks; two if the options name another one for webhooks. */
function services(make: Make, options: ManagerOptions, namespace: string): Manifest[] {
  const { name, port = 8080, webhooks = [] } = options;
  const selector = { 'app.kubernetes.io/name': name };
  const metrics = port === false ? [] : [{ name: 'metrics', port, targetPort: 'metrics' }];
  const service = webhookServiceOf(options, namespace);
  const hooks = webhooks.length === 0 ? [] : [{ name: 'webhooks', port: service.port, targetPort: 'webhooks' }];
  const makeService = (named: string, ports: readonly object[]): Manifest[] => {
    if (ports.length === 0) return [];
    const made = make('v1', 'Service', namespace, { spec: { selector, ports } });
    return [{ ...made, metadata: { ...made.metadata, name: named } }];
  };
  if (service.namespace === namespace && service.name === name) return makeService(name, [...metrics, ...hooks]);
  // A Service selects pods of its own namespace only: one in another namespace is made by hand.
  return [...makeService(name, metrics), ...makeService(service.name, service.namespace === namespace ? hooks : [])];
}

/** Makes an object with the manager's name. */
type Make = (apiVersion: string, kind: string, namespace: string | undefined, rest: object) => Manifest;

function roleAndBinding(
  make: Make,
  scope: string | undefined,
  rules: readonly PolicyRule[],
  account: { readonly name: string; readonly namespace: string },
): Manifest[] {
  const kind = scope === undefined ? 'ClusterRole' : 'Role';
  const binding = {
    roleRef: { apiGroup: RBAC, kind, name: account.name },
    subjects: [{ kind: 'ServiceAccount', ...account }],
  };
  return [make(`${RBAC}/v1`, kind, scope, { rules }), make(`${RBAC}/v1`, `${kind}Binding`, scope, binding)];
}

function deployment(options: ManagerOptions, deploy: DeployOptions): object {
  const { name, port = 8080, drainMs = 20_000, webhooks = [], webhookServer = {} } = options;
  const labels = { 'app.kubernetes.io/name': name };
  const probe = (path: string) => ({ httpGet: { path, port: 'metrics' } });
  const ports = [
    ...(port === false ? [] : [{ name: 'metrics', containerPort: port }]),
    ...(webhooks.length === 0 ? [] : [{ name: 'webhooks', containerPort: webhookServer.port ?? 9443 }]),
  ];
  const probes = {
    livenessProbe: { ...probe('/livez'), initialDelaySeconds: 15, periodSeconds: 20 },
    readinessProbe: { ...probe('/readyz'), periodSeconds: 5 },
  };
  const container = {
    name: 'manager',
    image: deploy.image,
    ...(ports.length > 0 && { ports }),
    ...(port === false ? {} : probes),
    resources: { requests: { cpu: '10m', memory: '64Mi' }, limits: { memory: '256Mi' } },
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
  };
  return {
    replicas: deploy.replicas ?? 2,
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: {
        serviceAccountName: name,
        terminationGracePeriodSeconds: Math.ceil(drainMs / 1000) + GRACE_SECONDS,
        securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
        containers: [container],
      },
    },
  };
}
