/**
 * Checks for the options of public constructors. Each throws a TypeError that names the option and shows the value,
 * because a wrong option must be found where it was written and not three stages later.
 */

/** How a value looks in an error message: short, and never the whole of a large object. */
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

/** The names alone: values may be large, or secret. */
function describeFields(value: object): string {
  const names = Object.keys(value);
  if (names.length === 0) return 'an empty object';
  return `an object with ${names.slice(0, 5).join(', ')}${names.length > 5 ? ', …' : ''}`;
}

/** The error every check here throws: `name` must be `expected`, and what it was instead. */
export function optionError(name: string, expected: string, value: unknown): TypeError {
  return new TypeError(`${name} must be ${expected}, got ${describeValue(value)}`);
}

/** A finite number of at least `min` (0 unless told) and at most `max`. */
export function requireNumber(name: string, value: unknown, min = 0, max: number = Number.MAX_VALUE): number {
  if (typeof value !== 'number' || !Number.isFinite(value) || value < min || value > max) {
    const range = max === Number.MAX_VALUE ? `of at least ${min}` : `from ${min} to ${max}`;
    throw optionError(name, `a number ${range}`, value);
  }
  return value;
}

/** A whole number of at least `min` (0 unless told) and at most `max`. */
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

/** An object of any kind; `expected` says which one. */
export function requireObject(name: string, value: unknown, expected = 'an object'): void {
  if (typeof value !== 'object' || value === null) throw optionError(name, expected, value);
  // Whatever is wanted, it is what the promise will bring.
  if (value instanceof Promise) throw new TypeError(`${name} must be ${expected}, not a promise of one: await it`);
}

/** Something to call. */
export function requireFunction(name: string, value: unknown): void {
  if (typeof value !== 'function') throw optionError(name, 'a function', value);
}

/** One of a few words. */
export function requireOneOf<T extends string>(name: string, value: unknown, allowed: readonly T[]): T {
  if (!allowed.includes(value as T))
    throw optionError(name, `one of ${allowed.map((a) => `'${a}'`).join(', ')}`, value);
  return value as T;
}

/** An AbortSignal, or nothing. */
export function requireSignal(name: string, value: unknown): AbortSignal | undefined {
  if (value === undefined || value instanceof AbortSignal) return value;
  throw optionError(name, 'an AbortSignal', value);
}
