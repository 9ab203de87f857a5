import { fieldInvalid, fieldNotSupported, fieldRequired } from '../../../../meta/errors/field-cause.js';
import {
  dns1035LabelErrors,
  dns1123SubdomainErrors,
  pathSegmentErrors,
  portNumberErrors,
} from '../../../../meta/names.js';
import type { APIService, APIServiceSpec } from '../../../../resources/types/apiregistration-v1.js';
import { type CauseSteps, each, invalids } from '../../causes.js';
import { type Strategy, strategyFor } from '../../strategy.js';
import { base64Bytes } from './config-data.js';

const CONDITION_STATUS = ['True', 'False', 'Unknown'];

export const apiServices: Partial<Strategy> = strategyFor<APIService>({
  unconditionalUpdate: false,
  nameErrors: pathSegmentErrors,
  defaults({ spec }) {
    if (spec?.service !== undefined) spec.service.port ??= 443;
  },
  *causes({ metadata, spec, status }, _old, subresource): CauseSteps {
    if (subresource === 'status') {
      yield* each(status?.conditions, 'status.conditions', function* (condition, path): CauseSteps {
        if (CONDITION_STATUS.includes(condition.status)) return;
        yield fieldNotSupported(`${path}.status`, condition.status, CONDITION_STATUS);
      });
      return;
    }
    const { group = '', version = '' } = spec ?? {};
    const name = `${version}.${group}`;
    if (metadata.name !== name) {
      const detail = `must be \`spec.version+"."+spec.group\`: ${JSON.stringify(name)}`;
      yield fieldInvalid('metadata.name', metadata.name, detail);
    }
    if (group !== '') yield* invalids('spec.group', group, dns1123SubdomainErrors(group));
    else if (version !== 'v1') {
      yield fieldRequired('spec.group', 'only v1 may have an empty group and it better be legacy kube');
    }
    yield* invalids('spec.version', version, dns1035LabelErrors(version));
    if (spec !== undefined) yield* specCauses(spec);
  },
});

function* specCauses(spec: APIServiceSpec): CauseSteps {
  const { groupPriorityMinimum, versionPriority, service, caBundle = '', insecureSkipTLSVerify = false } = spec;
  if (groupPriorityMinimum <= 0 || groupPriorityMinimum > 20_000) {
    yield fieldInvalid('spec.groupPriorityMinimum', groupPriorityMinimum, 'must be positive and less than 20000');
  }
  if (versionPriority <= 0 || versionPriority > 1000) {
    yield fieldInvalid('spec.versionPriority', versionPriority, 'must be positive and less than 1000');
  }
  const skipPath = 'spec.insecureSkipTLSVerify';
  if (service === undefined) {
    if (caBundle !== '') {
      const shown = `${base64Bytes(caBundle)} bytes`;
      yield fieldInvalid('spec.caBundle', shown, 'local APIServices may not have a caBundle');
    }
    if (insecureSkipTLSVerify)
      yield fieldInvalid(skipPath, true, 'local APIServices may not have insecureSkipTLSVerify');
    return;
  }
  for (const field of ['namespace', 'name'] as const) {
    if (!service[field]) yield fieldRequired(`spec.service.${field}`, '');
  }
  const port = service.port ?? 443;
  const errors = portNumberErrors(port);
  if (errors.length > 0) yield fieldInvalid('spec.service.port', port, `port is not valid: ${errors.join(', ')}`);
  if (insecureSkipTLSVerify && caBundle !== '')
    yield fieldInvalid(skipPath, true, 'may not be true if caBundle is present');
}
