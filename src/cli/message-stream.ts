import { escapeTextControls } from '../meta/escape-controls.js';
import type { OutputStream } from './command.js';

/**
 * A stream for messages to people. Whatever is written to it, a terminal obeys none of it: names and messages of the server
 * may contain control characters. `terminal` is the stream behind it.
 */
export function messageStream(terminal: OutputStream): OutputStream {
  return {
    write: (text) => terminal.write(escapeTextControls(text)),
    get isTTY() {
      return terminal.isTTY;
    },
    get columns() {
      return terminal.columns;
    },
    terminal,
  };
}
