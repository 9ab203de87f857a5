import type { JsonObject } from '../../meta/json-values.js';

/** A column of a Table, as sent. */
export interface Column {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  /** Columns of another priority than 0 are shown by `kubectl get -o wide`. */
  readonly priority: number;
}

/** A condition of a row, as sent. */
export interface RowCondition {
  readonly type: 'Completed';
  readonly status: 'True';
  readonly reason: string;
  readonly message: string;
}

/** How the objects of a kind are shown in a Table. */
export interface KindTable {
  readonly columns: readonly Column[];
  /** The cells of a stored object, one per column, wide columns too. `now` is in milliseconds. */
  cells(object: JsonObject, now: number): readonly unknown[];
  conditions?: ((object: JsonObject) => readonly RowCondition[] | undefined) | undefined;
  /** It is that of kinds without a table of their own, whose empty lists have null as rows. */
  readonly isDefault?: boolean | undefined;
}
