import { getField, isJsonObject } from '../../../../meta/json-values.js';
import { isStepDue, type Steps } from '../../../../time/steps.js';
import { asResource, fieldOf, isMetaField, type Structural } from '../definition/structural.js';

/** The most unknown fields that are reported: a document can have any number of them. */
export const MAX_REPORTED = 1000;

/**
 * Removes the fields of a value that its schema does not declare. At the root of a resource and in embedded resources the
 * metadata stays. Returns the paths of removed fields, sorted, if they are asked for.
 */
export function* prune(
  value: unknown,
  schema: Structural,
  options: { readonly isRoot: boolean; readonly reports?: boolean },
): Steps<string[]> {
  const removed: string[] = [];
  const pruning = new Pruning(options.reports === true ? removed : undefined);
  yield* pruning.prune(value, options.isRoot ? asResource(schema) : schema, '', false);
  return removed.sort();
}

class Pruning {
  readonly #removed: string[] | undefined;

  constructor(removed: string[] | undefined) {
    this.#removed = removed;
  }

  /** @param isInside whether the value is an item of a list that preserves unknown fields */
  *prune(value: unknown, schema: Structural | undefined, path: string, isInside: boolean): Steps<void> {
    if (isStepDue()) yield;
    const keepsUnknown = isInside || schema?.preservesUnknown === true;
    if (Array.isArray(value)) {
      const items = schema?.items;
      if (keepsUnknown && items === undefined) return;
      for (let at = 0; at < value.length; at++) {
        if (isContainer(value[at])) yield* this.prune(value[at], items, this.#index(path, at), keepsUnknown);
      }
      return;
    }
    if (!isJsonObject(value)) return;
    for (const name of Object.keys(value)) {
      if (schema?.isEmbedded === true && isMetaField(name)) continue;
      if (schema !== undefined && (schema.properties.has(name) || schema.additionalProperties !== undefined)) {
        const field = getField(value, name);
        if (isContainer(field)) yield* this.prune(field, fieldOf(schema, name), this.#key(path, name), false);
      } else if (!keepsUnknown) {
        if (!isMetaField(name) || path !== '') this.#report(path, name);
        delete value[name];
        if (isStepDue()) yield;
      }
    }
  }

  #report(path: string, name: string): void {
    if (this.#removed !== undefined && this.#removed.length < MAX_REPORTED) this.#removed.push(this.#key(path, name));
  }

  /** Without reports any path but the root's will do. */
  #key(path: string, name: string): string {
    if (this.#removed === undefined) return 'x';
    return path === '' ? name : `${path}.${name}`;
  }

  #index(path: string, at: number): string {
    return this.#removed === undefined ? 'x' : `${path}[${at}]`;
  }
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Removes null fields that are neither nullable nor have a default. Nulls in lists stay. */
export function* dropNulls(value: unknown, schema: Structural): Steps<void> {
  if (isStepDue()) yield;
  if (Array.isArray(value)) {
    if (schema.items === undefined) return;
    for (const item of value) if (isContainer(item)) yield* dropNulls(item, schema.items);
    return;
  }
  if (!isJsonObject(value)) return;
  for (const name of Object.keys(value)) {
    const field = fieldOf(schema, name);
    if (field === undefined) continue;
    const child = getField(value, name);
    if (isContainer(child)) yield* dropNulls(child, field);
    else if (child === null && !field.nullable && field.default === undefined) delete value[name];
  }
}
