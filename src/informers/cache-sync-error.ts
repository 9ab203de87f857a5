import type { InformerStatus } from '../cache/informer/informer-status.js';
import { KubeflectError } from '../meta/errors/errors.js';

/** An informer that has not synced, and its status. */
export interface Unsynced {
  readonly resource: string;
  readonly namespace: string | undefined;
  readonly status: InformerStatus;
}

/** Names the caches that have not synced, and the reasons. The informers keep retrying. */
export class CacheSyncError extends KubeflectError {
  static {
    CacheSyncError.prototype.name = 'CacheSyncError';
  }

  readonly unsynced: readonly Unsynced[];

  constructor(unsynced: readonly Unsynced[], reason: string) {
    const sorted = [...unsynced].sort((a, b) => a.resource.localeCompare(b.resource));
    super('CACHE_SYNC', `failed to sync all caches (${reason}): ${sorted.map(describe).join(', ')}`, {
      cause: sorted.find(({ status }) => status.lastError !== undefined)?.status.lastError,
    });
    this.unsynced = sorted;
  }
}

function describe({ resource, namespace, status }: Unsynced): string {
  const where = namespace === undefined ? resource : `${resource} in ${namespace}`;
  return `${where} (${status.lastError === undefined ? status.state : status.lastError.message})`;
}
