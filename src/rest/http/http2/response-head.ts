import { addHeader, contentLengthOf } from '../headers.js';
import type { ResponseHeaders } from '../transport.js';
import { Http2Error, PROTOCOL_ERROR } from './frames.js';

/** Headers of an HTTP/1.1 connection, which HTTP/2 does not have. */
const connectionHeaders: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
]);

/** The head of a response. */
export interface ResponseHead {
  readonly status: number;
  readonly headers: ResponseHeaders;
  /** The number in `Content-Length`, if there is one. */
  readonly contentLength: number | undefined;
}

/**
 * The head of a response, of names and values in turns.
 *
 * @throws Http2Error if it is malformed: only its stream fails
 */
export function readResponseHead(fields: readonly string[]): ResponseHead {
  const headers: Record<string, string> = {};
  let status: number | undefined;
  for (let i = 0; i < fields.length; i += 2) {
    const name = fields[i]!;
    const value = fields[i + 1]!;
    if (name !== ':status') readField(headers, name, value);
    else if (status !== undefined || i > 0 || !/^[1-5]\d\d$/.test(value)) {
      throw malformed('its :status is repeated, not the first field, or not a number from 100 to 599');
    } else status = Number(value);
  }
  if (status === undefined) throw malformed('it has no :status');
  // HTTP/2 has no upgrades.
  if (status === 101) throw malformed('its status is 101');
  const length = headers['content-length'];
  const contentLength = length === undefined ? undefined : contentLengthOf(length);
  if (length !== undefined && contentLength === undefined) throw malformed(`its content-length is ${length}`);
  return { status, headers, contentLength };
}

/** Checks the trailers of a response, which are dropped. */
export function checkTrailers(fields: readonly string[]): void {
  const headers = {};
  for (let i = 0; i < fields.length; i += 2) readField(headers, fields[i]!, fields[i + 1]!);
}

function readField(headers: Record<string, string>, name: string, value: string): void {
  const isValid = name === name.toLowerCase() && !connectionHeaders.has(name) && value.trim() === value;
  if (!isValid || !addHeader(headers, name, value)) {
    throw malformed(`it has the field ${JSON.stringify(name.slice(0, 40))}, or its value is malformed`);
  }
}

/** A response that breaks the rules. */
export function malformed(why: string): Http2Error {
  return new Http2Error(PROTOCOL_ERROR, `a response is malformed: ${why}`);
}
