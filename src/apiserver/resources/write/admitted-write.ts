import type { JsonObject } from '../../../meta/json-values.js';
import type { Steps } from '../../../time/steps.js';
import { type Admission, type AdmissionRequest, type Origin, optionsDocument } from '../admission.js';
import type { Cluster } from '../cluster.js';
import { metadataOf } from '../object-meta.js';
import type { ApiResource } from '../registry.js';
import type { Deletion } from './object-writer.js';
import { isNamespaces } from './write-checks.js';

/** The parts of a request that are known before its object is. */
export type RequestPart = Omit<AdmittedWrite, 'namespace' | 'name' | 'object'>;

/** A request to be admitted, without what its {@link Origin} has. */
export type AdmittedWrite = Omit<AdmissionRequest, 'user' | 'options'>;

const OPTION_KINDS = {
  CREATE: 'CreateOptions',
  UPDATE: 'UpdateOptions',
  DELETE: 'DeleteOptions',
  CONNECT: '',
} as const;

function admissionRequest(write: AdmittedWrite, { user, options }: Origin): AdmissionRequest {
  // A Namespace is in itself.
  const namespace = isNamespaces(write.resource) ? write.name : write.namespace;
  return { ...write, namespace, user, options: optionsDocument(OPTION_KINDS[write.operation], write.dryRun, options) };
}

function deleteOptions({
  gracePeriodSeconds,
  preconditions,
  orphanDependents,
  propagationPolicy,
}: Deletion): JsonObject {
  return {
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(Object.keys(preconditions).length === 0 ? {} : { preconditions }),
    ...(orphanDependents === undefined ? {} : { orphanDependents }),
    ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
  };
}

/** Asks admission about the writes that come from requests. */
export class WriteAdmission {
  readonly #admission: Admission;

  constructor(admission: Admission) {
    this.#admission = admission;
  }

  /** Has mutating webhooks change the object of a request; undefined if there is none, or nothing to do. */
  mutate(
    write: AdmittedWrite,
    by: Origin | undefined,
    cluster: Cluster | undefined,
  ): Steps<JsonObject | undefined> | undefined {
    if (by === undefined) return undefined;
    const { resource, old } = write;
    return this.#admission.mutate(admissionRequest(write, by), (object) => {
      if (cluster !== undefined) resource.strategy.admit(object, old, cluster);
    });
  }

  /** Has webhooks, policies and quota validate the object of a request; undefined if there is none, or nothing to do. */
  validate(write: AdmittedWrite, by: Origin | undefined): Steps<void> | undefined {
    return by === undefined ? undefined : this.#admission.validate(admissionRequest(write, by));
  }

  /** Has webhooks and policies decide about the deletion of an object in a state. */
  *deletion(resource: ApiResource, old: JsonObject, options: Deletion): Steps<void> {
    const { by, dryRun, inCollection, warn = () => {} } = options;
    if (by === undefined) return;
    const { namespace = '', name = '' } = metadataOf(old);
    const write: AdmittedWrite = {
      operation: 'DELETE',
      resource,
      subresource: '',
      namespace,
      name: inCollection === true ? '' : name,
      object: undefined,
      old,
      dryRun,
      warn,
    };
    const request = admissionRequest(write, { user: by.user, options: by.options ?? deleteOptions(options) });
    const mutation = this.#admission.mutate(request, () => {});
    if (mutation !== undefined) yield* mutation;
    const validation = this.#admission.validate(request);
    if (validation !== undefined) yield* validation;
  }
}
