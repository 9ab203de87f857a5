import { printGroupResource } from '../../meta/resource.js';
import { TableCells } from '../table/table-cells.js';
import { Columns } from '../terminal/columns.js';
import type { LineOutput } from '../terminal/line-output.js';
import type { Style } from '../terminal/style.js';
import type { Reader } from './reader.js';

/** How tables are printed. */
export interface PrintTablesOptions {
  readonly output: string;
  readonly allNamespaces: boolean;
  readonly headers: boolean;
  readonly style: Style;
}

/** Prints a table for each resource that has objects, page by page: the columns are as wide as the first page needs. */
export async function printTables(reader: Reader, output: LineOutput, options: PrintTablesOptions): Promise<void> {
  let isFirst = true;
  for (const asked of reader.asked) {
    const { group, singular, namespaced } = asked.resource;
    const cells = new TableCells({
      wide: options.output === 'wide',
      withNamespace: options.allNamespaces && namespaced,
      kind: reader.asked.length > 1 ? printGroupResource({ group, resource: singular }) : undefined,
    });
    const columns = new Columns([]);
    let hasHeaders = false;
    for await (const table of reader.tables(asked)) {
      cells.learn(table);
      const lines = table.rows.map((row) => cells.texts(row));
      if (lines.length === 0) continue;
      for (const line of options.headers ? [cells.headers, ...lines] : lines) columns.fit(line);
      if (!hasHeaders && !isFirst) await output.write('');
      if (!hasHeaders && options.headers) await output.write(options.style.bold(columns.line(cells.headers)));
      hasHeaders = true;
      isFirst = false;
      for (const line of lines) await output.write(columns.line(line));
    }
  }
}
