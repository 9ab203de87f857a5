import type { Client } from '../../client/client.js';
import { splitKey } from '../../meta/key.js';
import type { Resource } from '../../meta/resource.js';
import { escapeFieldValue } from '../../meta/selectors/field-selector.js';
import { LruCache } from '../../structures/lru-cache.js';
import type { Clock } from '../../time/clock.js';
import { linkSignals } from '../../time/signals.js';
import { errorText } from '../recording/error-text.js';

/** What the server says about the managers of an object. */
export interface ReadManagers {
  readonly managedFields: unknown;
  readonly error: string | undefined;
}

/** Answers that are kept. */
const mostAnswers = 64;
/** How long an answer is used, whatever happens to the object. */
const freshMs = 5000;
const timeoutMs = 2000;

/**
 * Reads `metadata.managedFields`, which caches drop by default. It lists the metadata of the one object, since a process that may list and watch
 * a kind may not be allowed to get its objects; no other field is read. An object is read once per version, and at most every five
 * seconds.
 */
export class ManagedFieldsReader {
  readonly #clock: Clock;
  readonly #answers = new LruCache<
    string,
    { readonly at: number; readonly version: string; readonly read: Promise<ReadManagers> }
  >(mostAnswers);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Never rejects. */
  read(
    of: { client: Client; resource: Resource<unknown>; id: string },
    key: string,
    version: string,
  ): Promise<ReadManagers> {
    const now = this.#clock.monotonicNow();
    const id = `${of.id} ${key}`;
    const known = this.#answers.get(id);
    if (known !== undefined && (known.version === version || now - known.at < freshMs)) return known.read;
    const read = this.#list(of.client, of.resource, key);
    this.#answers.set(id, { at: now, version, read });
    return read;
  }

  async #list(client: Client, resource: Resource<unknown>, key: string): Promise<ReadManagers> {
    const link = linkSignals([], { timeoutMs, clock: client.clock, what: `reading the managers of ${key}` });
    try {
      const { namespace, name } = splitKey(key);
      const fieldSelector = `metadata.name=${escapeFieldValue(name)}`;
      const { items } = await client
        .metadata(resource, namespace)
        .list({ fieldSelector, limit: 1, signal: link.signal });
      return { managedFields: items[0]?.metadata.managedFields, error: undefined };
    } catch (error) {
      return { managedFields: undefined, error: errorText(error) };
    } finally {
      link.release();
    }
  }
}
