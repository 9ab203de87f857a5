import { inspect } from 'node:util';

const REDACTED = '[redacted]';

/**
 * A token, password or private key. `toString`, JSON and `inspect` show `[redacted]`, so that no error or log line contains
 * the value by accident; only {@link reveal} returns it.
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

/** Replaces the secrets in a text. Values of fewer than four characters are kept, because they match too much else. */
export function redact(text: string, secrets: Iterable<Secret | undefined>): string {
  let redacted = text;
  for (const secret of secrets) {
    const value = secret?.reveal() ?? '';
    if (value.length >= 4) redacted = redacted.replaceAll(value, REDACTED);
  }
  return redacted;
}

/** A URL without its user and password, for error messages. */
export function redactUrl(url: string): string {
  return url.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, `$1${REDACTED}@`);
}

/** Sets how `inspect` and `console.log` show the objects of a class. */
export function showAs<T extends object>(prototype: T, show: (object: T) => string): void {
  // Not a method, because isolated declarations do not allow computed names.
  Object.defineProperty(prototype, inspect.custom, {
    value(this: T): string {
      return show(this);
    },
  });
}
