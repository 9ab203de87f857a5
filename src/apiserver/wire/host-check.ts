import { forbidden } from '../../meta/errors/status.js';
import { hostnameOf, isSameOrigin } from '../../meta/web-origin.js';
import type { ApiHandler } from './exchange.js';
import { sendStatus } from './response-writer.js';

/** How many accepted Host headers are cached; a client sends the same one with every request. */
const REMEMBERED = 64;

/**
 * Refuses requests of web pages of other sites, since the server may need no credentials: web-origin.ts says how they are told.
 *
 * @param isOwnHost whether the server accepts a host name; without it every name is accepted
 */
export function withHostCheck(handler: ApiHandler, isOwnHost: ((host: string) => boolean) | undefined): ApiHandler {
  const known = new Set<string>();
  const isKnown = (host: string): boolean => {
    if (isOwnHost === undefined || known.has(host)) return true;
    const name = hostnameOf(host);
    if (name === undefined || !isOwnHost(name)) return false;
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
