import { readFile } from 'node:fs/promises';
import type { Secret } from '../../meta/secret.js';
import type { Clock } from '../../time/clock.js';
import type { Credentials } from '../http/connection-config.js';
import { CredentialsError, describeFileError } from './config-errors.js';
import { bearer } from './fixed-credentials.js';
import { SingleFlight } from './single-flight.js';

type Headers = Readonly<Record<string, string>>;

/** How long a token that was read is used; client-go: one minute, less ten seconds. */
const FRESH_MS = 50_000;

/**
 * A bearer token in a file that another process replaces before it expires, as the kubelet does. It is read again after 50 s,
 * and at once when the server answers 401. While the file is missing or empty, the last token is used.
 */
export class TokenFile implements Credentials {
  readonly #file: string;
  readonly #clock: Clock;
  readonly #reading: SingleFlight<Headers>;
  #headers: Headers | undefined;
  #freshUntil = Number.NEGATIVE_INFINITY;

  /** @param fallback used until the file has been read for the first time */
  constructor(file: string, options: { readonly clock: Clock; readonly fallback?: Secret | undefined }) {
    this.#file = file;
    this.#clock = options.clock;
    this.#headers = options.fallback && bearer(options.fallback.reveal());
    this.#reading = new SingleFlight(() => this.#read());
  }

  headers(signal?: AbortSignal): Headers | Promise<Headers> {
    const headers = this.#headers;
    return headers !== undefined && this.#clock.monotonicNow() < this.#freshUntil ? headers : this.#reading.run(signal);
  }

  async onUnauthorized(used: Headers, signal?: AbortSignal): Promise<boolean> {
    if (used.authorization !== this.#headers?.authorization) return true;
    const headers = await this.#reading.run(signal);
    return used.authorization !== headers.authorization;
  }

  async #read(): Promise<Headers> {
    const readAt = this.#clock.monotonicNow();
    let trouble: string;
    try {
      const token = (await readFile(this.#file, 'utf8')).trim();
      if (token !== '') {
        this.#freshUntil = readAt + FRESH_MS;
        if (this.#headers?.authorization !== `Bearer ${token}`) this.#headers = bearer(token);
        return this.#headers as Headers;
      }
      trouble = 'it is empty';
    } catch (error) {
      trouble = describeFileError(error);
    }
    if (this.#headers !== undefined) return this.#headers;
    throw new CredentialsError(`cannot read the token file ${this.#file}: ${trouble}`);
  }
}
