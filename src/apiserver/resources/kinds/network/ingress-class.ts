import {
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  fieldTooLong,
} from '../../../../meta/errors/field-cause.js';
import { dns1123LabelErrors, dns1123SubdomainErrors } from '../../../../meta/names.js';
import type { IngressClass, IngressClassParametersReference } from '../../../../resources/types/networking-v1.js';
import { type CauseSteps, invalids } from '../../causes.js';
import { type Strategy, strategyFor } from '../../strategy.js';
import { immutableCauses } from '../label-rules.js';
import { referenceCauses } from './ingress.js';

const MAX_CONTROLLER = 250;
const SCOPES = ['Cluster', 'Namespace'];

export const ingressClasses: Partial<Strategy> = strategyFor<IngressClass>({
  generation: 'content',
  defaults({ spec }) {
    if (spec?.parameters !== undefined) spec.parameters.scope ??= 'Cluster';
  },
  *causes({ spec = {} }, old): CauseSteps {
    const { controller = '', parameters } = spec;
    if (old !== undefined) yield* immutableCauses(controller, old.spec?.controller ?? '', 'spec.controller');
    if (controller.length > MAX_CONTROLLER) yield fieldTooLong('spec.controller', MAX_CONTROLLER);
    yield* domainPathCauses(controller, 'spec.controller');
    if (parameters !== undefined) yield* parametersCauses(parameters, 'spec.parameters');
  },
});

/** Causes for a text that is not a domain and a path, as `example.com/ingress-controller`. */
function* domainPathCauses(text: string, path: string): CauseSteps {
  if (text === '') {
    yield fieldRequired(path, '');
    return;
  }
  const slash = text.indexOf('/');
  const [domain, rest] = slash < 0 ? [text, ''] : [text.slice(0, slash), text.slice(slash + 1)];
  if (slash < 0 || domain === '' || rest === '') {
    yield fieldInvalid(path, text, 'must be a domain-prefixed path (such as "acme.io/foo")');
    return;
  }
  yield* invalids(path, domain, dns1123SubdomainErrors(domain));
  if (!/^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/.test(rest)) {
    const detail = "Invalid path (e.g. 'acme.io/foo', regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')";
    yield fieldInvalid(path, rest, detail);
  }
}

function* parametersCauses(parameters: IngressClassParametersReference, path: string): CauseSteps {
  yield* referenceCauses(parameters, path);
  const { scope, namespace } = parameters;
  if (scope === undefined) yield fieldRequired(`${path}.scope`, '');
  else if (!SCOPES.includes(scope)) yield fieldNotSupported(`${path}.scope`, scope, SCOPES);
  else if (scope === 'Namespace') {
    if (namespace === undefined || namespace === '') {
      yield fieldRequired(`${path}.namespace`, "`parameters.scope` is set to 'Namespace'");
    } else yield* invalids(`${path}.namespace`, namespace, dns1123LabelErrors(namespace));
  } else if (namespace !== undefined) {
    yield fieldForbidden(`${path}.namespace`, "`parameters.scope` is set to 'Cluster'");
  }
}
