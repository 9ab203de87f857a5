import { KubeflectError } from '../meta/errors.js';
import { abortableNames, checkOptions, type OptionNames } from '../meta/known-options.js';
import type { Abortable, DeepReadonly, New } from '../meta/objects.js';
import { requireFunction, requireObject, requireString } from '../meta/validate.js';
import type { Lease } from '../resources/types/coordination-v1.js';
import { abortable } from '../time/signals.js';
import { type ElectionRecord, recordOf, specOf } from './election-record.js';

/** As much of a client as a lock needs; `client.coordination.v1.leases('default')` is one. */
export interface LeaseClient {
  get(name: string, options?: Abortable): Promise<Lease>;
  create(lease: DeepReadonly<New<Lease>>, options?: Abortable): Promise<Lease>;
  update(lease: DeepReadonly<Lease>, options?: Abortable): Promise<Lease>;
}

/** Whoever has leases: a `Client`. */
export interface LeaseClients {
  readonly coordination: { readonly v1: { leases(namespace: string): LeaseClient } };
}

/** Takes notes about a lease where people look for them. An `EventRecorder` of `kubeflect/events` is one. */
interface LockEventRecorder {
  event(lease: Lease, event: { readonly type: 'Normal'; readonly reason: string; readonly message: string }): unknown;
}

/** Which lease is fought for, and by whom. */
export interface LeaseLockOptions {
  readonly namespace: string;
  readonly name: string;
  /** Who is asking. No two candidates may have the same: both would lead. */
  readonly identity: string;
  /** Put on the lease; labels that are not named here are left as they are. @default none */
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** Is told who became leader and who stopped. @default none */
  readonly recorder?: LockEventRecorder | undefined;
}

export const leaseLockNames: OptionNames<LeaseLockOptions> = {
  namespace: true,
  name: true,
  identity: true,
  labels: true,
  recorder: true,
};

/**
 * A lease as a lock. It remembers the lease as it last saw it, so that an update fails with a conflict when anybody else
 * has written since. What a client answers after the abort is not seen: nobody would have looked at it before the update.
 */
export class LeaseLock {
  readonly namespace: string;
  readonly name: string;
  readonly identity: string;
  readonly #leases: LeaseClient;
  readonly #labels: Readonly<Record<string, string>> | undefined;
  readonly #recorder: LockEventRecorder | undefined;
  #lease: Lease | undefined;

  constructor(client: LeaseClients, options: LeaseLockOptions) {
    checkOptions('new LeaseLock', options, leaseLockNames);
    this.namespace = requireString('namespace', options.namespace);
    this.name = requireString('name', options.name);
    this.identity = requireString('identity', options.identity);
    if (options.recorder !== undefined) requireFunction('recorder.event', options.recorder.event);
    requireObject('client', client, 'a Client');
    this.#leases = client.coordination.v1.leases(options.namespace);
    this.#labels = options.labels;
    this.#recorder = options.recorder;
  }

  /**
   * Reads the record, and its text, by which changes are noticed. Rejects with a 404 (`isNotFound`) if there is no Lease.
   */
  async get(options: Abortable = {}): Promise<{ readonly record: ElectionRecord; readonly raw: string }> {
    checkOptions('LeaseLock.get', options, abortableNames);
    this.#lease = await abortable(this.#leases.get(this.name, options), options.signal);
    const record = recordOf(this.#lease.spec);
    return { record, raw: JSON.stringify(record) };
  }

  /** Makes the lease; rejects with `isAlreadyExists` if there is one. */
  async create(record: ElectionRecord, options: Abortable = {}): Promise<void> {
    checkOptions('LeaseLock.create', options, abortableNames);
    const { name, namespace } = this;
    const metadata = { name, namespace, ...(this.#labels === undefined ? {} : { labels: { ...this.#labels } }) };
    const created = this.#leases.create({ metadata, spec: specOf(record) }, options);
    this.#lease = await abortable(created, options.signal);
  }

  /** Writes the record; rejects with `isConflict` if the lease has changed since it was last read or written here. */
  async update(record: ElectionRecord, options: Abortable = {}): Promise<void> {
    checkOptions('LeaseLock.update', options, abortableNames);
    const lease = this.#lease;
    if (lease === undefined)
      throw new KubeflectError('LEASE_UNREAD', `the lease ${this} has to be read or created before it can be updated`);
    const { metadata } = lease;
    const labels = this.#labels === undefined ? undefined : { ...metadata.labels, ...this.#labels };
    const updated = this.#leases.update(
      { ...lease, metadata: labels === undefined ? metadata : { ...metadata, labels }, spec: specOf(record) },
      options,
    );
    this.#lease = await abortable(updated, options.signal);
  }

  /** Notes something about the lease, if there is a recorder and a lease to note it about. */
  recordEvent(text: string): void {
    if (this.#lease === undefined) return;
    const message = `${this.identity} ${text}`;
    this.#recorder?.event(this.#lease, { type: 'Normal', reason: 'LeaderElection', message });
  }

  /** Namespace and name. */
  toString(): string {
    return `${this.namespace}/${this.name}`;
  }
}
