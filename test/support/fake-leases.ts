import type { LeaseClient, LeaseClients } from '../../src/election/lease-lock.js';
import { StatusError } from '../../src/meta/errors/errors.js';
import { alreadyExists, conflict, notFound } from '../../src/meta/errors/status.js';
import type { DeepReadonly, New } from '../../src/meta/objects.js';
import { mutableCopy } from '../../src/meta/objects.js';
import type { Lease, LeaseSpec } from '../../src/resources/types/coordination-v1.js';
import type { Clock } from '../../src/time/clock.js';
import { abortable } from '../../src/time/signals.js';

type Operation = 'get' | 'create' | 'update';

/**
 * Leases in memory that fail as a server's do. What is asked is written down in `operations`; `before` may fail a request
 * or keep it, until its signal aborts.
 */
export class FakeLeases implements LeaseClients {
  readonly coordination: LeaseClients['coordination'] = { v1: { leases: () => this.#client } };
  readonly operations: Operation[] = [];
  readonly clock: Clock;
  before: ((operation: Operation, count: number) => unknown) | undefined;
  lease: Lease | undefined;
  #version = 0;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  get spec(): LeaseSpec {
    return this.lease?.spec ?? {};
  }

  /** Puts a lease there, or changes it, as another client would. */
  put(spec: LeaseSpec | undefined, labels?: Record<string, string>): void {
    const metadata = { name: 'boss', namespace: 'system', uid: 'u', creationTimestamp: '', resourceVersion: '' };
    this.#store({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: labels === undefined ? metadata : { ...metadata, labels },
      ...(spec === undefined ? {} : { spec }),
    });
  }

  readonly #client: LeaseClient = {
    get: (_name, options) => this.#ask('get', options?.signal, () => this.#found()),
    create: (lease, options) =>
      this.#ask('create', options?.signal, () => {
        if (this.lease !== undefined) throw new StatusError(alreadyExists(GROUP_RESOURCE, 'boss'));
        return this.#store(lease);
      }),
    update: (lease, options) =>
      this.#ask('update', options?.signal, () => {
        if (lease.metadata.resourceVersion !== this.#found().metadata.resourceVersion)
          throw new StatusError(conflict(GROUP_RESOURCE, 'boss', 'another client has written it'));
        return this.#store(lease);
      }),
  };

  #found(): Lease {
    if (this.lease === undefined) throw new StatusError(notFound(GROUP_RESOURCE, 'boss'));
    return mutableCopy<Lease>(this.lease);
  }

  #store(lease: DeepReadonly<New<Lease>>): Lease {
    const stored = mutableCopy(lease as DeepReadonly<Lease>);
    stored.metadata.resourceVersion = String(++this.#version);
    this.lease = stored;
    return mutableCopy<Lease>(stored);
  }

  async #ask(operation: Operation, signal: AbortSignal | undefined, answer: () => Lease): Promise<Lease> {
    this.operations.push(operation);
    const count = this.operations.filter((one) => one === operation).length;
    await abortable(Promise.resolve(this.before?.(operation, count)), signal);
    return answer();
  }
}

const GROUP_RESOURCE = { group: 'coordination.k8s.io', resource: 'leases' };
