import type { InformerEvent } from '../../src/cache/informer-event.js';

/**
 * Listens like a handler and holds an informer to its contract, event by event: an object is added, updated and deleted in
 * that order, its versions never go back without a deletion in between that explains it, and what a resync shows is what was
 * shown before.
 */
export class ContractObserver {
  readonly #known = new Map<string, { readonly uid: string; readonly resourceVersion: string }>();
  readonly violations: string[] = [];
  events = 0;
  missedDeletions = 0;

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
    if (event.type === 'delete') this.#known.delete(key);
    else this.#known.set(key, { uid: facts.uid, resourceVersion: facts.resourceVersion });
  };

  /** What this handler believes to exist: key and version. */
  get state(): Record<string, string> {
    return Object.fromEntries([...this.#known].map(([key, { resourceVersion }]) => [key, resourceVersion]).sort());
  }
}
