import { type InformerErrorHandler, SharedInformer } from '../../cache/informer/shared-informer.js';
import { ListWatch } from '../../cache/source/list-watch.js';
import { MappedListWatch } from '../../cache/source/mapped-list-watch.js';
import { type ObjectItem, objectView, toObjectItem } from '../../cache/store/object-item.js';
import type { Client } from '../../client/client.js';
import type { ApiResource } from '../../client/discovery-documents.js';
import { type Accessor, objectAccessor } from '../../meta/accessor.js';
import type { PartialObjectMetadata } from '../../meta/objects.js';
import type { Resource } from '../../meta/resource.js';
import type { WireEvent } from '../../meta/watch-event.js';
import { type Table, type TableRow, type TableSelection, tableOf, tableRequest } from './server-table.js';

/** A row of a Table as an object: its metadata, and the cells that the server printed. */
export interface RowObject extends PartialObjectMetadata, Pick<TableRow, 'cells'> {}

/** What a {@link tableInformer} is made of. */
export interface TableInformerOptions extends TableSelection {
  readonly onError: InformerErrorHandler;
  /** Called with each Table before its rows are stored, because it may have columns. */
  readonly onTable: (table: Table) => void;
}

/** An informer of the rows of a resource: it lists and watches Tables. */
export function tableInformer(
  client: Client,
  resource: ApiResource,
  options: TableInformerOptions,
): SharedInformer<ObjectItem<RowObject>, RowObject> {
  const { onError, onTable, ...selection } = options;
  const { clock } = client;
  const take = (answer: unknown): Table => {
    const table = tableOf(answer);
    onTable(table);
    return table;
  };
  const source = new ListWatch<RowObject>({
    async list(parameters, signal) {
      const request = tableRequest(client, resource, selection).params(parameters);
      const { metadata, rows } = take(await request.do<unknown>({ signal }));
      return { metadata, items: rows.map(rowObject) };
    },
    async *watch(parameters, signal): AsyncGenerator<WireEvent<RowObject>, void> {
      const request = tableRequest(client, resource, selection).params(parameters);
      for await (const event of request.watch<unknown>({ signal })) {
        if (event.type === 'BOOKMARK') yield event;
        else for (const row of take(event.object).rows) yield { type: event.type, object: rowObject(row) };
      }
    },
  });
  const accessor: Accessor<RowObject, RowObject> = objectAccessor;
  const map = (row: RowObject) => toObjectItem<RowObject, RowObject, RowObject>(accessor, row, undefined);
  return new SharedInformer<ObjectItem<RowObject>, RowObject>({
    resource: resource as unknown as Resource<RowObject>,
    listWatch: new MappedListWatch({ source, map, clock }),
    view: objectView<RowObject>(),
    clock,
    host: client.rest.host,
    onError,
  });
}

function rowObject({ cells, object }: TableRow): RowObject {
  const { kind, apiVersion, metadata } = object;
  return { kind, apiVersion, metadata, cells };
}
