import { channel, subscribe, unsubscribe } from 'node:diagnostics_channel';

/**
 * What every stage tells about itself, as channels of `node:diagnostics_channel`. Nothing is computed or allocated for
 * a channel that nobody hears: publishers ask `hasSubscribers` first and build the message only then.
 *
 * ```ts
 * if (channels.queueDepth.hasSubscribers) channels.queueDepth.publish({ source, length });
 * ```
 *
 * Listeners are called synchronously, in the middle of the work they hear about: they count and return. One that
 * throws does not reach the publisher; Node raises its error as uncaught.
 */

/** A diagnostics channel that knows what travels on it. */
export interface DiagnosticsChannel<T> {
  /** The name under which `node:diagnostics_channel` knows it. */
  readonly name: string;
  /** Whether anybody listens: ask before building a message. */
  readonly hasSubscribers: boolean;
  /** Calls every listener, now. */
  publish(message: T): void;
}

/** Which informer a message is about. One object per informer, so that telling costs no copy. */
export interface InformerSource {
  /** The informer's name, as given or as derived from what it watches. */
  readonly name: string;
  /** The API group, '' for the core one. */
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

interface FromInformer {
  readonly source: InformerSource;
}

/** How an initial or repeated list went. */
interface ReflectorListMessage extends FromInformer {
  /** A paginated list, or the initial events of a watch. */
  readonly how: 'list' | 'watchList';
  readonly items: number;
  /** The version it shows; '' when it failed. */
  readonly resourceVersion: string;
  readonly durationMs: number;
  /** Why it failed, if it did. */
  readonly error?: unknown;
}

/** How a watch went, told when it ended. */
interface ReflectorWatchMessage extends FromInformer {
  /** Where it began. */
  readonly resourceVersion: string;
  /** How many events it brought, bookmarks included. */
  readonly events: number;
  readonly durationMs: number;
  /** Why it ended, if not because the server or the informer closed it in good order. */
  readonly error?: unknown;
}

/** Why a collection is listed again. */
interface ReflectorRelistMessage extends FromInformer {
  readonly reason: string;
  /** The last version known before. */
  readonly resourceVersion: string;
}

/** How long a reflector waits after a failure. */
interface ReflectorBackoffMessage extends FromInformer {
  readonly delayMs: number;
  /** Failures in a row, this one included. */
  readonly failures: number;
  readonly error?: unknown;
}

/** Which state an informer has entered. */
interface ReflectorStatusMessage extends FromInformer {
  readonly state: string;
  readonly previous: string;
}

/** Which object or event a reflector left out. */
interface ReflectorSkippedMessage extends FromInformer {
  /** The object's key, where it could be read. */
  readonly key: string | undefined;
  readonly error: unknown;
}

/** How many deltas wait in front of the store. */
interface QueueDepthMessage extends FromInformer {
  readonly length: number;
}

/** What one batch of deltas cost. */
interface QueueProcessMessage extends FromInformer {
  readonly items: number;
  readonly durationMs: number;
}

/** Which version a store has reached. */
interface StoreVersionMessage extends FromInformer {
  readonly resourceVersion: string;
}

interface FromHandler extends FromInformer {
  /** The subscription's name. */
  readonly handler: string;
}

/** How many notifications a handler still has in front of it. */
interface HandlerPendingMessage extends FromHandler {
  readonly pending: number;
}

/** How old a notification was when its handler got it. */
interface HandlerLagMessage extends FromHandler {
  readonly lagMs: number;
}

/** What a handler threw or rejected with. */
interface HandlerErrorMessage extends FromHandler {
  readonly key: string;
  readonly error: unknown;
}

/** How long a synchronous handler held the event loop. */
interface HandlerSlowMessage extends FromHandler {
  readonly key: string;
  readonly durationMs: number;
}

interface FromWorkqueue {
  /** The queue's name. */
  readonly queue: string;
  readonly item: unknown;
}

/** An item that is new to a queue. */
interface WorkqueueAddMessage extends FromWorkqueue {
  /** Items waiting, those to be processed once more included. */
  readonly depth: number;
}

/** An item handed to a worker. */
interface WorkqueueGetMessage extends FromWorkqueue {
  readonly depth: number;
  /** Since it was first added. */
  readonly waitedMs: number;
}

/** An item a worker has finished with. */
interface WorkqueueDoneMessage extends FromWorkqueue {
  readonly depth: number;
  readonly workedMs: number;
}

/** An item to be added again after a while. */
interface WorkqueueRetryMessage extends FromWorkqueue {
  readonly delayMs: number;
}

interface FromRest {
  /** The HTTP method, in capitals. */
  readonly method: string;
  /** Host and port. */
  readonly host: string;
  /** Without the query. */
  readonly path: string;
}

/** How a request went. */
interface RestRequestMessage extends FromRest {
  /** Kubernetes' word for it: get, list, watch, create, update, patch, delete, deletecollection; '' outside of the API. */
  readonly verb: string;
  /** The status code, or undefined if no answer came. */
  readonly status: number | undefined;
  /** Until the headers of the answer came, or the failure. */
  readonly durationMs: number;
  readonly error?: unknown;
}

/** Why and when a request is sent once more. */
interface RestRetryMessage extends FromRest {
  /** Which attempt comes next; the first retry is 2. */
  readonly attempt: number;
  readonly delayMs: number;
  readonly status: number | undefined;
  readonly error?: unknown;
}

/** How long a request waited for the client's own rate limit. */
interface RestThrottleMessage extends FromRest {
  readonly waitedMs: number;
}

interface FromElection {
  /** The lock's namespace and name. */
  readonly lease: string;
  readonly identity: string;
}

/** An elector that has begun to run, as one candidate among others. */
interface ElectionStartedMessage extends FromElection {}

/** An elector that has become leader. */
interface ElectionAcquiredMessage extends FromElection {
  /** How often the lease has changed hands. */
  readonly transitions: number;
}

/** An elector that is leader no more. */
interface ElectionLostMessage extends FromElection {
  /** Why, unless it gave the lease up. */
  readonly error?: unknown;
}

/** How one renewal of a lease went. */
interface ElectionRenewMessage extends FromElection {
  readonly durationMs: number;
  /** Whether the lease had to be read before it could be written. */
  readonly slowPath: boolean;
  readonly error?: unknown;
}

/** What became of a recorded event. */
interface EventRecordMessage {
  readonly outcome: 'created' | 'patched' | 'dropped' | 'failed';
  readonly type: string;
  readonly reason: string;
  /** The object it is about: kind and key. */
  readonly regarding: string;
  readonly error?: unknown;
}

interface FromScheduler {
  /** The task's name. */
  readonly task: string;
}

/** A step that held the event loop for longer than a whole turn may take. */
interface SchedulerOverrunMessage extends FromScheduler {
  readonly durationMs: number;
  readonly budgetMs: number;
}

/** What a task threw. */
interface SchedulerErrorMessage extends FromScheduler {
  readonly error: unknown;
}

/** The table: each channel, when it speaks, and what it says. docs/observe.md has the same with the wire names. */
export interface Channels {
  /** A list, or the initial part of a watch-list, ended. */
  readonly reflectorList: DiagnosticsChannel<ReflectorListMessage>;
  /** A watch ended. */
  readonly reflectorWatch: DiagnosticsChannel<ReflectorWatchMessage>;
  /** A reflector is about to list again. */
  readonly reflectorRelist: DiagnosticsChannel<ReflectorRelistMessage>;
  /** A reflector begins to wait before its next attempt. */
  readonly reflectorBackoff: DiagnosticsChannel<ReflectorBackoffMessage>;
  /** An informer changed its state. */
  readonly reflectorStatus: DiagnosticsChannel<ReflectorStatusMessage>;
  /** A reflector left out an object or event that it could not read. */
  readonly reflectorSkipped: DiagnosticsChannel<ReflectorSkippedMessage>;
  /** The length of a delta queue changed. */
  readonly queueDepth: DiagnosticsChannel<QueueDepthMessage>;
  /** A batch of deltas was applied to the store. */
  readonly queueProcess: DiagnosticsChannel<QueueProcessMessage>;
  /** A store reached another resource version. */
  readonly storeVersion: DiagnosticsChannel<StoreVersionMessage>;
  /** The number of notifications a handler has pending changed. */
  readonly handlerPending: DiagnosticsChannel<HandlerPendingMessage>;
  /** A notification was handed to its handler. */
  readonly handlerLag: DiagnosticsChannel<HandlerLagMessage>;
  /** A handler threw or rejected. */
  readonly handlerError: DiagnosticsChannel<HandlerErrorMessage>;
  /** A synchronous handler held the event loop for too long. */
  readonly handlerSlow: DiagnosticsChannel<HandlerSlowMessage>;
  /** An item was added to a work queue. */
  readonly workqueueAdd: DiagnosticsChannel<WorkqueueAddMessage>;
  /** A worker took an item. */
  readonly workqueueGet: DiagnosticsChannel<WorkqueueGetMessage>;
  /** A worker finished with an item. */
  readonly workqueueDone: DiagnosticsChannel<WorkqueueDoneMessage>;
  /** An item will be added again later. */
  readonly workqueueRetry: DiagnosticsChannel<WorkqueueRetryMessage>;
  /** The headers of an answer arrived, or the request failed. */
  readonly restRequest: DiagnosticsChannel<RestRequestMessage>;
  /** A request will be sent again. */
  readonly restRetry: DiagnosticsChannel<RestRetryMessage>;
  /** A request had to wait for the client-side rate limit. */
  readonly restThrottle: DiagnosticsChannel<RestThrottleMessage>;
  /** An elector began to run and is not leader yet. */
  readonly electionStarted: DiagnosticsChannel<ElectionStartedMessage>;
  /** An elector became leader. */
  readonly electionAcquired: DiagnosticsChannel<ElectionAcquiredMessage>;
  /** An elector ceased to be leader. */
  readonly electionLost: DiagnosticsChannel<ElectionLostMessage>;
  /** A leader tried to renew its lease. */
  readonly electionRenew: DiagnosticsChannel<ElectionRenewMessage>;
  /** A recorded event was written, dropped, or given up. */
  readonly eventRecord: DiagnosticsChannel<EventRecordMessage>;
  /** A scheduled task held the event loop for longer than a whole turn may take. */
  readonly schedulerOverrun: DiagnosticsChannel<SchedulerOverrunMessage>;
  /** A scheduled task threw. */
  readonly schedulerError: DiagnosticsChannel<SchedulerErrorMessage>;
}

/** The message of a channel: `ChannelMessage<'handlerSlow'>`. */
export type ChannelMessage<Name extends keyof Channels> =
  Channels[Name] extends DiagnosticsChannel<infer Message> ? Message : never;

function open<T>(name: string): DiagnosticsChannel<T> {
  return channel(`kubeflect:${name}`) as DiagnosticsChannel<T>;
}

/** Every channel of this package, by its short name. */
export const channels: Channels = {
  reflectorList: open('reflector:list'),
  reflectorWatch: open('reflector:watch'),
  reflectorRelist: open('reflector:relist'),
  reflectorBackoff: open('reflector:backoff'),
  reflectorStatus: open('reflector:status'),
  reflectorSkipped: open('reflector:skipped'),
  queueDepth: open('queue:depth'),
  queueProcess: open('queue:process'),
  storeVersion: open('store:version'),
  handlerPending: open('handler:pending'),
  handlerLag: open('handler:lag'),
  handlerError: open('handler:error'),
  handlerSlow: open('handler:slow'),
  workqueueAdd: open('workqueue:add'),
  workqueueGet: open('workqueue:get'),
  workqueueDone: open('workqueue:done'),
  workqueueRetry: open('workqueue:retry'),
  restRequest: open('rest:request'),
  restRetry: open('rest:retry'),
  restThrottle: open('rest:throttle'),
  electionStarted: open('election:started'),
  electionAcquired: open('election:acquired'),
  electionLost: open('election:lost'),
  electionRenew: open('election:renew'),
  eventRecord: open('event:record'),
  schedulerOverrun: open('scheduler:overrun'),
  schedulerError: open('scheduler:error'),
};

/**
 * Calls the listener for each message from now on; returns the undo.
 *
 * @example
 * const stop = listen(channels.handlerSlow, ({ handler, durationMs }) => log(`${handler} took ${durationMs} ms`));
 */
export function listen<T>(from: DiagnosticsChannel<T>, listener: (message: T) => void): () => void {
  // A listener of our own per call, so that the same function listening twice can be undone once.
  const own = (message: unknown): void => listener(message as T);
  subscribe(from.name, own);
  return () => void unsubscribe(from.name, own);
}
