import type { Client } from '../../client/client.js';
import type { ApiResource } from '../../client/discovery-documents.js';
import { inParallel } from '../../client/manifests/in-parallel.js';
import { isForbidden } from '../../meta/errors/error-predicates.js';
import { asError } from '../../meta/errors/errors.js';
import { printGroupResource } from '../../meta/resource.js';
import { readTables, type TableColumn, type TableRow } from '../table/server-table.js';
import { preferred } from '../targets.js';

/** An object with the cells that the server prints for it. */
export interface Node {
  readonly resource: ApiResource;
  readonly columns: readonly TableColumn[];
  readonly row: TableRow;
}

/** The objects that have owners. */
export interface OwnedObjects {
  /** By the uid of the owner, in the order of kinds and names. */
  readonly byOwner: ReadonlyMap<string, readonly Node[]>;
  /** What could not be listed, and why. */
  readonly unlisted: readonly { readonly resource: string; readonly reason: string }[];
}

/** How many resources are listed at once. */
const PARALLEL_LISTS = 8;

/** Events have no owners, and there may be very many of them. */
const unowned = new Set(['events', 'events.events.k8s.io']);

/**
 * Lists every resource that can be listed, as Tables, and keeps the objects that have owners. An owner with a namespace owns objects of that namespace
 * only.
 *
 * @param onListed called after each resource, with the number of objects that were read
 */
export async function listOwned(
  client: Client,
  namespace: string | undefined,
  signal: AbortSignal,
  onListed: (count: number) => void,
): Promise<OwnedObjects> {
  const known = await client.apis.resources({ signal });
  const resources = preferred(known).filter(
    (one) =>
      one.verbs.includes('list') &&
      !unowned.has(printGroupResource(one)) &&
      (namespace === undefined || one.namespaced),
  );
  const found: Node[] = [];
  const unlisted: { resource: string; reason: string }[] = [];
  await inParallel(resources, PARALLEL_LISTS, async (resource) => {
    try {
      let columns: readonly TableColumn[] = [];
      for await (const table of readTables(client, resource, { namespace, isQuiet: true }, { signal })) {
        if (table.columns.length > 0) columns = table.columns;
        onListed(table.rows.length);
        for (const row of table.rows) {
          if ((row.object.metadata.ownerReferences ?? []).length > 0) found.push({ resource, columns, row });
        }
      }
    } catch (error) {
      signal.throwIfAborted();
      const reason = isForbidden(error) ? 'forbidden' : asError(error).message;
      unlisted.push({ resource: printGroupResource(resource), reason });
    }
  });
  found.sort(byKindAndName);
  const byOwner = new Map<string, Node[]>();
  for (const node of found) {
    for (const { uid } of node.row.object.metadata.ownerReferences ?? []) {
      const siblings = byOwner.get(uid);
      if (siblings === undefined) byOwner.set(uid, [node]);
      else siblings.push(node);
    }
  }
  return { byOwner, unlisted: unlisted.sort((a, b) => (a.resource < b.resource ? -1 : 1)) };
}

function byKindAndName(a: Node, b: Node): number {
  const [left, right] = [keyOf(a), keyOf(b)];
  return left < right ? -1 : left > right ? 1 : 0;
}

function keyOf({ resource, row }: Node): string {
  return `${printGroupResource(resource)} ${row.object.metadata.namespace ?? ''} ${row.object.metadata.name}`;
}
