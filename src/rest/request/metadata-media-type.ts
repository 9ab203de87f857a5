import type { Codec } from '../../codec/codec.js';

/** For `Accept`: objects, or a list of them, without their spec and status. */
export function metadataMediaType(codec: Codec, of: 'object' | 'list' = 'object'): string {
  const kind = of === 'list' ? 'PartialObjectMetadataList' : 'PartialObjectMetadata';
  return `${codec.mediaType};as=${kind};g=meta.k8s.io;v=v1`;
}
