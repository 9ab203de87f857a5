import { expect } from 'vitest';
import type { Client } from '../../src/client/client.js';

/**
 * Compares the writes of candidates (config maps with their identity) with the history of the Lease, by resourceVersion: every
 * write must come from the holder of the Lease at that time. Returns the number of writes.
 *
 * @param since a resourceVersion before the first candidate that is not compacted
 */
export async function checkHistory(client: Client, what: string, since = '1'): Promise<number> {
  const { items } = await client.core.v1.configMaps('default').list();
  const writes = items.flatMap(({ metadata, data }) =>
    data?.['identity'] === undefined ? [] : [{ at: Number(metadata.resourceVersion), by: data['identity'] }],
  );
  const holders = await leaseHistory(client, since);
  for (const { at, by } of writes) {
    const holder = holders.findLast((change) => change.at < at)?.by;
    expect(by, `${what}: written at version ${at}`).toBe(holder);
  }
  return writes.length;
}

/** The holders of the Lease, each with the resourceVersion from which on it held it. */
async function leaseHistory(client: Client, since: string): Promise<{ at: number; by: string }[]> {
  const leases = client.coordination.v1.leases('default');
  const last = (await leases.get('boss')).metadata.resourceVersion;
  const changes: { at: number; by: string }[] = [];
  for await (const { object } of leases.watch({ resourceVersion: since })) {
    changes.push({ at: Number(object.metadata.resourceVersion), by: object.spec?.holderIdentity ?? '' });
    if (object.metadata.resourceVersion === last) break;
  }
  return changes;
}
