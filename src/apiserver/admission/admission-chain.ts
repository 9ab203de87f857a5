import type { JsonObject } from '../../meta/json-values.js';
import type { Steps } from '../../time/steps.js';
import type { Admission, AdmissionPlugin, AdmissionRequest } from '../resources/admission.js';
import { metadataOf } from '../resources/object-meta.js';
import { managedFieldsProblem } from '../resources/write/field-manager.js';
import type { ObjectWriter } from '../resources/write/object-writer.js';
import { PolicyChain } from './policies/policy-chain.js';
import { ResourceQuotas } from './resource-quotas.js';
import { WebhookChain, type WebhookChainOptions } from './webhooks/webhook-chain.js';

/** The kinds that configure admission are not admitted by it: a webhook could not be repaired otherwise. */
const EXEMPT: ReadonlySet<string> = new Set([
  'mutatingadmissionpolicies',
  'mutatingadmissionpolicybindings',
  'mutatingwebhookconfigurations',
  'validatingadmissionpolicies',
  'validatingadmissionpolicybindings',
  'validatingwebhookconfigurations',
]);

/** What {@link AdmissionChain} works with. */
export interface AdmissionChainOptions extends WebhookChainOptions {
  readonly plugins: ReadonlySet<AdmissionPlugin>;
  /** Writes the usage of quotas. The writer asks this chain about requests, so that it is made later. */
  readonly writer: () => ObjectWriter;
}

/**
 * Admission in the order of kube-apiserver: built-in plugins have changed the object before {@link mutate}; then mutating
 * webhooks; the rules of the kind; then policies, validating webhooks and quota.
 */
export class AdmissionChain implements Admission {
  readonly #webhooks: WebhookChain;
  readonly #policies: PolicyChain;
  readonly #quotas: ResourceQuotas;
  readonly plugins: ReadonlySet<AdmissionPlugin>;

  constructor(options: AdmissionChainOptions) {
    this.plugins = options.plugins;
    this.#quotas = new ResourceQuotas(options.registry, options.writer);
    this.#webhooks = new WebhookChain(options);
    this.#policies = new PolicyChain(options);
  }

  mutate(request: AdmissionRequest, replug: (object: JsonObject) => void): Steps<JsonObject | undefined> | undefined {
    if (this.#webhooks.mutating.length === 0 || isExempt(request)) return undefined;
    return this.#mutate(request, replug);
  }

  validate(request: AdmissionRequest): Steps<void> | undefined {
    const isIdle = this.#webhooks.validating.length === 0 && this.#policies.isEmpty && !this.#hasQuotas;
    return isIdle || isExempt(request) ? undefined : this.#validate(request);
  }

  *#validate(request: AdmissionRequest): Steps<void> {
    if (!this.#policies.isEmpty) yield* this.#policies.validate(request);
    if (this.#webhooks.validating.length > 0) yield* this.#webhooks.validate(request);
    if (this.#hasQuotas) yield* this.#quotas.validate(request);
  }

  get #hasQuotas(): boolean {
    return !this.#quotas.isEmpty && this.plugins.has('ResourceQuota');
  }

  /** Webhooks may not break managedFields: those from before are restored. */
  *#mutate(request: AdmissionRequest, replug: (object: JsonObject) => void): Steps<JsonObject | undefined> {
    const managedFields = request.object && metadataOf(request.object)?.managedFields;
    const object = yield* this.#webhooks.mutate(request, replug);
    if (object === undefined || object['metadata'] === undefined) return object;
    const metadata = metadataOf(object);
    const problem = yield* managedFieldsProblem(metadata.managedFields);
    if (problem === undefined) return object;
    if (managedFields === undefined) delete metadata.managedFields;
    else metadata.managedFields = managedFields;
    const why = 'this could be caused by an outdated mutating admission controller; please fix your requests';
    request.warn(`.metadata.managedFields was in an invalid state after admission; ${why}: ${problem}`);
    return object;
  }
}

function isExempt({ resource: { group, resource } }: AdmissionRequest): boolean {
  return group === 'admissionregistration.k8s.io' && EXEMPT.has(resource);
}
