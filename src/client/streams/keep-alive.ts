import type { WebSocketEnd } from '../../streams/web-socket.js';

/** How often a connection to a pod is pinged, and how long it may be silent: as kubectl, whose deadline is a minute too. */
export const PING = { pingMs: 5000, silenceMs: 60_000 } as const;

/** How a connection ended that should not have, for an error. */
export function describeEnd({ code, reason, error }: WebSocketEnd): string {
  if (error !== undefined) return `the connection broke: ${error.message}`;
  if (code === undefined) return 'the server closed the connection without a word';
  return `the server closed the connection with code ${code}${reason === '' ? '' : ` (${reason})`}`;
}
