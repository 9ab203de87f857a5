import type { EventRecorder } from '../events/index.js';
import type { Client, Clock, KubernetesObject, SharedIndexInformer } from '../index.js';
import type { ChannelMessage } from '../observe/channels.js';
import type { CachePool } from './caches.js';
import type { RunningController } from './types.js';

/**
 * The seam between a manager and its controllers.
 *
 * A manager makes one {@link ControllerEnvironment} for all its controllers and one `ControllerInstance` for each
 * (`new ControllerInstance(controller, environment)`, which opens nothing). Then, in this order and any number of times from
 * `resume` on:
 *
 * ```
 *   openCaches() ──▶ whenSynced() ──▶ resume() ──▶ suspend({ drainMs, reason }) ──▶ resume() …  ──▶ close()
 *     standby: caches are warm          leads          lost, or stops                                 caches given back
 * ```
 */

/** Which objects a controller may reconcile, in a manager that shards. */
export interface ShardGate {
  /** The shard of an object. */
  shardOf(key: string, uid: string): number;
  /** Whether runs of this shard may start now. */
  isOpen(shard: number): boolean;
}

/** What a controller needs from its manager. */
export interface ControllerEnvironment {
  /** The name of the manager: the first part of field managers, and the reporter of events. */
  readonly manager: string;
  /** The cluster of controllers and watches that name no other. Not guarded: caches read through it, also on standby. */
  readonly client: Client;
  readonly clock: Clock;
  /** The caches that all controllers share. The manager makes it, and stops it after all controllers were closed. */
  readonly caches: CachePool;
  /**
   * A client whose requests fail, unsent, once another replica may work on this key: `elector.guard(client)`, or the guard of the
   * key's shard. Called once per run that uses a client, so memoize it by client. The same client if nothing is guarded.
   */
  guard(client: Client, key: string, uid: string): Client;
  /** In a manager that shards: only objects of open shards are reconciled. @default undefined: all objects are */
  readonly shards?: ShardGate | undefined;
  /** Records events about objects of a controller. */
  recorder(controller: string): EventRecorder;
  /** Called with errors that no run has thrown: a mapper that threw, a cache that stays behind. Must not throw. */
  onError(error: Error): void;
  /** Called for every failed run of a controller without an `onError` of its own. @default a process warning */
  readonly onRunError?: ((error: unknown, key: string) => void) | undefined;
  /** Called with what controllers do: metrics, spans and `world.runs` are made of it. @default none */
  readonly observer?: ControllerObserver | undefined;
}

/** A run that has started, as its channel publishes it. */
export type RunStart = ChannelMessage<'controllerBegin'>;

/** A run that has ended, after its status was written: the message of its channel, and more. */
export interface RunRecord extends ChannelMessage<'controllerRun'> {
  /** In ms since 1970, on the environment's clock. */
  readonly endedAt: number;
  /** When the object is looked at again, in ms from `endedAt`, besides `everyMs`; undefined if no such date was set. */
  readonly againInMs: number | undefined;
}

/** How a run ended. */
export type RunOutcome = RunRecord['outcome'];

/** A write that a run sent and the server answered. */
export type RunWrite = RunRecord['writes'][number];

/** Called with what a controller does, synchronously. Must not throw. */
export interface ControllerObserver {
  runStarted?(start: RunStart): void;
  runEnded?(record: RunRecord): void;
  /** `apply` sent nothing because nothing would change. */
  applySkipped?(controller: string, key: string): void;
  /** A key has waited 10 s for the caches to have its own writes. */
  staleWait?(controller: string, key: string): void;
}

/** What a controller does at this moment, for `settle`, metrics and health. */
export interface ControllerActivity {
  /** Keys that wait in the queue. */
  readonly queued: number;
  /** Keys that wait until the caches have their own writes. */
  readonly stale: number;
  /** Runs in progress that hold a worker: at most `workers`. */
  readonly running: number;
  /** Runs in progress that hold their key, and no worker: they were aborted, or wait for another cluster. */
  readonly withoutWorker: number;
  /** How soon the next date of any key is due, in ms: a retry, a requeue, `waiting`, `everyMs`. Infinity if there is none. */
  readonly nextDueInMs: number;
}

/** A key whose last run failed, or waits for something. */
export interface UnsettledKey {
  readonly outcome: 'failed' | 'terminal' | 'waiting';
  /** What the run threw, or the text of what it waits for. */
  readonly why: unknown;
  readonly attempt: number;
  /** In ms since 1970. */
  readonly endedAt: number;
  /** When it runs again, unless something wakes it before; undefined if no date is set. */
  readonly dueAt: number | undefined;
}

/** The keys that a controller works on or waits for, for the inspector. */
export interface ControllerKeys {
  readonly unsettled: ReadonlyMap<string, UnsettledKey>;
  readonly running: Iterable<RunStart>;
  /** Keys that wait until caches have their own writes: `behind` are the resources of these. */
  readonly stale: Iterable<{ readonly key: string; readonly since: number; readonly behind: readonly string[] }>;
}

/** How runs in progress are ended. */
export interface DrainOptions {
  readonly drainMs: number;
  readonly reason: Error;
  /** @default 1000 */
  readonly graceMs?: number | undefined;
  /** Ends the wait: the runs go on. @default never */
  readonly signal?: AbortSignal | undefined;
}

/** What a controller offers to its manager, besides what users see of it. */
export interface ManagedController<T extends KubernetesObject> extends RunningController<T> {
  readonly activity: ControllerActivity;
  readonly keys: ControllerKeys;
  /** The queue of its keys. */
  readonly queue: { readonly length: number; readonly processing: number };
  /** The informer of its own kind; undefined before the caches are open. */
  readonly informer: SharedIndexInformer<T> | undefined;
  /** What is wrong for a liveness check: a run that ignores its aborted signal for as long as `timeoutMs`. Undefined if nothing. */
  readonly livenessProblem: string | undefined;
  /** Opens the caches. Nothing runs. Idempotent. */
  openCaches(): void;
  /** Resolves when all its caches have synced; rejects with `signal.reason`, or when it is closed before. */
  whenSynced(options?: { readonly signal?: AbortSignal | undefined }): Promise<void>;
  /**
   * Starts runs once the caches have synced: recent changes first, then every object once, with low priority. Does nothing if it
   * runs already.
   */
  resume(): void;
  /**
   * Starts no more runs. Resolves when those in progress have ended and written their status: after `drainMs` their signals abort
   * with `reason`. Runs that ignore that for `graceMs` are left behind: they keep their keys, and their writes are refused.
   * Changes of objects are kept for the next `resume`.
   */
  suspend(options: DrainOptions): Promise<void>;
  /** A shard is open: its recent changes first, then each of its objects once, with low priority. */
  openShard(shard: number): void;
  /**
   * Resolves when no run of the shard, which is not open any more, is in progress: after `drainMs` their signals abort. Runs that
   * ignore that for `graceMs` are left behind.
   */
  drainShard(shard: number, options: DrainOptions): Promise<void>;
  /** The shard is another replica's: aborts its runs, and forgets what it remembers of its objects. `gone` is not called. */
  closeShard(shard: number, reason: Error): void;
  /** Ends it for good: `suspend` first. Gives its caches back; resolves when no handler of it is called any more. Idempotent. */
  close(): Promise<void>;
}
