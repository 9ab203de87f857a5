import type { ResponseHeaders } from './transport.js';

/** Joins repeated headers with ', ' and removes the pseudo-headers of HTTP/2. */
export function joinHeaders(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): ResponseHeaders {
  const joined: Record<string, string> = {};
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    if (value === undefined || name.startsWith(':') || name === '__proto__') continue;
    joined[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return joined;
}
