import type { ResponseHeaders } from './transport.js';

/** Headers as HTTP parsers give them, in the form that handlers take. The pseudo-headers of HTTP/2 are left out. */
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
