import { StatusError } from '../../../../meta/errors/errors.js';
import { requestEntityTooLarge } from '../../../../meta/errors/status.js';
import { getField, isJsonObject, setField } from '../../../../meta/json-values.js';
import { mutableCopy } from '../../../../meta/objects.js';
import { isStepDue, type Steps } from '../../../../time/steps.js';
import { fieldOf, type Structural } from '../definition/structural.js';

/** The most that defaults may add to one object, in characters of JSON: a large default may apply to each item of a long list. */
const MAX_ADDED = 16 * 1024 * 1024;

/** Sets the defaults of a schema: of fields that are missing, and of nulls that are not nullable. */
export function* setDefaults(value: unknown, schema: Structural): Steps<void> {
  yield* new Defaulting().fill(value, schema);
}

const sizes = new WeakMap<object, number>();

class Defaulting {
  #left = MAX_ADDED;

  *fill(value: unknown, schema: Structural): Steps<void> {
    if (typeof value !== 'object' || value === null) return;
    if (isStepDue()) yield;
    if (Array.isArray(value)) {
      const { items } = schema;
      if (items === undefined) return;
      for (let at = 0; at < value.length; at++) {
        if (isReplaced(value[at], items)) value[at] = this.#copy(items.default);
        if (typeof value[at] === 'object') yield* this.fill(value[at], items);
      }
      return;
    }
    if (!isJsonObject(value)) return;
    for (const [name, property] of schema.properties) {
      if (property.default !== undefined && !Object.hasOwn(value, name)) {
        setField(value, name, this.#copy(property.default));
      }
    }
    for (const name of Object.keys(value)) {
      const field = fieldOf(schema, name);
      if (field === undefined) continue;
      if (isReplaced(value[name], field)) setField(value, name, this.#copy(field.default));
      const child = getField(value, name);
      if (typeof child === 'object') yield* this.fill(child, field);
    }
  }

  #copy(value: unknown): unknown {
    if (typeof value !== 'object' || value === null) return value;
    let size = sizes.get(value);
    if (size === undefined) sizes.set(value, (size = JSON.stringify(value).length));
    this.#left -= size;
    if (this.#left < 0)
      throw new StatusError(requestEntityTooLarge('the defaults of the schema make the object too large'));
    return mutableCopy(value);
  }
}

function isReplaced(value: unknown, schema: Structural): boolean {
  return value === null && !schema.nullable && schema.default !== undefined;
}
