import type { Credentials } from '../http/connection-config.js';

type Headers = Readonly<Record<string, string>>;

/** Credentials that never change: a token or a password. */
export class FixedCredentials implements Credentials {
  readonly #headers: Headers;

  constructor(headers: Headers) {
    this.#headers = headers;
  }

  headers(): Headers {
    return this.#headers;
  }
}

/** The `authorization` header of a bearer token. */
export function bearer(token: string): Headers {
  return { authorization: `Bearer ${token}` };
}

/** The `authorization` header of a user name and a password. */
export function basic(username: string, password: string): Headers {
  return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
}
