import { escapeTextControls } from '../../meta/escape-controls.js';
import type { OutputStream } from '../command.js';

/**
 * Escapes control characters in messages, because names of objects and messages of a server may contain some that a terminal
 * would obey. `terminal` is the stream behind it.
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
