import { escapeTextControls } from '../../meta/escape-controls.js';

/** Colours and other attributes of text: the only sequences of a log that a terminal may obey. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character begins a sequence
const attributes = /(\u001b\[[0-9;:]*m)/;

/**
 * A line of a log for a terminal. Control characters are escaped, because a program could otherwise clear the screen or rename the
 * window of its reader; colours are kept, and end with the line.
 */
export function terminalText(line: string): string {
  const parts = line.split(attributes);
  const text = parts.map((part, index) => (index % 2 === 1 ? part : escapeTextControls(part))).join('');
  return parts.length > 1 ? `${text}\u001b[0m` : text;
}
