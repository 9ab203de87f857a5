import { escapeControls } from '../meta/escape-controls.js';

/** How wide each column has become. It only grows, so that lines written one after the other stay a table. */
export class Columns {
  readonly #widths: number[];
  readonly #gap: string;

  constructor(minimum: readonly number[], gap = '  ') {
    this.#widths = [...minimum];
    this.#gap = gap;
  }

  /** The cells as one line, their control characters written out; the last one is not padded. `paint` colours a cell after its width was measured. */
  line(cells: readonly string[], paint?: (cell: string, column: number) => string): string {
    const padded = cells.map(escapeControls).map((cell, column) => {
      const width = Math.max(this.#widths[column] ?? 0, cell.length);
      this.#widths[column] = width;
      const painted = paint === undefined ? cell : paint(cell, column);
      return column === cells.length - 1 ? painted : painted + ' '.repeat(width - cell.length);
    });
    return padded.join(this.#gap).trimEnd();
  }
}

/** The text, cut to a width with a mark at the end where something is missing. */
export function cut(text: string, width: number): string {
  if (text.length <= width) return text;
  const mark = width > 1 ? '…' : '';
  // Half of a character that takes two places would be shown as a question mark.
  return text.slice(0, Math.max(0, width - mark.length)).replace(/[\ud800-\udbff]$/, '') + mark;
}

/**
 * The text on one line, and without anything that a terminal would obey: what stands in an object may come from anybody.
 * Control characters and those that reverse the direction of writing become spaces.
 */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu, ' ');
}

/** An age as kubectl writes it: `5s`, `12m`, `3h`, `17d`. */
export function age(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 120) return `${seconds}s`;
  if (seconds < 120 * 60) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 48 * 3600) return `${Math.floor(seconds / 3600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}
