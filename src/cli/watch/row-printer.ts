import type { InformerEvent } from '../../cache/informer/informer-event.js';
import type { Unstructured } from '../../meta/objects.js';
import type { TableRow } from '../table/server-table.js';
import type { TableCells } from '../table/table-cells.js';
import type { RowObject } from '../table/table-informer.js';
import { Columns } from '../terminal/columns.js';
import type { LineOutput } from '../terminal/line-output.js';
import type { Style } from '../terminal/style.js';
import type { Printer } from './printer.js';

/**
 * Prints a line per event with the columns of the server, as `kubectl get` shows them, and colours the cells that changed. The
 * columns come again when the next line is of another resource.
 */
export class RowPrinter implements Printer {
  readonly #output: LineOutput;
  readonly #style: Style;
  /** By resource. */
  readonly #cells: ReadonlyMap<string, TableCells>;
  readonly #columns = new Map<string, Columns>();
  /** The headers that were printed last. */
  #headers = '';

  constructor(output: LineOutput, style: Style, cells: ReadonlyMap<string, TableCells>) {
    this.#output = output;
    this.#style = style;
    this.#cells = cells;
  }

  event(resource: string, event: InformerEvent<Unstructured>): Promise<void> | undefined {
    const cells = this.#cells.get(resource) as TableCells;
    const columns = this.#columnsOf(resource);
    const shown = cells.texts(rowOf(event.object));
    const before = event.type === 'update' ? cells.texts(rowOf(event.old)) : shown;
    columns.fit(['', ...shown]);
    this.#writeHeaders(resource, columns, cells.headers);
    const { type } = event;
    const line = columns.line([type, ...shown], (text, column) => {
      if (column === 0) return this.#style[colours[type]](text);
      const index = column - 1;
      return before[index] === shown[index] || cells.isTime(index) ? text : this.#style.bold(this.#style.yellow(text));
    });
    return this.#output.write(line);
  }

  synced(): undefined {}

  #columnsOf(resource: string): Columns {
    let columns = this.#columns.get(resource);
    if (columns === undefined) this.#columns.set(resource, (columns = new Columns([6])));
    return columns;
  }

  #writeHeaders(resource: string, columns: Columns, headers: readonly string[]): void {
    const key = [resource, ...headers].join('\n');
    if (key === this.#headers) return;
    this.#headers = key;
    void this.#output.write(this.#style.bold(columns.line(['EVENT', ...headers])));
  }
}

const colours = { add: 'green', update: 'yellow', delete: 'red' } as const;

/** The events are those of a `tableInformer`. */
function rowOf(object: unknown): TableRow {
  const row = object as RowObject;
  return { cells: row.cells, object: row };
}
