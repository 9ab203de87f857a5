import { expect } from 'vitest';
import type { Client } from '../../src/client/client.js';

/**
 * Compares what candidates wrote (config maps that say by whom) with what the lease said, in the order in which the server
 * saw both: every write must have come from whoever held the lease at the time. Returns how many there were.
 *
 * @param since a version before the first candidate that the server still knows
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

/** Who held the lease from which version on. */
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
