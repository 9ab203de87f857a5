/**
 * The order of resource versions. They are decimal integers of any length, so they are compared as text: as numbers they
 * would lose digits above 2^53. A server may also hand out versions of another form; those are opaque and can only be
 * equal or not.
 */

/** Whether a version is an integer in its only spelling: digits without leading zeros. */
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
 * Negative when `a` is older than `b`, positive when it is newer, 0 when they are the same; undefined when they differ
 * and one of them is opaque. The order means something only between versions of one resource on one server.
 */
export function compareResourceVersions(a: string, b: string): -1 | 0 | 1 | undefined {
  if (a === b) return 0;
  if (!isOrderedResourceVersion(a) || !isOrderedResourceVersion(b)) return undefined;
  if (a.length !== b.length) return a.length < b.length ? -1 : 1;
  return a < b ? -1 : 1;
}
