import { KubeflectError } from '../meta/errors.js';

/** Bytes from a server that are not what they should be. What came before them has been decoded and is right. */
export class DecodeError extends KubeflectError {
  static {
    DecodeError.prototype.name = 'DecodeError';
  }

  /** How many bytes of the stream come before the trouble. */
  readonly offset: number;
  /** Whether the bytes simply ended too early, as they do when a connection breaks. */
  readonly truncated: boolean;

  constructor(
    what: string,
    offset: number,
    reason: string,
    options: ErrorOptions & { readonly truncated?: boolean } = {},
  ) {
    super('DECODE', `cannot decode ${what} at byte ${offset}: ${reason}`, options);
    this.offset = offset;
    this.truncated = options.truncated ?? false;
  }
}
