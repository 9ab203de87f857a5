import { isDeepStrictEqual } from 'node:util';
import { equalLarge } from '../../../../codec/json/large-json.js';
import { getField, isJsonObject, type JsonObject } from '../../../../meta/json-values.js';
import type { Steps } from '../../../../time/steps.js';
import { fieldOf, type Structural } from '../definition/structural.js';

/**
 * A value of an update beside the value that it replaces. Fields correlate by name, items of lists with list type `map` by
 * their keys; items of other lists have no former value.
 */
export class Correlation {
  readonly value: unknown;
  readonly old: unknown;
  readonly #schema: Structural;
  readonly #children = new Map<string | number, Correlation>();
  #oldItems: OldItems | undefined;
  #isEqual: boolean | undefined;

  constructor(value: unknown, old: unknown, schema: Structural) {
    this.value = value;
    this.old = old;
    this.#schema = schema;
  }

  /** The field of that name; undefined if one of both values has none. */
  key(name: string): Correlation | undefined {
    const known = this.#children.get(name);
    if (known !== undefined) return known;
    if (!isJsonObject(this.value) || !isJsonObject(this.old)) return undefined;
    const schema = fieldOf(this.#schema, name);
    if (schema === undefined || !Object.hasOwn(this.value, name) || !Object.hasOwn(this.old, name)) return undefined;
    const child = new Correlation(this.value[name], this.old[name], schema);
    this.#children.set(name, child);
    return child;
  }

  /** The item at a place of the new value; undefined if it has no former value. */
  index(at: number): Correlation | undefined {
    const known = this.#children.get(at);
    if (known !== undefined) return known;
    const { items, listType } = this.#schema;
    if (!Array.isArray(this.value) || !Array.isArray(this.old) || items === undefined || listType !== 'map') {
      return undefined;
    }
    this.#oldItems ??= new OldItems(this.#schema, this.old);
    const old = this.#oldItems.get(this.value[at]);
    if (old === undefined || old === null) return undefined;
    const child = new Correlation(this.value[at], old, items);
    this.#children.set(at, child);
    return child;
  }

  /** Whether both values are equal; the order of lists with list type `map` does not count. */
  *isEqual(): Steps<boolean> {
    this.#isEqual ??= yield* this.#compare();
    return this.#isEqual;
  }

  *#compare(): Steps<boolean> {
    const { value, old } = this;
    yield;
    if (
      Array.isArray(value) &&
      Array.isArray(old) &&
      this.#schema.listType === 'map' &&
      this.#schema.items !== undefined
    ) {
      if (value.length !== old.length) return false;
      for (let at = 0; at < value.length; at++) {
        const child = this.index(at);
        if (child === undefined || !(yield* child.isEqual())) return false;
      }
      return true;
    }
    if (isJsonObject(value) && isJsonObject(old)) {
      const names = Object.keys(value);
      if (names.length !== Object.keys(old).length) return false;
      for (const name of names) {
        const child = this.key(name);
        if (child === undefined || !(yield* child.isEqual())) return false;
      }
      return true;
    }
    return yield* equalLarge(value, old);
  }
}

/** The items of a former list with list type `map`, by their keys. */
export class OldItems {
  readonly #keys: readonly string[];
  readonly #items = new Map<string, unknown>();

  constructor(schema: Structural, items: readonly unknown[]) {
    this.#keys = schema.type === 'array' && schema.listType === 'map' ? schema.listMapKeys : [];
    if (this.#keys.length === 0) return;
    for (const item of items) {
      const key = isJsonObject(item) ? this.#keyOf(item) : undefined;
      if (key !== undefined && !this.#items.has(key)) this.#items.set(key, item);
    }
  }

  /** The former item with the keys of a new one. */
  get(item: unknown): unknown {
    const key = isJsonObject(item) && this.#keys.length > 0 ? this.#keyOf(item) : undefined;
    return key === undefined ? undefined : this.#items.get(key);
  }

  /** Undefined unless all keys are scalars. */
  #keyOf(item: JsonObject): string | undefined {
    let key = '';
    for (const name of this.#keys) {
      const value = getField(item, name);
      if (value === undefined || value === null || typeof value === 'object') return undefined;
      key += `${JSON.stringify(value)}\0`;
    }
    return key;
  }
}

/** Whether two JSON values are equal. */
export function isSame(a: unknown, b: unknown): boolean {
  return a === b || (typeof a === 'object' && isDeepStrictEqual(a, b));
}
