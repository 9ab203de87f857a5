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
  return list === undefined ? [] : list.split(',').map((token) => withoutBlanks(token, 0).toLowerCase());
}

/**
 * Trims blanks from both ends of `line.slice(begin)`: spaces and tabs, and not what else `trim` takes for white space. A regular
 * expression would take quadratic time on many blanks.
 */
export function withoutBlanks(line: string, begin: number): string {
  let from = begin;
  let to = line.length;
  while (from < to && isBlank(line.charCodeAt(from))) from++;
  while (from < to && isBlank(line.charCodeAt(to - 1))) to--;
  return line.slice(from, to);
}

function isBlank(c: number): boolean {
  return c === 0x20 || c === 0x09;
}
