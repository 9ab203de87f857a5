import type { DeepReadonly, InformerEvent, KubernetesObject, ObjectName, Resource, Subscription } from '../../index.js';
import type { EnqueueHint } from '../../meta/enqueue-hint.js';
import { asError } from '../../meta/errors/errors.js';
import { formatKey } from '../../meta/key.js';
import { printGroupResource } from '../../meta/resource.js';
import type { ControllerDefinition, WatchDefinition } from '../controller.js';
import { controllerKeys } from '../owners.js';
import type { ControllerContext } from '../types.js';
import { ReferenceIndex } from './references.js';
import type { UsedCache } from './used-cache.js';
import type { UsedCaches } from './used-caches.js';

/** What the sources of wakes need from their controller. */
export interface WakeHost<T extends KubernetesObject> {
  readonly definition: ControllerDefinition<T>;
  readonly caches: UsedCaches<T>;
  /** Queues a key for this reason. */
  wake(key: string, hint: EnqueueHint): void;
  /** An object of the controller has changed. */
  mainEvent(event: InformerEvent<T>, hint: EnqueueHint): void;
  /** An object of a cache has changed, after its wakes. */
  cacheChanged(cache: UsedCache<unknown>, key: string): void;
  /** A cache of owned objects has a new list. What was created and deleted since its last event has none. */
  relisted(cache: UsedCache<unknown>): void;
  onError(error: Error): void;
}

/** The references of one watch, both ways. */
interface References<T> {
  readonly index: ReferenceIndex;
  readonly find: (object: DeepReadonly<T>) => Iterable<string | ObjectName>;
  readonly resource: Resource<unknown>;
}

/** A watch that was added. */
export interface AddedWatch {
  readonly cache: UsedCache<unknown>;
  /** After it has resolved, the watch wakes nothing, and its cache has stopped unless it is still used. */
  remove(): Promise<void>;
}

/** Why a key is woken, by event: made once, so that an event allocates none. */
class Hints {
  readonly #added: EnqueueHint;
  readonly #listed: EnqueueHint;
  readonly #updated: EnqueueHint;
  readonly #deleted: EnqueueHint;

  constructor(resource: string) {
    this.#added = { cause: `${resource} add`, background: false };
    this.#listed = { cause: `${resource} add`, background: true };
    this.#updated = { cause: `${resource} update`, background: false };
    this.#deleted = { cause: `${resource} delete`, background: false };
  }

  of(event: InformerEvent<unknown>): EnqueueHint {
    if (event.type === 'update') return this.#updated;
    if (event.type === 'delete') return this.#deleted;
    return event.isInInitialList ? this.#listed : this.#added;
  }
}

/** Turns events of caches into keys of a controller. */
export class WakeSources<T extends KubernetesObject> {
  readonly #host: WakeHost<T>;
  readonly #subscriptions = new Set<Subscription>();
  readonly #references = new Set<References<T>>();
  readonly #closed = new AbortController();

  constructor(host: WakeHost<T>) {
    this.#host = host;
  }

  /** Subscribes to the objects of the controller, and to those that they own. */
  addOwn(): void {
    const { definition, caches } = this.#host;
    const { main, owned } = caches;
    this.#subscribe(main, (event, hint) => {
      this.#index(event);
      this.#host.mainEvent(event, hint);
    });
    const keyOf = controllerKeys(definition.for);
    for (const cache of owned) {
      /** The owner of each object, by the object's key: reading it from the old state too would double the cost of an event. */
      const owners = new Map<string, string>();
      this.#followLists(cache);
      this.#subscribe(cache, (event, hint) => {
        const key = keyOf(event.facts);
        const before = owners.get(event.key);
        if (event.type === 'delete' || key === undefined) owners.delete(event.key);
        else if (before !== key) owners.set(event.key, key);
        // The object exists, and is another replica's.
        if (event.type === 'delete' && event.isReleased) return;
        if (key !== undefined) this.#wakeKnown(key, hint);
        if (before !== undefined && before !== key) this.#wakeKnown(before, hint);
      });
    }
  }

  /** Subscribes to a watch. */
  addWatch(watch: WatchDefinition<T>): AddedWatch {
    const { caches } = this.#host;
    const cache = caches.openWatch(watch);
    const stop = new AbortController();
    const added =
      watch.options.references === undefined
        ? Promise.resolve(this.#addRequests(cache, watch))
        : this.#addReferences(cache, watch, watch.options.references, stop.signal);
    const remove = async (): Promise<void> => {
      stop.abort();
      const undo = await added;
      await undo();
      await caches.close(cache);
    };
    return { cache, remove };
  }

  async close(): Promise<void> {
    this.#closed.abort();
    this.#references.clear();
    const subscriptions = [...this.#subscriptions];
    this.#subscriptions.clear();
    await Promise.all(subscriptions.map((subscription) => subscription.remove()));
  }

  #addRequests(cache: UsedCache<unknown>, watch: WatchDefinition<T>): () => Promise<void> {
    const { requests } = watch.options;
    const { caches } = this.#host;
    const readers: Pick<ControllerContext<T>, 'lister'> = {
      lister: (resource, options) => caches.lister(resource, options?.client),
    };
    const wake = (object: DeepReadonly<unknown>, hint: EnqueueHint): void => {
      for (const key of requests?.(object, readers) ?? []) this.#wakeKnown(textOf(key), hint);
    };
    return this.#subscribe(
      cache,
      (event, hint) => {
        if (event.type === 'update') wake(event.old, hint);
        wake(event.object, hint);
      },
      watch,
    );
  }

  async #addReferences(
    cache: UsedCache<unknown>,
    watch: WatchDefinition<T>,
    find: References<T>['find'],
    signal: AbortSignal,
  ): Promise<() => Promise<void>> {
    const references: References<T> = { index: new ReferenceIndex(), find, resource: cache.resource };
    this.#references.add(references);
    const { lister } = this.#host.caches.main;
    // Objects that were there before the watch, in slices. Those that change meanwhile are indexed by their own events.
    if (lister.count() > 0) {
      for await (const { key, object } of lister.scan()) {
        if (signal.aborted) break;
        this.#refer(references, key, object);
      }
    }
    const { index } = references;
    const undo = this.#subscribe(
      cache,
      ({ key }, hint) => {
        for (const source of index.sourcesOf(key)) this.#wakeKnown(source, hint);
      },
      watch,
    );
    return () => {
      this.#references.delete(references);
      return undo();
    };
  }

  #subscribe<U>(
    cache: UsedCache<U>,
    listener: (event: InformerEvent<U>, hint: EnqueueHint) => void,
    watch?: WatchDefinition<T>,
  ): () => Promise<void> {
    const { definition } = this.#host;
    const hints = new Hints(cache.resource.resource);
    const when = watch?.options.when;
    const subscription = cache.lease.informer.subscribe(
      (event) => {
        if (event.type === 'update' && event.isResync) return;
        try {
          if (when === undefined || when(event as InformerEvent<unknown>)) listener(event, hints.of(event));
        } catch (error) {
          this.#report(`the watch of ${printGroupResource(cache.resource)}`, event.key, error);
        }
        if (cache.waiting.size > 0) this.#host.cacheChanged(cache as UsedCache<unknown>, event.key);
      },
      { name: `controller ${definition.name}` },
    );
    this.#subscriptions.add(subscription);
    return () => {
      this.#subscriptions.delete(subscription);
      return subscription.remove();
    };
  }

  #followLists(cache: UsedCache<unknown>): void {
    const { informer } = cache.lease;
    const { signal } = this.#closed;
    let isListing = false;
    const undo = informer.onStatus(({ state, resourceVersion }) => {
      if (state === 'listing') isListing = true;
      if (state !== 'watching' || !isListing) return;
      isListing = false;
      informer.waitForResourceVersion(resourceVersion, { signal }).then(
        () => this.#host.relisted(cache),
        // Closed, or the informer has stopped.
        () => {},
      );
    });
    signal.addEventListener('abort', () => undo(), { once: true });
  }

  /** Keeps the references of an object of the controller. */
  #index(event: InformerEvent<T>): void {
    for (const references of this.#references) {
      if (event.type === 'delete') references.index.delete(event.key);
      else this.#refer(references, event.key, event.object);
    }
  }

  #refer({ index, find, resource }: References<T>, key: string, object: DeepReadonly<T>): void {
    try {
      index.set(key, [...find(object)].map(textOf));
    } catch (error) {
      this.#report(`references to ${printGroupResource(resource)}`, key, error);
    }
  }

  #report(what: string, key: string, error: unknown): void {
    const message = `${this.#host.definition.name}: ${what} threw on ${key}: ${asError(error).message}`;
    this.#host.onError(new Error(message, { cause: error }));
  }

  /** An object that is not in the cache of the controller is not reconciled. */
  #wakeKnown(key: string, hint: EnqueueHint): void {
    if (this.#host.caches.main.entry(key) !== undefined) this.#host.wake(key, hint);
  }
}

function textOf(key: string | ObjectName): string {
  return typeof key === 'string' ? key : formatKey(key.namespace, key.name);
}
