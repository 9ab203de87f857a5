/**
 * The order of resourceVersions. They are decimal integers of any length and are compared as text, because numbers lose
 * digits above 2^53. Versions of another form are opaque: they are equal or different, but have no order.
 */

/** Whether a version is an integer in canonical form: digits without leading zeros. */
export function isOrderedResourceVersion(version: string): boolean {
  const length = version.length;
  if (length === 0 || (length > 1 && version.charCodeAt(0) === 48)) return false;
  for (let i = 0; i < length; i++) {
    const digit = version.charCodeAt(i);
    if (digit < 48 || digit > 57) return false;
  }
  return true;
}

/**
 * -1 if `a` is older than `b`, 1 if it is newer, 0 if they are equal; undefined if they differ and one of them is opaque.
 * The order is meaningful only between versions of one resource on one server.
 */
export function compareResourceVersions(a: string, b: string): -1 | 0 | 1 | undefined {
  if (a === b) return 0;
  if (!isOrderedResourceVersion(a) || !isOrderedResourceVersion(b)) return undefined;
  if (a.length !== b.length) return a.length < b.length ? -1 : 1;
  return a < b ? -1 : 1;
}
