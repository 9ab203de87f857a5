import type { Api } from './api.js';
import type { Doc } from './doc.js';

/** The names of a list's items, in its order. */
export function names(list: Doc): string[] {
  return list.items.map((item) => item.metadata.name);
}

export function configMaps(namespace: string): string {
  return `/api/v1/namespaces/${namespace}/configmaps`;
}

/** Creates config maps one after the other, each with its name as `data.of`, and returns the last. */
export async function addConfigMaps(api: Api, path: string, wanted: readonly string[], labels = {}): Promise<Doc> {
  let last: Doc | undefined;
  for (const name of wanted) last = await api.create(path, { metadata: { name, labels }, data: { of: name } });
  if (last === undefined) throw new Error('at least one name must be asked for');
  return last;
}

/** Creates a namespace with these config maps; returns the path of the collection and the last of them. */
export async function populate(api: Api, wanted: readonly string[]): Promise<{ path: string; last: Doc }> {
  const path = configMaps(await api.namespace());
  return { path, last: await addConfigMaps(api, path, wanted) };
}

/**
 * Creates events: the only built-in resource without a watch cache in the real server, so that a compaction of
 * the storage shows at once.
 */
export async function addEvents(
  api: Api,
  wanted: readonly string[],
  into?: string,
): Promise<{ path: string; last: Doc }> {
  const path = into ?? `/api/v1/namespaces/${await api.namespace()}/events`;
  const namespace = path.split('/')[4];
  let last: Doc | undefined;
  for (const name of wanted) {
    last = await api.create(path, {
      metadata: { name },
      involvedObject: { apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'subject' },
      reason: 'Tested',
    });
  }
  if (last === undefined) throw new Error('at least one name must be asked for');
  return { path, last };
}

/** A version that no server of this suite ever reaches. */
export function farAhead(version: string): string {
  return String(BigInt(version) + 100_000_000n);
}
