import { getField, isJsonObject, type JsonObject } from '../../meta/json-values.js';
import type { FieldManager } from '../protocol.js';
import type { PathStep } from './differences.js';

/** An entry of `metadata.managedFields` that can be searched. */
interface ManagedFields {
  readonly manager: string;
  readonly at: number | null;
  readonly entry: JsonObject;
  readonly fields: JsonObject;
}

/** Who owns the fields of an object, from its `metadata.managedFields`. */
export class FieldOwners {
  readonly #entries: readonly ManagedFields[];

  /** @param managedFields what the server sent; anything else than an array has no owners */
  constructor(managedFields: unknown) {
    const entries = Array.isArray(managedFields) ? managedFields.filter(isJsonObject) : [];
    this.#entries = entries
      .map((entry): ManagedFields => {
        const { manager, time, fieldsV1 } = entry;
        const at = typeof time === 'string' ? Date.parse(time) : Number.NaN;
        return {
          manager: typeof manager === 'string' ? manager : '(unknown)',
          at: Number.isNaN(at) ? null : at,
          entry,
          fields: isJsonObject(fieldsV1) ? fieldsV1 : {},
        };
      })
      .sort((a, b) => (b.at ?? 0) - (a.at ?? 0));
  }

  /** The managers, newest first. */
  get managers(): FieldManager[] {
    return this.#entries.map(({ manager, at, entry, fields }) => ({
      manager,
      operation: typeof entry.operation === 'string' ? entry.operation : '',
      subresource: typeof entry.subresource === 'string' && entry.subresource !== '' ? entry.subresource : null,
      at,
      fields: countLeaves(fields),
    }));
  }

  /** The manager that owns the field at a path; the one that wrote last if several do; undefined if none does. */
  ownerOf(steps: readonly PathStep[]): string | undefined {
    return this.#entries.find(({ fields }) => owns(fields, steps))?.manager;
  }

  /** The managers whose entries are not the same in an earlier state of the object: they made the change. */
  changedSince(before: FieldOwners): string[] {
    const known = new Set(before.#entries.map(({ entry }) => JSON.stringify(entry)));
    return [
      ...new Set(this.#entries.filter(({ entry }) => !known.has(JSON.stringify(entry))).map(({ manager }) => manager)),
    ];
  }
}

/** Whether a tree of fields has the path, or an atomic field above it. */
function owns(tree: JsonObject, steps: readonly PathStep[]): boolean {
  let node = tree;
  for (const [i, step] of steps.entries()) {
    const next = childOf(node, step);
    // An item of an atomic list has no node of its own.
    if (next === undefined) return i > 0 && Object.keys(node).length === 0;
    node = next;
  }
  return true;
}

function childOf(node: JsonObject, step: PathStep): JsonObject | undefined {
  if (typeof step === 'object') {
    for (const [name, child] of Object.entries(node))
      if (name.startsWith('k:') && namesItem(name.slice(2), step.field, step.value)) return asNode(child);
    return undefined;
  }
  return asNode(getField(node, typeof step === 'string' ? `f:${step}` : `i:${step}`));
}

/** Whether the keys of an item, as JSON, have this one among them. */
function namesItem(keys: string, field: string, value: string): boolean {
  try {
    const parsed: unknown = JSON.parse(keys);
    return isJsonObject(parsed) && String(getField(parsed, field)) === value;
  } catch {
    return false;
  }
}

function asNode(value: unknown): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}

function countLeaves(node: JsonObject): number {
  let leaves = 0;
  for (const [name, child] of Object.entries(node)) {
    if (name === '.') continue;
    const below = isJsonObject(child) ? countLeaves(child) : 0;
    leaves += below === 0 ? 1 : below;
  }
  return leaves;
}
