import { escapeTextControls } from './escape-controls.js';
import { withGroup } from './names.js';
import type { DeepReadonly } from './objects.js';
import { genericStatus, type Status, type StatusCause, type StatusDetails } from './status.js';
import { describeValue } from './validate.js';

/**
 * The root of every error this library throws on purpose, except for the TypeErrors of wrong options.
 *
 * `code` says what went wrong in a word that stays the same over versions; the message is for people and may change.
 */
export class KubeflectError extends Error {
  static {
    // On the prototype, as the names of the built-in errors are: it shows in the stack without being a field of each error.
    KubeflectError.prototype.name = 'KubeflectError';
  }

  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** What was thrown, as an error: anything can be thrown, even what no string can be made of. */
export function asError(thrown: unknown): Error {
  if (thrown instanceof Error) return thrown;
  return new Error(typeof thrown === 'string' ? thrown : describeValue(thrown), { cause: thrown });
}

/** A text that does not follow its grammar. A parser throws this; it never returns half a result. */
export class ParseError extends KubeflectError {
  static {
    ParseError.prototype.name = 'ParseError';
  }

  /** What was parsed. */
  readonly input: string;
  /** Where in `input` the trouble begins, counted from 0; its length when the text ended too early. */
  readonly position: number;
  /** What is wrong there, in the words a kube-apiserver uses where it has any. */
  readonly reason: string;

  constructor(what: string, input: string, position: number, reason: string, options?: ErrorOptions) {
    super('PARSE', `cannot parse ${what} ${JSON.stringify(input)} at position ${position}: ${reason}`, options);
    this.input = input;
    this.position = position;
    this.reason = reason;
  }
}

/** What was asked of the server when it answered with an error. */
export interface FailedRequest {
  /** The API verb (`get`, `list`, `watch`, `create`, …) or, for want of one, the HTTP method. */
  readonly verb?: string | undefined;
  /** Resource and group, as `pods` or `deployments.apps`. */
  readonly resource?: string | undefined;
  readonly objectName?: string | undefined;
  readonly namespace?: string | undefined;
  /** Who asked and where that is written, where the server does not say whom it took the request for. */
  readonly identity?: string | undefined;
  /** The `Retry-After` header of the answer. Without it the Status document's own hint counts. */
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/**
 * The server said no: an HTTP answer that is not a success, or an ERROR event of a watch.
 *
 * Ask what it means with the predicates (`isNotFound`, `isConflict`, …) rather than by comparing fields: they know which
 * servers leave out what.
 */
export class StatusError extends KubeflectError {
  static {
    StatusError.prototype.name = 'StatusError';
  }

  /** The HTTP status code; 0 for an event of a watch whose document has none. */
  readonly status: number;
  /** The machine-readable reason, such as `NotFound`; empty when the server gave none. */
  readonly reason: string;
  readonly causes: readonly StatusCause[];
  readonly details: DeepReadonly<StatusDetails> | undefined;
  /** How long the server asks to wait before the next attempt. */
  readonly retryAfterMs: number | undefined;
  readonly verb: string;
  readonly resource: string;
  readonly objectName: string | undefined;
  readonly namespace: string | undefined;
  /** The Status document as the server sent it; with the code of the answer, should it have none of its own. */
  readonly document: DeepReadonly<Status>;

  constructor(document: DeepReadonly<Status>, request: FailedRequest = {}) {
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
   * The error for an HTTP answer that is no success. A body that is a failed Status speaks for itself; anything else (a
   * proxy's page, an empty body) becomes what its code, the verb and the resource suggest.
   */
  static fromResponse(code: number, body: string, request: FailedRequest = {}): StatusError {
    const said = statusInBody(body);
    // Not every server repeats the code in the document.
    const document = said === undefined ? genericStatus(code, body, request) : { ...said, code: said.code || code };
    return new StatusError(document, request);
  }
}

function statusInBody(body: string): Status | undefined {
  // A failed Status is small: not worth parsing a large page of something else for it.
  if (!body.trimStart().startsWith('{')) return undefined;
  let document: unknown;
  try {
    document = JSON.parse(body);
  } catch {
    return undefined;
  }
  return isStatus(document) && document.status === 'Failure' ? document : undefined;
}

/** Whether a decoded document is a `Status`, as errors and some deletions are answered with. */
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

/** What was asked, in words: `get pods default/web-0`; empty when nothing is known of it. */
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
