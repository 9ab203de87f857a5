import type { InformerStatus } from '../cache/informer/informer-status.js';
import type { InformerErrorHandler, SharedIndexInformer, SharedInformer } from '../cache/informer/shared-informer.js';
import { defineGroups } from '../client/builtin-clients.js';
import type { Client } from '../client/client.js';
import type { ByteTransform } from '../codec/codec.js';
import { isRefusal } from '../meta/errors/refusal.js';
import type { Abortable, PartialObjectMetadata, Unstructured } from '../meta/objects.js';
import { abortableNames, checkOptions, type OptionNames } from '../meta/options/known-options.js';
import { requireFunction, requireNumber, requireObject, requireSignal } from '../meta/options/validate.js';
import { printGroupResource, printResource, type Resource } from '../meta/resource.js';
import type { Undo } from '../meta/undo.js';
import type { Timer } from '../time/clock.js';
import { abortable, linkSignals, onAbort } from '../time/signals.js';
import type { BuiltinInformers } from './builtin-informers.js';
import { CacheSyncError, type Unsynced } from './cache-sync-error.js';
import { type InformerOptions, informerNames, makeInformer } from './make-informer.js';

/** Options of a factory: the defaults of its informers, and its own. An option of an informer overrides its factory's. */
export interface FactoryOptions extends Omit<InformerOptions<never>, 'transform'>, Abortable {
  /** Fields that no informer of the factory stores: `drop(…)`. @default none: objects are stored as they arrive */
  readonly transform?: ByteTransform | undefined;
  /** Resync periods by resource: `{ 'deployments.apps': 60_000, pods: 0 }`. @default resyncMs */
  readonly resyncMsOf?: Readonly<Record<string, number>> | undefined;
  /** Called with every failure of a list, a watch or a handler. @default process.emitWarning */
  readonly onError?: InformerErrorHandler | undefined;
}

const factoryNames: OptionNames<FactoryOptions> = {
  ...abortableNames,
  ...informerNames,
  resyncMsOf: true,
  onError: true,
};

/** A shared informer that runs while at least one lease on it is held. */
export interface InformerLease<T> extends Disposable {
  readonly informer: SharedIndexInformer<T>;
  /** Gives the lease back. Idempotent. */
  release(): void;
}

/** Options of {@link SharedInformerFactory.acquire}. */
export interface AcquireOptions<T> {
  /** How long it runs after the last lease. @default 0 */
  readonly lingerMs?: number | undefined;
  /** Whether it reads `PartialObjectMetadata` only. @default false */
  readonly metadataOnly?: boolean | undefined;
  /** An informer of its own, with these options. @default none: the shared one */
  readonly informer?: InformerOptions<T> | undefined;
}

const acquireNames: OptionNames<AcquireOptions<never>> = { lingerMs: true, metadataOnly: true, informer: true };

/** An informer of a factory, and whether it runs. */
interface Member {
  readonly informer: SharedInformer<object, unknown>;
  readonly resource: Resource<unknown>;
  readonly namespace: string | undefined;
  readonly stop: AbortController;
  running: Promise<void> | undefined;
  /** Whether it was stopped after its last lease; it is no longer part of the factory then. */
  retired: boolean;
  leases: number;
  /** Whether it was returned without a lease, so that it runs until the factory stops. */
  permanent: boolean;
  linger: Timer | undefined;
}

/**
 * One informer per resource for a whole program: all users of a resource share one watch and one cache.
 *
 * @example
 * const factory = new SharedInformerFactory(client, { namespace: 'default', signal });
 * const pods = factory.core.v1.pods();
 * factory.start();
 * await factory.waitForCacheSync({ signal });
 */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the getters of the groups are defined below, from the catalogue
export class SharedInformerFactory implements AsyncDisposable {
  readonly #client: Client;
  readonly #options: FactoryOptions;
  readonly #shared = new Map<string, Member>();
  readonly #own = new Set<Member>();
  readonly #retiring = new Set<Promise<void>>();
  #undoAbort: () => void = () => {};
  #started = false;
  #stopped = false;

  constructor(client: Client, options: FactoryOptions = {}) {
    requireObject('client', client, 'a Client');
    checkOptions('new SharedInformerFactory', options, factoryNames);
    requireSignal('signal', options.signal);
    requireNumber('resyncMs', options.resyncMs ?? 0);
    for (const [resource, ms] of Object.entries(options.resyncMsOf ?? {})) requireNumber(`resyncMsOf.${resource}`, ms);
    if (options.onError !== undefined) requireFunction('onError', options.onError);
    this.#client = client;
    this.#options = options;
    // One abort listener for all informers: Node warns of a leak at eleven.
    this.#undoAbort = onAbort(options.signal, () => void this.stop());
  }

  /** The informer of any resource; without options the shared one. */
  forResource<T = Unstructured>(resource: Resource<T>): SharedIndexInformer<T>;
  forResource<T = Unstructured, U = T>(resource: Resource<T>, options: InformerOptions<T, U>): SharedIndexInformer<U>;
  forResource<T, U>(resource: Resource<T>, options?: InformerOptions<T, U>): SharedIndexInformer<U> {
    if (options === undefined) {
      const member = this.#sharedMember(resource, false);
      member.permanent = true;
      return member.informer as unknown as SharedIndexInformer<U>;
    }
    return this.#ownMember(resource, options, false).informer as unknown as SharedIndexInformer<U>;
  }

  /** An informer of `PartialObjectMetadata`: it needs a fraction of the bytes if spec and status are not read. */
  metadata(
    resource: Resource<unknown>,
    options?: InformerOptions<PartialObjectMetadata>,
  ): SharedIndexInformer<PartialObjectMetadata> {
    if (options === undefined) {
      const member = this.#sharedMember(resource, true);
      member.permanent = true;
      return member.informer as unknown as SharedIndexInformer<PartialObjectMetadata>;
    }
    return this.#ownMember(resource, options as InformerOptions<unknown>, true)
      .informer as unknown as SharedIndexInformer<PartialObjectMetadata>;
  }

  /** @internal Runs an informer that was made elsewhere as one of its own. */
  adopt<I extends object, T>(informer: SharedInformer<I, T>, namespace: string | undefined): SharedIndexInformer<T> {
    this.#requireUnstopped();
    const member = this.#member(informer as never, informer.resource as Resource<unknown>, namespace);
    this.#own.add(member);
    this.#runIfStarted(member);
    return informer;
  }

  /**
   * Starts the shared informer and returns a lease on it. It stops `lingerMs` after the last lease was released, unless
   * {@link forResource} or a property of the factory has returned it too. With `informer` it is one of its own, which stops after
   * this lease.
   *
   * @example
   * using lease = factory.acquire(await client.resolve('pods'), { lingerMs: 30_000 });   // TypeScript 5.2, Node 24
   * for await (const event of lease.informer.events({ signal })) …
   */
  acquire<T = Unstructured>(resource: Resource<T>, options: AcquireOptions<T> = {}): InformerLease<T> {
    const { metadataOnly = false, informer } = checkOptions('acquire', options, acquireNames);
    const lingerMs = requireNumber('lingerMs', options.lingerMs ?? 0);
    const member =
      informer === undefined
        ? this.#sharedMember(resource, metadataOnly)
        : this.#ownMember(resource, informer, metadataOnly);
    member.leases++;
    member.linger?.cancel();
    member.linger = undefined;
    this.#run(member);
    let released = false;
    const release = () => {
      if (released) return;
      released = true;
      if (--member.leases > 0 || member.permanent || this.#stopped) return;
      // Without a delay it is only the next turn, for which a caller that waits for the stop must be kept alive.
      const keepAlive = lingerMs === 0;
      member.linger = this.#client.clock.setTimer(lingerMs, () => this.#retire(member), { keepAlive });
    };
    return { informer: member.informer as unknown as SharedIndexInformer<T>, release, [Symbol.dispose]: release };
  }

  /** Starts all informers; those that are requested later start at once. Idempotent. */
  start(): void {
    this.#requireUnstopped();
    this.#started = true;
    for (const member of this.#members()) this.#run(member);
  }

  /**
   * Resolves when every informer has synced. Rejects with a {@link CacheSyncError} that names the missing caches and the reasons:
   * as soon as the server refuses a list with a 4xx status other than 408, 409, 410, 425 and 429 (a selector it does not support,
   * no permission, an unknown resource), and after `timeoutMs`. The informers keep retrying. Refusals before this call do not
   * count.
   */
  async waitForCacheSync(options: Abortable & { readonly timeoutMs?: number | undefined } = {}): Promise<void> {
    checkOptions('waitForCacheSync', options, { ...abortableNames, timeoutMs: true });
    if (!this.#started) throw new Error('start() this SharedInformerFactory before waiting for its caches');
    const link = linkSignals([options.signal], {
      timeoutMs: options.timeoutMs,
      clock: this.#client.clock,
      what: 'syncing all caches',
    });
    const undos: Undo[] = [];
    try {
      const members = [...this.#members()];
      const refused = new Promise<never>((_, reject) => {
        for (const { informer } of members) {
          if (informer.hasSynced) continue;
          const { lastError } = informer.status;
          const check = (status: InformerStatus) => {
            if (status.lastError !== lastError && isRefused(status)) reject(this.#syncError('the server refuses'));
          };
          undos.push(informer.onStatus(check));
        }
      });
      const synced = Promise.all(members.map(syncedOrRetired));
      synced.catch(() => {});
      await abortable(Promise.race([synced, refused]), link.signal);
    } catch (error) {
      options.signal?.throwIfAborted();
      if (error === link.signal.reason) throw this.#syncError(error instanceof Error ? error.message : String(error));
      throw error;
    } finally {
      for (const undo of undos) undo();
      link.release();
    }
  }

  /** Stops every informer; resolves when none of them runs any more. Idempotent. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#undoAbort();
    const members = [...this.#members()];
    for (const member of members) {
      member.linger?.cancel();
      member.stop.abort();
      // An informer that was never started is run with the aborted signal, so that it rejects its waiters.
      this.#run(member);
    }
    await Promise.all([...members.map(({ running }) => running), ...this.#retiring]);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  #syncError(reason: string): CacheSyncError {
    const unsynced: Unsynced[] = [];
    for (const { informer, resource, namespace } of this.#members()) {
      if (!informer.hasSynced) unsynced.push({ resource: printResource(resource), namespace, status: informer.status });
    }
    return new CacheSyncError(unsynced, reason);
  }

  /** @internal The client that its informers read with. */
  get client(): Client {
    return this.#client;
  }

  /** @internal Its informers, for the inspector. */
  get informers(): readonly SharedInformer<object, unknown>[] {
    return [...this.#members()].map(({ informer }) => informer);
  }

  *#members(): IterableIterator<Member> {
    yield* this.#shared.values();
    yield* this.#own;
  }

  #sharedMember(resource: Resource<unknown>, metadataOnly: boolean): Member {
    const key = `${metadataOnly ? 'metadata ' : ''}${printResource(resource)}`;
    let member = this.#shared.get(key);
    if (member === undefined) {
      member = this.#make(resource, {}, metadataOnly);
      this.#shared.set(key, member);
      this.#runIfStarted(member);
    }
    return member;
  }

  #ownMember<T, U>(resource: Resource<T>, options: InformerOptions<T, U>, metadataOnly: boolean): Member {
    const member = this.#make(resource, options as InformerOptions<unknown>, metadataOnly);
    this.#own.add(member);
    this.#runIfStarted(member);
    return member;
  }

  #make(resource: Resource<unknown>, options: InformerOptions<unknown>, metadataOnly: boolean): Member {
    this.#requireUnstopped();
    requireObject('options', options, 'an object such as { namespace, labelSelector }');
    checkOptions(`the informer of ${printGroupResource(resource)}`, options, informerNames);
    const { signal: _, onError, resyncMsOf = {}, name: factoryName, ...defaults } = this.#options;
    const resyncMs = options.resyncMs ?? resyncMsOf[printGroupResource(resource)] ?? defaults.resyncMs;
    const clusterWide = resource.namespaced === false;
    const merged = {
      ...defaults,
      ...withoutUndefined(options),
      resyncMs,
      ...(clusterWide && { namespace: undefined }),
    };
    const informer = makeInformer({ client: this.#client, resource, metadataOnly, factoryName, onError }, merged);
    const namespace =
      typeof merged.namespace === 'object' ? merged.namespace.join(', ') : merged.namespace || undefined;
    return this.#member(informer, resource, namespace);
  }

  #member(
    informer: SharedInformer<object, unknown>,
    resource: Resource<unknown>,
    namespace: string | undefined,
  ): Member {
    const stop = new AbortController();
    if (this.#stopped) stop.abort();
    const unused = { running: undefined, retired: false, leases: 0, permanent: false, linger: undefined };
    return { informer, resource, namespace, stop, ...unused };
  }

  /**
   * Using a factory after `stop()` is a mistake in the program. A signal may abort at any time, though: a factory whose signal
   * has aborted returns informers that are stopped.
   */
  #requireUnstopped(): void {
    if (this.#stopped && !this.#options.signal?.aborted)
      throw new Error('this SharedInformerFactory has been stopped; make a new one');
  }

  #runIfStarted(member: Member): void {
    if (this.#started || this.#stopped) this.#run(member);
  }

  #run(member: Member): void {
    // The informer has reported the error.
    member.running ??= member.informer.run(member.stop.signal).catch(() => {});
  }

  #retire(member: Member): void {
    if (member.leases > 0 || member.permanent) return;
    for (const [key, other] of this.#shared) if (other === member) this.#shared.delete(key);
    this.#own.delete(member);
    member.retired = true;
    member.stop.abort();
    const { running } = member;
    if (running === undefined) return;
    this.#retiring.add(running);
    void running.finally(() => this.#retiring.delete(running));
  }
}

/** Every built-in group and version as properties: `factory.apps.v1.deployments()`. */
export interface SharedInformerFactory extends BuiltinInformers {}

defineGroups(SharedInformerFactory.prototype, (factory, builtin) => {
  const { group, version, resource, kind, namespaced } = builtin;
  const known: Resource<unknown> = { group, version, resource, kind, namespaced };
  return (options?: InformerOptions<unknown>) =>
    options === undefined ? factory.forResource(known) : factory.forResource(known, options);
});

async function syncedOrRetired(member: Member): Promise<void> {
  try {
    await member.informer.whenSynced();
  } catch (error) {
    if (!member.retired) throw error;
  }
}

/** A refused watch-list is followed by a list; only the answer to the list counts. */
function isRefused({ state, lastError }: InformerStatus): boolean {
  return (state === 'backingOff' || state === 'waitingForResource') && isRefusal(lastError);
}

function withoutUndefined<O extends object>(options: O): O {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as O;
}
