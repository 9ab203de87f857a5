import { isDeepStrictEqual } from 'node:util';
import { cut, printable } from '../columns.js';

/** What changes with everything, or says nothing to anybody. */
const noise = new Set(
  ['resourceVersion', 'managedFields', 'generation', 'deletionGracePeriodSeconds'].map((name) => `metadata.${name}`),
);
const longestValue = 24;

/**
 * What differs between two states of an object, in words: `status.phase Pending → Running`. Arrays are compared place by
 * place while they have the same length.
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

/** Own members only: `__proto__` may be the name of a field, and must not reach what every object inherits. */
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
