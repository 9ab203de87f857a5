/**
 * Times in objects, in RFC 3339. Servers parse them with fixed patterns: a `MicroTime` (of a Lease, and of events.k8s.io)
 * has exactly six fractional digits, a `Time` has none.
 */

/** `2026-01-01T00:00:00Z` */
export function timestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** `2026-01-01T00:00:00.123000Z` */
export function microTimestamp(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000Z');
}
