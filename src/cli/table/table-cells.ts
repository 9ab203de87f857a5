import type { Table, TableColumn, TableRow } from './server-table.js';

/** Which columns of a Table are shown. */
export interface CellOptions {
  /** Whether columns of a priority above 0 are shown. */
  readonly wide: boolean;
  readonly withNamespace: boolean;
  /** Put before names, as in `pod/web-0`. @default none */
  readonly kind?: string | undefined;
}

/** Chooses the columns of the Tables of one resource and makes texts of their cells. */
export class TableCells {
  readonly #options: CellOptions;
  #columns: readonly TableColumn[] = [];

  constructor(options: CellOptions) {
    this.#options = options;
  }

  /** Takes over the columns of a Table, if it has some. Returns whether other ones are shown than before. */
  learn({ columns }: Pick<Table, 'columns'>): boolean {
    const before = this.headers.join('\n');
    if (columns.length > 0) this.#columns = columns;
    return this.headers.join('\n') !== before;
  }

  /** The names of the columns, in capital letters. */
  get headers(): string[] {
    const names = this.#shown((_, index) => this.#columns[index]!.name.toUpperCase());
    return this.#options.withNamespace ? ['NAMESPACE', ...names] : names;
  }

  texts(row: TableRow): string[] {
    const { kind, withNamespace } = this.#options;
    const cells = this.#shown((column, index) => {
      const text = cellText(row.cells[index]);
      return kind !== undefined && isName(column) ? `${kind}/${text}` : text;
    });
    return withNamespace ? [row.object.metadata.namespace ?? '', ...cells] : cells;
  }

  /** Whether a shown column changes by itself when time passes. */
  isTime(index: number): boolean {
    return /^(?:AGE|LAST SEEN|FIRST SEEN|DURATION)$/.test(this.headers[index] ?? '');
  }

  #shown(text: (column: TableColumn, index: number) => string): string[] {
    const all = this.#columns.map((column, index) => ({ column, index }));
    const shown = this.#options.wide ? all : all.filter(({ column }) => (column.priority ?? 0) === 0);
    return shown.map(({ column, index }) => text(column, index));
  }
}

/** Servers mark the column with the name of the object. */
function isName({ name, format }: TableColumn): boolean {
  return format === 'name' || name === 'Name';
}

/** A cell as text on one line: kubectl cuts texts at their first line break too. */
export function cellText(cell: unknown): string {
  if (cell === null || cell === undefined) return '';
  const [line = '', more] = (typeof cell === 'string' ? cell : JSON.stringify(cell)).split(/[\r\n]/, 2);
  return more === undefined ? line : `${line}...`;
}
