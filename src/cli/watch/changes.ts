import { isDeepStrictEqual } from 'node:util';
import { cut, printable } from '../terminal/columns.js';

/** Fields that change with every write, or that tell a reader nothing. */
const noise = new Set(
  ['resourceVersion', 'managedFields', 'generation', 'deletionGracePeriodSeconds'].map((name) => `metadata.${name}`),
);
const longestValue = 24;

/**
 * Describes the differences between two states of an object: `status.phase Pending → Running`. Arrays of the same length are
 * compared element by element.
 */
export function changesBetween(before: unknown, after: unknown, limit = 3): string[] {
  const found: string[] = [];
  compare(before, after, '', found, limit + 1);
  return found.length > limit ? [...found.slice(0, limit), '…'] : found;
}

function compare(before: unknown, after: unknown, path: string, found: string[], limit: number): void {
  if (found.length >= limit || noise.has(path) || isDeepStrictEqual(before, after)) return;
  if (isContainer(before) && isContainer(after) && haveSameShape(before, after)) {
    for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
      const next = Array.isArray(after) ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`;
      compare(member(before, name), member(after, name), next, found, limit);
    }
    return;
  }
  found.push(printable(`${path} ${valueText(before)} → ${valueText(after)}`));
}

type Container = Readonly<Record<string, unknown>>;

function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null;
}

/** Reads own members only: a field may be called `__proto__`. */
function member(container: Container, name: string): unknown {
  return Object.hasOwn(container, name) ? container[name] : undefined;
}

function haveSameShape(before: Container, after: Container): boolean {
  if (!Array.isArray(before) || !Array.isArray(after)) return Array.isArray(before) === Array.isArray(after);
  return before.length === after.length;
}

function valueText(value: unknown): string {
  if (value === undefined) return '–';
  if (Array.isArray(value)) return `[${value.length}]`;
  const text = typeof value === 'string' ? value : isContainer(value) ? '{…}' : String(value);
  return cut(text, longestValue);
}
