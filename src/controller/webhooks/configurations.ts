import type { New } from '../../index.js';
import { printGroupResource } from '../../meta/resource.js';
import type {
  MutatingWebhook,
  MutatingWebhookConfiguration,
  ValidatingWebhook,
  ValidatingWebhookConfiguration,
} from '../../resources/types/admissionregistration-v1.js';
import type { CustomResourceConversion } from '../../resources/types/apiextensions-v1.js';
import { type BundleTarget, configurationTarget, definitionTarget } from './certificates/bundle-targets.js';
import { admissionPath, conversionPath } from './endpoints.js';
import type { WebhookServerOptions } from './types.js';
import { type AdmissionDefinition, BEING_DELETED, type WebhookDefinition } from './webhook.js';

/** The Service in front of a webhook server. */
export interface WebhookService {
  readonly name: string;
  readonly namespace: string;
  readonly port: number;
}

/** The options of a manager that decide where its webhooks are. */
export interface WebhookPlace {
  readonly name: string;
  readonly webhookServer?: WebhookServerOptions | undefined;
}

/** @param home the namespace of the manager */
export function webhookServiceOf({ name, webhookServer = {} }: WebhookPlace, home: string): WebhookService {
  const { service = { name } } = webhookServer;
  return { name: service.name, namespace: service.namespace ?? home, port: service.port ?? 443 };
}

/** The names and addresses that the certificate of a webhook server must have; local ones for tunnels and tests. */
export function webhookHostsOf({ name, namespace }: WebhookService): readonly string[] {
  const service = `${name}.${namespace}`;
  return [`${service}.svc`, service, `${service}.svc.cluster.local`, 'localhost', '127.0.0.1'];
}

type Configuration = New<ValidatingWebhookConfiguration> | New<MutatingWebhookConfiguration>;

/** The configurations of the admission webhooks of a manager, without `caBundle`. */
export function webhookConfigurations(
  definitions: readonly WebhookDefinition[],
  place: WebhookPlace,
  home: string,
): readonly (Configuration & { readonly kind: string })[] {
  const service = webhookServiceOf(place, home);
  const metadata = { name: place.name };
  const { validate, mutate } = admissionByType(definitions);
  const found: (Configuration & { readonly kind: string })[] = [];
  if (mutate.length > 0) {
    const webhooks = mutate.map(
      (one): MutatingWebhook => ({ ...webhookOf(one, service, home), reinvocationPolicy: 'IfNeeded' }),
    );
    found.push({ kind: 'MutatingWebhookConfiguration', metadata, webhooks });
  }
  if (validate.length > 0) {
    const webhooks = validate.map((one) => webhookOf(one, service, home));
    found.push({ kind: 'ValidatingWebhookConfiguration', metadata, webhooks });
  }
  return found;
}

/** The conversion of a definition (`widgets.example.com`) by the webhooks of a manager, without `caBundle`; undefined if it has none. */
export function conversionConfiguration(
  definitions: readonly WebhookDefinition[],
  definition: string,
  place: WebhookPlace,
  home: string,
): CustomResourceConversion | undefined {
  if (!convertedBy(definitions).has(definition)) return undefined;
  const path = conversionPath(definition);
  const { name, namespace, port } = webhookServiceOf(place, home);
  return {
    strategy: 'Webhook',
    webhook: { conversionReviewVersions: ['v1'], clientConfig: { service: { name, namespace, port, path } } },
  };
}

/** The objects that need the authorities of a manager's webhooks. */
export function bundleTargetsOf(definitions: readonly WebhookDefinition[], manager: string): readonly BundleTarget[] {
  const byType = admissionByType(definitions);
  const targets = (['mutate', 'validate'] as const)
    .filter((type) => byType[type].length > 0)
    .map((type) =>
      configurationTarget(
        type,
        manager,
        byType[type].map(({ name }) => name),
      ),
    );
  return [...targets, ...[...convertedBy(definitions)].map((name) => definitionTarget(name))];
}

/** The names of the definitions whose objects are converted. */
function convertedBy(definitions: readonly WebhookDefinition[]): ReadonlySet<string> {
  return new Set(definitions.flatMap((one) => (one.type === 'convert' ? printGroupResource(one.to) : [])));
}

function admissionByType(definitions: readonly WebhookDefinition[]): {
  readonly validate: readonly AdmissionDefinition[];
  readonly mutate: readonly AdmissionDefinition[];
} {
  const admission = definitions.filter((one): one is AdmissionDefinition => one.type !== 'convert');
  return {
    validate: admission.filter(({ type }) => type === 'validate'),
    mutate: admission.filter(({ type }) => type === 'mutate'),
  };
}

function webhookOf(definition: AdmissionDefinition, service: WebhookService, home: string): ValidatingWebhook {
  const { name, resource, subresource, operations, failurePolicy, timeoutMs, objectSelector } = definition;
  const { group, version, namespaced } = resource;
  const plural = subresource === undefined ? resource.resource : `${resource.resource}/${subresource}`;
  const namespaceSelector = definition.namespaceSelector ?? (definition.isOwnKind ? undefined : exceptFor(home));
  return {
    name,
    clientConfig: {
      service: {
        name: service.name,
        namespace: service.namespace,
        port: service.port,
        path: admissionPath(definition),
      },
    },
    rules: [
      {
        operations: [...operations],
        apiGroups: [group],
        apiVersions: [version],
        resources: [plural],
        scope: namespaced ? 'Namespaced' : 'Cluster',
      },
    ],
    failurePolicy,
    timeoutSeconds: Math.ceil(timeoutMs / 1000),
    matchPolicy: 'Equivalent',
    // A webhook is told of a dry run, and has no side effects then.
    sideEffects: 'NoneOnDryRun',
    admissionReviewVersions: ['v1'],
    matchConditions: matchConditionsOf(definition),
    ...(namespaceSelector && { namespaceSelector }),
    ...(objectSelector && { objectSelector }),
  };
}

/** Objects that are being deleted are left alone, so that they lose their finalizers also when no replica answers. */
function matchConditionsOf({ conditions }: AdmissionDefinition): ValidatingWebhook['matchConditions'] {
  const notDeleted = 'oldObject == null || !has(oldObject.metadata.deletionTimestamp)';
  return Object.entries({ [BEING_DELETED]: notDeleted, ...conditions }).map(([name, expression]) => ({
    name,
    expression,
  }));
}

/** Webhooks of others' kinds must not keep the cluster, or the manager itself, from starting. */
function exceptFor(home: string): ValidatingWebhook['namespaceSelector'] {
  const values = [...new Set(['kube-system', home])];
  return { matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'NotIn', values }] };
}
