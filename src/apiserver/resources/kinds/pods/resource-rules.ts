import {
  fieldDuplicate,
  fieldForbidden,
  fieldInvalid,
  fieldNotFound,
  fieldNotSupported,
  fieldRequired,
} from '../../../../meta/errors/field-cause.js';
import { dns1123LabelErrors, labelKeyErrors } from '../../../../meta/names.js';
import { isWholeQuantity, parseQuantity, quantityNanos } from '../../../../meta/quantity.js';
import type { ResourceClaim, ResourceRequirements } from '../../../../resources/types/core-v1.js';
import { type CauseSteps, each, eachEntry, invalids } from '../../causes.js';
import { isPodLevelResource } from './pod-resources.js';

/* Rules of the names and amounts of resources: cpu, memory, extended resources, and the objects that quotas count. */

const CONTAINER_RESOURCES: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage']);

/** Objects that are counted one by one. */
const COUNTED_RESOURCES = [
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
];
const INTEGER_RESOURCES: ReadonlySet<string> = new Set(COUNTED_RESOURCES);

const QUOTA_RESOURCES: ReadonlySet<string> = new Set([
  ...['', 'requests.', 'limits.'].flatMap((prefix) => [...CONTAINER_RESOURCES].map((name) => `${prefix}${name}`)),
  'requests.storage',
  ...COUNTED_RESOURCES,
]);

const NATIVE_DOMAIN = 'kubernetes.io/';
const REQUESTS = 'requests.';
const HUGE_PAGES = 'hugepages-';

function isHugePages(name: string): boolean {
  return name.startsWith(HUGE_PAGES);
}

function isNative(name: string): boolean {
  return !name.includes('/') || name.includes(NATIVE_DOMAIN);
}

function isExtended(name: string): boolean {
  return !isNative(name) && !name.startsWith(REQUESTS) && labelKeyErrors(`${REQUESTS}${name}`).length === 0;
}

/** Whether a quota may limit the resource, which has no domain. */
export function isQuotaResource(name: string): boolean {
  return QUOTA_RESOURCES.has(name) || isHugePages(name) || name.startsWith(`${REQUESTS}${HUGE_PAGES}`);
}

/** Whether requests may be lower than limits. */
export function isOvercommitAllowed(name: string): boolean {
  return isNative(name) && !isHugePages(name);
}

/** Causes for the name of a resource of any kind. */
export function* resourceNameCauses(name: string, path: string): CauseSteps {
  const errors = labelKeyErrors(name);
  if (errors.length > 0) yield* invalids(path, name, errors);
  else if (!name.includes('/') && name !== 'storage' && !isQuotaResource(name)) {
    yield fieldInvalid(path, name, 'must be a standard resource type or fully qualified');
  }
}

/** Causes for the name of a resource of a container. */
export function* containerResourceNameCauses(name: string, path: string): CauseSteps {
  yield* resourceNameCauses(name, path);
  if (!name.includes('/')) {
    if (!CONTAINER_RESOURCES.has(name) && !isHugePages(name)) {
      yield fieldInvalid(path, name, 'must be a standard resource for containers');
    }
  } else if (!isNative(name) && !isExtended(name)) {
    yield fieldInvalid(path, name, "doesn't follow extended resource name standard");
  }
}

/** Causes for the name of a resource in a quota. */
export function* quotaResourceNameCauses(name: string, path: string): CauseSteps {
  yield* resourceNameCauses(name, path);
  if (!name.includes('/') && !isQuotaResource(name)) {
    yield fieldInvalid(path, name, 'must be a standard resource for quota');
  }
}

function* podResourceNameCauses(name: string, path: string): CauseSteps {
  const causes = [...resourceNameCauses(name, path)];
  yield* causes;
  if (causes.length === 0 && !isPodLevelResource(name)) {
    yield fieldNotSupported(path, name, ['cpu', HUGE_PAGES, 'memory']);
  }
}

/** Causes for an amount that is negative, or broken where only whole ones make sense. */
export function* amountCauses(name: string, amount: string, path: string): CauseSteps {
  if (quantityNanos(amount) < 0n) yield fieldInvalid(path, amount, 'must be greater than or equal to 0');
  if ((INTEGER_RESOURCES.has(name) || isExtended(name)) && !isWholeQuantity(amount)) {
    yield fieldInvalid(path, amount, 'must be an integer');
  }
}

/** Causes for the resources of a container or, at the level `pod`, of all containers together. */
export function* requirementsCauses(
  { limits, requests, claims }: ResourceRequirements,
  podClaims: ReadonlySet<string>,
  path: string,
  level: 'container' | 'pod' = 'container',
): CauseSteps {
  const nameCauses = level === 'pod' ? podResourceNameCauses : containerResourceNameCauses;
  yield* eachEntry(limits, `${path}.limits`, function* (name, amount, place) {
    yield* nameCauses(name, place);
    yield* amountCauses(name, amount, place);
    yield* hugePageCauses(name, amount, place);
  });
  yield* eachEntry(requests, `${path}.requests`, function* (name, amount, place) {
    yield* nameCauses(name, place);
    yield* amountCauses(name, amount, place);
    const limit = limits?.[name];
    if (limit !== undefined) yield* requestCauses(name, amount, limit, `${path}.requests`);
    else if (!isOvercommitAllowed(name)) {
      yield fieldRequired(`${path}.limits`, 'Limit must be set for non overcommitable resources');
    }
    yield* hugePageCauses(name, amount, place);
  });
  const names = [...Object.keys(limits ?? {}), ...Object.keys(requests ?? {})];
  if (names.some(isHugePages) && !names.includes('cpu') && !names.includes('memory')) {
    yield fieldForbidden(path, 'HugePages require cpu or memory');
  }
  yield* claimNameCauses(claims ?? [], podClaims, `${path}.claims`);
}

function* requestCauses(name: string, request: string, limit: string, path: string): CauseSteps {
  const [asked, most] = [quantityNanos(request), quantityNanos(limit)];
  if (asked !== most && !isOvercommitAllowed(name)) {
    yield fieldInvalid(path, request, `must be equal to ${name} limit of ${limit}`);
  } else if (asked > most) {
    yield fieldInvalid(path, request, `must be less than or equal to ${name} limit of ${limit}`);
  }
}

function* hugePageCauses(name: string, amount: string, path: string): CauseSteps {
  if (!isHugePages(name) || isMultipleOfPage(name.slice(HUGE_PAGES.length), amount)) return;
  yield fieldInvalid(path, amount, `${amount} is not positive integer multiple of ${name}`);
}

function isMultipleOfPage(size: string, amount: string): boolean {
  try {
    const page = parseQuantity(size).nanos;
    return page > 0n && isWholeQuantity(size) && quantityNanos(amount) % page === 0n;
  } catch {
    return false;
  }
}

function* claimNameCauses(claims: readonly ResourceClaim[], podClaims: ReadonlySet<string>, path: string): CauseSteps {
  const seen = new Set<string>();
  const withRequest = new Set<string>();
  yield* each(claims, path, function* ({ name, request }, place) {
    if (!name) {
      yield fieldRequired(place);
      return;
    }
    if (seen.has(name)) yield fieldDuplicate(place, name);
    else {
      const key = request ? `${name}/${request}` : name;
      if (request) yield* invalids(`${place}.request`, request, dns1123LabelErrors(request));
      if (seen.has(key)) yield fieldDuplicate(place, key);
      else if (!request && withRequest.has(name)) yield fieldDuplicate(place, name);
      seen.add(key);
      if (request) withRequest.add(name);
    }
    if (podClaims.has(name)) return;
    const known = podClaims.size === 0 ? ' which is empty' : `: ${[...podClaims].sort().join(', ')}`;
    yield fieldNotFound(place, name, `must be one of the names in pod.spec.resourceClaims${known}`);
  });
}
