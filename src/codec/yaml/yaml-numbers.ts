const WITH_PREFIX = /^([-+]?)(0(?:x[0-9a-f]+|b[01]+|o[0-7]+))$/i;
const OCTAL = /^([-+]?)0([0-7]+)$/;
const DECIMAL = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:e[-+]?[0-9]+)?$/i;

/**
 * The number that a plain YAML scalar is in Go, which has rules of its own: `1_000`, `017`, `0o17`, `08`, `.5` and `-_1` are numbers; `._`, `.5_`, `0x` and
 * `1e999` are texts. Undefined for a text.
 */
export function yamlNumberOf(text: string): number | undefined {
  if (/^[-+]?\.(?:inf|Inf|INF)$/.test(text)) {
    return text.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  }
  if (/^\.(?:nan|NaN|NAN)$/.test(text)) return Number.NaN;
  if (!/^[-+.0-9]/.test(text)) return undefined;
  // After a dot at the beginning, underscores are between digits only.
  if (text.startsWith('.') && /(?<![0-9])_|_(?![0-9])/.test(text)) return undefined;
  const plain = text.replaceAll('_', '');
  const prefixed = WITH_PREFIX.exec(plain);
  if (prefixed !== null) return integer(prefixed[1] as string, prefixed[2] as string);
  const octal = OCTAL.exec(plain);
  const value = octal === null ? undefined : integer(octal[1] as string, `0o${octal[2]}`);
  if (value !== undefined || !DECIMAL.test(plain)) return value;
  const decimal = Number(plain);
  return Number.isFinite(decimal) ? decimal : undefined;
}

/** Undefined if it has more than 64 bits. */
function integer(sign: string, digits: string): number | undefined {
  const magnitude = BigInt(digits);
  const most = sign === '' ? 2n ** 64n - 1n : sign === '-' ? 2n ** 63n : 2n ** 63n - 1n;
  if (magnitude > most) return undefined;
  return sign === '-' ? -Number(magnitude) : Number(magnitude);
}
