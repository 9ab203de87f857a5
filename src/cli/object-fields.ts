/** Reading objects of any kind, whose fields may have any type. */

/** An object whose fields are not known. */
export type Fields = Readonly<Record<string, unknown>>;

/** An object as fields; empty if it is none. */
export function fields(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

/** The objects of a list; empty if it is none. */
export function list(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map(fields) : [];
}

/** A text; empty if it is none. */
export function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A number; undefined if it is none. */
export function number(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
