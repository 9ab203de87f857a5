/**
 * Times as objects carry them, in RFC 3339. Servers read the two forms by fixed patterns: a time of a lease or of a newer
 * event has exactly six digits behind the point, all others have none.
 */

/** `2026-01-01T00:00:00Z` */
export function timestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** `2026-01-01T00:00:00.123000Z` */
export function microTimestamp(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000Z');
}
