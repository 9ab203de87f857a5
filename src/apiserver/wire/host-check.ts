import { forbidden } from '../../meta/status.js';
import type { ApiHandler } from './exchange.js';
import { sendStatus } from './response-writer.js';

/** How many Host headers that passed are remembered; clients send the same one with every request. */
const REMEMBERED = 64;

/**
 * Keeps web pages away from a server that asks for no credentials. A page of another site can send requests to any address
 * of the machine that its browser runs on (CSRF), and can read the answers once its own host name leads there (DNS
 * rebinding). The browser tells the first by `Origin` and the second by `Host`.
 *
 * `isOwnHost` says whether the server may be called by that name; without it, any name will do.
 */
export function withHostCheck(handler: ApiHandler, isOwnHost: ((host: string) => boolean) | undefined): ApiHandler {
  const known = new Set<string>();
  const isKnown = (host: string): boolean => {
    if (isOwnHost === undefined || known.has(host)) return true;
    const url = urlOf('http:', host);
    if (url === undefined || !isOwnHost(url.hostname)) return false;
    if (known.size < REMEMBERED) known.add(host);
    return true;
  };
  return async (request, response) => {
    const { host, origin } = request.headers;
    const refuse = (why: string): void => sendStatus(response, forbidden({ group: '', resource: '' }, '', why));
    // Browsers always send a Host; clients without one are no browsers.
    if (host !== undefined && !isKnown(host)) {
      const advice = 'use a loopback address, or allow the name with allowedHosts (kubeflect serve --allowed-host)';
      return refuse(`this server is not called ${JSON.stringify(host)}: ${advice}`);
    }
    if (origin !== undefined && !isSameOrigin(origin, host)) {
      return refuse(`pages of the origin ${JSON.stringify(origin)} may not use this server`);
    }
    return handler(request, response);
  };
}

function isSameOrigin(origin: string, host: string | undefined): boolean {
  // The origin `null` is that of sandboxed pages and files.
  if (host === undefined || !URL.canParse(origin)) return false;
  const { protocol, host: from } = new URL(origin);
  return from !== '' && from === urlOf(protocol, host)?.host;
}

function urlOf(protocol: string, host: string): URL | undefined {
  const text = `${protocol}//${host}`;
  return /^[^\s/\\?#@]+$/.test(host) && URL.canParse(text) ? new URL(text) : undefined;
}
