import { valueAt } from '../../../../meta/json-paths.js';
import { isJsonObject, type JsonObject } from '../../../../meta/json-values.js';
import { age } from '../../../tables/cell-text.js';
import { NAME } from '../../../tables/columns.js';
import type { Column, KindTable } from '../../../tables/kind-table.js';
import { goNumber } from '../object/numbers.js';
import { type JsonPath, JsonPathError, parseJsonPath } from './json-path.js';

const AGE: JsonObject = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };

interface PathColumn extends Column {
  readonly path: JsonPath;
}

/** The table of a version, from its `additionalPrinterColumns`. */
export function customTable(declared: unknown): KindTable {
  const columns = parseColumns(declared);
  return {
    columns: [NAME, ...columns.map(({ path: _path, ...column }) => column)],
    cells: (object, now) => [
      valueAt(object, ['metadata', 'name']) ?? '',
      ...columns.map((column) => columnCell(column, object, now)),
    ],
  };
}

/** The columns after the name. One whose path cannot be parsed is left out with those after it. */
function parseColumns(declared: unknown): PathColumn[] {
  const given = Array.isArray(declared) ? declared.filter(isJsonObject) : [];
  const columns: PathColumn[] = [];
  for (const column of given.length === 0 ? [AGE] : given) {
    const text = (name: string): string => (typeof column[name] === 'string' ? column[name] : '');
    const description = `Custom resource definition column (in JSONPath format): ${text('jsonPath')}`;
    try {
      columns.push({
        name: text('name'),
        type: text('type'),
        format: text('format'),
        description: text('description') || description,
        priority: typeof column['priority'] === 'number' ? column['priority'] : 0,
        path: parseJsonPath(text('jsonPath')),
      });
    } catch (error) {
      if (!(error instanceof JsonPathError)) throw error;
      break;
    }
  }
  return columns;
}

/** The cell of an object in a column; null if it has no value of the column's type. */
function columnCell(column: PathColumn, object: JsonObject, now: number): unknown {
  const value = firstValue(column.path, object);
  if (value === undefined) return null;
  switch (column.type) {
    case 'string':
      return textOf(value);
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : null;
    case 'number':
      return typeof value === 'number' ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'date':
      return typeof value === 'string' ? ageCell(value, now) : null;
    default:
      return null;
  }
}

function ageCell(value: string, now: number): string {
  const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(value) && !Number.isNaN(Date.parse(value));
  return isTime || value === '' ? age(value, now) : '<invalid>';
}

function firstValue(path: JsonPath, object: JsonObject): unknown {
  try {
    return path(object)[0];
  } catch (error) {
    if (error instanceof JsonPathError) return undefined;
    throw error;
  }
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'number' ? goNumber(value) : JSON.stringify(value);
}
