import type { MutatingWebhook, ValidatingWebhook } from '../../../resources/types/admissionregistration-v1.js';
import type { CelType } from '../../cel/check/types.js';
import { requestVariables } from '../../cel/request-environment.js';
import type { Registry } from '../../resources/registry.js';
import { MatchConditions } from '../expressions/match-conditions.js';
import { type Match, matchOf } from '../match-rules.js';
import { StoredObjects } from '../stored-objects.js';

/** A webhook of a stored configuration. */
export interface Webhook {
  /** Identifies it among all webhooks, also if names are used twice. */
  readonly id: string;
  readonly name: string;
  readonly match: Match;
  readonly conditions: MatchConditions;
  readonly spec: ValidatingWebhook & Partial<Pick<MutatingWebhook, 'reinvocationPolicy'>>;
}

interface Configuration {
  readonly metadata: { readonly name: string };
  readonly webhooks?: readonly Webhook['spec'][] | undefined;
}

const VARIABLES: ReadonlyMap<string, CelType> = requestVariables({ params: false, authorizer: true });

/** The webhooks of all configurations of a kind: in the order of their names, then as they are listed. */
export class WebhookSource {
  readonly #configurations: StoredObjects<readonly Webhook[]>;

  constructor(registry: Registry, resource: 'mutatingwebhookconfigurations' | 'validatingwebhookconfigurations') {
    const { collection } = registry.find('admissionregistration.k8s.io', 'v1', resource)!;
    this.#configurations = new StoredObjects(collection, (object) => readWebhooks(object as unknown as Configuration));
  }

  /** Empty on most servers. */
  get webhooks(): readonly Webhook[] {
    return this.#configurations.size === 0 ? [] : this.#configurations.all.flat();
  }
}

function readWebhooks({ metadata, webhooks = [] }: Configuration): readonly Webhook[] {
  return webhooks.map((spec, at) => ({
    id: `${metadata.name}/${spec.name}/${at}`,
    name: spec.name,
    match: matchOf(spec),
    conditions: new MatchConditions(spec.matchConditions ?? [], VARIABLES, spec.failurePolicy),
    spec,
  }));
}
