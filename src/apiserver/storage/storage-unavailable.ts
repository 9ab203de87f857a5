import { StatusError } from '../../meta/errors/errors.js';
import { internal } from '../../meta/errors/status.js';

/** A write was refused, or cannot be confirmed, because the data directory cannot be written: a 500. */
export class StorageUnavailableError extends StatusError {
  /** Resolves when the directory can be written again. */
  readonly recovered: Promise<void>;

  constructor(message: string, recovered: Promise<void>) {
    super(internal(message));
    this.recovered = recovered;
  }
}
