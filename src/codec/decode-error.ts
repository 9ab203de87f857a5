import { KubeflectError } from '../meta/errors/errors.js';

/** Thrown for invalid bytes from a server. Everything before them has been decoded. */
export class DecodeError extends KubeflectError {
  static {
    DecodeError.prototype.name = 'DecodeError';
  }

  /** The position of the error in the stream, in bytes. */
  readonly offset: number;
  /** Whether the stream ended too early, as when a connection breaks. */
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

/** Thrown by strict decoding for an object with a field that the codec's schema does not have: it has to be read as JSON. */
export class UnknownFieldError extends DecodeError {
  static {
    UnknownFieldError.prototype.name = 'UnknownFieldError';
  }
}
