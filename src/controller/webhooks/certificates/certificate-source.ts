import type { KeyPair } from '../../../certificates/certificate-authority.js';
import type { Client, Clock } from '../../../index.js';
import { asError } from '../../../meta/errors/errors.js';
import type { CachePool } from '../../caches.js';
import type { BundleTarget } from './bundle-targets.js';

/** Where the certificate of a webhook server comes from. */
export interface CertificateSource {
  /**
   * Works until the signal aborts, then resolves: hands out certificates and keeps the authorities in the targets.
   *
   * @param onReady called once, when there is a certificate and all targets that exist trust it
   */
  run(signal: AbortSignal, onReady: () => void): Promise<void>;
}

/** What every source of certificates works with. */
export interface CertificateSourceOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly caches: CachePool;
  /** The manager. */
  readonly name: string;
  readonly targets: readonly BundleTarget[];
  /** Called with the certificate to serve: the first one, and whenever it changes. */
  readonly onCertificate: (certificate: KeyPair) => void;
  readonly onError: (error: Error) => void;
}

/** The field manager that writes `caBundle`. */
export function bundleManagerOf(manager: string): string {
  return `${manager}-certificates`;
}

/** Delays after failures. */
export const BACKOFF = { initialMs: 500, capMs: 30_000, jitter: 0.5, resetAfterMs: 120_000 } as const;
/** How long to wait for a cache to have an own write, before it is looked at again. */
export const UNTIL_CACHED_MS = 5000;

export function certificateError(error: unknown): Error {
  return new Error(`the certificates of the webhooks: ${asError(error).message}`, { cause: error });
}
