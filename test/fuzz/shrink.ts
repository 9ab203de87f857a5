/**
 * Smaller inputs in place of one, the smallest first: fewer entries, fewer fields, shorter texts and bytes, plainer numbers. Each
 * differs in one place.
 */
function* smaller(value: unknown): Generator<unknown> {
  if (typeof value === 'string') {
    yield* cut(value.length, (from, to) => value.slice(0, from) + value.slice(to));
    for (let at = 0; at < value.length && at < 200; at++) {
      if (value[at]! > 'a') yield `${value.slice(0, at)}a${value.slice(at + 1)}`;
    }
  } else if (value instanceof Uint8Array) {
    yield* cut(value.length, (from, to) => Buffer.concat([value.subarray(0, from), value.subarray(to)]));
  } else if (typeof value === 'number') {
    if (value !== 0) yield 0;
    if (value > 1) yield* [1, Math.floor(value / 2), value - 1];
  } else if (Array.isArray(value)) {
    yield* cut(value.length, (from, to) => [...value.slice(0, from), ...value.slice(to)]);
    for (const [at, entry] of value.entries()) for (const less of smaller(entry)) yield value.with(at, less);
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, entry] of Object.entries(value)) {
      for (const less of smaller(entry)) yield { ...value, [name]: less };
    }
  }
}

/** What is left without a range, for ranges of every length: all, halves, quarters, down to one. */
function* cut<T>(length: number, without: (from: number, to: number) => T): Generator<T> {
  for (let size = length; size >= 1; size = size >> 1) {
    for (let from = 0; from + size <= length; from += size) yield without(from, from + size);
  }
}

/** Makes a failing input smaller, as long as it fails and there is time. */
export async function shrink(
  input: unknown,
  fails: (input: unknown) => Promise<boolean>,
  until: () => boolean,
): Promise<unknown> {
  let smallest = input;
  for (;;) {
    let found = false;
    for (const candidate of smaller(smallest)) {
      if (until()) return smallest;
      if (!(await fails(candidate))) continue;
      smallest = candidate;
      found = true;
      break;
    }
    if (!found) return smallest;
  }
}

/** An input as TypeScript. */
export function literal(value: unknown): string {
  if (value instanceof Uint8Array) return `Buffer.from('${Buffer.from(value).toString('hex')}', 'hex')`;
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    return `{ ${Object.entries(value)
      .map(([name, entry]) => `${JSON.stringify(name)}: ${literal(entry)}`)
      .join(', ')} }`;
  }
  return value === undefined ? 'undefined' : JSON.stringify(value);
}
