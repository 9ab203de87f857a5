import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { hostnameOf, isSameOrigin } from '../../meta/web-origin.js';

/** Who may read. */
export interface AccessOptions {
  /** Whether the server is called by this name, in the form of `URL.hostname`. */
  readonly isOwnHost: (name: string) => boolean;
  /** What a request must have; undefined if every process on this machine may read. */
  readonly token: string | undefined;
  /** The name of the cookie that holds the token. Cookies do not differ by port, so it should have the port in it. */
  readonly cookie: string;
}

/** Why a request is refused. */
export interface Refusal {
  readonly status: 401 | 403;
  readonly error: string;
}

/**
 * Decides whether a request may read. Web pages of other sites may not, whether or not a token is asked for: `Host` shows DNS
 * rebinding, `Origin` and `Sec-Fetch-Site` show requests across sites.
 */
export class Access {
  readonly #options: AccessOptions;
  readonly #digest: Buffer | undefined;

  constructor(options: AccessOptions) {
    this.#options = options;
    this.#digest = options.token === undefined ? undefined : digestOf(options.token);
  }

  /** Undefined if the request is allowed. */
  refusal(headers: IncomingHttpHeaders): Refusal | undefined {
    const foreign = this.#foreignness(headers);
    if (foreign !== undefined) return { status: 403, error: foreign };
    if (this.#digest === undefined || this.#hasToken(headers)) return undefined;
    return {
      status: 401,
      error:
        'a token is missing: open the address that the program has printed, or send it as "Authorization: Bearer TOKEN"',
    };
  }

  /** Why the request is one of a page of another site; undefined if it is not. */
  #foreignness(headers: IncomingHttpHeaders): string | undefined {
    const { host, origin } = headers;
    const name = host === undefined ? undefined : hostnameOf(host);
    if (name === undefined || !this.#options.isOwnHost(name)) {
      const advice = 'use a loopback address, or allow the name with allowedHosts';
      return `this server is not called ${JSON.stringify(host ?? '')}: ${advice}`;
    }
    if (origin !== undefined && !isSameOrigin(origin, host))
      return `pages of the origin ${JSON.stringify(origin)} may not use this server`;
    return isFromOtherSite(headers) ? 'pages of other sites may not use this server' : undefined;
  }

  /** Whether a text is the token. False if none is asked for. */
  isToken(text: string): boolean {
    return this.#digest !== undefined && timingSafeEqual(digestOf(text), this.#digest);
  }

  #hasToken({ authorization = '', cookie = '' }: IncomingHttpHeaders): boolean {
    const bearer = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
    if (bearer !== undefined) return this.isToken(bearer);
    const prefix = `${this.#options.cookie}=`;
    const cookies = cookie.split(';').map((part) => part.trim());
    return cookies.some((part) => part.startsWith(prefix) && this.isToken(part.slice(prefix.length)));
  }
}

/** Whether a browser says so. A link that opens in a tab of its own is fine: the page with the link cannot read the answer. */
function isFromOtherSite(headers: IncomingHttpHeaders): boolean {
  const { 'sec-fetch-site': site, 'sec-fetch-mode': mode, 'sec-fetch-dest': to } = headers;
  if (site === undefined || site === 'same-origin' || site === 'none') return false;
  return mode !== 'navigate' || to !== 'document';
}

/** Of equal length for all texts, so that a comparison tells nothing of the token. */
function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
