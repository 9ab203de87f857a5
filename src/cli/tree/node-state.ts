import { cellText } from '../table/table-cells.js';
import { age } from '../terminal/columns.js';
import type { Node } from './owned-objects.js';

/** The state of an object, in the words of the server. */
export interface NodeState {
  /** `2/3`, or `True` and `False`. */
  readonly ready: string;
  readonly status: string;
  readonly age: string;
  /** Whether it is not ready, or ends. */
  readonly isBad: boolean;
}

/** Reads the state of an object from the columns that its server prints. */
export function stateOf({ columns, row }: Node, now: number): NodeState {
  const { metadata } = row.object;
  const cell = (...names: readonly string[]): string => {
    const index = columns.findIndex(({ name }) => names.includes(name));
    return index < 0 ? '' : cellText(row.cells[index]);
  };
  const desired = cell('Desired');
  const readyCell = cell('Ready', 'Completions', 'Available');
  const ready = desired === '' || readyCell === '' ? readyCell : `${readyCell}/${desired}`;
  const status = metadata.deletionTimestamp === undefined ? cell('Status', 'Phase') : 'Terminating';
  const created = Date.parse(metadata.creationTimestamp ?? '');
  return {
    ready,
    status,
    age: Number.isNaN(created) ? cell('Age') : age(now - created),
    // Containers of a pod that has completed are not ready either.
    isBad:
      metadata.deletionTimestamp !== undefined ||
      (isIncomplete(ready) && !/^(?:Completed|Succeeded|Complete)$/.test(status)),
  };
}

function isIncomplete(ready: string): boolean {
  const [, have, want] = /^(\d+)\/(\d+)/.exec(ready) ?? [];
  return have === undefined ? ready === 'False' : Number(have) < Number(want);
}
