import type { Client } from '../client/client.js';
import type { ApiResource } from '../client/discovery-documents.js';
import { isForbidden, isNotFound } from '../meta/errors/error-predicates.js';
import type { DeepReadonly, ObjectMeta, OwnerReference } from '../meta/objects.js';
import { parseApiVersion, printGroupResource } from '../meta/resource.js';
import { readTable, type Table } from './table/server-table.js';

/** An owner of an object. */
export interface Owner {
  readonly reference: DeepReadonly<OwnerReference>;
  /** Undefined if the server does not have the kind. */
  readonly resource: ApiResource | undefined;
  /** The owner as a Table of one row; undefined if it cannot be read, see `problem`. */
  readonly table: Table | undefined;
  /** Why there is no owner to show. */
  readonly problem: string | undefined;
}

/** Each owner is a request; real chains have a few. */
const MAX_OWNERS = 32;

/** The owners of an object: its controller, or else its first owner, and the same of that one, up to one without owners. */
export async function ownersOf(
  client: Client,
  metadata: DeepReadonly<Pick<ObjectMeta, 'uid' | 'namespace' | 'ownerReferences'>>,
  signal: AbortSignal,
): Promise<readonly Owner[]> {
  const owners: Owner[] = [];
  const seen = new Set<string | undefined>([metadata.uid]);
  let reference = controllerOf(metadata);
  while (reference !== undefined && !seen.has(reference.uid) && owners.length < MAX_OWNERS) {
    seen.add(reference.uid);
    const owner = await readOwner(client, reference, metadata.namespace, signal);
    owners.push(owner);
    reference = owner.table === undefined ? undefined : controllerOf(owner.table.rows[0]?.object.metadata ?? {});
  }
  return owners;
}

/** `replicaset.apps/web-5d9c`. */
export function printOwner({ resource, reference }: Owner): string {
  const kind =
    resource === undefined
      ? reference.kind.toLowerCase()
      : printGroupResource({ group: resource.group, resource: resource.singular });
  return `${kind}/${reference.name}`;
}

function controllerOf({
  ownerReferences = [],
}: DeepReadonly<Pick<ObjectMeta, 'ownerReferences'>>): DeepReadonly<OwnerReference> | undefined {
  return ownerReferences.find(({ controller }) => controller === true) ?? ownerReferences[0];
}

async function readOwner(
  client: Client,
  reference: DeepReadonly<OwnerReference>,
  namespace: string | undefined,
  signal: AbortSignal,
): Promise<Owner> {
  const { kind, name, uid, apiVersion } = reference;
  let resource: ApiResource | undefined;
  try {
    resource = await client.apis.resourceOf({ ...parseApiVersion(apiVersion), kind }, { signal });
    const selection = { namespace: resource.namespaced ? namespace : undefined, name };
    const table = await readTable(client, resource, selection, { signal });
    if (table.rows[0]?.object.metadata.uid === uid) return { reference, resource, table, problem: undefined };
    return { reference, resource, table: undefined, problem: 'is gone, another object has its name' };
  } catch (error) {
    if (isNotFound(error)) {
      const problem = resource === undefined ? 'is of a kind that the server does not have' : 'is gone';
      return { reference, resource, table: undefined, problem };
    }
    if (isForbidden(error)) return { reference, resource, table: undefined, problem: 'may not be read' };
    throw error;
  }
}
