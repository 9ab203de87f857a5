/** Parses a JSON object; undefined if the text is none. The parser's error is dropped, since it quotes the text, which may be secret. */
export function parseJsonObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return asObject(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** Returns the value if it is a JSON object. */
export function asObject(value: unknown): Readonly<Record<string, unknown>> | undefined {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as Readonly<Record<string, unknown>>) : undefined;
}
