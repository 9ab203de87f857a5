import type { Status } from '../../meta/errors/status.js';
import { checkOptions, type OptionNames } from '../../meta/options/known-options.js';
import {
  optionError,
  requireFunction,
  requireInteger,
  requireNumber,
  requireOneOf,
} from '../../meta/options/validate.js';
import type { RequestInfo, Verb } from '../wire/request-info.js';

/** Which requests a fault applies to. An omitted field matches everything. */
export interface FaultMatch {
  readonly verb?: Verb | readonly Verb[] | undefined;
  readonly group?: string | undefined;
  readonly resource?: string | undefined;
  /** `''` matches only requests for the resource itself. */
  readonly subresource?: string | undefined;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  /** Called after all other fields have matched. */
  readonly when?: ((request: FaultRequest) => boolean) | undefined;
  /** How many matches to skip first. @default 0 */
  readonly after?: number | undefined;
  /** How often it is applied; `Infinity` until it is removed. @default 1 */
  readonly times?: number | undefined;
  /** The probability that a match is a hit, from 0 to 1. @default 1 */
  readonly probability?: number | undefined;
}

/** A request as `when` gets it. */
export interface FaultRequest {
  readonly info: RequestInfo;
  readonly headers: Readonly<Record<string, string>>;
  /** The event to be sent, as a line of JSON or a frame of protobuf; only for faults in the events of a watch. */
  readonly event?: Uint8Array | undefined;
}

/** A Status to send. */
interface FaultStatus {
  readonly status: number;
  /** @default the usual reason of `status` */
  readonly reason?: string | undefined;
  /** @default `injected fault:` with the status and reason */
  readonly message?: string | undefined;
  /** Sent as `Retry-After` header and `details.retryAfterSeconds`, rounded up to whole seconds. @default none */
  readonly retryAfterMs?: number | undefined;
}

/** What a fault does. `midEvent`, `stallMs`, `corrupt` and `errorEvent` apply to single events of watches, open ones too, and to other answers as a whole. */
export type FaultAction =
  /** The answer is this Status; the request is not carried out. */
  | { readonly respond: FaultStatus }
  /** The request is handled after this time. */
  | { readonly delayMs: number }
  /** A list with a continue token gets 410 Expired. */
  | { readonly expireContinue: true }
  /** The answer is sent at this rate. */
  | { readonly bytesPerSecond: number }
  /** The connection is reset: before the request is handled, after the headers of the answer, or in the middle of an event or body. */
  | { readonly reset: 'beforeHeaders' | 'afterHeaders' | 'midEvent' }
  /** Nothing is sent for this time, `Infinity` for ever; then the answer continues. */
  | { readonly stallMs: number }
  /** The event (or body) is cut short, made unreadable, or sent twice. */
  | { readonly corrupt: 'truncate' | 'garble' | 'duplicate' }
  /** The watch gets this Status as an ERROR event and ends. Applies to watches only. */
  | { readonly errorEvent: FaultStatus };

/** Which requests a fault applies to, and what it does. */
export type Fault = FaultMatch & FaultAction;

/** The default reason of a status code. */
const REASONS: ReadonlyMap<number, string> = new Map([
  [400, 'BadRequest'],
  [401, 'Unauthorized'],
  [403, 'Forbidden'],
  [404, 'NotFound'],
  [405, 'MethodNotAllowed'],
  [409, 'Conflict'],
  [410, 'Expired'],
  [413, 'RequestEntityTooLarge'],
  [422, 'Invalid'],
  [429, 'TooManyRequests'],
  [500, 'InternalError'],
  [503, 'ServiceUnavailable'],
  [504, 'Timeout'],
]);

const VERBS: readonly Verb[] = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'];
const ACTIONS = [
  'respond',
  'delayMs',
  'expireContinue',
  'bytesPerSecond',
  'reset',
  'stallMs',
  'corrupt',
  'errorEvent',
] as const;

const faultNames: OptionNames<Fault> = {
  verb: true,
  group: true,
  resource: true,
  subresource: true,
  namespace: true,
  name: true,
  when: true,
  after: true,
  times: true,
  probability: true,
  respond: true,
  delayMs: true,
  expireContinue: true,
  bytesPerSecond: true,
  reset: true,
  stallMs: true,
  corrupt: true,
  errorEvent: true,
};

const statusNames: OptionNames<FaultStatus> = { status: true, reason: true, message: true, retryAfterMs: true };

/** When a fault is applied: when the request arrives, when its answer begins, or when an event of a watch is sent. */
export type FaultPhase = 'request' | 'answer' | 'event';

/** When a fault is applied to a request; undefined if it never is. */
export function phaseOf(fault: Fault, info: RequestInfo): FaultPhase | undefined {
  const isWatch = info.isResourceRequest && info.verb === 'watch';
  if ('respond' in fault || 'delayMs' in fault) return 'request';
  if ('expireContinue' in fault) return info.query.has('continue') ? 'request' : undefined;
  if ('bytesPerSecond' in fault) return 'answer';
  if ('errorEvent' in fault) return isWatch ? 'event' : undefined;
  if ('reset' in fault && fault.reset !== 'midEvent') return fault.reset === 'beforeHeaders' ? 'request' : 'answer';
  return isWatch ? 'event' : 'answer';
}

/** Whether a fault matches a request or an event. */
export function matches(fault: Fault, request: FaultRequest): boolean {
  const { info } = request;
  if (!info.isResourceRequest) {
    const { verb, group, resource, subresource, namespace, name } = fault;
    const isForResources = [verb, group, resource, subresource, namespace, name].some((field) => field !== undefined);
    return !isForResources && (fault.when?.(request) ?? true);
  }
  const verbs = fault.verb === undefined ? undefined : [fault.verb].flat();
  return (
    (verbs === undefined || verbs.includes(info.verb as Verb)) &&
    (fault.group === undefined || fault.group === info.group) &&
    (fault.resource === undefined || fault.resource === info.resource) &&
    (fault.subresource === undefined || fault.subresource === info.subresource) &&
    (fault.namespace === undefined || fault.namespace === info.namespace) &&
    (fault.name === undefined || fault.name === info.name) &&
    (fault.when?.(request) ?? true)
  );
}

/** The Status document of a fault. */
export function statusOf(fault: FaultStatus): Status {
  const reason = fault.reason ?? REASONS.get(fault.status) ?? '';
  const retryAfterSeconds = fault.retryAfterMs === undefined ? undefined : Math.ceil(fault.retryAfterMs / 1000);
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: fault.message ?? `injected fault: ${fault.status} ${reason}`.trimEnd(),
    ...(reason === '' ? {} : { reason }),
    ...(retryAfterSeconds === undefined ? {} : { details: { retryAfterSeconds } }),
    code: fault.status,
  };
}

/**
 * Validates a fault, which may come from a JSON file. Throws a TypeError that names the field.
 */
export function validFault(value: unknown): Fault {
  if (typeof value !== 'object' || value === null) throw optionError('fault', 'an object', value);
  checkOptions('a fault', value as Fault, faultNames);
  const fault = value as { readonly [field: string]: unknown };
  const actions = ACTIONS.filter((action) => fault[action] !== undefined);
  if (actions.length !== 1) {
    const found = actions.length === 0 ? 'none' : actions.join(' and ');
    throw new TypeError(`fault must have exactly one of ${ACTIONS.join(', ')}, got ${found}`);
  }
  for (const name of ['group', 'resource', 'subresource', 'namespace', 'name']) {
    if (fault[name] !== undefined && typeof fault[name] !== 'string') throw optionError(name, 'a string', fault[name]);
  }
  for (const verb of fault['verb'] === undefined ? [] : [fault['verb']].flat()) requireOneOf('verb', verb, VERBS);
  if (fault['when'] !== undefined) requireFunction('when', fault['when']);
  if (fault['after'] !== undefined) requireInteger('after', fault['after']);
  if (fault['times'] !== undefined && fault['times'] !== Number.POSITIVE_INFINITY)
    requireInteger('times', fault['times'], 1);
  if (fault['probability'] !== undefined) requireNumber('probability', fault['probability'], 0, 1);
  validAction(actions[0]!, fault[actions[0]!]);
  return value as Fault;
}

function validAction(action: (typeof ACTIONS)[number], value: unknown): void {
  if (action === 'respond' || action === 'errorEvent') {
    if (typeof value !== 'object' || value === null) throw optionError(action, 'an object with a status', value);
    checkOptions(action, value as FaultStatus, statusNames);
    requireInteger(`${action}.status`, (value as Record<string, unknown>)['status'], 100, 599);
  } else if (action === 'reset') requireOneOf('reset', value, ['beforeHeaders', 'afterHeaders', 'midEvent']);
  else if (action === 'corrupt') requireOneOf('corrupt', value, ['truncate', 'garble', 'duplicate']);
  else if (action === 'bytesPerSecond') requireNumber('bytesPerSecond', value, 1);
  else if (action === 'delayMs') requireNumber('delayMs', value);
  else if (action === 'stallMs' && value !== Number.POSITIVE_INFINITY) requireNumber('stallMs', value);
  else if (action === 'expireContinue' && value !== true) throw optionError('expireContinue', 'true', value);
}
