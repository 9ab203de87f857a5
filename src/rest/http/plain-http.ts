import type { ConnectionConfig, Credentials } from './connection-config.js';
import { hostOf, isLoopback } from './host.js';

type Headers = Readonly<Record<string, string>>;

/**
 * Whether others can read what is sent: it goes unencrypted to another machine, or through a proxy on one. Addresses that
 * are no URL belong to transports without a network.
 */
export function isReadableByOthers(server: string, proxyUrl: string | undefined): boolean {
  if (!URL.canParse(server)) return false;
  const url = new URL(server);
  if (url.protocol !== 'http:') return false;
  return !isLoopback(hostOf(url)) || (proxyUrl !== undefined && !isLoopback(hostOf(new URL(proxyUrl))));
}

/** Why credentials are not sent, and what to do about it. */
export function plainHttpRefusal(server: string): string {
  return (
    `credentials are not sent to ${new URL(server).origin} because it is plain http and others could read them: ` +
    'use https, or set allowPlainHttpCredentials'
  );
}

/**
 * The credentials of a connection, as they may be used on it: where others could read them, secret headers are refused.
 * Anonymous requests pass.
 */
export function safeCredentials(connection: ConnectionConfig, server: string): Credentials | undefined {
  const { credentials, proxyUrl, allowPlainHttpCredentials = false } = connection;
  if (credentials === undefined || allowPlainHttpCredentials || !isReadableByOthers(server, proxyUrl))
    return credentials;
  const check = (headers: Headers): Headers => {
    // Whom to act as is no secret.
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
