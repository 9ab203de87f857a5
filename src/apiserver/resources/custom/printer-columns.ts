import { isJsonObject, type JsonObject } from '../../../meta/json-values.js';
import { type JsonPath, JsonPathError, parseJsonPath } from './json-path.js';
import { goNumber } from './numbers.js';

/** A column of Tables that a definition declares, as in the `columnDefinitions` of a Table. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  readonly priority: number;
  readonly path: JsonPath;
}

const AGE: JsonObject = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };

/** The columns of a version after the name. One whose path cannot be parsed is left out with those after it. */
export function parseColumns(declared: unknown): PrinterColumn[] {
  const given = Array.isArray(declared) ? declared.filter(isJsonObject) : [];
  const columns: PrinterColumn[] = [];
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

/**
 * The cell of an object in a column; null if it has no value of the column's type.
 *
 * @param age the text of a cell for a timestamp, such as `5m10s`
 */
export function columnCell(column: PrinterColumn, object: JsonObject, age: (timestamp: string) => string): unknown {
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
      return typeof value === 'string' ? age(value) : null;
    default:
      return null;
  }
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
