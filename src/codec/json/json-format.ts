import { type FieldPath, RAW_HAS_API_VERSION, RAW_HAS_KIND, RAW_IRREGULAR, type Raw, type RawFormat } from '../raw.js';
import { readPath, skipSpace, utf8 } from './read-json.js';
import { scannedMetadata } from './scan-program.js';

/** How many leading names of the path are unique in a regular object, because every scan looks for them. */
function uniqueNames(path: FieldPath): number {
  if (path[0] === 'kind' || path[0] === 'apiVersion') return 1;
  if (path[0] !== 'metadata') return 0;
  return path.length > 1 && scannedMetadata.has(path[1]!) ? 2 : 1;
}

function json(raw: Raw<unknown>): string {
  const { origin, flags, offset, length } = raw;
  const bytes = raw.slab.bytes;
  let added = '';
  if ((flags & RAW_HAS_KIND) === 0 && origin.kind !== '') added = `"kind":${JSON.stringify(origin.kind)}`;
  if ((flags & RAW_HAS_API_VERSION) === 0 && origin.apiVersion !== '') {
    added += `${added === '' ? '' : ','}"apiVersion":${JSON.stringify(origin.apiVersion)}`;
  }
  if (added === '') return utf8(bytes, offset, offset + length);
  const comma = bytes[skipSpace(bytes, offset + 1)] === 0x7d ? '' : ',';
  return `{${added}${comma}${utf8(bytes, offset + 1, offset + length)}`;
}

/** Reads JSON objects. */
export const jsonFormat: RawFormat = {
  json,

  decode: (raw) => JSON.parse(json(raw)),

  value(raw, path) {
    if (path.length === 1) {
      if (path[0] === 'kind' && (raw.flags & RAW_HAS_KIND) === 0) return raw.origin.kind || undefined;
      if (path[0] === 'apiVersion' && (raw.flags & RAW_HAS_API_VERSION) === 0)
        return raw.origin.apiVersion || undefined;
    }
    const unique = (raw.flags & RAW_IRREGULAR) === 0 ? uniqueNames(path) : 0;
    return readPath(raw.slab.bytes, raw.offset, path, unique);
  },
};
