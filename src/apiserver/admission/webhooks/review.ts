import { isDeepStrictEqual } from 'node:util';
import { StatusError } from '../../../meta/errors/errors.js';
import { internal, type Status } from '../../../meta/errors/status.js';
import { typedStatus } from '../../../meta/errors/typed-status.js';
import { isJsonObject, type JsonObject, jsonTypeName } from '../../../meta/json-values.js';
import type { Warn } from '../../resources/strategy.js';
import { type ReviewType, WebhookCallError } from '../../resources/webhook-caller.js';
import { requestDocument } from '../expressions/request-variables.js';
import type { VersionedRequest } from '../versioned-request.js';

const GROUP = 'admission.k8s.io';
const KIND = 'AdmissionReview';

/** The type of the reviews that a webhook gets: the first of its versions that is known. @throws WebhookCallError */
export function reviewType(versions: readonly string[]): ReviewType {
  const version = versions.find((known) => known === 'v1' || known === 'v1beta1');
  if (version !== undefined) return { group: GROUP, version, kind: KIND };
  throw new WebhookCallError(
    'could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)',
  );
}

/** The review of a request. */
export function admissionReview({ version }: ReviewType, uid: string, request: VersionedRequest): JsonObject {
  const { options, dryRun, ...rest } = requestDocument(request);
  const objects = { object: request.object ?? null, oldObject: request.old ?? null };
  return { kind: KIND, apiVersion: `${GROUP}/${version}`, request: { uid, ...rest, ...objects, dryRun, options } };
}

/** What a webhook has decided. */
export interface Verdict {
  readonly allowed: boolean;
  readonly status: JsonObject | undefined;
  /** The text of a JSON patch; empty if there is none. */
  readonly patch: string;
  readonly patchType: string;
}

/** Go's types of the fields of a response. */
const FIELDS = {
  uid: 'string',
  allowed: 'boolean',
  patch: 'string',
  patchType: 'string',
  status: 'object',
  auditAnnotations: 'object',
  warnings: 'array',
} as const;
const GO_TYPES: Readonly<Record<string, string>> = {
  boolean: 'bool',
  string: 'string',
  object: 'v1.Status',
  array: '[]string',
};

/** Reads the response of a review, and gives its warnings to `warn`. @throws WebhookCallError for one that is not valid */
export function readVerdict(
  answer: JsonObject,
  type: ReviewType,
  uid: string,
  isMutating: boolean,
  warn: Warn,
): Verdict {
  const response = answer['response'] ?? undefined;
  if (response !== undefined) checkFields(response);
  const verdict = response === undefined ? undefined : checked(answer, response as JsonObject, type, uid, isMutating);
  if (typeof verdict !== 'object')
    throw new WebhookCallError(`received invalid webhook response: ${verdict ?? ABSENT}`);
  const { warnings } = response as JsonObject;
  for (const text of Array.isArray(warnings) ? warnings : []) warn(text ?? '');
  return verdict;
}

const ABSENT = 'webhook response was absent';

function checkFields(response: unknown): asserts response is JsonObject {
  const wrong = (value: unknown, field: string, type: string): WebhookCallError =>
    new WebhookCallError(
      `failed to call webhook: json: cannot unmarshal ${jsonTypeName(value)} into Go struct field ${field} of type ${type}`,
    );
  if (!isJsonObject(response)) throw wrong(response, 'AdmissionReview.response', 'v1.AdmissionResponse');
  for (const [field, type] of Object.entries(FIELDS)) {
    const value = response[field] ?? undefined;
    const isRight =
      value === undefined || (type === 'array' ? Array.isArray(value) : typeof value === type && !Array.isArray(value));
    if (!isRight) throw wrong(value, `AdmissionResponse.response.${field}`, GO_TYPES[type]!);
  }
  const { patch, warnings } = response;
  for (const warning of Array.isArray(warnings) ? warnings : []) {
    if (typeof warning !== 'string' && warning !== null)
      throw wrong(warning, 'AdmissionResponse.response.warnings', 'string');
  }
  if (typeof patch !== 'string') return;
  const at = patch.replace(/[\r\n]/g, '').search(/[^A-Za-z0-9+/=]/);
  if (at >= 0) throw new WebhookCallError(`failed to call webhook: illegal base64 data at input byte ${at}`);
}

/** The verdict of a response, or what is wrong with it. */
function checked(
  answer: JsonObject,
  response: JsonObject,
  { group, version }: ReviewType,
  uid: string,
  isMutating: boolean,
): Verdict | string {
  const { allowed = false, status } = response;
  const patch = Buffer.from(String(response['patch'] ?? ''), 'base64').toString('utf8');
  const patchType = response['patchType'] ?? undefined;
  const verdict: Verdict = {
    allowed: allowed === true,
    status: isJsonObject(status) ? status : undefined,
    patch: isMutating ? patch : '',
    patchType: version === 'v1beta1' ? 'JSONPatch' : String(patchType ?? ''),
  };
  // v1beta1 checks nothing else.
  if (version === 'v1beta1') return verdict;
  const answered = String(response['uid'] ?? '');
  if (answered !== uid) return `expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(answered)}`;
  const { kind = '', apiVersion = '' } = answer;
  if (kind !== KIND || apiVersion !== `${group}/${version}`) {
    const given = apiVersion === '' ? '/' : String(apiVersion);
    return `expected webhook response of ${group}/${version}, Kind=${KIND}, got ${given}, Kind=${kind}`;
  }
  if (!isMutating) {
    if (patch !== '') return 'validating webhook may not return response.patch';
    return patchType === undefined ? verdict : 'validating webhook may not return response.patchType';
  }
  if (patch !== '' && patchType === undefined) return 'webhook returned response.patch but not response.patchType';
  if (patch === '' && patchType !== undefined) return 'webhook returned response.patchType but not response.patch';
  return patchType === '' ? 'webhook returned invalid response.patchType of ""' : verdict;
}

/** The refusal of a request by a webhook: its own status, with its name. */
export function denial(webhook: string, status: JsonObject | undefined): StatusError {
  const { message, reason, code, details, metadata } = typedStatus((status ?? {}) as unknown as Status);
  const deniedBy = `admission webhook ${JSON.stringify(webhook)} denied the request`;
  const why = message || reason;
  return new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: isJsonObject(metadata) ? metadata : {},
    status: 'Failure',
    message: why ? `${deniedBy}: ${why}` : `${deniedBy} without explanation`,
    ...(reason ? { reason } : {}),
    ...(details === undefined || isDeepStrictEqual(details, {}) ? {} : { details }),
    code: typeof code === 'number' && code >= 400 && code < 600 ? code : 400,
  });
}

/** 500 for a webhook that could not be asked, and may not be ignored. */
export function callFailure(webhook: string, error: WebhookCallError): StatusError {
  return new StatusError(internal(`failed calling webhook ${JSON.stringify(webhook)}: ${error.message}`));
}
