/** A path component of an image's repository: lower-case letters and digits, with separators between them. */
const COMPONENT = /^[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*$/;
const TAG = /^\w[\w.-]{0,127}$/;
const DIGEST = /^[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}$/;

/** The longest repository name that a reference may have. */
const MAX_NAME = 255;

/**
 * The tag of an image reference: `latest` if it has neither a tag nor a digest, and empty if it has a digest only or is no
 * valid reference.
 */
export function imageTag(image: string): string {
  const at = image.indexOf('@');
  const named = at < 0 ? image : image.slice(0, at);
  if (at >= 0 && !DIGEST.test(image.slice(at + 1))) return '';
  const colon = named.lastIndexOf(':');
  const hasTag = colon > named.lastIndexOf('/');
  const tag = hasTag ? named.slice(colon + 1) : '';
  const name = hasTag ? named.slice(0, colon) : named;
  if (name === '' || name.length > MAX_NAME || (hasTag && !TAG.test(tag))) return '';
  const parts = name.split('/');
  // The first part is a host if it looks like one.
  const first = parts[0]!;
  if (parts.length > 1 && (/[.:]/.test(first) || first === 'localhost' || first !== first.toLowerCase())) parts.shift();
  if (!parts.every((part) => COMPONENT.test(part))) return '';
  return tag === '' && at < 0 ? 'latest' : tag;
}
