import { forbidden } from '../../meta/errors/status.js';
import type { ApiHandler } from './exchange.js';
import { sendStatus } from './response-writer.js';

/** How many accepted Host headers are cached; a client sends the same one with every request. */
const REMEMBERED = 64;

/**
 * Refuses requests of web pages, since the server may need no credentials. A page of another site can send requests to any
 * address of the browser's machine (CSRF), and can read the answers once its own host name resolves to that address (DNS
 * rebinding). The header `Origin` shows the first, `Host` the second.
 *
 * @param isOwnHost whether the server accepts a host name; without it every name is accepted
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
    // Browsers always send Host.
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
  // Sandboxed pages and files have the origin `null`.
  if (host === undefined || !URL.canParse(origin)) return false;
  const { protocol, host: from } = new URL(origin);
  return from !== '' && from === urlOf(protocol, host)?.host;
}

function urlOf(protocol: string, host: string): URL | undefined {
  const text = `${protocol}//${host}`;
  return /^[^\s/\\?#@]+$/.test(host) && URL.canParse(text) ? new URL(text) : undefined;
}
