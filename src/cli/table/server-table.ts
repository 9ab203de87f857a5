import type { Client } from '../../client/client.js';
import { ListPager } from '../../client/list-pager.js';
import { isJsonObject } from '../../meta/json-values.js';
import type { Abortable, ListMeta, PartialObjectMetadata } from '../../meta/objects.js';
import type { SelectorParameters } from '../../meta/options/parameters.js';
import type { GroupVersionResource } from '../../meta/resource.js';
import type { Request } from '../../rest/request/request.js';
import { CommandError } from '../command.js';

/** A column of a Table. */
export interface TableColumn {
  readonly name: string;
  /** `string`, `integer`, `date` and others. */
  readonly type?: string | undefined;
  /** `name` marks the column with the name of the object. */
  readonly format?: string | undefined;
  /** Columns above 0 are shown with `-o wide` only. */
  readonly priority?: number | undefined;
}

/** One object: its cells, and its metadata. */
export interface TableRow {
  readonly cells: readonly unknown[];
  readonly object: PartialObjectMetadata;
}

/** A list of objects, or one object, as the server prints it: what `kubectl get` shows. */
export interface Table {
  readonly metadata: ListMeta;
  /** Empty if they are the same as before: a watch has them in its first event only. */
  readonly columns: readonly TableColumn[];
  readonly rows: readonly TableRow[];
}

/** Servers without Tables answer with the objects themselves. */
const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io, application/json';

/** Which objects a request is about. */
export interface TableSelection extends SelectorParameters {
  /** @default all namespaces, or the cluster */
  readonly namespace?: string | undefined;
  /** @default all objects that the selectors select */
  readonly name?: string | undefined;
  /** Whether warnings of the server are dropped, as those about deprecated resources. @default false */
  readonly isQuiet?: boolean | undefined;
}

/** A request that the server answers with a Table, whose rows have the metadata of their objects. */
export function tableRequest(client: Client, resource: GroupVersionResource, selection: TableSelection): Request {
  const { namespace, name, labelSelector, fieldSelector, isQuiet = false } = selection;
  const request = client.rest.get().resource(resource).header('accept', accept);
  if (namespace !== undefined) request.namespace(namespace);
  if (name !== undefined) request.name(name);
  if (isQuiet) request.onWarning(() => {});
  return request.params({ labelSelector, fieldSelector });
}

/** Reads one object: a Table of one row. */
export async function readTable(
  client: Client,
  resource: GroupVersionResource,
  selection: TableSelection & { readonly name: string },
  { signal }: Abortable,
): Promise<Table> {
  return tableOf(await tableRequest(client, resource, selection).do<unknown>({ signal }));
}

/** Reads a collection page by page. */
export async function* readTables(
  client: Client,
  resource: GroupVersionResource,
  selection: Omit<TableSelection, 'name'>,
  { signal }: Abortable,
): AsyncGenerator<Table, void> {
  const pager = new ListPager<Table>(
    async (page, each) => {
      const request = tableRequest(client, resource, selection).params(page);
      const table = tableOf(await request.do<unknown>({ signal: each }));
      return { items: [table], metadata: table.metadata };
    },
    { pageBufferSize: 0 },
  );
  for await (const { items } of pager.pages({}, { signal })) yield* items;
}

/** Rows without Tables: what every object has. */
const plainColumns: readonly TableColumn[] = [{ name: 'Name' }, { name: 'Created At' }];

interface TableDocument {
  readonly kind?: string;
  readonly metadata?: ListMeta;
  readonly columnDefinitions?: readonly TableColumn[] | null;
  readonly rows?: readonly TableRow[] | null;
  readonly items?: readonly PartialObjectMetadata[] | null;
}

/** Reads a Table; a list or an object becomes one with a few columns. */
export function tableOf(answer: unknown): Table {
  if (!isJsonObject(answer)) throw new CommandError('the server has answered with something that is no object');
  const document: TableDocument = answer;
  const metadata = document.metadata ?? { resourceVersion: '' };
  if (document.kind === 'Table') {
    const rows = (document.rows ?? []).filter(
      ({ cells, object }) => Array.isArray(cells) && isJsonObject(object?.metadata),
    );
    return { metadata, columns: document.columnDefinitions ?? [], rows };
  }
  const objects = document.items ?? ('items' in document ? [] : [answer as unknown as PartialObjectMetadata]);
  const rows = objects.map((object) => ({
    cells: [object.metadata.name, object.metadata.creationTimestamp ?? ''],
    object,
  }));
  return { metadata, columns: plainColumns, rows };
}
