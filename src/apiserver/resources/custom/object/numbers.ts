/** Whether a number is one that Go decodes as an int64. */
export function isWhole(value: number): boolean {
  return Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63;
}

const EPSILON = 1e-9;

/** Whether a number is an integer up to rounding errors, within those that JSON can carry exactly. */
export function isJsonInteger(value: number): boolean {
  if (!Number.isFinite(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER) return false;
  if (Number.isInteger(value)) return true;
  const whole = Math.trunc(value);
  if (whole === 0) return false;
  return Math.abs(value - whole) / (Math.abs(value) + Math.abs(whole)) < EPSILON;
}

/** A number as Go prints it: integers in full, others with an exponent below 0.0001 and from a million on. */
export function goNumber(value: number, isFloat: boolean = !isWhole(value)): string {
  const size = Math.abs(value);
  const text = isFloat && size !== 0 && (size < 1e-4 || size >= 1e6) ? value.toExponential() : String(value);
  return text.replace(/e([+-])(\d)$/, 'e$10$2');
}
