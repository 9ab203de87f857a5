import { fieldForbidden, fieldInvalid, fieldNotSupported, fieldRequired } from '../../../../meta/errors/field-cause.js';
import { valueAt } from '../../../../meta/json-paths.js';
import { isJsonObject, type JsonObject } from '../../../../meta/json-values.js';
import { dns1035LabelErrors } from '../../../../meta/names.js';
import type { Causes } from '../../causes.js';
import { webhookServiceCauses, webhookUrlCauses } from '../../webhook-client.js';

const STRATEGIES = ['None', 'Webhook'];
const REVIEW_VERSIONS = ['v1', 'v1beta1'];
const CLIENT = 'spec.conversion.webhookClientConfig';
const VERSIONS = 'spec.conversion.conversionReviewVersions';

/** Causes for the `conversion` of a definition. The fields are named as kube-apiserver has them internally. */
export function* conversionCauses(conversion: unknown): Causes {
  if (!isJsonObject(conversion)) return;
  const { strategy } = conversion;
  if (!strategy) yield fieldRequired('spec.conversion.strategy', '');
  else if (!STRATEGIES.includes(strategy as string)) {
    yield fieldNotSupported('spec.conversion.strategy', strategy, STRATEGIES);
  }
  const client = valueAt(conversion, ['webhook', 'clientConfig']);
  const given = valueAt(conversion, ['webhook', 'conversionReviewVersions']);
  const versions = Array.isArray(given) ? given.map(String) : [];
  if (strategy === 'Webhook') {
    if (isJsonObject(client)) yield* clientCauses(client);
    else yield fieldRequired(CLIENT, 'required when strategy is set to Webhook');
    yield* reviewCauses(versions);
    return;
  }
  const detail = 'should not be set when strategy is not set to Webhook';
  if (isJsonObject(client)) yield fieldForbidden(CLIENT, detail);
  if (versions.length > 0) yield fieldForbidden(VERSIONS, detail);
}

function* clientCauses({ url, service }: JsonObject): Causes {
  if ((typeof url === 'string') === isJsonObject(service)) {
    yield fieldRequired(CLIENT, 'exactly one of url or service is required');
  } else if (typeof url === 'string') yield* webhookUrlCauses(`${CLIENT}.url`, url);
  else yield* webhookServiceCauses(`${CLIENT}.service`, service);
}

function* reviewCauses(versions: readonly string[]): Causes {
  if (versions.length === 0) {
    yield fieldRequired(VERSIONS, '');
    return;
  }
  for (const [at, version] of versions.entries()) {
    if (versions.indexOf(version) < at) yield fieldInvalid(`${VERSIONS}[${at}]`, version, 'duplicate version');
    else for (const error of dns1035LabelErrors(version)) yield fieldInvalid(`${VERSIONS}[${at}]`, version, error);
  }
  if (!versions.some((version) => REVIEW_VERSIONS.includes(version))) {
    yield fieldInvalid(VERSIONS, versions, `must include at least one of ${REVIEW_VERSIONS.join(', ')}`);
  }
}
