import { isDeepStrictEqual } from 'node:util';
import { StatusError } from '../../../meta/errors/errors.js';
import { badRequest, forbidden, internal } from '../../../meta/errors/status.js';
import { type JsonObject, jsonTypeName } from '../../../meta/json-values.js';
import type { Clock } from '../../../time/clock.js';
import { randomUid } from '../../../time/random-uid.js';
import { finish, type Steps, waitFor } from '../../../time/steps.js';
import type { AccessOracle } from '../../cel/functions/authorizer.js';
import type { AdmissionRequest } from '../../resources/admission.js';
import { convertObject } from '../../resources/conversions.js';
import type { Registry } from '../../resources/registry.js';
import { WebhookCallError, type WebhookCaller } from '../../resources/webhook-caller.js';
import { jsonSyntaxError } from '../../wire/json-syntax-error.js';
import { requestValues } from '../expressions/request-variables.js';
import { matchedResource } from '../match-rules.js';
import { requestName } from '../request-name.js';
import { inVersionOf, type VersionedRequest } from '../versioned-request.js';
import { patchObject } from './patch-object.js';
import { admissionReview, callFailure, denial, readVerdict, reviewType, type Verdict } from './review.js';
import { type Webhook, WebhookSource } from './webhook-source.js';

/** What webhooks are called with. */
export interface WebhookChainOptions {
  readonly clock: Clock;
  readonly registry: Registry;
  readonly caller: WebhookCaller;
  readonly oracleOf: (request: AdmissionRequest) => AccessOracle;
}

/** Calls the mutating and validating webhooks of requests. */
export class WebhookChain {
  readonly #options: WebhookChainOptions;
  readonly #mutating: WebhookSource;
  readonly #validating: WebhookSource;

  constructor(options: WebhookChainOptions) {
    this.#options = options;
    this.#mutating = new WebhookSource(options.registry, 'mutatingwebhookconfigurations');
    this.#validating = new WebhookSource(options.registry, 'validatingwebhookconfigurations');
  }

  get mutating(): readonly Webhook[] {
    return this.#mutating.webhooks;
  }

  get validating(): readonly Webhook[] {
    return this.#validating.webhooks;
  }

  /**
   * Calls mutating webhooks one after the other, each with the object as the ones before have left it. If one of them changes
   * the object, `replug` is called, and then those again whose `reinvocationPolicy` is IfNeeded and that have not seen the last
   * change.
   */
  *mutate(request: AdmissionRequest, replug: (object: JsonObject) => void): Steps<JsonObject | undefined> {
    const hooks = this.#mutating.webhooks;
    /** Webhooks that have been called, and are called again if the object changes after that. */
    const repeatable = new Set<string>();
    const toRepeat = new Set<string>();
    let isChanged = false;
    let current = request;
    const round = function* (this: WebhookChain, isRepeat: boolean): Steps<void> {
      for (const hook of hooks) {
        const versioned = yield* this.#invocation(hook, current);
        if (versioned === undefined || (isRepeat && !toRepeat.has(hook.id))) continue;
        const { object, wasChanged } = yield* this.#callMutating(hook, versioned);
        if (wasChanged) {
          isChanged = true;
          for (const id of repeatable) toRepeat.add(id);
          repeatable.clear();
          current = { ...current, object };
        }
        if (hook.spec.reinvocationPolicy === 'IfNeeded') repeatable.add(hook.id);
      }
    }.bind(this);
    yield* round(false);
    if (!isChanged) return current.object;
    const before = structuredClone(current.object);
    if (current.object !== undefined) replug(current.object);
    if (!isDeepStrictEqual(before, current.object)) for (const id of repeatable) toRepeat.add(id);
    if (toRepeat.size > 0) yield* round(true);
    return current.object;
  }

  /**
   * Calls all validating webhooks at once, and waits for them. The first refusal is the answer. None is called if the conditions
   * of one fail.
   */
  *validate(request: AdmissionRequest): Steps<void> {
    const invocations: { readonly hook: Webhook; readonly versioned: VersionedRequest }[] = [];
    for (const hook of this.#validating.webhooks) {
      const versioned = yield* this.#invocation(hook, request);
      if (versioned !== undefined) invocations.push({ hook, versioned });
    }
    if (invocations.length === 0) return;
    const calls = invocations.map(({ hook, versioned }) => this.#callValidating(hook, versioned));
    const refusals = yield* waitFor(Promise.all(calls));
    const refusal = refusals.find((error) => error !== undefined);
    if (refusal !== undefined) throw refusal;
  }

  /** The request as a webhook sees it; undefined if the webhook is not for it. Throws 403 if its conditions fail. */
  *#invocation(hook: Webhook, request: AdmissionRequest): Steps<VersionedRequest | undefined> {
    const resource = matchedResource(hook.match, request, this.#options.registry);
    if (resource === undefined) return undefined;
    const versioned = yield* inVersionOf(request, resource);
    if (hook.conditions.isEmpty) return versioned;
    const oracle = this.#options.oracleOf(request);
    const result = yield* hook.conditions.evaluate(requestValues(versioned, { oracle }));
    if (result.error === undefined) return result.matches ? versioned : undefined;
    throw new StatusError(forbidden(request.resource.groupResource, requestName(request), result.error));
  }

  *#callMutating(
    hook: Webhook,
    request: VersionedRequest,
  ): Steps<{ readonly object: JsonObject | undefined; readonly wasChanged: boolean }> {
    const unchanged = { object: request.object, wasChanged: false };
    let verdict: Verdict;
    let operations: unknown;
    try {
      verdict = yield* waitFor(this.#call(hook, request, true));
      operations = readPatch(verdict);
    } catch (error) {
      const refusal = refusalOf(hook, error);
      if (refusal === undefined) return unchanged;
      throw refusal;
    }
    if (!verdict.allowed) throw denial(hook.name, verdict.status);
    if (operations === undefined) return unchanged;
    if (request.object === undefined) {
      const what = `admission webhook ${JSON.stringify(hook.name)} attempted to modify the object`;
      throw new StatusError(internal(`${what}, which is not supported for this operation`));
    }
    const patched = yield* patchObject(request, operations);
    const wasChanged = !isDeepStrictEqual(patched, request.object);
    const given = request.attributes.resource;
    const isConverted = request.resource !== given && request.attributes.kind === undefined;
    return { object: isConverted ? yield* convertObject(patched, request.resource, given) : patched, wasChanged };
  }

  /** Resolves with the refusal of a webhook; undefined if it allows the request, or cannot be asked and may be ignored. */
  async #callValidating(hook: Webhook, request: VersionedRequest): Promise<StatusError | undefined> {
    try {
      const { allowed, status } = await this.#call(hook, request, false);
      return allowed ? undefined : denial(hook.name, status);
    } catch (error) {
      return refusalOf(hook, error);
    }
  }

  async #call(hook: Webhook, request: VersionedRequest, isMutating: boolean): Promise<Verdict> {
    const { clientConfig, sideEffects, timeoutSeconds = 10, admissionReviewVersions = [] } = hook.spec;
    const { dryRun, warn } = request.attributes;
    if (dryRun && sideEffects !== 'None' && sideEffects !== 'NoneOnDryRun') throw dryRunUnsupported(hook.name);
    const type = reviewType(admissionReviewVersions);
    const uid = randomUid(this.#options.clock);
    let answer: JsonObject;
    try {
      answer = await this.#options.caller.call(clientConfig, type, admissionReview(type, uid, request), timeoutSeconds);
    } catch (error) {
      if (!(error instanceof WebhookCallError)) throw error;
      throw new WebhookCallError(`failed to call webhook: ${error.message}`);
    }
    return readVerdict(answer, type, uid, isMutating, warn);
  }
}

/** The refusal that a failed call leads to; undefined if the webhook may be ignored. Rethrows what is no failed call. */
function refusalOf(hook: Webhook, error: unknown): StatusError | undefined {
  if (error instanceof StatusError) return error;
  if (!(error instanceof WebhookCallError)) throw error;
  return hook.spec.failurePolicy === 'Ignore' ? undefined : callFailure(hook.name, error);
}

function dryRunUnsupported(name: string): StatusError {
  return new StatusError(badRequest(`admission webhook ${JSON.stringify(name)} does not support dry run`));
}

/** The operations of a patch; undefined if there are none. @throws WebhookCallError for what is no patch */
function readPatch({ allowed, patch, patchType }: Verdict): unknown {
  if (!allowed || patch === '') return undefined;
  let operations: unknown;
  try {
    operations = JSON.parse(patch);
  } catch {
    throw undecodable(finish(jsonSyntaxError(patch)));
  }
  if (operations === null) return undefined;
  if (!Array.isArray(operations)) {
    throw undecodable(`json: cannot unmarshal ${jsonTypeName(operations)} into Go value of type jsonpatch.Patch`);
  }
  if (operations.length === 0) return undefined;
  if (patchType !== 'JSONPatch') throw new WebhookCallError(`unsupported patch type ${JSON.stringify(patchType)}`);
  return operations;
}

function undecodable(why: string): WebhookCallError {
  return new WebhookCallError(`received undecodable patch in webhook response: ${why}`);
}
