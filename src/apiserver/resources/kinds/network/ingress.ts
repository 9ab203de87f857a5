import { isIP } from 'node:net';
import { fieldInvalid, fieldNotSupported, fieldRequired } from '../../../../meta/errors/field-cause.js';
import {
  dns1123LabelErrors,
  dns1123SubdomainErrors,
  pathSegmentErrors,
  portNameErrors,
  portNumberErrors,
  wildcardSubdomainErrors,
} from '../../../../meta/names.js';
import type { TypedLocalObjectReference } from '../../../../resources/types/core-v1.js';
import type {
  HTTPIngressPath,
  Ingress,
  IngressBackend,
  IngressServiceBackend,
} from '../../../../resources/types/networking-v1.js';
import { type CauseSteps, each, invalids } from '../../causes.js';
import { type Strategy, strategyFor } from '../../strategy.js';
import { ipCauses } from './ip.js';

const CLASS_ANNOTATION = 'kubernetes.io/ingress.class';
const PATH_TYPES = ['Exact', 'ImplementationSpecific', 'Prefix'];
const WRONG_IN_PATHS = ['//', '/./', '/../', '%2f', '%2F'];
const WRONG_AT_END = ['/..', '/.'];

export const ingresses: Partial<Strategy> = strategyFor<Ingress>({
  generation: 'content',
  prepareCreate(ingress) {
    ingress.status = { loadBalancer: {} };
  },
  causes(ingress, old, subresource) {
    return subresource === 'status' ? statusCauses(ingress, old) : ingressCauses(ingress, old);
  },
});

function* ingressCauses({ metadata, spec = {} }: Ingress, old: Ingress | undefined): CauseSteps {
  const { rules, defaultBackend, tls, ingressClassName } = spec;
  if ((rules ?? []).length === 0 && defaultBackend === undefined) {
    yield fieldInvalid('spec', rules ?? null, 'either `defaultBackend` or `rules` must be specified');
  }
  if (defaultBackend !== undefined) yield* backendCauses(defaultBackend, 'spec.defaultBackend');
  yield* each(rules, 'spec.rules', function* ({ host = '', http }, path): CauseSteps {
    if (host !== '') yield* hostCauses(host, `${path}.host`);
    if (http === undefined) return;
    if ((http.paths ?? []).length === 0) yield fieldRequired(`${path}.http.paths`, '');
    yield* each(http.paths, `${path}.http.paths`, pathCauses);
  });
  yield* each(tls, 'spec.tls', function* ({ hosts, secretName = '' }, path): CauseSteps {
    yield* each(hosts, `${path}.hosts`, (host, place) => invalids(place, host, domainErrors(host)));
    if (secretName !== '') yield* invalids(`${path}.secretName`, secretName, dns1123SubdomainErrors(secretName));
  });
  if (ingressClassName !== undefined) {
    yield* invalids('spec.ingressClassName', ingressClassName, dns1123SubdomainErrors(ingressClassName));
  }
  const annotation = metadata.annotations?.[CLASS_ANNOTATION];
  if (old !== undefined || annotation === undefined || ingressClassName === undefined) return;
  if (annotation !== ingressClassName) {
    const detail = 'must match `ingressClassName` when both are specified';
    yield fieldInvalid(`annotations.${CLASS_ANNOTATION}`, annotation, detail);
  }
}

function domainErrors(host: string): string[] {
  return host.includes('*') ? wildcardSubdomainErrors(host) : dns1123SubdomainErrors(host);
}

function* hostCauses(host: string, path: string): CauseSteps {
  if (isIP(host) !== 0) yield fieldInvalid(path, host, 'must be a DNS name, not an IP address');
  yield* invalids(path, host, domainErrors(host));
}

function* pathCauses({ path = '', pathType, backend }: HTTPIngressPath, place: string): CauseSteps {
  // Go has a pointer here: a missing type is not the empty one.
  const type: string | undefined = pathType;
  if (type === undefined || type === null) {
    yield fieldRequired(`${place}.pathType`, 'pathType must be specified');
    return;
  }
  if (type === 'Exact' || type === 'Prefix') {
    if (!path.startsWith('/')) yield fieldInvalid(`${place}.path`, path, 'must be an absolute path');
    for (const part of WRONG_IN_PATHS) {
      if (path.includes(part)) yield fieldInvalid(`${place}.path`, path, `must not contain '${part}'`);
    }
    for (const end of WRONG_AT_END) {
      if (path.endsWith(end)) yield fieldInvalid(`${place}.path`, path, `cannot end with '${end}'`);
    }
  } else if (type === 'ImplementationSpecific') {
    if (path !== '' && !path.startsWith('/')) yield fieldInvalid(`${place}.path`, path, 'must be an absolute path');
  } else yield fieldNotSupported(`${place}.pathType`, type, PATH_TYPES);
  yield* backendCauses(backend, `${place}.backend`);
}

function* backendCauses({ resource, service }: IngressBackend, path: string): CauseSteps {
  if (resource !== undefined && service !== undefined) {
    yield fieldInvalid(path, '', 'cannot set both resource and service backends');
  } else if (resource !== undefined) yield* referenceCauses(resource, `${path}.resource`);
  else if (service !== undefined) yield* serviceCauses(service, path);
  else yield fieldInvalid(path, '', 'resource or service backend is required');
}

function* serviceCauses({ name, port = {} }: IngressServiceBackend, path: string): CauseSteps {
  if (name === '') yield fieldRequired(`${path}.service.name`, '');
  else yield* invalids(`${path}.service.name`, name, dns1123LabelErrors(name));
  const { name: portName = '', number = 0 } = port;
  if (portName !== '' && number !== 0) yield fieldInvalid(path, '', 'cannot set both port name & port number');
  else if (portName !== '') yield* invalids(`${path}.service.port.name`, portName, portNameErrors(portName));
  else if (number !== 0) yield* invalids(`${path}.service.port.number`, number, portNumberErrors(number));
  else yield fieldRequired(path, 'port name or number is required');
}

/** Causes for a reference to an object of any kind in the same namespace. */
export function* referenceCauses(reference: TypedLocalObjectReference, path: string): CauseSteps {
  const { apiGroup, kind, name } = reference;
  if (apiGroup !== undefined) yield* invalids(`${path}.apiGroup`, apiGroup, dns1123SubdomainErrors(apiGroup));
  for (const [field, value] of Object.entries({ kind, name })) {
    if (value === '') yield fieldRequired(`${path}.${field}`, '');
    else yield* invalids(`${path}.${field}`, value, pathSegmentErrors(value));
  }
}

function* statusCauses({ status }: Ingress, old: Ingress | undefined): CauseSteps {
  const accepted = (old?.status?.loadBalancer?.ingress ?? []).map(({ ip = '' }) => ip);
  const path = 'status.loadBalancer.ingress';
  yield* each(status?.loadBalancer?.ingress, path, function* ({ ip = '', hostname = '' }, place): CauseSteps {
    if (ip !== '') yield* ipCauses(ip, `${place}.ip`, accepted);
    if (hostname === '') return;
    yield* invalids(`${place}.hostname`, hostname, dns1123SubdomainErrors(hostname));
    if (isIP(hostname) !== 0) {
      yield fieldInvalid(`${place}.hostname`, hostname, 'must be a DNS name, not an IP address');
    }
  });
}
