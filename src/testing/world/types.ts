import type { ApiServer } from '../../apiserver/index.js';
import type { Manager } from '../../controller/manager/manager.js';
import type { Client, KubernetesObject, New } from '../../index.js';
import type { PolicyRule } from '../../resources/types/rbac-v1.js';
import type { FakeClock } from '../../time/fake-clock.js';

/** How a world begins. */
export interface WorldOptions {
  /** Objects that are stored before the managers start, with their status; missing namespaces are created. @default [] */
  readonly objects?: readonly (New<KubernetesObject> & { kind: string })[] | undefined;
  /** Decides about all random numbers: the same seed gives the same runs. @default 1 */
  readonly seed?: number | undefined;
  /** How many managers start, each with a client of its own. @default 1 */
  readonly replicas?: number | undefined;
  /** What managers may do: what `manifests` grants them, or everything. @default 'declared' */
  readonly permissions?: 'declared' | 'all' | undefined;
  /** Whether the server can list and watch by shard: the feature gate `ShardedListAndWatch`. @default true */
  readonly shardedLists?: boolean | undefined;
  /** Whether workloads become available, after a virtual second, or stay as they are created. @default 'ready' */
  readonly workloads?: 'ready' | 'idle' | undefined;
}

/** A run of a controller that has ended. Times are those of the world's clock, in ms since 1970. */
export interface Run {
  /** The number of the manager. */
  readonly replica: number;
  readonly controller: string;
  readonly key: string;
  readonly what: 'reconcile' | 'finalize';
  readonly causes: readonly string[];
  readonly startedAt: number;
  readonly endedAt: number;
  readonly outcome: 'done' | 'requeued' | 'waiting' | 'failed' | 'terminal' | 'aborted';
  /** What it threw; undefined if it did not. */
  readonly error: unknown;
  /** What it wrote; `changed` is whether the server stored something new. */
  readonly writes: readonly {
    /** As in RBAC rules, except for `apply`. */
    readonly verb: string;
    /** With group and subresource: `deployments.apps`, `websites.example.com/status`. */
    readonly resource: string;
    readonly key: string;
    readonly changed: boolean;
  }[];
}

/** A cluster in this process, in virtual time, and the managers that run on it. */
export interface World extends AsyncDisposable {
  readonly clock: FakeClock;
  readonly api: ApiServer;
  /** A client that may do everything. */
  readonly client: Client;
  /** The managers that run, by number, from 0. */
  readonly managers: ReadonlyMap<number, Manager>;
  /** All runs that have ended, in that order. */
  readonly runs: readonly Run[];
  /**
   * Lets virtual time pass until nothing is in progress or due: no run, no retry, no `waiting`, no cache that is behind the
   * server. What is due in more than a minute does not count, except for objects that wait or whose last run failed. Rejects
   * after `withinMs` (10 minutes) and names what does not come to rest: which key ran how often, what woke it, what it keeps
   * writing, and its last error.
   */
  settle(options?: { readonly withinMs?: number | undefined }): Promise<{
    /** How much virtual time has passed. */
    readonly elapsedMs: number;
    /** The runs that have ended meanwhile. */
    readonly runs: readonly Run[];
  }>;
  /** Wakes every object once more and settles. Resolves with the runs that changed something: none, if all is well. */
  again(): Promise<readonly Run[]>;
  /** Starts one more manager; resolves with its number when it is ready. */
  start(): Promise<number>;
  /** Stops a manager in order; without a number, all of them. */
  stop(replica?: number): Promise<void>;
  /** Ends a manager, by default the one with the lowest number, at once: it sends nothing more and gives nothing back. */
  crash(replica?: number): void;
  /** The rights that managers have used of those that they have, and those that they have not used. */
  permissions(): { readonly used: readonly PolicyRule[]; readonly unused: readonly PolicyRule[] };
}
