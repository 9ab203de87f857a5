import type { ConnectionConfig, Credentials } from './connection-config.js';
import { hostOf, isLoopback } from './host.js';

type Headers = Readonly<Record<string, string>>;

/**
 * Whether requests can be read on the network: they go by plain http to another machine, or through a proxy on one. An
 * address that is no URL belongs to a transport without a network.
 */
export function isReadableOnNetwork(server: string, proxyUrl: string | undefined): boolean {
  if (!URL.canParse(server)) return false;
  const url = new URL(server);
  if (url.protocol !== 'http:') return false;
  return !isLoopback(hostOf(url)) || (proxyUrl !== undefined && !isLoopback(hostOf(new URL(proxyUrl))));
}

/** The message of the error with which credentials are refused. */
export function plainHttpRefusal(server: string): string {
  return (
    `credentials are not sent to ${new URL(server).origin} because it is plain http, and they could be read on the network: ` +
    'use https, or set allowPlainHttpCredentials'
  );
}

/** The credentials of a connection. If they could be read on the network, secret headers fail the request; anonymous requests pass. */
export function safeCredentials(connection: ConnectionConfig, server: string): Credentials | undefined {
  const { credentials, proxyUrl, allowPlainHttpCredentials = false } = connection;
  if (credentials === undefined || allowPlainHttpCredentials || !isReadableOnNetwork(server, proxyUrl))
    return credentials;
  const check = (headers: Headers): Headers => {
    // The user of an impersonation is no secret.
    const isSecret = Object.keys(headers).some((name) => !name.startsWith('impersonate-'));
    if (isSecret) throw new Error(plainHttpRefusal(server));
    return headers;
  };
  return {
    headers(signal): Headers | Promise<Headers> {
      const headers = credentials.headers(signal);
      return headers instanceof Promise ? headers.then(check) : check(headers);
    },
    onUnauthorized: async () => false,
  };
}
