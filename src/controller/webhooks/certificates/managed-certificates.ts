import { compareResourceVersions, type DeepReadonly, isAlreadyExists, isConflict, resources } from '../../../index.js';
import { channels } from '../../../observe/channels.js';
import type { Secret } from '../../../resources/types/core-v1.js';
import { Backoff } from '../../../time/backoff.js';
import type { CacheLease } from '../../caches.js';
import { BundleWriter } from './bundle-writer.js';
import { readSecret, secretNameOf, toSecret } from './certificate-secret.js';
import {
  BACKOFF,
  bundleManagerOf,
  type CertificateSource,
  type CertificateSourceOptions,
  certificateError,
  UNTIL_CACHED_MS,
} from './certificate-source.js';
import {
  bundleOf,
  type CertificateState,
  dueInMs,
  nextState,
  type RotationOptions,
  type RotationTimes,
  rotationTimes,
} from './rotation.js';
import { Wake } from './wake.js';

/** What {@link ManagedCertificates} work with. */
export interface ManagedCertificateOptions extends CertificateSourceOptions {
  /** Of the Secret. */
  readonly namespace: string;
  /** The names and addresses that the certificate is for. */
  readonly hosts: readonly string[];
  /** @default {@link rotationTimes} */
  readonly times?: RotationTimes | undefined;
}

/** The Secret as it is known: from the cache, or from the answer to a request. */
interface KnownSecret {
  readonly resourceVersion: string;
  /** Undefined if it cannot be read. */
  readonly state: CertificateState | undefined;
}

/** The longest wait: what is due later is looked at again. */
const LONGEST_WAIT_MS = 86_400_000;

/**
 * Keeps the certificates of webhooks in a Secret that all replicas share, and their authorities in the configurations. Every
 * replica does the same: writes to the Secret are compare-and-swap, so that each step of a rotation is done by one of them.
 *
 * A bundle is written to a target only for a state that was read from the Secret after the target was read, and only if the
 * target has not changed since. So a replica with an old cache never takes back an authority that others rely on.
 */
export class ManagedCertificates implements CertificateSource {
  readonly #options: ManagedCertificateOptions;
  readonly #rotation: RotationOptions;
  readonly #secretName: string;
  readonly #wake: Wake;
  /** Whether the cache has seen that the Secret was deleted. */
  #isDeleted = false;
  #known: KnownSecret | undefined;
  /** The certificate that is served. */
  #served: string | undefined;

  constructor(options: ManagedCertificateOptions) {
    const { clock, hosts, name, times = rotationTimes } = options;
    this.#options = options;
    this.#rotation = { clock, times, hosts, name: `${name}-webhooks` };
    this.#secretName = secretNameOf(name);
    this.#wake = new Wake(clock);
  }

  async run(signal: AbortSignal, onReady: () => void): Promise<void> {
    const { client, clock, caches, name, targets, onError } = this.#options;
    const secrets = this.#openSecret();
    const onChange = (): void => this.#wake.wake();
    const writer = new BundleWriter({ client, caches, targets, fieldManager: bundleManagerOf(name), onChange });
    const backoff = new Backoff(clock, BACKOFF);
    let ready: (() => void) | undefined = onReady;
    try {
      await Promise.all([secrets.informer.whenSynced({ signal }), writer.whenSynced(signal)]);
      while (!signal.aborted) {
        this.#wake.begin();
        let waitMs = UNTIL_CACHED_MS;
        try {
          await this.#read(secrets, signal);
          if (!(await writer.write(this.#bundle, () => this.#confirmedBundle(signal), signal))) {
            if (this.#served !== undefined) {
              ready?.();
              ready = undefined;
            }
            waitMs = await this.#advance(signal);
          }
        } catch (error) {
          if (signal.aborted) break;
          // Another replica was first: its write is about to arrive.
          if (!isConflict(error) && !isAlreadyExists(error)) onError(certificateError(error));
          waitMs = backoff.next();
        }
        await this.#wake.wait(waitMs, signal);
      }
    } catch (error) {
      if (!signal.aborted) onError(certificateError(error));
    } finally {
      await Promise.all([secrets.release(), writer.release()]);
    }
  }

  get #bundle(): string {
    const state = this.#known?.state;
    return state === undefined ? '' : bundleOf(state);
  }

  /** The bundle of the Secret as it is now. */
  async #confirmedBundle(signal: AbortSignal): Promise<string> {
    const { client, namespace } = this.#options;
    this.#learn(await client.core.v1.secrets(namespace).get(this.#secretName, { signal }));
    this.#serve();
    return this.#bundle;
  }

  /** Serves what the Secret has; creates it if there is none. */
  async #read(secrets: CacheLease<Secret>, signal: AbortSignal): Promise<void> {
    const { client, namespace } = this.#options;
    const cached = secrets.informer.lister.get(`${namespace}/${this.#secretName}`);
    if (cached !== undefined) this.#learn(cached);
    else if (this.#known === undefined || this.#isDeleted) {
      // If it was deleted, with the certificates that are trusted.
      const state = this.#known?.state ?? nextState(undefined, false, this.#rotation);
      const secret = toSecret(state, { name: this.#secretName, namespace });
      this.#learn(await client.core.v1.secrets(namespace).create(secret, { signal }));
      this.#isDeleted = false;
    }
    this.#serve();
  }

  /** Writes the next state, if it is due. All targets have the bundle of the state before. Resolves with how long to wait. */
  async #advance(signal: AbortSignal): Promise<number> {
    const { client, namespace } = this.#options;
    if (this.#known === undefined) return UNTIL_CACHED_MS;
    const { resourceVersion, state } = this.#known;
    const next = nextState(state, true, this.#rotation);
    if (next === state) return Math.min(dueInMs(next, this.#rotation), LONGEST_WAIT_MS);
    const secret = toSecret(next, { name: this.#secretName, namespace, resourceVersion });
    this.#learn(await client.core.v1.secrets(namespace).update(secret as Secret, { signal }));
    return 0;
  }

  /** Takes over the newer state: the cache may be behind an own write. */
  #learn(secret: DeepReadonly<Secret>): void {
    const { resourceVersion } = secret.metadata;
    const known = this.#known?.resourceVersion;
    if (known === undefined || (compareResourceVersions(resourceVersion, known) ?? 1) > 0)
      this.#known = { resourceVersion, state: readSecret(secret) };
  }

  #serve(): void {
    const serving = this.#known?.state?.serving;
    if (serving === undefined || serving.certificate === this.#served) return;
    this.#served = serving.certificate;
    channels.certificateRead.publish({});
    this.#options.onCertificate(serving);
  }

  #openSecret(): CacheLease<Secret> {
    const { client, caches, namespace } = this.#options;
    const cache = { namespace, fieldSelector: `metadata.name=${this.#secretName}` };
    const lease = caches.acquire({ client, resource: resources.core.v1.secrets, cache });
    const listener = ({ type }: { readonly type: string }): void => {
      this.#isDeleted = type === 'delete';
      this.#wake.wake();
    };
    lease.informer.subscribe(listener, { name: 'webhook certificates' });
    return lease;
  }
}
