import {
  type Client,
  type Clock,
  isAlreadyExists,
  isConflict,
  isNotFound,
  type ResourceClient,
  type SharedIndexInformer,
  SharedInformerFactory,
} from '../../index.js';
import { asError } from '../../meta/errors/errors.js';
import { type Undo, undoOnce } from '../../meta/undo.js';
import type { Lease } from '../../resources/types/coordination-v1.js';
import { linkSignals } from '../../time/signals.js';
import { microTimestamp } from '../../time/timestamps.js';
import type { FoundAssignment, FoundMember, ShardLeases } from './shard-coordinator.js';
import {
  type Assignment,
  assignmentAnnotations,
  type MemberRecord,
  memberAnnotations,
  numberOf,
  readAssignment,
  readMember,
  SHARD_LABEL,
} from './shard-records.js';
import type { Sharding } from './sharding-options.js';

/** What a {@link ShardLeaseClient} works with. */
interface ShardLeaseOptions {
  readonly client: Client;
  /** The name of the manager. */
  readonly manager: string;
  readonly namespace: string;
  /** The name of this replica, for people who look at the Leases. */
  readonly identity: string;
  /** The name of this replica's Lease. */
  readonly lease: string;
  readonly times: Sharding['times'];
  readonly onError: (error: Error) => void;
}

/** What the watch of the Leases tells. */
interface ShardLeaseHandler {
  memberSeen(lease: string, found: FoundMember): void;
  memberDeleted(lease: string): void;
  assignmentSeen(found: FoundAssignment): void;
  assignmentDeleted(): void;
}

/** The name of the Lease that all replicas of a manager share. */
export function assignmentLeaseOf(manager: string): string {
  return `${manager}-shards`;
}

/** Reads, writes and watches the Leases of a manager that shards. */
export class ShardLeaseClient implements ShardLeases {
  readonly #options: ShardLeaseOptions;
  readonly #clock: Clock;
  readonly #leases: ResourceClient<Lease>;
  readonly #shared: string;
  readonly #factory: SharedInformerFactory;
  readonly #informer: SharedIndexInformer<Lease>;
  readonly #ending = new AbortController();
  /** The Lease of this replica as it was last read or written; undefined if there is none. */
  #own: Lease | undefined;
  /** Whether a write of the own Lease got no answer: it has to be read first. */
  #isOwnUnknown = false;
  #writes = 0;

  constructor(options: ShardLeaseOptions) {
    const { client, namespace, manager, onError } = options;
    this.#options = options;
    this.#clock = client.clock;
    this.#leases = client.coordination.v1.leases(namespace);
    this.#shared = assignmentLeaseOf(manager);
    this.#factory = new SharedInformerFactory(client, {
      name: `shards of ${manager}`,
      onError: (error) => onError(error),
    });
    this.#informer = this.#factory.coordination.v1.leases({
      namespace,
      labelSelector: `${SHARD_LABEL}=${manager}`,
    });
  }

  /** Watches the Leases until `stop`. */
  watch(handler: ShardLeaseHandler): void {
    this.#informer.subscribe(
      (event) => {
        const { name, resourceVersion: version = '' } = event.object.metadata;
        if (event.type === 'delete') {
          if (name === this.#shared) handler.assignmentDeleted();
          else handler.memberDeleted(name);
        } else if (name === this.#shared) {
          handler.assignmentSeen({ version, assignment: readAssignment(event.object) });
        } else {
          const record = readMember(event.object);
          if (record !== undefined) handler.memberSeen(name, { version, record });
        }
      },
      { name: `shards of ${this.#options.manager}` },
    );
    this.#factory.start();
  }

  /** Ends the watch and all requests. */
  async stop(): Promise<void> {
    this.#ending.abort();
    await this.#factory.stop();
  }

  now(): number {
    return this.#clock.monotonicNow();
  }

  setTimer(ms: number, callback: () => void): Undo {
    const timer = this.#clock.setTimer(ms, callback);
    return undoOnce(() => timer.cancel());
  }

  renew(record: MemberRecord, done: (answer: 'stored' | 'lost' | 'failed') => void): void {
    void this.#ask(
      'renewing the Lease of this replica',
      async (signal): Promise<'stored' | 'lost' | 'failed'> => {
        if (this.#isOwnUnknown) await this.#readOwn(signal);
        return this.#writeOwn(record, signal);
      },
      done,
    );
  }

  async #readOwn(signal: AbortSignal): Promise<void> {
    this.#own = await this.#found(this.#options.lease, signal);
    this.#isOwnUnknown = false;
  }

  async #writeOwn(record: MemberRecord, signal: AbortSignal): Promise<'stored' | 'lost' | 'failed'> {
    const own = this.#own;
    const time = microTimestamp(this.#clock.now());
    const { identity, lease: name, namespace, manager } = this.#options;
    const spec = {
      holderIdentity: identity,
      leaseDurationSeconds: Math.max(1, Math.ceil(record.leaseDurationMs / 1000)),
      acquireTime: own?.spec?.acquireTime ?? time,
      renewTime: time,
      leaseTransitions: numberOf(record.session) - 1,
    };
    const labels = { ...own?.metadata.labels, [SHARD_LABEL]: manager };
    const annotations = { ...own?.metadata.annotations, ...memberAnnotations(record) };
    this.#isOwnUnknown = true;
    try {
      this.#own =
        own === undefined
          ? await this.#leases.create({ metadata: { name, namespace, labels, annotations }, spec }, { signal })
          : await this.#leases.update({ ...own, metadata: { ...own.metadata, labels, annotations }, spec }, { signal });
      this.#isOwnUnknown = false;
      return 'stored';
    } catch (error) {
      if (!isNotFound(error)) {
        // Another client has changed it, or an earlier write without an answer was carried out: it is read and written again.
        if (isConflict(error) || isAlreadyExists(error)) return 'failed';
        throw error;
      }
      this.#own = undefined;
      this.#isOwnUnknown = false;
      return 'lost';
    }
  }

  readMember(lease: string, done: (found: FoundMember | 'missing' | 'failed') => void): void {
    void this.#ask(
      `reading the Lease ${lease}`,
      async (signal) => {
        const found = await this.#found(lease, signal);
        const record = found === undefined ? undefined : readMember(found);
        // A Lease without a record says nothing of its replica, as if it were missing.
        return record === undefined ? 'missing' : { version: found?.metadata.resourceVersion ?? '', record };
      },
      done,
    );
  }

  readAssignment(done: (found: FoundAssignment | 'missing' | 'failed') => void): void {
    void this.#ask(
      `reading the Lease ${this.#shared}`,
      async (signal) => {
        const found = await this.#found(this.#shared, signal);
        if (found === undefined) return 'missing';
        return { version: found.metadata.resourceVersion, assignment: readAssignment(found) };
      },
      done,
    );
  }

  writeAssignment(
    version: string | undefined,
    assignment: Assignment,
    done: (answer: { readonly version: string } | 'refused' | 'failed') => void,
  ): void {
    const { manager, namespace, identity } = this.#options;
    // A write that changes nothing would keep its version; the number makes each one of this replica different.
    const spec = {
      holderIdentity: identity,
      renewTime: microTimestamp(this.#clock.now()),
      leaseTransitions: ++this.#writes,
    };
    const metadata = {
      name: this.#shared,
      namespace,
      labels: { [SHARD_LABEL]: manager },
      annotations: assignmentAnnotations(assignment),
    };
    void this.#ask(
      `writing the Lease ${this.#shared}`,
      async (signal) => {
        try {
          const stored =
            version === undefined
              ? await this.#leases.create({ metadata, spec }, { signal })
              : await this.#leases.update(
                  { metadata: { ...metadata, resourceVersion: version }, spec } as unknown as Lease,
                  {
                    signal,
                  },
                );
          return { version: stored.metadata.resourceVersion };
        } catch (error) {
          if (isConflict(error) || isAlreadyExists(error) || isNotFound(error)) return 'refused';
          throw error;
        }
      },
      done,
    );
  }

  discardMember(lease: string, version: string): void {
    const preconditions = { resourceVersion: version };
    void this.#ask(
      `deleting the Lease ${lease} of a replica that is gone`,
      async (signal) => {
        await this.#leases.delete(lease, { preconditions, signal }).catch((error: unknown) => {
          if (!isConflict(error) && !isNotFound(error)) throw error;
        });
        return 'done';
      },
      () => {},
    );
  }

  /** Deletes the Lease of this replica. A failure is ignored: it is removed later by another one. */
  async deleteOwn(): Promise<void> {
    const limit = linkSignals([], { timeoutMs: this.#timeoutMs, clock: this.#clock, what: 'deleting a Lease' });
    try {
      await this.#leases.delete(this.#options.lease, { signal: limit.signal });
    } catch {
      // See above.
    } finally {
      limit.release();
    }
  }

  async #found(name: string, signal: AbortSignal): Promise<Lease | undefined> {
    try {
      return await this.#leases.get(name, { signal });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** Half of the deadline, and at least 1 s: a slow request leaves time for another. */
  get #timeoutMs(): number {
    return Math.max(1000, this.#options.times.renewDeadlineMs / 2);
  }

  /** Sends a request; `failed` if it rejects, or takes too long. */
  async #ask<T>(
    what: string,
    request: (signal: AbortSignal) => Promise<T | 'failed'>,
    done: (answer: T | 'failed') => void,
  ): Promise<void> {
    const limit = linkSignals([this.#ending.signal], { timeoutMs: this.#timeoutMs, clock: this.#clock, what });
    let answer: T | 'failed' = 'failed';
    try {
      answer = await request(limit.signal);
    } catch (error) {
      if (!this.#ending.signal.aborted)
        this.#options.onError(
          new Error(`${this.#options.identity} failed at ${what}: ${asError(error).message}`, { cause: error }),
        );
    } finally {
      limit.release();
    }
    if (!this.#ending.signal.aborted) done(answer);
  }
}
