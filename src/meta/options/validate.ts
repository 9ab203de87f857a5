/**
 * Checks for the options of public calls. Each throws a TypeError that names the option and shows the value, so that a
 * wrong option is reported by the call that it was passed to.
 */

/** A value as error messages show it: short, and without the contents of objects. */
export function describeValue(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 80 ? `${value.slice(0, 77)}...` : value);
  if (typeof value === 'function') return `function ${value.name || '(anonymous)'}`;
  if (typeof value === 'object' && value !== null) {
    if (Array.isArray(value)) return `an array of ${value.length}`;
    return value.constructor === Object
      ? describeFields(value)
      : `an object of ${value.constructor?.name ?? 'no class'}`;
  }
  return String(value);
}

/** Only the names of fields: values may be large or secret. */
function describeFields(value: object): string {
  const names = Object.keys(value);
  if (names.length === 0) return 'an empty object';
  return `an object with ${names.slice(0, 5).join(', ')}${names.length > 5 ? ', …' : ''}`;
}

/** The error that every check throws: `name must be expected, got value`. */
export function optionError(name: string, expected: string, value: unknown): TypeError {
  return new TypeError(`${name} must be ${expected}, got ${describeValue(value)}`);
}

/** A finite number from `min`, by default 0, to `max`. */
export function requireNumber(name: string, value: unknown, min = 0, max: number = Number.MAX_VALUE): number {
  if (typeof value !== 'number' || !Number.isFinite(value) || value < min || value > max) {
    const range = max === Number.MAX_VALUE ? `of at least ${min}` : `from ${min} to ${max}`;
    throw optionError(name, `a number ${range}`, value);
  }
  return value;
}

/** A whole number from `min`, by default 0, to `max`. */
export function requireInteger(name: string, value: unknown, min = 0, max: number = Number.MAX_SAFE_INTEGER): number {
  if (!Number.isSafeInteger(value) || (value as number) < min || (value as number) > max) {
    const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
    throw optionError(name, `a whole number ${range}`, value);
  }
  return value as number;
}

/** A string that is not empty. */
export function requireString(name: string, value: unknown): string {
  if (typeof value !== 'string' || value === '') throw optionError(name, 'a string that is not empty', value);
  return value;
}

/** An object; `expected` describes it in the error. */
export function requireObject(name: string, value: unknown, expected = 'an object'): void {
  if (typeof value !== 'object' || value === null) throw optionError(name, expected, value);
  // A frequent mistake: the caller forgot to await the object.
  if (value instanceof Promise) throw new TypeError(`${name} must be ${expected}, not a promise of one: await it`);
}

/** A function. */
export function requireFunction(name: string, value: unknown): void {
  if (typeof value !== 'function') throw optionError(name, 'a function', value);
}

/** One of the allowed strings. */
export function requireOneOf<T extends string>(name: string, value: unknown, allowed: readonly T[]): T {
  if (!allowed.includes(value as T))
    throw optionError(name, `one of ${allowed.map((a) => `'${a}'`).join(', ')}`, value);
  return value as T;
}

/** An AbortSignal or undefined. */
export function requireSignal(name: string, value: unknown): AbortSignal | undefined {
  if (value === undefined || value instanceof AbortSignal) return value;
  throw optionError(name, 'an AbortSignal', value);
}
