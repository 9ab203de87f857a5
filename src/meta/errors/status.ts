import { withGroup } from '../names.js';
import type { ListMeta } from '../objects.js';
import type { GroupKind, GroupResource } from '../resource.js';

/** One cause of a failed request; an invalid object has one per field. */
export interface StatusCause {
  /** The kind of cause, such as `FieldValueInvalid` or `ResourceVersionTooLarge`. */
  reason?: string;
  message?: string;
  /** The path of the field, as `spec.containers[0].name`. */
  field?: string;
}

/** The object that a {@link Status} is about, and the causes. */
export interface StatusDetails {
  name?: string;
  group?: string;
  /** The resource in most errors, the kind in those about invalid objects: kube-apiserver is not consistent here. */
  kind?: string;
  uid?: string;
  causes?: StatusCause[];
  retryAfterSeconds?: number;
}

/** The body of a response that has no object: nearly always a failure. */
export interface Status {
  kind: 'Status';
  apiVersion: 'v1' | 'meta.k8s.io/v1';
  metadata: Partial<ListMeta>;
  status?: 'Success' | 'Failure';
  message?: string;
  reason?: string;
  details?: StatusDetails;
  code?: number;
}

/** The reasons that Kubernetes defines. An error with another reason is judged by its HTTP code. */
export type StatusReason = (typeof statusReasons)[number];

export const statusReasons = [
  'Unauthorized',
  'Forbidden',
  'NotFound',
  'AlreadyExists',
  'Conflict',
  'Gone',
  'Invalid',
  'ServerTimeout',
  'StorageReadError',
  'Timeout',
  'TooManyRequests',
  'BadRequest',
  'MethodNotAllowed',
  'NotAcceptable',
  'RequestEntityTooLarge',
  'UnsupportedMediaType',
  'InternalError',
  'Expired',
  'ServiceUnavailable',
] as const;

function failure(code: number, reason: StatusReason | '', message: string, details?: StatusDetails): Status {
  const status: Status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message };
  if (reason !== '') status.reason = reason;
  if (details !== undefined) status.details = details;
  status.code = code;
  return status;
}

/** Leaves out empty fields, as kube-apiserver does. */
function details(fields: StatusDetails): StatusDetails {
  const present: StatusDetails = {};
  if (fields.name) present.name = fields.name;
  if (fields.group) present.group = fields.group;
  if (fields.kind) present.kind = fields.kind;
  if (fields.causes !== undefined && fields.causes.length > 0) present.causes = fields.causes;
  if (fields.retryAfterSeconds) present.retryAfterSeconds = fields.retryAfterSeconds;
  return present;
}

function resourceDetails(resource: GroupResource, name: string): StatusDetails {
  return details({ name, group: resource.group, kind: resource.resource });
}

const quote = JSON.stringify as (text: string) => string;

/** 404: the object does not exist. */
export function notFound(resource: GroupResource, name: string): Status {
  const message = `${withGroup(resource.resource, resource.group)} ${quote(name)} not found`;
  return failure(404, 'NotFound', message, resourceDetails(resource, name));
}

/** 404: the path is below a served group and names none of its resources. */
export function pathNotFound(): Status {
  return failure(404, 'NotFound', 'the server could not find the requested resource', {});
}

/** 405: the resource does not support this method. */
export function methodNotAllowed(): Status {
  return failure(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {});
}

/** 409: an object of that name exists. */
export function alreadyExists(resource: GroupResource, name: string): Status {
  const message = `${withGroup(resource.resource, resource.group)} ${quote(name)} already exists`;
  return failure(409, 'AlreadyExists', message, resourceDetails(resource, name));
}

/** The usual cause of a {@link conflict}: the object has a newer resourceVersion. */
const staleWrite = 'the object has been modified; please apply your changes to the latest version and try again';

/** 409: the write is based on another state of the object than the current one. */
export function conflict(resource: GroupResource, name: string, why: string = staleWrite): Status {
  const message = `Operation cannot be fulfilled on ${withGroup(resource.resource, resource.group)} ${quote(name)}: ${why}`;
  return failure(409, 'Conflict', message, resourceDetails(resource, name));
}

/** 422: the object breaks a rule; one cause per field, made by the functions of field-cause.ts. */
export function invalid(kind: GroupKind, name: string, causes: readonly StatusCause[]): Status {
  const why = causes.length === 0 ? '' : `: ${printCauses(causes)}`;
  const message = `${withGroup(kind.kind, kind.group)} ${quote(name)} is invalid${why}`;
  return failure(422, 'Invalid', message, details({ name, group: kind.group, kind: kind.kind, causes: [...causes] }));
}

/** Causes on one line: `field: message`, in brackets if there are several, without duplicates. */
export function printCauses(causes: readonly StatusCause[]): string {
  const lines = [...new Set(causes.map((cause) => `${cause.field ?? ''}: ${cause.message ?? ''}`))];
  const text = lines.join(', ');
  return lines.length === 1 ? text : `[${text}]`;
}

/** 400: the request is malformed. */
export function badRequest(message: string): Status {
  return failure(400, 'BadRequest', message);
}

/** 401: the request has no valid credentials. */
export function unauthorized(message = 'Unauthorized'): Status {
  return failure(401, 'Unauthorized', message);
}

/** 403: the user lacks the permission. An empty resource means a path outside the API. */
export function forbidden(resource: GroupResource, name: string, why: string): Status {
  const what = [withGroup(resource.resource, resource.group), name && quote(name)].filter((word) => word).join(' ');
  return failure(
    403,
    'Forbidden',
    what === '' ? `forbidden: ${why}` : `${what} is forbidden: ${why}`,
    resourceDetails(resource, name),
  );
}

/** 406: the server supports none of the media types in `Accept`. */
export function notAcceptable(mediaTypes: readonly string[]): Status {
  return failure(406, 'NotAcceptable', `only the following media types are accepted: ${mediaTypes.join(', ')}`);
}

/** 415: the server does not support the `Content-Type` of the body. */
export function unsupportedMediaType(mediaTypes: readonly string[]): Status {
  const accepted = mediaTypes.join(', ');
  const message = `the body of the request was in an unknown format - accepted media types include: ${accepted}`;
  return failure(415, 'UnsupportedMediaType', message);
}

/** 410: the resourceVersion was compacted, or the continue token has expired. */
export function expired(message: string): Status {
  return failure(410, 'Expired', message);
}

/** 410 with the reason of older servers. @internal */
export function gone(message: string): Status {
  return failure(410, 'Gone', message);
}

/** 413: the request body is over the limit. */
export function requestEntityTooLarge(message: string): Status {
  return failure(413, 'RequestEntityTooLarge', `Request entity too large: ${message}`);
}

/** 429: the client sends too many requests. @internal */
export function tooManyRequests(message: string, retryAfterSeconds: number): Status {
  return failure(429, 'TooManyRequests', message, details({ retryAfterSeconds }));
}

/** 500: an error in the server. */
export function internal(message: string): Status {
  return failure(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] });
}

/** 503: the server cannot handle requests at the moment. */
export function serviceUnavailable(message: string): Status {
  return failure(503, 'ServiceUnavailable', message);
}

/** 504: the request took too long; the server may still complete it. @internal */
export function timeout(message: string, retryAfterSeconds = 0): Status {
  return failure(504, 'Timeout', `Timeout: ${message}`, details({ retryAfterSeconds }));
}

/** The cause in a {@link tooLargeResourceVersion}; the oldest servers send only its message. */
export const tooLargeCause: Readonly<{ reason: string; message: string }> = {
  reason: 'ResourceVersionTooLarge',
  message: 'Too large resource version',
};

/** 504: the server has not reached the requested resourceVersion yet. */
export function tooLargeResourceVersion(asked: string, current: string, retryAfterSeconds = 1): Status {
  const status = timeout(`${tooLargeCause.message}: ${asked}, current: ${current}`, retryAfterSeconds);
  status.details = { causes: [{ ...tooLargeCause }], retryAfterSeconds };
  return status;
}

/** How many characters of a body that is not a Status are kept. */
const bodyLimit = 2048;

interface GenericMeaning {
  readonly reason: StatusReason;
  readonly message: string;
  /** Whether a non-empty body is a better message: it says what is forbidden, or which types are accepted. */
  readonly prefersBody?: boolean;
}

const genericMeanings: ReadonlyMap<number, GenericMeaning> = new Map<number, GenericMeaning>([
  [400, { reason: 'BadRequest', message: 'the server rejected our request for an unknown reason' }],
  [401, { reason: 'Unauthorized', message: 'the server has asked for the client to provide credentials' }],
  [403, { reason: 'Forbidden', message: 'the server forbids this request', prefersBody: true }],
  [404, { reason: 'NotFound', message: 'the server could not find the requested resource' }],
  [405, { reason: 'MethodNotAllowed', message: 'the server does not allow this method on the requested resource' }],
  [
    406,
    {
      reason: 'NotAcceptable',
      message: 'the server cannot answer in a content type that the client reads',
      prefersBody: true,
    },
  ],
  [409, { reason: 'Conflict', message: 'the server reported a conflict' }],
  [
    415,
    {
      reason: 'UnsupportedMediaType',
      message: 'the server does not read the content type of the request',
      prefersBody: true,
    },
  ],
  [422, { reason: 'Invalid', message: 'the server rejected our request due to an error in our request' }],
  [
    429,
    {
      reason: 'TooManyRequests',
      message: 'the server has received too many requests and has asked us to try again later',
    },
  ],
  [503, { reason: 'ServiceUnavailable', message: 'the server is currently unable to handle the request' }],
  [
    504,
    {
      reason: 'Timeout',
      message:
        'the server was unable to return a response in the time allotted, but may still be processing the request',
    },
  ],
]);

/**
 * The Status for a response whose body is none: the HTTP code decides the reason, and the cause
 * `UnexpectedServerResponse` has the body.
 */
export function genericStatus(
  code: number,
  body: string,
  request: {
    readonly verb?: string | undefined;
    readonly resource?: string | undefined;
    readonly objectName?: string | undefined;
    readonly retryAfterMs?: number | undefined;
  } = {},
): Status {
  const said = body.slice(0, bodyLimit).trim();
  const { reason, message } = genericMeaning(code, said, request.verb ?? '');
  const [kind, group] = splitGroup(request.resource ?? '');
  return failure(code, reason, message, {
    ...details({ name: request.objectName ?? '', group, kind }),
    causes: [{ reason: 'UnexpectedServerResponse', message: said || 'unknown' }],
    ...(request.retryAfterMs ? { retryAfterSeconds: Math.ceil(request.retryAfterMs / 1000) } : {}),
  });
}

function genericMeaning(code: number, said: string, verb: string): { reason: StatusReason | ''; message: string } {
  const known = genericMeanings.get(code);
  if (known !== undefined) {
    const isCreate = /^(post|create)$/i.test(verb);
    return {
      reason: code === 409 && isCreate ? 'AlreadyExists' : known.reason,
      message: known.prefersBody && said !== '' ? said : known.message,
    };
  }
  if (code >= 500) {
    return {
      reason: 'InternalError',
      message: `an error on the server (${quote(said || 'unknown')}) has prevented the request from succeeding`,
    };
  }
  return {
    reason: '',
    message: `the server responded with the status code ${code} but did not return more information`,
  };
}

function splitGroup(resource: string): readonly [kind: string, group: string] {
  const dot = resource.indexOf('.');
  return dot < 0 ? [resource, ''] : [resource.slice(0, dot), resource.slice(dot + 1)];
}
