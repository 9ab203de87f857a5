/** A JSON object. Read its fields with {@link getField}: names come from the network, and `toString` is a name too. */
export type JsonObject = Record<string, unknown>;

/** Whether a decoded JSON value is an object, neither array nor null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A field of the object itself; undefined when it has none of that name, whatever its prototype has. */
export function getField(object: JsonObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Sets a field, even one called `__proto__`, which a plain assignment would take for the prototype. */
export function setField(object: JsonObject, name: string, value: unknown): void {
  if (name === '__proto__') {
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
  } else {
    object[name] = value;
  }
}

/** Calls JSON values what Go's decoder calls them, since clients know its messages. */
export function jsonTypeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}
