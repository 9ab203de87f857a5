import { escapeTextControls } from '../escape-controls.js';
import { withGroup } from '../names.js';
import type { DeepReadonly } from '../objects.js';
import { describeValue } from '../options/validate.js';
import { genericStatus, type Status, type StatusCause, type StatusDetails } from './status.js';
import { typedStatus } from './typed-status.js';

/**
 * The root of every error this library throws on purpose, except for the TypeErrors of wrong options.
 *
 * `code` identifies the kind of error and does not change between versions; the message may change.
 */
export class KubeflectError extends Error {
  static {
    // On the prototype, as with built-in errors: it shows in the stack without being a field of each error.
    KubeflectError.prototype.name = 'KubeflectError';
  }

  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Wraps a thrown value in an Error, unless it is one. Any value can be thrown, even one that cannot become a string. */
export function asError(thrown: unknown): Error {
  if (thrown instanceof Error) return thrown;
  return new Error(typeof thrown === 'string' ? thrown : describeValue(thrown), { cause: thrown });
}

/** Thrown by parsers for a text that does not follow the grammar. */
export class ParseError extends KubeflectError {
  static {
    ParseError.prototype.name = 'ParseError';
  }

  /** What was parsed. */
  readonly input: string;
  /** The index in `input` of the error; its length if the text ended too early. */
  readonly position: number;
  /** What is wrong there, worded as in kube-apiserver if that has a message for it. */
  readonly reason: string;

  constructor(what: string, input: string, position: number, reason: string, options?: ErrorOptions) {
    super('PARSE', `cannot parse ${what} ${JSON.stringify(input)} at position ${position}: ${reason}`, options);
    this.input = input;
    this.position = position;
    this.reason = reason;
  }
}

/** The request that a {@link StatusError} is about. */
export interface FailedRequest {
  /** The API verb (`get`, `list`, `watch`, `create`, …) or, if there is none, the HTTP method. */
  readonly verb?: string | undefined;
  /** Resource and group, as `pods` or `deployments.apps`. */
  readonly resource?: string | undefined;
  readonly objectName?: string | undefined;
  readonly namespace?: string | undefined;
  /** The user of the request and where its credentials come from; named in a 401, whose answer names no user. */
  readonly identity?: string | undefined;
  /** The `Retry-After` header of the response. Without it `details.retryAfterSeconds` of the Status counts. */
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/**
 * An error response of the server: an HTTP status that is not a success, or an ERROR event of a watch.
 *
 * Use the predicates (`isNotFound`, `isConflict`, …) instead of comparing fields: some servers and proxies leave out `reason`
 * or `code`.
 */
export class StatusError extends KubeflectError {
  static {
    StatusError.prototype.name = 'StatusError';
  }

  /** The HTTP status code; 0 for an ERROR event whose Status has no code. */
  readonly status: number;
  /** The machine-readable reason, such as `NotFound`; empty if the server gave none. */
  readonly reason: string;
  readonly causes: readonly StatusCause[];
  readonly details: DeepReadonly<StatusDetails> | undefined;
  /** The delay before the next attempt that the server asks for. */
  readonly retryAfterMs: number | undefined;
  readonly verb: string;
  readonly resource: string;
  readonly objectName: string | undefined;
  readonly namespace: string | undefined;
  /**
   * The Status that the server sent, without fields of the wrong type and with the HTTP status as `code` if it has none; see
   * {@link StatusError.fromResponse} for other bodies.
   */
  readonly document: DeepReadonly<Status>;

  constructor(said: DeepReadonly<Status>, request: FailedRequest = {}) {
    const document = typedStatus(said);
    super('STATUS', describeFailure(document, request), request.cause === undefined ? {} : { cause: request.cause });
    const details = document.details;
    this.document = document;
    this.status = document.code ?? 0;
    this.reason = document.reason ?? '';
    this.details = details;
    this.causes = details?.causes ?? [];
    this.retryAfterMs = request.retryAfterMs ?? retryHint(details);
    this.verb = request.verb ?? '';
    this.resource = request.resource ?? resourceOf(details);
    this.objectName = request.objectName ?? (details?.name || undefined);
    this.namespace = request.namespace;
  }

  /**
   * The error for an HTTP response that is not a success. If the body is a Status with `status: Failure`, that is used;
   * otherwise (a proxy's page, an empty body) a Status is made from the HTTP code, the verb and the resource.
   */
  static fromResponse(code: number, body: string, request: FailedRequest = {}): StatusError {
    const said = statusInBody(body);
    // Some servers leave `code` out of the Status.
    const document =
      said === undefined ? genericStatus(code, body, request) : { ...said, code: typedStatus(said).code || code };
    return new StatusError(document, request);
  }
}

function statusInBody(body: string): Status | undefined {
  // Does not parse a body that cannot be a JSON object, such as a proxy's HTML page.
  if (!body.trimStart().startsWith('{')) return undefined;
  let document: unknown;
  try {
    document = JSON.parse(body);
  } catch {
    return undefined;
  }
  return isStatus(document) && document.status === 'Failure' ? document : undefined;
}

/** Whether a decoded document is a `Status`: the body of error responses and of some deletions. */
export function isStatus(document: unknown): document is Status {
  if (typeof document !== 'object' || document === null) return false;
  const { kind, apiVersion } = document as { kind?: unknown; apiVersion?: unknown };
  return kind === 'Status' && (apiVersion === 'v1' || apiVersion === 'meta.k8s.io/v1');
}

function retryHint(details: DeepReadonly<StatusDetails> | undefined): number | undefined {
  const seconds = details?.retryAfterSeconds ?? 0;
  return seconds > 0 ? seconds * 1000 : undefined;
}

function resourceOf(details: DeepReadonly<StatusDetails> | undefined): string {
  return withGroup(details?.kind ?? '', details?.group ?? '');
}

/** The request in words: `get pods default/web-0`; empty if nothing is known of it. */
export function describeRequest(request: FailedRequest): string {
  const object =
    request.namespace && request.objectName
      ? `${request.namespace}/${request.objectName}`
      : request.objectName || (request.namespace && `in namespace ${request.namespace}`);
  return [request.verb, request.resource, object].filter((word) => word).join(' ');
}

function describeFailure(document: DeepReadonly<Status>, request: FailedRequest): string {
  const asked = describeRequest(request);
  const reason = [document.code, document.reason].filter((word) => word).join(' ');
  const said = document.message || 'the server gave no message';
  const who = request.identity === undefined ? '' : `; asked as ${request.identity}`;
  // `document` has the text as it was sent; this message ends up on terminals and in logs.
  return escapeTextControls(`${asked === '' ? '' : `${asked}: `}${said}${reason === '' ? '' : ` (${reason})`}${who}`);
}
