import { StatusError } from '../../meta/errors/errors.js';
import { forbidden } from '../../meta/errors/status.js';
import type { JsonObject } from '../../meta/json-values.js';
import { quantityNanos } from '../../meta/quantity.js';
import type { ResourceQuota } from '../../resources/types/core-v1.js';
import type { Steps } from '../../time/steps.js';
import type { AdmissionRequest } from '../resources/admission.js';
import {
  addUsage,
  growth,
  isInScope,
  limitedPart,
  missingAmounts,
  printUsage,
  type Usage,
  usageOf,
} from '../resources/quota/quota-usage.js';
import type { ApiResource, Registry } from '../resources/registry.js';
import { ifPresent, type ObjectWriter } from '../resources/write/object-writer.js';
import { keyOf, type Revision } from '../storage/storage.js';
import { requestName } from './request-name.js';

/** Resources whose updates can use more of a quota. */
const GROWING: ReadonlySet<string> = new Set(['persistentvolumeclaims', 'pods', 'services']);

/**
 * The plugin ResourceQuota: refuses what exceeds a quota, and adds what it admits to `status.used`. A quota counts from when
 * its status has `hard`, which a controller copies from its spec.
 */
export class ResourceQuotas {
  readonly #quotas: ApiResource;
  readonly #writer: () => ObjectWriter;

  constructor(registry: Registry, writer: () => ObjectWriter) {
    this.#quotas = registry.find('', 'v1', 'resourcequotas')!;
    this.#writer = writer;
  }

  get isEmpty(): boolean {
    return this.#quotas.collection.size === 0;
  }

  *validate(request: AdmissionRequest): Steps<void> {
    const { resource, object, old, namespace, operation, dryRun } = request;
    if (!resource.namespaced || object === undefined || !isCounted(request)) return;
    const demand = growth(usageOf(resource, object), old === undefined ? {} : usageOf(resource, old));
    if (Object.keys(demand).length === 0) return;
    const claims: { readonly revision: Revision; readonly demand: Usage }[] = [];
    const stored: Revision[] = [];
    this.#quotas.collection.scan(Number.POSITIVE_INFINITY, keyOf(namespace, ''), '', (revision) => {
      stored.push(revision);
      return true;
    });
    for (const revision of stored) {
      const quota = yield* revision.decodeInSteps();
      const { spec = {}, status } = quota as unknown as ResourceQuota;
      if (!isInScope(spec, resource, object)) continue;
      const hard = status?.hard ?? {};
      const limited = limitedPart(demand, hard);
      if (resource.resource === 'pods' && operation === 'CREATE') {
        const missing = missingAmounts(object, hard);
        if (missing !== '') throw refusal(request, `failed quota: ${revision.name}: must specify ${missing}`);
      }
      if (Object.keys(limited).length === 0) continue;
      checkLimits(request, quota, limited);
      claims.push({ revision, demand: limited });
    }
    if (dryRun) return;
    for (const { revision, demand: claimed } of claims) yield* this.#claim(request, revision, claimed);
  }

  /** Adds to the usage of a quota. Other requests may have used it up meanwhile. */
  *#claim(request: AdmissionRequest, { namespace, name }: Revision, demand: Usage): Steps<void> {
    const writer = this.#writer();
    const update = writer.update(this.#quotas, namespace, name, {
      change(quota) {
        checkLimits(request, quota, demand);
        const { status } = quota as unknown as ResourceQuota;
        return { ...quota, status: { ...status, used: addUsage(status?.used ?? {}, demand) } };
      },
      merge: (old, next) => ({ ...old, status: next['status'] }),
      subresource: 'status',
      track: writer.fields.update(this.#quotas, 'status', 'kube-apiserver'),
    });
    yield* ifPresent(update);
  }
}

/** A subresource uses nothing that its object does not. */
function isCounted({ operation, subresource, resource }: AdmissionRequest): boolean {
  if (subresource !== '') return false;
  return operation === 'CREATE' || (operation === 'UPDATE' && resource.group === '' && GROWING.has(resource.resource));
}

function checkLimits(request: AdmissionRequest, quota: JsonObject, demand: Usage): void {
  const { metadata, status } = quota as unknown as ResourceQuota;
  const hard = status?.hard ?? {};
  const used = status?.used ?? {};
  const next = addUsage(limitedPart(used, demand), demand);
  const exceeded = Object.keys(demand)
    .filter((name) => hard[name] !== undefined && quantityNanos(next[name]!) > quantityNanos(hard[name]))
    .sort();
  if (exceeded.length === 0) return;
  const parts = `requested: ${printUsage(demand, exceeded)}, used: ${printUsage(used, exceeded)}`;
  throw refusal(request, `exceeded quota: ${metadata.name}, ${parts}, limited: ${printUsage(hard, exceeded)}`);
}

function refusal(request: AdmissionRequest, why: string): StatusError {
  return new StatusError(forbidden(request.resource.groupResource, requestName(request), why));
}
