import { fieldDuplicate, fieldInvalid, fieldNotSupported, fieldRequired } from '../../../../meta/errors/field-cause.js';
import { dns1035LabelErrors, dns1123SubdomainErrors } from '../../../../meta/names.js';
import type {
  MutatingWebhook,
  ValidatingWebhook,
  WebhookClientConfig,
} from '../../../../resources/types/admissionregistration-v1.js';
import { PolicyExpressions } from '../../../cel/policy-expressions.js';
import { type CauseSteps, each, invalids } from '../../causes.js';
import { type Strategy, strategyFor } from '../../strategy.js';
import { webhookServiceCauses, webhookUrlCauses } from '../../webhook-client.js';
import { fillEach } from '../fill.js';
import { selectorCauses } from '../label-rules.js';
import { conditionsCauses, ruleCauses } from './match-causes.js';

type Webhook = ValidatingWebhook & Partial<MutatingWebhook>;

interface WebhookConfiguration {
  webhooks?: Webhook[] | undefined;
}

/** The strategy of Validating- and MutatingWebhookConfigurations. */
export function webhookConfigurations(isMutating: boolean): Partial<Strategy> {
  return strategyFor<WebhookConfiguration>({
    generation: 'content',
    unconditionalUpdate: false,
    *defaults({ webhooks }) {
      yield* fillEach(webhooks, (webhook) => {
        webhook.failurePolicy ??= 'Fail';
        webhook.matchPolicy ??= 'Equivalent';
        webhook.namespaceSelector ??= {};
        webhook.objectSelector ??= {};
        webhook.timeoutSeconds ??= 10;
        if (isMutating) webhook.reinvocationPolicy ??= 'Never';
        for (const rule of webhook.rules ?? []) rule.scope ??= '*';
        const { service } = webhook.clientConfig;
        if (service !== undefined) service.port ??= 443;
      });
    },
    *causes({ webhooks }): CauseSteps {
      const names = new Set<string>();
      yield* each(webhooks, 'webhooks', function* (webhook, path): CauseSteps {
        yield* webhookCauses(webhook, path);
        yield* reviewVersionCauses(webhook.admissionReviewVersions ?? [], `${path}.admissionReviewVersions`);
        const { name } = webhook;
        if (names.has(name)) yield fieldDuplicate(`${path}.name`, name);
        if (name !== '') names.add(name);
      });
    },
  });
}

const SIDE_EFFECTS = ['None', 'NoneOnDryRun'];
const REVIEW_VERSIONS = ['v1', 'v1beta1'];
const CONDITIONS = new PolicyExpressions({ hasParams: false, hasVariables: false });

/** Fields with a fixed set of values. */
const VALUES = {
  failurePolicy: ['Fail', 'Ignore'],
  matchPolicy: ['Equivalent', 'Exact'],
  reinvocationPolicy: ['IfNeeded', 'Never'],
} as const;

function* webhookCauses(webhook: Webhook, path: string): CauseSteps {
  yield* qualifiedNameCauses(webhook.name, `${path}.name`);
  yield* each(webhook.rules, `${path}.rules`, ruleCauses);
  for (const field of ['failurePolicy', 'matchPolicy'] as const) yield* valueCauses(webhook, field, path);
  const { sideEffects, timeoutSeconds } = webhook;
  // A pointer in Go: none differs from an empty text.
  if (sideEffects === undefined || sideEffects === null) {
    yield fieldRequired(`${path}.sideEffects`, `must specify one of ${SIDE_EFFECTS.join(', ')}`);
  } else if (!SIDE_EFFECTS.includes(sideEffects)) {
    yield fieldNotSupported(`${path}.sideEffects`, sideEffects, SIDE_EFFECTS);
  }
  if (timeoutSeconds !== undefined && (timeoutSeconds > 30 || timeoutSeconds < 1)) {
    const detail = 'the timeout value must be between 1 and 30 seconds';
    yield fieldInvalid(`${path}.timeoutSeconds`, timeoutSeconds, detail);
  }
  yield* selectorCauses(webhook.namespaceSelector, `${path}.namespaceSelector`);
  yield* selectorCauses(webhook.objectSelector, `${path}.objectSelector`);
  yield* valueCauses(webhook, 'reinvocationPolicy', path);
  yield* clientCauses(webhook.clientConfig, `${path}.clientConfig`);
  yield* conditionsCauses(webhook.matchConditions ?? [], `${path}.matchConditions`, CONDITIONS);
}

function* valueCauses(webhook: Webhook, field: keyof typeof VALUES, path: string): CauseSteps {
  const value: string | undefined = webhook[field];
  const values: readonly string[] = VALUES[field];
  if (value !== undefined && !values.includes(value)) yield fieldNotSupported(`${path}.${field}`, value, values);
}

/** Causes for a name that is no domain of three parts or more. */
function* qualifiedNameCauses(name: string, path: string): CauseSteps {
  const errors = dns1123SubdomainErrors(name);
  if (name === '') yield fieldRequired(path, '');
  else if (errors.length > 0) yield fieldInvalid(path, name, errors.join(','));
  else if (name.split('.').length < 3) {
    yield fieldInvalid(path, name, 'should be a domain with at least three segments separated by dots');
  }
}

function* reviewVersionCauses(versions: readonly string[], path: string): CauseSteps {
  const accepted = REVIEW_VERSIONS.join(', ');
  if (versions.length === 0) {
    yield fieldRequired(path, `must specify one of ${accepted}`);
    return;
  }
  const seen = new Set<string>();
  yield* each(versions, path, function* (version, place): CauseSteps {
    if (seen.has(version)) yield fieldInvalid(place, version, 'duplicate version');
    else yield* invalids(place, version, dns1035LabelErrors(version));
    seen.add(version);
  });
  if (!REVIEW_VERSIONS.some((version) => seen.has(version))) {
    yield fieldInvalid(path, versions, `must include at least one of ${accepted}`);
  }
}

function* clientCauses({ url, service }: WebhookClientConfig, path: string): CauseSteps {
  if ((url === undefined) === (service === undefined)) {
    yield fieldRequired(path, 'exactly one of url or service is required');
  } else if (url !== undefined) yield* webhookUrlCauses(`${path}.url`, url);
  else if (service !== undefined) yield* webhookServiceCauses(`${path}.service`, service);
}
