import type { JsonObject } from '../../meta/json-values.js';
import type { Column, KindTable, RowCondition } from './kind-table.js';

interface ColumnFacts {
  type?: string;
  format?: string;
  priority?: number;
}

/** A column of text. The description is that of kube-apiserver if it is short: the long ones are part of its documentation. */
export function text(name: string, description = '', facts: ColumnFacts = {}): Column {
  return { name, type: facts.type ?? 'string', format: facts.format ?? '', description, priority: facts.priority ?? 0 };
}

/** A column of text that is shown with `-o wide`. */
export function wide(name: string, description = ''): Column {
  return text(name, description, { priority: 1 });
}

export function integer(name: string, description = ''): Column {
  return text(name, description, { type: 'integer' });
}

export function boolean(name: string): Column {
  return text(name, '', { type: 'boolean' });
}

export const NAME: Column = text('Name', '', { format: 'name' });
export const AGE: Column = text('Age');

const CONTAINERS = 'Names of each container in the template.';
const IMAGES = 'Images referenced by each container in the template.';

/** The columns of {@link containerCells}, shown always or with `-o wide`. */
export const containerColumns: readonly Column[] = [text('Containers', CONTAINERS), text('Images', IMAGES)];
export const wideContainerColumns: readonly Column[] = [wide('Containers', CONTAINERS), wide('Images', IMAGES)];

/** The table of a kind whose objects have the type `T`. */
export function kindTable<T>(
  columns: readonly Column[],
  cells: (object: T, now: number) => readonly unknown[],
  conditions?: (object: T) => readonly RowCondition[] | undefined,
): KindTable {
  return {
    columns,
    // Stored objects have the types of their kind: typed-object.ts checks them before a write.
    cells: (object, now) => cells(object as unknown as T, now),
    conditions: conditions && ((object: JsonObject) => conditions(object as unknown as T)),
  };
}
