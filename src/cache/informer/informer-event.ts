import type { DeepReadonly } from '../../meta/objects.js';
import type { ItemView, ObjectFacts } from '../store/item-view.js';

/** One object of a cache. It is parsed when `object` is first read. */
export interface CacheEntry<T> {
  readonly key: string;
  readonly facts: ObjectFacts;
  /**
   * Parsed on first read, which never throws. Readable for as long as the entry is referenced. Compare objects by
   * `facts.resourceVersion`, not by identity.
   */
  readonly object: DeepReadonly<T>;
  /** The JSON text of the object. Does not parse an object that is stored as JSON. */
  json(): string;
}

/** An object was created, or matches the selectors now. */
export interface AddEvent<T> extends CacheEntry<T> {
  readonly type: 'add';
  /** Whether it is part of the first list of its shard or collection, or of the replay for a handler that was added later. */
  readonly isInInitialList: boolean;
}

/** An object changed. If its uid changed too, the object was deleted and recreated, and the watch missed it. */
export interface UpdateEvent<T> extends CacheEntry<T> {
  readonly type: 'update';
  readonly old: DeepReadonly<T>;
  readonly oldFacts: ObjectFacts;
  /** Whether nothing changed: a resync, or a relist that found the object unchanged. */
  readonly isResync: boolean;
  /** Whether a list found the change, and not the watch: the object may have had further states in between. */
  readonly isFromList: boolean;
}

/** An object was deleted, no longer matches the selectors, or was released; `object` is its last known state. */
export interface DeleteEvent<T> extends CacheEntry<T> {
  readonly type: 'delete';
  /**
   * False if the watch missed the deletion and a relist found it: the object may have changed before it was deleted. Also false
   * if the object of the DELETED event could not be read or transformed.
   */
  readonly finalStateKnown: boolean;
  /** Whether the object exists and left the cache only, because the cache no longer covers its shard. */
  readonly isReleased: boolean;
}

/** An event of an informer, as handlers get it. */
export type InformerEvent<T> = AddEvent<T> | UpdateEvent<T> | DeleteEvent<T>;

/** Marks the end of the first list in `events()`. */
export interface SyncedMark {
  readonly type: 'synced';
  /** The resourceVersion of the first list; later changes come after the mark. */
  readonly resourceVersion: string;
}

/** An item as a {@link CacheEntry}. Decodes it once. */
export class ItemEntry<I, T> implements CacheEntry<T> {
  /** @internal */
  readonly item: I;
  /** @internal */
  readonly view: ItemView<I, T>;
  /** @internal When it was pushed to the rings, on the monotonic clock; negative if the lag is not measured. */
  queuedAt = -1;
  /** @internal What the inspector has recorded of it: calls of handlers are added to that. */
  recorded: object | undefined = undefined;
  #object: DeepReadonly<T> | undefined;

  constructor(view: ItemView<I, T>, item: I) {
    this.view = view;
    this.item = item;
  }

  get key(): string {
    return this.view.accessor.key(this.item);
  }

  get facts(): ObjectFacts {
    return this.view.facts(this.item);
  }

  get object(): DeepReadonly<T> {
    this.#object ??= this.view.decode(this.item);
    return this.#object;
  }

  json(): string {
    return this.view.json(this.item);
  }

  /** @internal The objects that were decoded for readers. */
  handedOut(): readonly unknown[] {
    return [this.#object];
  }
}

/** An add event, shared by all handlers. */
export class ItemAdd<I, T> extends ItemEntry<I, T> implements AddEvent<T> {
  readonly isInInitialList: boolean;

  constructor(view: ItemView<I, T>, item: I, isInInitialList: boolean) {
    super(view, item);
    this.isInInitialList = isInInitialList;
  }

  get type(): 'add' {
    return 'add';
  }
}

/** An update event, shared by all handlers. */
export class ItemUpdate<I, T> extends ItemEntry<I, T> implements UpdateEvent<T> {
  /** @internal */
  readonly oldItem: I;
  readonly isResync: boolean;
  readonly isFromList: boolean;
  #old: DeepReadonly<T> | undefined;

  constructor(view: ItemView<I, T>, oldItem: I, item: I, isResync: boolean, isFromList: boolean) {
    super(view, item);
    this.oldItem = oldItem;
    this.isResync = isResync;
    this.isFromList = isFromList;
  }

  get type(): 'update' {
    return 'update';
  }

  get old(): DeepReadonly<T> {
    if (this.oldItem === this.item) return this.object;
    this.#old ??= this.view.decode(this.oldItem);
    return this.#old;
  }

  get oldFacts(): ObjectFacts {
    return this.view.facts(this.oldItem);
  }

  override handedOut(): readonly unknown[] {
    return [...super.handedOut(), this.#old];
  }
}

/** A delete event, shared by all handlers. */
export class ItemDelete<I, T> extends ItemEntry<I, T> implements DeleteEvent<T> {
  readonly finalStateKnown: boolean;
  readonly isReleased: boolean;
  /** @internal The item that was stored before. */
  readonly oldItem: I;

  constructor(view: ItemView<I, T>, oldItem: I, item: I, finalStateKnown: boolean, isReleased = false) {
    super(view, item);
    this.oldItem = oldItem;
    this.finalStateKnown = finalStateKnown;
    this.isReleased = isReleased;
  }

  get type(): 'delete' {
    return 'delete';
  }
}

/** An event as rings hold it. */
export type ItemEvent<I, T> = ItemAdd<I, T> | ItemUpdate<I, T> | ItemDelete<I, T>;
