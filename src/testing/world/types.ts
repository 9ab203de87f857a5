import type { ApiServer } from '../../apiserver/index.js';
import type { Manager } from '../../controller/manager/manager.js';
import type { Client, KubernetesObject, New, Resource } from '../../index.js';
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
  /**
   * What must hold at any time, by name. Each is called after every write that the server has answered and after every run; it
   * returns what is wrong, or throws. The world then fails: `settle` rejects with it.
   * @default {}
   */
  readonly invariants?: Readonly<Record<string, (world: World) => string | undefined | void>> | undefined;
  /**
   * What else acts in the world, by the name that the story has for it: a user who changes objects, a program that reacts to
   * them. Each is called once, when the managers are ready; it may end at any time, and must when `signal` aborts. `settle` waits
   * while one is in `sleep`. One that rejects fails the world.
   * @default {}
   */
  readonly actors?:
    | Readonly<
        Record<
          string,
          (actor: {
            readonly world: World;
            /** A client that may do everything; its writes are in the story under the name of the actor. */
            readonly client: Client;
            /** A number from 0 to 1, decided by the seed of the world. */
            random(): number;
            /** Lets virtual time pass; rejects when the world ends. */
            sleep(ms: number): Promise<void>;
            readonly signal: AbortSignal;
          }) => Promise<void>
        >
      >
    | undefined;
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
   * What has happened since the managers were ready, one line each: a virtual time and a plain sentence. Leases and events are
   * left out.
   */
  readonly story: readonly string[];
  /** The objects of a kind that the server has now, without a request: for invariants. */
  stored<T>(resource: Resource<T>): readonly T[];
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
