import type { InformerEvent } from '../../src/cache/informer/informer-event.js';
import type { SharedIndexInformer } from '../../src/cache/informer/shared-informer.js';
import type { Subscription } from '../../src/cache/informer/subscription.js';
import type { ObjectFacts } from '../../src/cache/store/item-view.js';
import type { HandlerKind } from './plan.js';
import type { Sees, Truth } from './truth.js';

/** What an observer has to know about the informer that its handler belongs to. */
export interface Observed {
  readonly informer: SharedIndexInformer<unknown>;
  readonly sees: Sees;
  /** Whether events come in the order of the server, across objects. */
  readonly isOrdered: boolean;
  /** How often the whole collection has been read so far. */
  lists: number;
  /** Reads the value out of what the informer hands out. */
  valueOf(object: unknown): string | undefined;
}

/** What a handler knows of an object: what it was last told. */
interface Known {
  readonly uid: string;
  readonly version: number;
}

/**
 * Stands beside one handler and holds everything it is told against the contract; it knows nothing of how informers work,
 * only what really happened on the server.
 */
export class Observer {
  readonly name: string;
  readonly kind: HandlerKind;
  readonly violations: string[] = [];
  readonly known = new Map<string, Known>();
  /** Versions of the additions and updates after the initial ones, as they came. */
  readonly told: number[] = [];
  subscription: Subscription | undefined;
  /** Nothing may come any more: removed, or the informer has stopped. */
  isOver = false;
  readonly #observed: Observed;
  readonly #truth: Truth;
  /** The newest version so far. */
  #newest = 0;
  /** Where a pass over a list has come to, while one may be under way. */
  #passKey = '';
  #passes = 0;
  #running = 0;
  /** Checks that need to know what happened: a watch may be faster than the answer to who made it happen. */
  readonly #later: (() => void)[] = [];

  constructor(name: string, kind: HandlerKind, observed: Observed, truth: Truth) {
    this.name = name;
    this.kind = kind;
    this.#observed = observed;
    this.#truth = truth;
  }

  /** Hears that a call begins, and what it is about. */
  begins(event: InformerEvent<unknown>): void {
    const { key, facts } = event;
    const version = Number(facts.resourceVersion);
    if (this.isOver) this.#broken(event, 'comes after the end');
    if (this.#running > 0) this.#broken(event, 'comes while the one before is still being handled');
    this.#running++;
    this.#checkAlternation(event, version);
    this.#checkStore(event, version);
    const { object } = event;
    if (event.type !== 'delete') this.#later.push(() => this.#checkTruth(event, version, object));
    this.#checkSync(event);
    if (this.#observed.isOrdered && this.kind !== 'coalescing') this.#checkOrder(event, version);
    if (event.type === 'delete') this.known.delete(key);
    else this.known.set(key, { uid: facts.uid, version });
    if (event.type !== 'delete' && !(event.type === 'update' && event.isResync)) {
      if (event.type === 'update' || !event.isInInitialList) this.told.push(version);
    }
  }

  ends(): void {
    this.#running--;
  }

  /** Looks at what can be seen between two events, when whoever writes has heard of what it wrote. */
  look(): void {
    for (const check of this.#later.splice(0)) check();
    if (this.subscription?.hasSynced === true && !this.#observed.informer.hasSynced && !this.isOver) {
      this.violations.push(`${this.name}: has synced before its informer has`);
    }
  }

  #checkAlternation(event: InformerEvent<unknown>, version: number): void {
    const known = this.known.get(event.key);
    if (event.type === 'add') {
      if (known !== undefined) this.#broken(event, `adds what was told at ${known.version}`);
      return;
    }
    if (known === undefined) {
      this.#broken(event, 'is about what was never told');
      return;
    }
    if (event.type === 'delete') {
      if (version < known.version) this.#broken(event, `is older than ${known.version}`);
      // What waits is merged: it may have changed, and its name been used again, between what was told and its end.
      if (this.kind === 'coalescing') return;
      if (!event.finalStateKnown && version !== known.version) this.#broken(event, `was last told at ${known.version}`);
      if (event.facts.uid !== known.uid) this.#broken(event, 'is about another object');
      return;
    }
    if (!isSame(event.oldFacts, known)) {
      this.#broken(event, `begins at ${event.oldFacts.resourceVersion} and not at ${known.version}`);
    }
    if (event.isResync ? version !== known.version : version <= known.version) {
      this.#broken(event, `does not go on from ${known.version}`);
    }
  }

  #checkTruth(event: InformerEvent<unknown>, version: number, object: unknown): void {
    const { key, facts } = event;
    const state = this.#truth.at(key, version);
    if (state === undefined) this.#broken(event, 'never was');
    else if (state.uid !== facts.uid) this.#broken(event, `has another uid than ${state.uid}`);
    else if (!this.#observed.sees(state)) this.#broken(event, 'is not selected');
    else if (this.#observed.valueOf(object) !== state.value) this.#broken(event, 'has other contents');
  }

  #checkStore(event: InformerEvent<unknown>, version: number): void {
    const { informer, sees } = this.#observed;
    const stored = [...informer.lister.entries()].find(({ key }) => key === event.key);
    const held = stored === undefined ? undefined : Number(stored.facts.resourceVersion);
    if (event.type === 'delete') {
      if (held !== undefined && held <= version) this.#broken(event, `is gone, and still stored at ${held}`);
    } else if (held === undefined) {
      this.#later.push(() => {
        if (!this.#truth.wentAfter(event.key, version, sees)) this.#broken(event, 'is told before it is stored');
      });
    } else if (held < version) this.#broken(event, `is told while ${held} is stored`);
  }

  #checkSync(event: InformerEvent<unknown>): void {
    if (event.type === 'add' && event.isInInitialList && this.subscription?.hasSynced === true) {
      this.#broken(event, 'is part of the initial list and comes after the sync');
    }
  }

  /**
   * A watch goes forward. Whatever is older than something before it was found by a list, and a list is told in the order
   * of its keys: each list explains one pass over them.
   */
  #checkOrder(event: InformerEvent<unknown>, version: number): void {
    const isReplay = event.type === 'add' && event.isInInitialList;
    const isRepeated = event.type === 'update' && event.isResync;
    const isFoundGone = event.type === 'delete' && !event.finalStateKnown;
    if (isReplay || isRepeated || isFoundGone) {
      this.#newest = isReplay ? Math.max(this.#newest, version) : this.#newest;
      return;
    }
    if (version > this.#newest) {
      this.#newest = version;
      this.#passKey = event.key;
      return;
    }
    if (event.type === 'delete') this.#broken(event, `comes after ${this.#newest}`);
    if (event.key <= this.#passKey) this.#passes++;
    this.#passKey = event.key;
    if (this.#passes >= Math.max(1, this.#observed.lists)) {
      this.#broken(event, `comes after ${this.#newest}, and no list explains it`);
    }
  }

  #broken(event: InformerEvent<unknown>, what: string): void {
    const { key, facts } = event;
    this.violations.push(`${this.name}: the ${event.type} of ${key} at ${facts.resourceVersion} ${what}`);
  }
}

function isSame(facts: ObjectFacts, known: Known): boolean {
  return facts.uid === known.uid && Number(facts.resourceVersion) === known.version;
}
