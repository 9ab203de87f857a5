import { validateHeaderName, validateHeaderValue } from 'node:http';
import { InvalidRequestError } from './request-errors.js';
import type { RequestHeaders, TransportRequest } from './transport.js';

/** Headers of message framing, which the connection sets. */
const framingHeaders: ReadonlySet<string> = new Set([
  'content-length',
  'transfer-encoding',
  'trailer',
  'upgrade',
  'expect',
]);

/**
 * The header fields of a request: the defaults, its own headers, which override them, and the length of its body.
 *
 * @throws InvalidRequestError or TypeError at a method, path or header that a request cannot carry
 */
export function requestFields(
  { method, target, headers, body, upgrade }: TransportRequest,
  defaults: RequestHeaders = {},
): [name: string, value: string][] {
  if (!/^[A-Za-z]+$/.test(method)) {
    throw new InvalidRequestError(`the method ${JSON.stringify(method)} has characters that a request cannot carry`);
  }
  if (!/^[\x21-\x7e]+$/.test(target)) {
    throw new InvalidRequestError(`the path ${JSON.stringify(target)} has characters that a request cannot carry`);
  }
  const fields: [name: string, value: string][] = [];
  for (const [name, value] of Object.entries({ ...defaults, ...headers })) {
    validateHeaderName(name);
    if (framingHeaders.has(name.toLowerCase())) {
      throw new InvalidRequestError(`the header ${name} cannot be set: the connection sets it`);
    }
    for (const one of typeof value === 'string' ? [value] : value) {
      validateHeaderValue(name, one);
      fields.push([name, one]);
    }
  }
  // Servers require a length where a body is usual, even if there is none.
  if (body !== undefined || !(method === 'GET' || method === 'HEAD' || method === 'DELETE')) {
    fields.push(['content-length', String(body?.length ?? 0)]);
  }
  if (upgrade !== undefined) fields.push(['upgrade', upgrade]);
  return fields;
}
