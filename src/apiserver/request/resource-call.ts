import { StatusError } from '../../meta/errors/errors.js';
import { badRequest, notFound } from '../../meta/errors/status.js';
import type { JsonObject } from '../../meta/json-values.js';
import type { ObjectMeta } from '../../meta/objects.js';
import type { Clock } from '../../time/clock.js';
import { promptlyInSlices, type Steps } from '../../time/steps.js';
import type { AccountTokens } from '../access/account-tokens.js';
import type { User } from '../access/authentication.js';
import { type Admission, type AdmissionRequest, type Origin, optionsDocument } from '../resources/admission.js';
import { prepareRevisions } from '../resources/conversions.js';
import type { ApiResource, Registry } from '../resources/registry.js';
import type { ObjectWriter } from '../resources/write/object-writer.js';
import { checkNamespace } from '../resources/write/write-checks.js';
import { keyOf, type Revision, type Storage } from '../storage/storage.js';
import type { ApiRequest, ApiResponse } from '../wire/exchange.js';
import type { ResourceRequestInfo } from '../wire/request-info.js';
import type { BodyLimits } from './body/request-body.js';
import { parseVersion, waitForVersion } from './list.js';
import type { WriteOptions } from './options/request-options.js';
import type { Kubelet } from './streams/kubelet.js';
import type { Warnings } from './warnings.js';

/** What the verbs of all resources work with. */
export interface VerbContext {
  readonly clock: Clock;
  readonly storage: Storage;
  readonly registry: Registry;
  readonly writer: ObjectWriter;
  readonly admission: Admission;
  readonly limits: BodyLimits;
  readonly accountTokens: AccountTokens;
  /** Answers calls that reach into containers. */
  readonly kubelet: Kubelet;
}

/** A request for a resource that is served. */
export interface ResourceCall {
  readonly context: VerbContext;
  readonly info: ResourceRequestInfo;
  readonly resource: ApiResource;
  /** Empty for cluster-scoped resources, and for all namespaces. */
  readonly namespace: string;
  readonly user: User;
  readonly request: ApiRequest;
  readonly response: ApiResponse;
  readonly warnings: Warnings;
}

/** Takes the warnings of a write. */
export function warnOf({ warnings }: ResourceCall): (text: string) => void {
  return (text) => warnings.add(text);
}

/** The request as the origin of a write. */
export function originOf({ user }: ResourceCall, options: Partial<WriteOptions>): Origin {
  return { user, options: sentOptions(options) };
}

/** The options of a write that webhooks see: those that were sent. */
function sentOptions({ fieldManager = '', sentFieldValidation = '' }: Partial<WriteOptions>): JsonObject {
  return {
    ...(fieldManager === '' ? {} : { fieldManager }),
    ...(sentFieldValidation === '' ? {} : { fieldValidation: sentFieldValidation }),
  };
}

/**
 * Has webhooks and policies decide about a request that writes nothing itself: about a document that is created below an
 * object, such as an Eviction, or about a connection. Resolves with the document, which mutating webhooks may have changed.
 */
export async function admit(
  call: ResourceCall,
  operation: 'CREATE' | 'CONNECT',
  kind: ApiResource,
  document: JsonObject,
  options?: WriteOptions,
): Promise<JsonObject> {
  const { context, info, resource, namespace, user } = call;
  const { admission } = context;
  const { group, version } = kind;
  const request: AdmissionRequest = {
    operation,
    resource,
    subresource: info.subresource,
    kind: { group, version, kind: kind.kind },
    namespace,
    name: info.name,
    object: document,
    old: undefined,
    options: options && optionsDocument('CreateOptions', options.dryRun, sentOptions(options)),
    dryRun: options?.dryRun ?? false,
    user,
    warn: warnOf(call),
  };
  const mutation = admission.mutate(request, () => {});
  const object = mutation === undefined ? document : (await runSteps(call, mutation))!;
  const validation = admission.validate({ ...request, object });
  if (validation !== undefined) await runSteps(call, validation);
  return object;
}

/**
 * Runs the write of a request in slices, so that no request holds the event loop. The result, or the error that refuses the write,
 * depends on the latest commits, and is known once these are published.
 */
export async function runSteps<T>({ context }: ResourceCall, steps: Steps<T>): Promise<T> {
  try {
    return await promptlyInSlices(context.clock, 'request', steps);
  } finally {
    const flushed = context.storage.flushed();
    if (flushed !== undefined) await flushed;
  }
}

/** The object that the path names, at least as new as the `resourceVersion` of the query; throws 404. */
export async function findObject({ context, info, resource, namespace, request }: ResourceCall): Promise<Revision> {
  let version: number | undefined;
  try {
    version = parseVersion(info.query.get('resourceVersion') ?? '');
  } catch (error) {
    // kube-apiserver has no reason for it here, unlike in lists.
    const { message } = error as Error;
    throw new StatusError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: 500 });
  }
  if (version !== undefined) await waitForVersion(resource.collection, context.clock, version, request.signal);
  const revision = resource.collection.published(keyOf(namespace, info.name));
  if (revision === undefined) throw new StatusError(notFound(resource.groupResource, info.name));
  await prepare({ context, resource }, [revision]);
  return revision;
}

/** Has a conversion webhook convert revisions, if the resource has one, so that they can be sent. */
export async function prepare(
  { context, resource }: Pick<ResourceCall, 'context' | 'resource'>,
  revisions: readonly Revision[],
): Promise<void> {
  const preparation = prepareRevisions(resource, revisions);
  if (preparation !== undefined) await promptlyInSlices(context.clock, 'request', preparation);
}

/** Throws 400 if the namespace or name of an object that was sent is not the one in the path. */
export function checkPlace({ info, resource, namespace }: ResourceCall, sent: ObjectMeta): void {
  checkNamespace(resource, namespace, sent);
  checkName(info.name, sent.name);
}

/** Throws 400 if the name of an object that was sent is not the one in the path. */
export function checkName(asked: string, sent: string | undefined): void {
  if (sent === undefined) {
    const message = `the name of the object (${asked} based on URL) was undeterminable: name must be provided`;
    throw new StatusError(badRequest(message));
  }
  if (sent === asked) return;
  throw new StatusError(badRequest(`the name of the object (${sent}) does not match the name on the URL (${asked})`));
}
