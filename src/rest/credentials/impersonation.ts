import { requireString } from '../../meta/options/validate.js';
import type { Impersonation } from '../http/connection-config.js';
import type { RequestHeaders } from '../http/transport.js';

/** Bytes that a header name may contain, except '%', which begins an escape. */
const TOKEN_CHARACTER = /[!#$&'*+\-.^_`|~0-9a-z]/;

/** The `Impersonate-*` headers of a request. */
export function impersonationHeaders(impersonation: Impersonation): RequestHeaders {
  const headers: Record<string, string | readonly string[]> = {
    'impersonate-user': requireString('impersonate.user', impersonation.user),
  };
  if (impersonation.uid) headers['impersonate-uid'] = impersonation.uid;
  if (impersonation.groups?.length) headers['impersonate-group'] = impersonation.groups;
  for (const [key, values] of Object.entries(impersonation.extra ?? {})) {
    if (values.length > 0) headers[`impersonate-extra-${escapeHeaderName(key.toLowerCase())}`] = values;
  }
  return headers;
}

/** Percent-encodes each byte that a header name must not contain, such as the slash of `example.com/scope`. */
function escapeHeaderName(name: string): string {
  let escaped = '';
  for (const byte of Buffer.from(name)) {
    const character = String.fromCharCode(byte);
    escaped += TOKEN_CHARACTER.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return escaped;
}
