import type { Codec } from '../../codec/codec.js';

/** The `Accept` header for PartialObjectMetadata, or a list of it. */
export function metadataMediaType(codec: Codec, of: 'object' | 'list' = 'object'): string {
  const kind = of === 'list' ? 'PartialObjectMetadataList' : 'PartialObjectMetadata';
  return `${codec.mediaType};as=${kind};g=meta.k8s.io;v=v1`;
}
