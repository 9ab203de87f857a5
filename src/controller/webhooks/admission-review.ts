import type { Lister, Resource } from '../../index.js';
import { escapeControls } from '../../meta/escape-controls.js';
import { isJsonObject, type JsonObject } from '../../meta/json-values.js';
import { requireString } from '../../meta/options/validate.js';
import { abortable } from '../../time/signals.js';
import { jsonPatchBetween } from './json-patch.js';
import { BadReviewError, readReview, textField } from './review.js';
import type { AdmissionRequest } from './types.js';
import { problemsOf, refusal } from './verdict.js';
import type { AdmissionDefinition } from './webhook.js';

type Operation = AdmissionRequest<unknown>['operation'];

const ADMISSION_REVIEW = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' } as const;

/** What an admission webhook is called with, besides the review. */
export interface AdmissionContext {
  /** Aborts when the answer would be too late. */
  readonly signal: AbortSignal;
  /** Throws a TypeError for a kind that is not in `reads`. */
  lister<U>(resource: Resource<U>): Lister<U>;
  /** Calls `change` a second time, with the object that it has changed, and rejects if it changes more. @default false */
  readonly asksTwice?: boolean | undefined;
}

/** The request of an AdmissionReview, as far as webhooks read it. */
interface ReviewedRequest {
  readonly uid: string;
  readonly operation: Operation;
  readonly name: string;
  readonly namespace: string;
  readonly user: AdmissionRequest<never>['user'];
  readonly dryRun: boolean;
  readonly object: JsonObject | undefined;
  readonly old: JsonObject | undefined;
}

/** kube-apiserver drops the warnings of a request that go beyond this many characters. */
const MOST_WARNING_CHARACTERS = 4096;

/**
 * Answers an AdmissionReview. Rejects with a {@link BadReviewError} for what is no such review, and with what the function of the
 * program throws: that is no verdict.
 */
export async function answerAdmission(
  definition: AdmissionDefinition,
  review: unknown,
  context: AdmissionContext,
): Promise<JsonObject> {
  const request = readRequest(review);
  const warnings: string[] = [];
  const response = await decide(definition, request, context, warnings);
  return {
    ...ADMISSION_REVIEW,
    response: { uid: request.uid, ...response, ...(warnings.length > 0 && { warnings }) },
  };
}

async function decide(
  definition: AdmissionDefinition,
  request: ReviewedRequest,
  context: AdmissionContext,
  warnings: string[],
): Promise<JsonObject> {
  const object = request.object ?? request.old;
  if (object === undefined) throw new BadReviewError('the request has neither object nor oldObject');
  const given = requestFor(request, context, warnings);
  // The function gets a copy: what it changes is found by comparing.
  const changed = definition.type === 'mutate' ? structuredClone(object) : object;
  const problems = problemsOf(await call(definition, changed, given), definition);
  if (problems.length > 0) return { allowed: false, status: refusal(problems, definition, request.name) };
  if (definition.type === 'validate' || request.object === undefined) return { allowed: true };
  const operations = jsonPatchBetween(object, plainJson(changed));
  if (context.asksTwice === true) await askAgain(definition, plainJson(changed), requestFor(request, context, []));
  if (operations.length === 0) return { allowed: true };
  const patch = Buffer.from(JSON.stringify(operations)).toString('base64');
  return { allowed: true, patchType: 'JSONPatch', patch };
}

/** Rejects if a second call of `change` changes an object further, or refuses it. */
async function askAgain(definition: AdmissionDefinition, object: JsonObject, given: Given): Promise<void> {
  const again = structuredClone(object);
  const problems = problemsOf(await call(definition, again, given), definition);
  const more = jsonPatchBetween(object, plainJson(again));
  if (problems.length === 0 && more.length === 0) return;
  const what =
    problems.length > 0 ? `it refuses: ${problems.map(({ message }) => message).join('; ')}` : JSON.stringify(more);
  const rule = 'the server may call it again, and twice must be as once';
  throw new Error(`${definition.name} changes an object that it has changed before: ${what}; ${rule}`);
}

type Given = AdmissionRequest<never>;

/** Calls the function of the program; rejects when the time is over. */
async function call(definition: AdmissionDefinition, object: JsonObject, given: Given): Promise<unknown> {
  given.signal.throwIfAborted();
  return abortable((async () => definition.call(object as never, given))(), given.signal);
}

function requestFor(request: ReviewedRequest, context: AdmissionContext, warnings: string[]): Given {
  const { operation, name, namespace, user, dryRun } = request;
  let characters = 0;
  return {
    operation,
    old: request.old as never,
    name,
    namespace,
    user,
    dryRun,
    signal: context.signal,
    lister: (resource) => context.lister(resource),
    warn(text) {
      // The server ignores a warning with control characters.
      const shown = escapeControls(requireString('text', text)).slice(0, MOST_WARNING_CHARACTERS - characters);
      characters += shown.length;
      if (shown !== '') warnings.push(shown);
    },
  };
}

/** The object as it would be sent: without fields that are undefined. */
function plainJson(object: JsonObject): JsonObject {
  return JSON.parse(JSON.stringify(object)) as JsonObject;
}

const OPERATIONS: readonly string[] = ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'] satisfies Operation[];

function readRequest(review: unknown): ReviewedRequest {
  const { uid, request } = readReview(review, ADMISSION_REVIEW);
  const operation = textField(request, 'operation');
  if (!OPERATIONS.includes(operation))
    throw new BadReviewError(`the operation ${JSON.stringify(operation)} is unknown`);
  const { userInfo, dryRun } = request;
  const user = isJsonObject(userInfo) ? userInfo : {};
  const groups = Array.isArray(user['groups']) ? user['groups'] : [];
  return {
    uid,
    operation: operation as Operation,
    name: textField(request, 'name'),
    namespace: textField(request, 'namespace'),
    user: {
      name: textField(user, 'username'),
      groups: groups.filter((group): group is string => typeof group === 'string'),
    },
    dryRun: dryRun === true,
    object: objectField(request, 'object'),
    old: objectField(request, 'oldObject'),
  };
}

function objectField(request: JsonObject, field: string): JsonObject | undefined {
  const value = request[field] ?? undefined;
  if (value !== undefined && !isJsonObject(value)) throw new BadReviewError(`${field} is no object`);
  return value;
}
