/** A JSON object. Read its fields with {@link getField}: names come from the network, and may be `toString`. */
export type JsonObject = Record<string, unknown>;

/** Whether a decoded JSON value is an object, and neither an array nor null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An own field of the object; undefined if it has none of that name. */
export function getField(object: JsonObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Sets a field, even one called `__proto__`, where an assignment would set the prototype. */
export function setField(object: JsonObject, name: string, value: unknown): void {
  if (name === '__proto__') {
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
  } else {
    object[name] = value;
  }
}

/** The type of a JSON value by the name that Go's decoder uses in its messages. */
export function jsonTypeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}
