import { inspect } from 'node:util';

const REDACTED = '[redacted]';

/**
 * A text that must not be seen: tokens, passwords, private keys. Wrapped where it is read, so that no error, log line,
 * `inspect` or JSON further down can show it by accident; {@link reveal} is the only way to it.
 */
export class Secret {
  static {
    showAs(Secret.prototype, () => REDACTED);
  }

  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return REDACTED;
  }

  toJSON(): string {
    return REDACTED;
  }
}

/** The text without those of its parts that are secrets. Very short ones are left: they would take away half the text. */
export function redact(text: string, secrets: Iterable<Secret | undefined>): string {
  let redacted = text;
  for (const secret of secrets) {
    const value = secret?.reveal() ?? '';
    if (value.length >= 4) redacted = redacted.replaceAll(value, REDACTED);
  }
  return redacted;
}

/** A URL as errors may show it: without its user and password. */
export function redactUrl(url: string): string {
  return url.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, `$1${REDACTED}@`);
}

/** Decides how the objects of a class look in `inspect` and `console.log`. */
export function showAs<T extends object>(prototype: T, show: (object: T) => string): void {
  // Not as a method: declarations cannot have a name that is computed.
  Object.defineProperty(prototype, inspect.custom, {
    value(this: T): string {
      return show(this);
    },
  });
}
