import { createHash, randomBytes } from 'node:crypto';

/* The handshake of a WebSocket (RFC 6455, section 4), for both sides. Names of headers are in lower case. */

type Headers = Readonly<Record<string, string>>;

/** The text that RFC 6455 adds to the key of a client. */
const KEY_SUFFIX = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const VERSION = '13';

/** Whether a request asks for a WebSocket. */
export function asksForWebSocket(headers: Headers): boolean {
  return headers['upgrade']?.toLowerCase() === 'websocket';
}

/** The first of the protocols that the client offers and the server knows. */
export function protocolOf(headers: Headers, known: readonly string[]): string | undefined {
  const offered = (headers['sec-websocket-protocol'] ?? '').split(',').map((protocol) => protocol.trim());
  return offered.find((protocol) => known.includes(protocol));
}

/** The headers that accept a WebSocket; undefined if the request is malformed. */
export function acceptHeaders(headers: Headers, protocol: string): Record<string, string> | undefined {
  const key = headers['sec-websocket-key'] ?? '';
  if (headers['sec-websocket-version'] !== VERSION || Buffer.from(key, 'base64').length !== 16) return undefined;
  return {
    Upgrade: 'websocket',
    Connection: 'Upgrade',
    'Sec-WebSocket-Accept': acceptOf(key),
    'Sec-WebSocket-Protocol': protocol,
  };
}

/** A key of a client: 16 random bytes. */
export function webSocketKey(): string {
  return randomBytes(16).toString('base64');
}

/** The headers with which a client asks for a WebSocket, beside `Connection` and `Upgrade`. */
export function offerHeaders(key: string, protocols: readonly string[]): Record<string, string> {
  return {
    'sec-websocket-version': VERSION,
    'sec-websocket-key': key,
    'sec-websocket-protocol': protocols.join(', '),
  };
}

/** The protocol that the server chose with a 101, or why the answer is none to the offer. */
export function acceptedProtocol(
  headers: Headers,
  key: string,
  offered: readonly string[],
): { readonly protocol: string } | { readonly problem: string } {
  if (!asksForWebSocket(headers)) {
    return { problem: `it switches to the protocol ${JSON.stringify(headers['upgrade'] ?? '')} instead of websocket` };
  }
  if (headers['sec-websocket-accept'] !== acceptOf(key)) return { problem: 'its Sec-WebSocket-Accept is wrong' };
  if (headers['sec-websocket-extensions']) return { problem: 'it uses an extension that was not offered' };
  const protocol = headers['sec-websocket-protocol'] ?? '';
  if (offered.includes(protocol)) return { protocol };
  return { problem: `it chose the protocol ${JSON.stringify(protocol)}, of ${offered.join(', ')}` };
}

function acceptOf(key: string): string {
  return createHash('sha1').update(`${key}${KEY_SUFFIX}`).digest('base64');
}
