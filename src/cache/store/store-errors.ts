import { KubeflectError } from '../../meta/errors/errors.js';

/** Some changes of a transaction could not be applied; the others were. */
export class TransactionError extends KubeflectError {
  static {
    TransactionError.prototype.name = 'TransactionError';
  }

  /** Indices of the changes that were applied, in the array that was passed. */
  readonly successfulIndices: readonly number[];
  readonly total: number;
  readonly errors: readonly unknown[];

  constructor(successfulIndices: readonly number[], total: number, errors: readonly unknown[]) {
    const reasons = errors.map((error) => (error instanceof Error ? error.message : String(error))).join(', ');
    super('TRANSACTION', `failed to execute (${errors.length}/${total}) transactions failed due to: [${reasons}]`, {
      cause: errors[0],
    });
    this.successfulIndices = successfulIndices;
    this.total = total;
    this.errors = errors;
  }
}

/** `pop` was called on a queue that is closed and empty. */
export class QueueClosedError extends KubeflectError {
  static {
    QueueClosedError.prototype.name = 'QueueClosedError';
  }

  constructor() {
    super('QUEUE_CLOSED', 'the queue is closed and empty');
  }
}
