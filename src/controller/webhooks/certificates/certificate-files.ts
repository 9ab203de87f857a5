import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { KeyPair } from '../../../certificates/certificate-authority.js';
import { asError } from '../../../meta/errors/errors.js';
import { channels } from '../../../observe/channels.js';
import { Backoff } from '../../../time/backoff.js';
import { BundleWriter } from './bundle-writer.js';
import {
  BACKOFF,
  bundleManagerOf,
  type CertificateSource,
  type CertificateSourceOptions,
  certificateError,
  UNTIL_CACHED_MS,
} from './certificate-source.js';
import { Wake } from './wake.js';

/** The files of a certificate, as PEM. */
export interface CertificateFileNames {
  readonly certFile: string;
  readonly keyFile: string;
  /** Written into the configurations. @default none: something else fills them in */
  readonly caFile?: string | undefined;
}

/** How often files are read, as controller-runtime's certwatcher does where the kernel does not tell. */
const READ_MS = 10_000;

/** A certificate in files that something else writes: they are read again and again, and used when they have changed. */
export class CertificateFiles implements CertificateSource {
  readonly #files: CertificateFileNames;
  readonly #options: CertificateSourceOptions;
  /** What was read last, and whether it could be used. */
  #read: KeyPair | undefined;

  constructor(files: CertificateFileNames, options: CertificateSourceOptions) {
    this.#files = files;
    this.#options = options;
  }

  async run(signal: AbortSignal, onReady: () => void): Promise<void> {
    const { clock, client, caches, name, onError } = this.#options;
    const { caFile } = this.#files;
    const wake = new Wake(clock);
    const backoff = new Backoff(clock, BACKOFF);
    const targets = caFile === undefined ? [] : this.#options.targets;
    const fieldManager = bundleManagerOf(name);
    const writer = new BundleWriter({ client, caches, targets, fieldManager, onChange: () => wake.wake() });
    let ready: (() => void) | undefined = onReady;
    try {
      await writer.whenSynced(signal);
      while (!signal.aborted) {
        wake.begin();
        let waitMs = READ_MS;
        try {
          await this.#refresh();
          const bundle = caFile === undefined ? '' : await readFile(caFile, 'utf8');
          if (await writer.write(bundle, async () => bundle, signal)) waitMs = UNTIL_CACHED_MS;
          else {
            ready?.();
            ready = undefined;
          }
        } catch (error) {
          if (signal.aborted) break;
          onError(certificateError(error));
          waitMs = backoff.next();
        }
        await wake.wait(waitMs, signal);
      }
    } catch (error) {
      if (!signal.aborted) onError(certificateError(error));
    } finally {
      await writer.release();
    }
  }

  /** Uses the files if they have changed. Rejects if they cannot be used: then the certificate before stays. */
  async #refresh(): Promise<void> {
    const { certFile, keyFile } = this.#files;
    try {
      const [certificate, key] = await Promise.all([readFile(certFile, 'utf8'), readFile(keyFile, 'utf8')]);
      if (certificate === this.#read?.certificate && key === this.#read.key) return;
      // While one of the files is replaced, they do not belong together.
      if (!new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key)))
        throw new Error('the key does not belong to the certificate');
      this.#read = { certificate, key };
    } catch (error) {
      channels.certificateRead.publish({ error });
      throw new Error(`${certFile} and ${keyFile} cannot be used: ${asError(error).message}`, { cause: error });
    }
    channels.certificateRead.publish({});
    this.#options.onCertificate(this.#read);
  }
}
