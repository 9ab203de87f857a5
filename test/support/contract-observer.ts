import type { InformerEvent } from '../../src/cache/informer/informer-event.js';
import type { Lister } from '../../src/cache/informer/lister.js';
import type { KubernetesObject } from '../../src/meta/objects.js';

/**
 * Listens like a handler and holds an informer to its contract, event by event: an object is added, updated and deleted in
 * that order, its versions never go back without a deletion in between that explains it, what a resync shows is what was
 * shown before, and the cache is never older than what is told.
 */
export class ContractObserver {
  readonly violations: string[] = [];
  events = 0;
  missedDeletions = 0;
  readonly #known = new Map<string, { readonly uid: string; readonly resourceVersion: string }>();
  readonly #lister: Lister<unknown>;

  constructor(lister: Lister<unknown>) {
    this.#lister = lister;
  }

  readonly listen = (event: InformerEvent<unknown>): void => {
    this.events++;
    const { key, facts } = event;
    const known = this.#known.get(key);
    if (event.type === 'add') {
      if (known !== undefined) this.violations.push(`${key} was added twice`);
    } else if (known === undefined) {
      this.violations.push(`${event.type} of ${key}, which was never added`);
    } else if (event.type === 'update') {
      const { oldFacts } = event;
      if (oldFacts.resourceVersion !== known.resourceVersion) {
        this.violations.push(
          `${key}: an update from ${oldFacts.resourceVersion}, but ${known.resourceVersion} was seen last`,
        );
      }
      const back = facts.uid === known.uid && BigInt(facts.resourceVersion) < BigInt(known.resourceVersion);
      if (back) this.violations.push(`${key} went back from ${known.resourceVersion} to ${facts.resourceVersion}`);
      if (event.isResync !== (facts.resourceVersion === known.resourceVersion))
        this.violations.push(`${key}: isResync is wrong`);
    } else if (!event.finalStateKnown) {
      this.missedDeletions++;
    }
    this.#checkStore(event);
    if (event.type === 'delete') this.#known.delete(key);
    else this.#known.set(key, { uid: facts.uid, resourceVersion: facts.resourceVersion });
  };

  /** What this handler believes to exist: key and version. */
  get state(): Record<string, string> {
    return Object.fromEntries([...this.#known].map(([key, { resourceVersion }]) => [key, resourceVersion]).sort());
  }

  /** Something told that is not stored must have gone since: that its deletion comes too is what `state` shows in the end. */
  #checkStore({ type, key, facts }: InformerEvent<unknown>): void {
    const stored = (this.#lister.get(key) as KubernetesObject | undefined)?.metadata;
    if (stored === undefined) return;
    const age = BigInt(stored.resourceVersion ?? 0) - BigInt(facts.resourceVersion);
    if (type === 'delete' ? stored.uid === facts.uid && age <= 0n : age < 0n) {
      this.violations.push(`${type} of ${key} at ${facts.resourceVersion} while ${stored.resourceVersion} is stored`);
    }
  }
}
