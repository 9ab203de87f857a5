import type { InformerEvent } from '../../src/cache/informer/informer-event.js';
import type { SharedIndexInformer } from '../../src/cache/informer/shared-informer.js';
import type { Subscription } from '../../src/cache/informer/subscription.js';
import type { ObjectFacts } from '../../src/cache/store/item-view.js';
import type { HandlerKind } from './plan.js';
import type { Sees, Truth } from './truth.js';

/** What an {@link Observer} reads of the informer of its handler. */
export interface Observed {
  readonly informer: SharedIndexInformer<unknown>;
  readonly sees: Sees;
  /** Whether events of different objects come in the order of the server. */
  readonly isOrdered: boolean;
  /** Whether its shards change: then `sees` is about now, and not about the time of an event. */
  readonly isMoving: boolean;
  /** The number of lists so far. */
  lists: number;
  /** Reads the value of an object that the informer passes to handlers. */
  valueOf(object: unknown): string | undefined;
}

/** The state of an object in the last event of a handler. */
interface Known {
  readonly uid: string;
  readonly version: number;
}

/**
 * Checks every event of one handler against the contract. It knows only the history of the server, and nothing about how
 * informers work.
 */
export class Observer {
  readonly name: string;
  readonly kind: HandlerKind;
  readonly violations: string[] = [];
  readonly known = new Map<string, Known>();
  /** Versions of the adds and updates after the initial list, in the order of the events. */
  readonly told: number[] = [];
  subscription: Subscription | undefined;
  /** Whether no event may follow: the handler was removed, or the informer has stopped. */
  isOver = false;
  readonly #observed: Observed;
  readonly #truth: Truth;
  /** The highest version so far. */
  #newest = 0;
  /** The last key of the current pass over a list. */
  #passKey = '';
  #passes = 0;
  #running = 0;
  /** Checks that read the truth: a watch event may arrive before the response to the write that caused it. */
  readonly #later: (() => void)[] = [];

  constructor(name: string, kind: HandlerKind, observed: Observed, truth: Truth) {
    this.name = name;
    this.kind = kind;
    this.#observed = observed;
    this.#truth = truth;
  }

  /** Called when a call of the handler begins. */
  begins(event: InformerEvent<unknown>): void {
    const { key, facts } = event;
    const version = Number(facts.resourceVersion);
    if (this.isOver) this.#broken(event, 'comes after the end');
    if (this.#running > 0) this.#broken(event, 'comes while the handler is still running');
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

  /** Called when a call of the handler has ended. */
  ends(): void {
    this.#running--;
  }

  /** Runs the checks between two events, when the truth has all writes. */
  look(): void {
    for (const check of this.#later.splice(0)) check();
    if (this.subscription?.hasSynced === true && !this.#observed.informer.hasSynced && !this.isOver) {
      this.violations.push(`${this.name}: has synced before its informer has`);
    }
  }

  #checkAlternation(event: InformerEvent<unknown>, version: number): void {
    const known = this.known.get(event.key);
    if (event.type === 'add') {
      if (known !== undefined) this.#broken(event, `adds an object that the handler has at ${known.version}`);
      return;
    }
    if (known === undefined) {
      this.#broken(event, 'has no add before it');
      return;
    }
    if (event.type === 'delete') {
      if (event.isReleased && !this.#observed.isMoving) this.#broken(event, 'says that it was released');
      if (version < known.version) this.#broken(event, `is older than ${known.version}`);
      // Waiting events are merged: the object may have changed, or been recreated, since the last event.
      if (this.kind === 'coalescing') return;
      if (!event.finalStateKnown && version !== known.version)
        this.#broken(event, `had ${known.version} in the last event`);
      if (event.facts.uid !== known.uid) this.#broken(event, 'is about another object');
      return;
    }
    if (!isSame(event.oldFacts, known)) {
      this.#broken(event, `has the old version ${event.oldFacts.resourceVersion} and not ${known.version}`);
    }
    if (event.isResync ? version !== known.version : version <= known.version) {
      this.#broken(event, `does not follow ${known.version}`);
    }
  }

  #checkTruth(event: InformerEvent<unknown>, version: number, object: unknown): void {
    const { key, facts } = event;
    const state = this.#truth.at(key, version);
    if (state === undefined) this.#broken(event, 'never existed');
    else if (state.uid !== facts.uid) this.#broken(event, `has another uid than ${state.uid}`);
    else if (!this.#observed.isMoving && !this.#observed.sees(state)) this.#broken(event, 'is not selected');
    else if (this.#observed.valueOf(object) !== state.value) this.#broken(event, 'has other contents');
  }

  #checkStore(event: InformerEvent<unknown>, version: number): void {
    const { informer, sees, isMoving } = this.#observed;
    const stored = [...informer.lister.entries()].find(({ key }) => key === event.key);
    const held = stored === undefined ? undefined : Number(stored.facts.resourceVersion);
    if (event.type === 'delete') {
      // A released object may come back unchanged before a slow handler gets the event.
      if (held !== undefined && held <= version && !event.isReleased)
        this.#broken(event, `comes while ${held} is still in the store`);
    } else if (held === undefined) {
      if (isMoving) return;
      this.#later.push(() => {
        if (!this.#truth.wentAfter(event.key, version, sees)) this.#broken(event, 'comes before it is in the store');
      });
    } else if (held < version) this.#broken(event, `comes while ${held} is in the store`);
  }

  #checkSync(event: InformerEvent<unknown>): void {
    if (this.#observed.isMoving) return;
    if (event.type === 'add' && event.isInInitialList && this.subscription?.hasSynced === true) {
      this.#broken(event, 'is part of the initial list and comes after the sync');
    }
  }

  /**
   * Versions of watch events increase. An event with a lower version than one before it comes from a list, and events of a list
   * come in the order of keys: each list explains one pass over the keys.
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
