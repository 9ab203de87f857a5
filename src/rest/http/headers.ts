import type { ResponseHeaders } from './transport.js';

const headerName = /^[\w!#$%&'*+.^`|~-]+$/;
/** Characters that other parsers take for the end of a line. */
export const lineBreakers: RegExp = /[\0\r\n]/;

/** Joins repeated headers with ', '. */
export function joinHeaders(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): ResponseHeaders {
  const joined: Record<string, string> = {};
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    if (value === undefined || name === '__proto__') continue;
    joined[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return joined;
}

/** Adds a header of a response; a repeated one is joined with ', '. Returns false if name or value is malformed. */
export function addHeader(headers: Record<string, string>, name: string, value: string): boolean {
  if (!headerName.test(name) || lineBreakers.test(value)) return false;
  if (name === '__proto__') return true;
  const before = Object.hasOwn(headers, name) ? headers[name] : undefined;
  headers[name] = before === undefined ? value : `${before}, ${value}`;
  return true;
}

/** The number in a `Content-Length` header. The same number may be repeated; undefined if it is anything else. */
export function contentLengthOf(text: string): number | undefined {
  const lengths = new Set(tokensOf(text));
  const [only = ''] = lengths;
  return lengths.size > 1 || !/^\d{1,15}$/.test(only) ? undefined : Number(only);
}

/** The tokens of a header that is a list, in lower case. */
export function tokensOf(list: string | undefined): string[] {
  return list === undefined ? [] : list.split(',').map((token) => token.trim().toLowerCase());
}
