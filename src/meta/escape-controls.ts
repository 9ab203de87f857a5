/** Control characters, line separators, and characters that change the direction of text. */
const controls = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;
const controlsButBreaks = /(?![\n\t])[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

const short: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/**
 * Escapes line breaks and everything that a terminal would interpret: names and messages come from the server, where other
 * tenants write them.
 */
export function escapeControls(text: string): string {
  return text.replace(controls, escaped);
}

/** {@link escapeControls} that keeps line breaks and tabs, for messages and stacks. */
export function escapeTextControls(text: string): string {
  return text.replace(controlsButBreaks, escaped);
}

function escaped(control: string): string {
  return short[control] ?? `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
