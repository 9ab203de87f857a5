import type { Manifest } from '../../src/controller/manifests/manifests.js';
import type { KubernetesObject } from '../../src/meta/objects.js';
import type { Resource } from '../../src/meta/resource.js';

/** A Note, as the API server stores it. */
export interface Note extends KubernetesObject {
  spec: { text: string; copies: number };
  status?: { written?: string; conditions?: { type: string; status: string }[] };
}
export const notes: Resource<Note>;
/** What has to be applied before it runs, besides the definition. */
export function deployed(): readonly Manifest[];
