import type { DeepReadonly, KubernetesObject, Resource } from '../../../index.js';
import { resources } from '../../../index.js';
import type {
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from '../../../resources/types/admissionregistration-v1.js';
import type { CustomResourceDefinition } from '../../../resources/types/apiextensions-v1.js';

/** An object of the API server that says which authorities it trusts when it calls webhooks of a manager. */
export interface BundleTarget {
  readonly resource: Resource<KubernetesObject>;
  readonly name: string;
  /** What server-side apply must write so that the object has the bundle (base64); undefined if it has it. */
  change(object: DeepReadonly<KubernetesObject>, bundle: string): object | undefined;
}

/** The configuration of the webhooks with these names. Those that it does not have are left alone. */
export function configurationTarget(
  type: 'validate' | 'mutate',
  name: string,
  webhooks: readonly string[],
): BundleTarget {
  const { validatingWebhookConfigurations, mutatingWebhookConfigurations } = resources.admissionregistration.v1;
  return {
    resource: type === 'validate' ? validatingWebhookConfigurations : mutatingWebhookConfigurations,
    name,
    change(object, bundle) {
      const { webhooks: stored = [] } = object as DeepReadonly<
        ValidatingWebhookConfiguration | MutatingWebhookConfiguration
      >;
      const own = stored.filter((webhook) => webhooks.includes(webhook.name));
      if (own.every(({ clientConfig }) => clientConfig.caBundle === bundle)) return undefined;
      return { webhooks: own.map((webhook) => ({ name: webhook.name, clientConfig: { caBundle: bundle } })) };
    },
  };
}

/** A definition whose objects are converted by a webhook. One that does not say so is left alone. */
export function definitionTarget(name: string): BundleTarget {
  return {
    resource: resources.apiextensions.v1.customResourceDefinitions,
    name,
    change(object, bundle) {
      const { conversion } = (object as DeepReadonly<CustomResourceDefinition>).spec;
      const { clientConfig } = conversion?.webhook ?? {};
      if (clientConfig === undefined || clientConfig.caBundle === bundle) return undefined;
      return { spec: { conversion: { webhook: { clientConfig: { caBundle: bundle } } } } };
    },
  };
}
