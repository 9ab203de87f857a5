import type { DeepReadonly } from '../../meta/objects.js';
import type { ItemView, ObjectFacts } from '../store/item-view.js';

/** One object of a cache, looked at without parsing it until somebody asks for it. */
export interface CacheEntry<T> {
  readonly key: string;
  readonly facts: ObjectFacts;
  /**
   * Parsed on first touch. Readable for as long as you hold the entry; never throws; compare by `facts.resourceVersion`,
   * not by identity.
   */
  readonly object: DeepReadonly<T>;
  /** The JSON text, without parsing where the wire was JSON. */
  json(): string;
}

/** An object came to be, or came into the selection. */
export interface AddEvent<T> extends CacheEntry<T> {
  readonly type: 'add';
  /** Whether it is part of the first list, or of the replay for a handler that came late. */
  readonly isInInitialList: boolean;
}

/** An object changed. If its uid did too, it was deleted and made anew while nobody watched. */
export interface UpdateEvent<T> extends CacheEntry<T> {
  readonly type: 'update';
  readonly old: DeepReadonly<T>;
  readonly oldFacts: ObjectFacts;
  /** Nothing changed: a resync, or a relist that found the object as it was. */
  readonly isResync: boolean;
}

/** An object went, or left the selection; `object` is the last state that is known. */
export interface DeleteEvent<T> extends CacheEntry<T> {
  readonly type: 'delete';
  /**
   * False if the deletion was missed and found out by a list: the object may have changed before it went. Also for an
   * object that changed so that the informer's transform fails on it: it leaves the cache, and only that is told.
   */
  readonly finalStateKnown: boolean;
}

/** What a handler is told. */
export type InformerEvent<T> = AddEvent<T> | UpdateEvent<T> | DeleteEvent<T>;

/** In `events()`: everything before it was the initial list. */
export interface SyncedMark {
  readonly type: 'synced';
  /** The version of that list: what happened later comes behind the mark, however late the mark is read. */
  readonly resourceVersion: string;
}

/** An item as a {@link CacheEntry}: decodes once, and keeps the result for its own life. */
export class ItemEntry<I, T> implements CacheEntry<T> {
  /** @internal */
  readonly item: I;
  /** @internal */
  readonly view: ItemView<I, T>;
  /** @internal When it was told to the rings, on the monotonic clock; negative if nobody wanted to know. */
  toldAt = -1;
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

  /** @internal The objects that somebody has looked at. */
  handedOut(): readonly unknown[] {
    return [this.#object];
  }
}

/** One event for all handlers: whoever touches the object first has it decoded for the others. */
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

export class ItemUpdate<I, T> extends ItemEntry<I, T> implements UpdateEvent<T> {
  /** @internal */
  readonly oldItem: I;
  readonly isResync: boolean;
  #old: DeepReadonly<T> | undefined;

  constructor(view: ItemView<I, T>, oldItem: I, item: I, isResync: boolean) {
    super(view, item);
    this.oldItem = oldItem;
    this.isResync = isResync;
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

export class ItemDelete<I, T> extends ItemEntry<I, T> implements DeleteEvent<T> {
  readonly finalStateKnown: boolean;
  /** @internal What was stored, and told, before. */
  readonly oldItem: I;

  constructor(view: ItemView<I, T>, oldItem: I, item: I, finalStateKnown: boolean) {
    super(view, item);
    this.oldItem = oldItem;
    this.finalStateKnown = finalStateKnown;
  }

  get type(): 'delete' {
    return 'delete';
  }
}

/** What travels in the rings. */
export type ItemEvent<I, T> = ItemAdd<I, T> | ItemUpdate<I, T> | ItemDelete<I, T>;
