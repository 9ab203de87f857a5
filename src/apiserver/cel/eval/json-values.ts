import { getField, isJsonObject, type JsonObject } from '../../../meta/json-values.js';
import { ArrayList, type CelError, type CelMap, EntryMap, equal, type Value } from './values.js';

/** The value of JSON without a schema. Objects convert their fields when they are read. */
export function jsonValue(json: unknown): Value {
  if (json === null || json === undefined) return null;
  if (Array.isArray(json)) return new ArrayList(json.map(jsonValue));
  if (isJsonObject(json)) return new JsonEntries(json);
  if (typeof json === 'number') return Number.isInteger(json) ? BigInt(json) : json;
  return json as string | boolean;
}

/** An object without a schema: a map. */
class JsonEntries extends EntryMap {
  readonly #converted = new Map<string, Value>();

  constructor(readonly json: JsonObject) {
    super();
  }

  override get mapSize(): number {
    return Object.keys(this.json).length;
  }

  override keys(): readonly Value[] {
    return Object.keys(this.json);
  }

  override find(key: Value): Value | undefined {
    if (typeof key !== 'string') return undefined;
    let value = this.#converted.get(key);
    if (value === undefined) {
      const json = getField(this.json, key);
      if (json === undefined) return undefined;
      value = jsonValue(json);
      this.#converted.set(key, value);
    }
    return value;
  }

  override equalsMap(other: CelMap): boolean | CelError {
    if (this.mapSize !== other.mapSize) return false;
    for (const key of this.keys()) {
      const found = other.find(key);
      if (found === undefined) return false;
      const result = equal(this.find(key)!, found);
      if (result !== true) return result;
    }
    return true;
  }
}
