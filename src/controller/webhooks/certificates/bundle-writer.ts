import type { Client, KubernetesObject, New } from '../../../index.js';
import type { CacheLease, CachePool } from '../../caches.js';
import type { BundleTarget } from './bundle-targets.js';

/** What a {@link BundleWriter} works with. */
export interface BundleWriterOptions {
  readonly client: Client;
  readonly caches: CachePool;
  readonly targets: readonly BundleTarget[];
  /** The field manager of `caBundle`. Another one than that of the configurations, so that these can be applied without it. */
  readonly fieldManager: string;
  /** Called when a target changes. */
  readonly onChange: () => void;
}

/** Writes the authorities of webhooks into the objects by which API servers trust them, and watches those. */
export class BundleWriter {
  readonly #options: BundleWriterOptions;
  readonly #caches: readonly { readonly target: BundleTarget; readonly lease: CacheLease<KubernetesObject> }[];

  constructor(options: BundleWriterOptions) {
    const { client, caches, targets, onChange } = options;
    this.#options = options;
    this.#caches = targets.map((target) => {
      const cache = { fieldSelector: `metadata.name=${target.name}` };
      const lease = caches.acquire({ client, resource: target.resource, cache });
      lease.informer.subscribe(() => onChange(), { name: 'webhook certificates' });
      return { target, lease };
    });
  }

  async whenSynced(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#caches.map(({ lease }) => lease.informer.whenSynced({ signal })));
  }

  async release(): Promise<void> {
    await Promise.all(this.#caches.map(({ lease }) => lease.release()));
  }

  /**
   * Writes a bundle of authorities (PEM; an empty one is not known yet) into the targets that exist and lack it. Resolves with whether something was written.
   * Rejects with a 409 if a target has changed since it was read: it may have a newer bundle.
   *
   * @param confirm called before the first write, after the targets were read; resolves with the bundle to write
   */
  async write(bundle: string, confirm: () => Promise<string>, signal: AbortSignal): Promise<boolean> {
    const { client, fieldManager } = this.#options;
    const read = this.#caches.flatMap(({ target, lease }) => {
      const object = lease.informer.lister.get(target.name);
      return object === undefined ? [] : [{ target, object }];
    });
    const changesFor = (pem: string) =>
      read.flatMap(({ target, object }) => {
        const change = target.change(object, Buffer.from(pem).toString('base64'));
        return change === undefined ? [] : [{ target, object, change }];
      });
    if (bundle === '' || changesFor(bundle).length === 0) return false;
    const confirmed = await confirm();
    const changes = confirmed === '' ? [] : changesFor(confirmed);
    for (const { target, object, change } of changes) {
      const { uid, resourceVersion } = object.metadata;
      const body = { metadata: { name: target.name, uid, resourceVersion }, ...change } as New<KubernetesObject>;
      await client.forResource(target.resource).apply(body, { fieldManager, force: true, signal });
    }
    return changes.length > 0;
  }
}
