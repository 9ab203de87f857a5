import { checkOptions, type OptionNames } from '../../meta/known-options.js';
import type { Status } from '../../meta/status.js';
import { optionError, requireFunction, requireInteger, requireNumber, requireOneOf } from '../../meta/validate.js';
import type { RequestInfo, Verb } from '../wire/request-info.js';

/** Which requests a fault hits. What is left out matches everything. */
export interface FaultMatch {
  readonly verb?: Verb | readonly Verb[] | undefined;
  readonly group?: string | undefined;
  readonly resource?: string | undefined;
  /** `''` matches only requests for the resource itself. */
  readonly subresource?: string | undefined;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  /** Has the last word, after everything else has matched. */
  readonly when?: ((request: FaultRequest) => boolean) | undefined;
  /** How many matches pass unharmed first. @default 0 */
  readonly after?: number | undefined;
  /** How often it hits; `Infinity` until it is disposed of. @default 1 */
  readonly times?: number | undefined;
  /** How likely each match is a hit, from 0 to 1. @default 1 */
  readonly probability?: number | undefined;
}

/** What a predicate gets to see. */
export interface FaultRequest {
  readonly info: RequestInfo;
  readonly headers: Readonly<Record<string, string>>;
  /** The line that is about to be sent; only for faults in the events of a watch. */
  readonly event?: Uint8Array | undefined;
}

/** A Status to answer with. */
interface FaultStatus {
  readonly status: number;
  /** @default what belongs to the status */
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  /** Sent as Retry-After, in whole seconds. */
  readonly retryAfterMs?: number | undefined;
}

/** What a fault does. Those in the second half hit watches event by event, open ones too, and other answers as a whole. */
export type FaultAction =
  /** The server answers this instead of doing anything. */
  | { readonly respond: FaultStatus }
  /** The request reaches the server only later. */
  | { readonly delayMs: number }
  /** A list that goes on with a continue token is told that the token has expired. */
  | { readonly expireContinue: true }
  /** The bytes of the answer trickle. */
  | { readonly bytesPerSecond: number }
  /** The connection is cut: before the server did anything, after it did and said so, or half-way through what it says. */
  | { readonly reset: 'beforeHeaders' | 'afterHeaders' | 'midEvent' }
  /** Nothing more is sent for so long, without a word; `Infinity` for ever. What would have been sent comes after that. */
  | { readonly stallMs: number }
  /** The event (or body) is cut short, made unreadable, or sent twice. */
  | { readonly corrupt: 'truncate' | 'garble' | 'duplicate' }
  /** The watch gets this as an ERROR event and ends, as for a version that is too old. Other verbs are not hit. */
  | { readonly errorEvent: FaultStatus };

/** Where and what. */
export type Fault = FaultMatch & FaultAction;

/** The reasons that go with a status, when none is given. */
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

/** When a fault strikes: as the request arrives, as its answer begins, or as an event of a watch is sent. */
export type FaultPhase = 'request' | 'answer' | 'event';

/** When a fault strikes a request, if it ever does. */
export function phaseOf(fault: Fault, info: RequestInfo): FaultPhase | undefined {
  const isWatch = info.isResourceRequest && info.verb === 'watch';
  if ('respond' in fault || 'delayMs' in fault) return 'request';
  if ('expireContinue' in fault) return info.query.has('continue') ? 'request' : undefined;
  if ('bytesPerSecond' in fault) return 'answer';
  if ('errorEvent' in fault) return isWatch ? 'event' : undefined;
  if ('reset' in fault && fault.reset !== 'midEvent') return fault.reset === 'beforeHeaders' ? 'request' : 'answer';
  return isWatch ? 'event' : 'answer';
}

/** Whether a request, or an event, is one that a fault is meant for. */
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
 * Checks a fault, wherever it comes from: a file of faults is JSON that somebody wrote. Throws a TypeError that names
 * the field.
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
