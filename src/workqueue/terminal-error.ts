import { KubeflectError } from '../meta/errors/errors.js';

/**
 * Thrown by a reconcile that would fail again: the item is not retried, and comes back only when it is added again.
 *
 * @example
 * if (spec.size > 100) throw new TerminalError(`widgets larger than 100 are not supported, got ${spec.size}`);
 */
export class TerminalError extends KubeflectError {
  static {
    TerminalError.prototype.name = 'TerminalError';
  }

  constructor(message: string, options?: ErrorOptions) {
    super('TERMINAL', message, options);
  }
}
