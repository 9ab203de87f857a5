import { KubeflectError } from '../meta/errors/errors.js';
import type { Abortable, DeepReadonly, New } from '../meta/objects.js';
import { abortableNames, checkOptions, type OptionNames } from '../meta/options/known-options.js';
import { requireFunction, requireObject, requireString } from '../meta/options/validate.js';
import type { Lease } from '../resources/types/coordination-v1.js';
import { abortable } from '../time/signals.js';
import { type ElectionRecord, recordOf, specOf } from './election-record.js';

/** The methods of a client that a {@link LeaseLock} calls: `client.coordination.v1.leases('default')`. */
export interface LeaseClient {
  get(name: string, options?: Abortable): Promise<Lease>;
  create(lease: DeepReadonly<New<Lease>>, options?: Abortable): Promise<Lease>;
  update(lease: DeepReadonly<Lease>, options?: Abortable): Promise<Lease>;
}

/** The part of a `Client` that a {@link LeaseLock} uses. */
export interface LeaseClients {
  readonly coordination: { readonly v1: { leases(namespace: string): LeaseClient } };
}

/** Records events about the Lease: an `EventRecorder` of `kubeflect/events`. */
interface LockEventRecorder {
  event(lease: Lease, event: { readonly type: 'Normal'; readonly reason: string; readonly message: string }): unknown;
}

/** Options of a {@link LeaseLock}. */
export interface LeaseLockOptions {
  readonly namespace: string;
  readonly name: string;
  /** The name of this candidate. Two candidates with the same identity would both lead. */
  readonly identity: string;
  /** Labels of the Lease; other labels of it are kept. @default none */
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** Gets an event when this candidate becomes leader and when it stops leading. @default none */
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
 * Reads and writes the record of a Lease. It keeps the Lease as it last read or wrote it, so that an update fails with 409
 * Conflict if another client has written since. A response that arrives after the abort is dropped.
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
   * Reads the record, and its JSON (`raw`), which candidates compare. Rejects with 404 (`isNotFound`) if there is no Lease.
   */
  async get(options: Abortable = {}): Promise<{ readonly record: ElectionRecord; readonly raw: string }> {
    checkOptions('LeaseLock.get', options, abortableNames);
    this.#lease = await abortable(this.#leases.get(this.name, options), options.signal);
    const record = recordOf(this.#lease.spec);
    return { record, raw: JSON.stringify(record) };
  }

  /** Creates the Lease; rejects with 409 (`isAlreadyExists`) if there is one. */
  async create(record: ElectionRecord, options: Abortable = {}): Promise<void> {
    checkOptions('LeaseLock.create', options, abortableNames);
    const { name, namespace } = this;
    const metadata = { name, namespace, ...(this.#labels === undefined ? {} : { labels: { ...this.#labels } }) };
    const created = this.#leases.create({ metadata, spec: specOf(record) }, options);
    this.#lease = await abortable(created, options.signal);
  }

  /** Writes the record; rejects with 409 (`isConflict`) if the Lease has changed since it was last read or written here. */
  async update(record: ElectionRecord, options: Abortable = {}): Promise<void> {
    checkOptions('LeaseLock.update', options, abortableNames);
    const lease = this.#lease;
    if (lease === undefined)
      throw new KubeflectError('LEASE_UNREAD', `the Lease ${this} must be read or created before it is updated`);
    const { metadata } = lease;
    const labels = this.#labels === undefined ? undefined : { ...metadata.labels, ...this.#labels };
    const updated = this.#leases.update(
      { ...lease, metadata: labels === undefined ? metadata : { ...metadata, labels }, spec: specOf(record) },
      options,
    );
    this.#lease = await abortable(updated, options.signal);
  }

  /** Records an event about the Lease. Does nothing without a recorder, or before the Lease was read or created. */
  recordEvent(text: string): void {
    if (this.#lease === undefined) return;
    const message = `${this.identity} ${text}`;
    this.#recorder?.event(this.#lease, { type: 'Normal', reason: 'LeaderElection', message });
  }

  /** `namespace/name`. */
  toString(): string {
    return `${this.namespace}/${this.name}`;
  }
}
