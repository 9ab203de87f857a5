/**
 * What the inspector's page gets from the process. Every answer is JSON; every path is relative to the page.
 *
 * | request | answer |
 * | --- | --- |
 * | `GET api/stream` | Server-Sent Events: one `history` event ({@link History}), then one `snapshot` event ({@link Snapshot}) a second |
 * | `GET api/search?q=TEXT` | {@link SearchAnswer} |
 * | `GET api/object?informer=ID&key=KEY` | {@link ObjectAnswer}; 404 if neither the cache nor the recording has the object |
 * | `GET api/controllers` | {@link ControllersAnswer} |
 * | `GET api/memory` | {@link MemoryAnswer} |
 *
 * Failed requests answer {@link ErrorAnswer} with a status of 4xx or 5xx. `api/stream` answers 503 if too many viewers are connected; a
 * viewer that reads too slowly is disconnected and may connect again.
 *
 * Units: times are ms since 1970 (`…At`, `at`), durations ms (`…Ms`), sizes bytes, rates events per second in the last second.
 * `null` means that there is no such value. Text of errors is limited to 500 characters.
 *
 * The process records only while a page is open, and for some time after the last one was closed: rates, lags and timelines
 * begin when the recording began ({@link Recording.since}). State, depths and sizes are always those of now.
 *
 * Values of Secrets (`data`, `stringData`, the annotation `kubectl.kubernetes.io/last-applied-configuration`) are never sent, nor are their
 * differences: only the names of the keys, and that a key has changed.
 */

/** The version of this contract: a page of another version asks to be reloaded. */
export const PROTOCOL_VERSION = 1;

/** Sent with a status of 4xx or 5xx. */
export interface ErrorAnswer {
  /** What was wrong, and what to do. */
  readonly error: string;
}

// ── the stream ───────────────────────────────────────────────────────────────────────────────────────────────────────

/** The first event of a stream: the points of the last minutes. Each {@link Snapshot} adds one point to every series. */
export interface History {
  readonly version: typeof PROTOCOL_VERSION;
  /** The time of each point, oldest first; one point a second, at most 600. */
  readonly at: readonly number[];
  /** By the `id` of a stage. The arrays are as long as `at`; `null` where the stage was not there. */
  readonly series: Readonly<Record<string, Series>>;
}

/** The points of one stage: the fields of the same names of {@link Flow}. */
export interface Series {
  readonly rate: readonly (number | null)[];
  readonly lagMs: readonly (number | null)[];
  readonly depth: readonly (number | null)[];
  readonly errors: readonly (number | null)[];
}

/** What every stage has: the four numbers that are plotted. */
export interface Flow {
  /** Events, calls, adds, runs or requests in the last second, as a rate per second. */
  readonly rate: number;
  /**
   * The longest delay that something had in the last second; `null` if nothing passed. Servers: until the response headers.
   * Informers: applying a batch. Handlers: between the change of the cache and the call. Queues: waiting in the queue. Controllers: the run.
   */
  readonly lagMs: number | null;
  /** What waits in the stage, or is in progress. Servers: 0. Informers: deltas in the queue. Handlers: pending events. Queues: items. Controllers: runs in progress. */
  readonly depth: number;
  /** Failures in the last second. */
  readonly errors: number;
  /** Failures since the recording began. */
  readonly errorsTotal: number;
  /** Events since the recording began. */
  readonly total: number;
}

/** Everything at one moment. Sent every second. */
export interface Snapshot {
  readonly at: number;
  readonly recording: Recording;
  readonly process: ProcessState;
  /**
   * The stages, in the order of the data: servers → informers → handlers → queues → controllers → (writes) servers. Stages are
   * connected by ids: {@link InformerStage.server}, {@link HandlerStage.informer}, {@link HandlerStage.to}, {@link QueueStage.controller}, {@link ControllerStage.writesTo}.
   */
  readonly servers: readonly ServerStage[];
  readonly informers: readonly InformerStage[];
  readonly handlers: readonly HandlerStage[];
  readonly queues: readonly QueueStage[];
  readonly controllers: readonly ControllerStage[];
  /** What looks wrong now, the worst first; at most 100. */
  readonly problems: readonly Problem[];
}

/** What is recorded, and since when. */
export interface Recording {
  /** When the recording began: with the first viewer. */
  readonly since: number;
  readonly viewers: number;
  /** How long the recording goes on after the last viewer has gone. */
  readonly lingerMs: number;
  /** Changes of objects in memory, and the time of the oldest: timelines do not reach further back. */
  readonly changes: number;
  readonly oldestChangeAt: number | null;
  /** Bytes of recorded objects, and the most that is kept. */
  readonly bytes: number;
  readonly maxBytes: number;
}

/** The process itself. */
export interface ProcessState {
  readonly pid: number;
  /** A name for the title of the page: the managers' names, or the program's. */
  readonly name: string;
  readonly startedAt: number;
  readonly node: string;
  /** CPU time of the last second, as a share of one core: 0.25 is a quarter of a core. */
  readonly cpu: number;
  readonly rssBytes: number;
  readonly heapUsedBytes: number;
  /** The longest time in the last second that the event loop was late. */
  readonly eventLoopLagMs: number;
}

interface Stage extends Flow {
  /** Stable for the life of the stage; unique among all stages: `informer/3`, `queue/widgets`. */
  readonly id: string;
  /** For people. */
  readonly name: string;
  /** The worst of this stage's problems; `ok` if it has none. */
  readonly health: 'ok' | 'warning' | 'error';
}

/** An API server that the process talks to. `rate` counts requests, `errors` those without an answer or with 4xx and 5xx other than 404 and 409. */
export interface ServerStage extends Stage {
  /** Host and port. */
  readonly host: string;
  /** Requests that change something, per second. */
  readonly writeRate: number;
  /** Watches that are open now, of the informers of this process. */
  readonly watches: number;
  /** Since the recording began. */
  readonly retries: number;
  /** Requests that waited for the client-side rate limit, since the recording began. */
  readonly throttled: number;
}

/**
 * An informer: reflector, queue of deltas and store. `rate` counts changes of objects in the store, `depth` the deltas in the queue,
 * `errors` failed lists and watches and skipped objects.
 */
export interface InformerStage extends Stage {
  /** The id of its {@link ServerStage}; `null` if its source is no server. */
  readonly server: string | null;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly kind: string | null;
  readonly state: 'idle' | 'waitingForResource' | 'listing' | 'watching' | 'backingOff' | 'stopped';
  readonly hasSynced: boolean;
  readonly resourceVersion: string;
  /** The time since the cache was last known to be up to date; 0 while a watch is open. */
  readonly stalenessMs: number;
  readonly lastEventAt: number | null;
  readonly lastBookmarkAt: number | null;
  readonly consecutiveFailures: number;
  readonly lastError: string | null;
  /** Objects in the store. */
  readonly objects: number;
  /** How many objects the current list has returned so far, while `state` is `listing`. */
  readonly listed: number;
  /** Objects that could not be read. */
  readonly skipped: number;
  /** Relists since the recording began. */
  readonly relists: number;
}

/** A handler of an informer. `rate` counts its calls, `lagMs` is the age of events when it was called, `depth` counts events that wait. */
export interface HandlerStage extends Stage {
  /** The id of its {@link InformerStage}. */
  readonly informer: string;
  /** The id of the queue or controller that it feeds; `null` if that is not known. */
  readonly to: string | null;
  /** The longest call of the last second, until a promise that it returned was settled; `null` without a call. */
  readonly callMs: number | null;
  /** The longest time in the last second that one call held the event loop; `null` without a call. */
  readonly blockedMs: number | null;
  /** The share of the last second in which it held the event loop: 0.4 is 40 %. */
  readonly busy: number;
  /** How long the call in progress has run; `null` if none is. */
  readonly runningMs: number | null;
  readonly hasSynced: boolean;
}

/** A work queue. `rate` counts adds, `lagMs` is the longest wait, `depth` is its length. */
export interface QueueStage extends Stage {
  /** The id of the controller that it belongs to; `null` for a queue of the program. */
  readonly controller: string | null;
  /** Items that were added after a failure or delay, per second. */
  readonly retryRate: number;
  /** Items that workers took in the last second. */
  readonly takenRate: number;
  /** Items being processed; `null` if the queue does not tell. */
  readonly processing: number | null;
  /** The items that were added most in the last ten seconds, most first; at most 5. */
  readonly hottest: readonly HotItem[];
}

/** An item of a queue that is added often. */
export interface HotItem {
  readonly item: string;
  /** Adds per second in the last ten seconds. */
  readonly rate: number;
}

/** A controller. `rate` counts runs that ended, `lagMs` is the longest run, `depth` counts runs in progress. */
export interface ControllerStage extends Stage {
  readonly manager: string;
  /** The id of its queue. */
  readonly queue: string;
  /** The id of the informer of its own kind; `null` before its caches are open. */
  readonly informer: string | null;
  /** The id of the server that it writes to; `null` if that is not known. */
  readonly writesTo: string | null;
  readonly workers: number;
  /** Keys that wait, in the queue or for a cache. */
  readonly waiting: number;
  /** How many keys failed in their last run. */
  readonly failing: number;
  /** Whether this replica runs it now. */
  readonly isActive: boolean;
  /** Runs since the recording began, by outcome. */
  readonly outcomes: Outcomes;
  /** Writes of its runs that the server answered, per second. */
  readonly writeRate: number;
  /** Applies that were not sent because nothing would change, since the recording began. */
  readonly skippedApplies: number;
}

/** Numbers of runs by how they ended. */
export interface Outcomes {
  readonly done: number;
  readonly requeued: number;
  readonly waiting: number;
  readonly failed: number;
  readonly terminal: number;
  readonly aborted: number;
}

// ── problems ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * - `unsynced`: an informer has not synced
 * - `deaf`: an informer fails again and again, and has no watch
 * - `stale`: an informer has had no event or bookmark for long
 * - `skipped`: objects could not be read
 * - `slowHandler`: a handler holds the event loop, or its call does not end
 * - `laggingHandler`: events wait long for a handler
 * - `failingHandler`: a handler throws
 * - `growingQueue`: a queue gets more items than are taken
 * - `hotKey`: one item is added, or one object reconciled, again and again
 * - `failingKey`: the last run of some objects failed
 * - `slowRun`: a run takes long
 * - `denied`: the server refuses requests with 401 or 403
 * - `busyLoop`: the event loop is late
 */
export type ProblemKind =
  | 'unsynced'
  | 'deaf'
  | 'stale'
  | 'skipped'
  | 'slowHandler'
  | 'laggingHandler'
  | 'failingHandler'
  | 'growingQueue'
  | 'hotKey'
  | 'failingKey'
  | 'slowRun'
  | 'denied'
  | 'busyLoop';

/** Something that looks wrong. */
export interface Problem {
  /** Stable while the problem lasts. */
  readonly id: string;
  readonly kind: ProblemKind;
  readonly severity: 'warning' | 'error';
  /** The id of the stage that has it; `null` for the process. */
  readonly stage: string | null;
  /** The keys that it is about, at most 10. */
  readonly keys: readonly string[];
  /** One line: "pods is deaf: 7 failures in a row". */
  readonly title: string;
  /** The last error, or the numbers. May be empty. */
  readonly detail: string;
  /** What to look at or to do. */
  readonly hint: string;
  readonly since: number;
}

// ── search ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * The objects that match a query. A query has words, which all must match: `web` (part of the key), `kind:pod` (a kind, a resource
 * or an informer), `app=web` or `app` with `label:app` (a label), `index:owner=UID` (a value of an index).
 */
export interface SearchAnswer {
  readonly query: string;
  /** What the query was understood as, for people; or what is wrong with it. */
  readonly understood: string;
  /** At most 100. Exact keys first, then by key. */
  readonly matches: readonly SearchMatch[];
  /** Whether there are more matches. */
  readonly more: boolean;
  /** Objects that were looked at, and the time it took. */
  readonly scanned: number;
  readonly durationMs: number;
  /** The indexes that can be searched, for completion: `owner` of the informer `informer/3`. */
  readonly indexes: readonly { readonly informer: string; readonly name: string }[];
}

/** An object that was found. */
export interface SearchMatch {
  /** The id of the informer that has it. */
  readonly informer: string;
  readonly key: string;
  readonly kind: string;
  /** False for an object that only the recording has: it was deleted. */
  readonly isPresent: boolean;
  /** When it last changed, if the recording has it. */
  readonly changedAt: number | null;
}

// ── one object ───────────────────────────────────────────────────────────────────────────────────────────────────────

/** One object and what happened to it. While a page asks for an object, its changes are kept in preference to those of others. */
export interface ObjectAnswer {
  readonly informer: string;
  readonly key: string;
  readonly kind: string;
  readonly resource: string;
  /** Whether the cache has it. */
  readonly isPresent: boolean;
  /** The object, without the values of a Secret; its last known state if it was deleted; `null` if it cannot be read. */
  readonly object: unknown;
  /** The paths whose values were left out: `data.password`. */
  readonly hidden: readonly string[];
  /** Who owns which fields, newest first; empty if that is not known. */
  readonly managers: readonly FieldManager[];
  /** Where the managers come from: the cached bytes, a request to the server just now, or neither (then `managersError` says why). */
  readonly managersFrom: 'cache' | 'server' | null;
  readonly managersError: string | null;
  /** The oldest first; at most 500, the newest ones. */
  readonly timeline: readonly TimelineEntry[];
  /** Whether entries were left out. */
  readonly isCut: boolean;
}

/** An entry of `metadata.managedFields`. */
export interface FieldManager {
  readonly manager: string;
  readonly operation: string;
  readonly subresource: string | null;
  readonly at: number | null;
  /** How many fields it owns. */
  readonly fields: number;
}

/** Something that happened to an object, or because of it. */
export type TimelineEntry = ChangeEntry | HandledEntry | RunEntry | WriteEntry;

/** The cache got another state of the object. */
export interface ChangeEntry {
  readonly type: 'change';
  readonly at: number;
  readonly change: 'add' | 'update' | 'delete';
  readonly resourceVersion: string;
  /** Whether a list found it, and not the watch: states in between may be missing. */
  readonly isFromList: boolean;
  /** The differences from the state before; empty for `add` and `delete`. At most 200. */
  readonly fields: readonly FieldChange[];
  readonly isCut: boolean;
  /** The field managers that made the change, as far as that can be told. */
  readonly managers: readonly string[];
  /** The write of a run in this process that the change is the echo of; `null` if it is none. */
  readonly echoOf: EchoSource | null;
}

/** The write that came back as a change. */
export interface EchoSource {
  readonly controller: string;
  readonly runId: string;
  readonly runKey: string;
  readonly verb: string;
  /** Between the server's answer and the change of the cache; negative if the watch was faster. */
  readonly afterMs: number;
}

/** One field that differs. */
export interface FieldChange {
  /** `spec.replicas`, `spec.containers[name=app].image`, `spec.args[0]`, `metadata.labels["app.kubernetes.io/name"]`. */
  readonly path: string;
  readonly change: 'added' | 'removed' | 'changed';
  /** JSON text, cut at 200 characters; `null` if there is no such value, or it is hidden. */
  readonly before: string | null;
  readonly after: string | null;
  /** Whether it is a value of a Secret. */
  readonly isHidden: boolean;
  /** The manager that owns the field now; `null` if that is not known. */
  readonly manager: string | null;
}

/** A handler was called with the object. */
export interface HandledEntry {
  readonly type: 'handled';
  /** When the call began. */
  readonly at: number;
  /** The id of the {@link HandlerStage}, which may be gone, and its name. */
  readonly handler: string;
  readonly name: string;
  /** The version that it was called with. */
  readonly resourceVersion: string;
  /** The age of the event. */
  readonly lagMs: number;
  /** Until it returned, or its promise was settled; `null` while it runs. */
  readonly durationMs: number | null;
  /** What it threw; `null` if it did not. */
  readonly error: string | null;
}

/** A run of the object by a controller, or of its owner because the object changed. */
export interface RunEntry {
  readonly type: 'run';
  /** The key that was reconciled: another than the object's for a run of its owner. */
  readonly key: string;
  /** When it began. */
  readonly at: number;
  readonly controller: string;
  readonly id: string;
  readonly what: 'reconcile' | 'finalize';
  readonly causes: readonly string[];
  readonly attempt: number;
  /** `null` while it runs. */
  readonly durationMs: number | null;
  /** `null` while it runs. */
  readonly outcome: keyof Outcomes | null;
  readonly error: string | null;
  /** When the key is due again, in ms from its end; `null` if no date was set. */
  readonly againInMs: number | null;
  readonly writes: readonly RunWrite[];
}

/** A write of a run. */
export interface RunWrite {
  /** When the server answered; `null` if that was not recorded. */
  readonly at: number | null;
  readonly verb: string;
  /** With group and subresource: `deployments.apps`, `websites.example.com/status`. */
  readonly resource: string;
  readonly key: string;
  /** Whether the server stored something new. */
  readonly changed: boolean;
  readonly resourceVersion: string | null;
  /** The informer that has the object of the write, for a link; `null` if none has. */
  readonly informer: string | null;
  /** How long after the answer the cache had it; `null` if it has not, or the recording does not reach back. */
  readonly echoMs: number | null;
}

/** A run of another object has written this one. */
export interface WriteEntry extends RunWrite {
  readonly type: 'write';
  readonly at: number;
  readonly controller: string;
  readonly runId: string;
  readonly runKey: string;
}

// ── controllers ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** Controllers, managers, leases and permissions in detail. */
export interface ControllersAnswer {
  readonly at: number;
  readonly controllers: readonly ControllerDetails[];
  readonly managers: readonly ManagerState[];
  readonly leases: readonly LeaseState[];
  readonly denials: readonly Denial[];
}

/** One controller. */
export interface ControllerDetails {
  /** The id of its {@link ControllerStage}. */
  readonly id: string;
  readonly name: string;
  /** Keys whose last run failed, the most attempts first; at most 100 of `failingCount`. */
  readonly failing: readonly KeyState[];
  readonly failingCount: number;
  /** Keys that wait for something: for their own writes in a cache, or because a run said so; at most 100. */
  readonly waiting: readonly KeyState[];
  /** Runs in progress, the longest first; at most 100. */
  readonly running: readonly RunSummary[];
  /** The longest runs since the recording began; at most 20. */
  readonly longest: readonly RunSummary[];
  /** The last runs, newest first; at most 50. */
  readonly recent: readonly RunSummary[];
  /** Runs since the recording began, by cause, most first; at most 20. */
  readonly causes: readonly { readonly cause: string; readonly runs: number }[];
  /** The distribution of durations: how many runs took up to `upToMs`; the last one has `null`. */
  readonly durations: readonly { readonly upToMs: number | null; readonly runs: number }[];
}

/** A key that fails or waits. */
export interface KeyState {
  readonly key: string;
  /** The id of the informer that has the object, for a link. */
  readonly informer: string | null;
  /** 1 plus the failures in a row; `null` if no run was recorded. */
  readonly attempt: number | null;
  /** Why: the error, or what it waits for. */
  readonly why: string;
  readonly since: number | null;
  /** When it is due again; `null` if no date is set. */
  readonly dueAt: number | null;
}

/** A run in short. */
export interface RunSummary {
  readonly key: string;
  readonly informer: string | null;
  readonly id: string;
  readonly at: number;
  /** So far, if it is in progress. */
  readonly durationMs: number;
  readonly outcome: keyof Outcomes | null;
  readonly attempt: number;
  readonly error: string | null;
  readonly writes: number;
}

/** A manager in this process. */
export interface ManagerState {
  readonly name: string;
  readonly identity: string;
  readonly isLeader: boolean;
  /** The shards that this replica holds; empty in a manager that does not shard. */
  readonly shards: readonly number[];
  /** How many shards there are; 0 in a manager that does not shard. */
  readonly shardCount: number;
  /** What its readiness check says; `null` if it is ready. */
  readonly notReady: string | null;
}

/** A Lease that an elector of this process has been seen with. */
export interface LeaseState {
  /** Namespace and name. */
  readonly lease: string;
  readonly identity: string;
  readonly isLeader: boolean;
  /** When that last changed; `null` if it was before the recording. */
  readonly since: number | null;
  readonly transitions: number | null;
  readonly lastRenewalAt: number | null;
  readonly lastRenewalMs: number | null;
  readonly lastError: string | null;
}

/** Requests that the server refused with 401 or 403, since the recording began. */
export interface Denial {
  /** The id of the {@link ServerStage}. */
  readonly server: string;
  readonly verb: string;
  readonly path: string;
  readonly status: number;
  readonly count: number;
  readonly lastAt: number;
  readonly message: string;
}

// ── memory ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Where the memory is. Measured when it is asked for. */
export interface MemoryAnswer {
  readonly at: number;
  readonly process: {
    readonly rssBytes: number;
    readonly heapUsedBytes: number;
    readonly heapTotalBytes: number;
    readonly externalBytes: number;
    readonly arrayBuffersBytes: number;
  };
  readonly informers: readonly InformerMemory[];
}

/** The memory of one informer. */
export interface InformerMemory {
  /** The id of the {@link InformerStage}. */
  readonly id: string;
  readonly name: string;
  readonly objects: number;
  /** Whether the store has the bytes of objects, or parsed objects. */
  readonly storage: 'raw' | 'objects';
  /** The bytes of all objects, for `objects` estimated from a sample of their JSON. */
  readonly objectBytes: number;
  /** The memory of the slabs that hold them; 0 for `objects`. */
  readonly slabBytes: number;
  readonly slabs: number;
  /** Bytes of objects that are kept decoded for readers (as JSON), and the most that may be. */
  readonly decodedBytes: number;
  readonly decodedBudget: number;
  /** Keys and handles, estimated. */
  readonly entryBytes: number;
  readonly indexes: readonly IndexMemory[];
  /** `null` for an informer without objects. */
  readonly sample: SampledMemory | null;
}

/** An index of a cache. */
export interface IndexMemory {
  readonly name: string;
  readonly values: number;
  /** Objects under all values together. */
  readonly entries: number;
  /** Estimated. */
  readonly bytes: number;
}

/** What a smaller cache would save, measured on some of the objects and projected to all. */
export interface SampledMemory {
  /** How many objects were measured. */
  readonly objects: number;
  readonly meanBytes: number;
  readonly maxBytes: number;
  /** The key of the largest one. */
  readonly maxKey: string;
  /** What `factory.metadata(resource)` would save, in bytes of all objects; 0 if it is metadata already. */
  readonly metadataOnlySaves: number;
  /** What `transform: drop(path)` would save, the most first; at most 10, of fields with at least 2 %. */
  readonly fields: readonly { readonly path: string; readonly saves: number; readonly share: number }[];
}
