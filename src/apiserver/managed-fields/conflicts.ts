import { StatusError } from '../../meta/errors/errors.js';
import type { ManagedEntry } from './entries.js';
import { type FieldSet, hasPath, pathsOf } from './fields.js';
import { type PathElement, printElement } from './path-element.js';

/** A field of an applied object that another manager owns with another value. */
export interface Conflict {
  readonly owner: ManagedEntry;
  readonly path: readonly PathElement[];
}

/** The conflicts with the owners of some fields. */
export function conflictsWith(owner: ManagedEntry, fields: FieldSet): Conflict[] {
  return [...pathsOf(fields)].map((path) => ({ owner, path }));
}

/** The conflicts that are not about a field of a set. */
export function conflictsBeyond(conflicts: readonly Conflict[], allowed: FieldSet): Conflict[] {
  return conflicts.filter(({ path }) => !hasPath(allowed, path));
}

/** The answer to an apply with conflicts, which are in the order of their owners. */
export function conflictError(conflicts: readonly Conflict[]): StatusError {
  const causes = conflicts.map(({ owner, path }) => ({
    reason: 'FieldManagerConflict',
    message: `conflict with ${printOwner(owner)}`,
    field: printPath(path),
  }));
  const [first] = causes;
  const count = causes.length;
  const message =
    count === 1
      ? `Apply failed with 1 conflict: ${first!.message}: ${first!.field}`
      : `Apply failed with ${count} conflicts: ${listed(conflicts)}`;
  return new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason: 'Conflict',
    details: { causes },
    code: 409,
  });
}

function listed(conflicts: readonly Conflict[]): string {
  const lines: string[] = [];
  let last: ManagedEntry | undefined;
  for (const { owner, path } of conflicts) {
    if (owner !== last) lines.push(`conflicts with ${printOwner(owner)}:`);
    lines.push(`- ${printPath(path)}`);
    last = owner;
  }
  return lines.join('\n');
}

function printOwner({ manager, subresource, operation, apiVersion }: ManagedEntry): string {
  const part = subresource === '' ? '' : ` with subresource ${JSON.stringify(subresource)}`;
  return `${JSON.stringify(manager)}${part}${operation === 'Update' ? ` using ${apiVersion}` : ''}`;
}

function printPath(path: readonly PathElement[]): string {
  return path.map(printElement).join('');
}
