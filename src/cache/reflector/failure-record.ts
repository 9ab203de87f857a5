import { asError } from '../../meta/errors/errors.js';
import { channels, type InformerSource } from '../../observe/channels.js';
import { UnreadableObjectError } from './object-check.js';
import { type FailureReason, reportFailure, type WatchErrorHandler } from './reflector-errors.js';

/** Counts and reports the failures of one reflector. */
export class FailureRecord {
  readonly #reflector: string;
  readonly #source: InformerSource;
  readonly #onError: WatchErrorHandler | undefined;
  #consecutive = 0;
  #skipped = 0;
  #lastError: Error | undefined;
  #lastReason: FailureReason | undefined;

  constructor(reflector: string, source: InformerSource, onError: WatchErrorHandler | undefined) {
    this.#reflector = reflector;
    this.#source = source;
    this.#onError = onError;
  }

  /** Failures since the last `clear`. */
  get consecutive(): number {
    return this.#consecutive;
  }

  get lastError(): Error | undefined {
    return this.#lastError;
  }

  get lastReason(): FailureReason | undefined {
    return this.#lastReason;
  }

  /** Objects and events that were left out. */
  get skipped(): number {
    return this.#skipped;
  }

  add(error: unknown, reason: FailureReason): void {
    this.#consecutive++;
    this.#lastReason = reason;
    this.#lastError = asError(error);
    this.report(this.#lastError, reason);
  }

  clear(): void {
    this.#consecutive = 0;
  }

  /** Reports that one object or event was left out. */
  skip(error: Error): void {
    this.#skipped++;
    const key = error instanceof UnreadableObjectError ? error.key : undefined;
    if (channels.reflectorSkipped.hasSubscribers)
      channels.reflectorSkipped.publish({ source: this.#source, key, error });
    this.report(error, 'skipped', key);
  }

  /** Reports without counting. */
  report(error: Error, reason: FailureReason, key?: string): void {
    const context = { reason, reflector: this.#reflector };
    reportFailure(this.#onError, error, key === undefined ? context : { ...context, key });
  }
}
