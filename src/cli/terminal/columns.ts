import { escapeControls } from '../../meta/escape-controls.js';

/** Pads cells to columns. A column only grows, so that lines written one after the other stay aligned. */
export class Columns {
  readonly #widths: number[];
  readonly #gap: string;

  constructor(minimum: readonly number[], gap = '  ') {
    this.#widths = [...minimum];
    this.#gap = gap;
  }

  /** Widens the columns to these cells, so that lines before them are aligned with them. */
  fit(cells: readonly string[]): void {
    for (const [column, cell] of cells.map(escapeControls).entries()) {
      this.#widths[column] = Math.max(this.#widths[column] ?? 0, cell.length);
    }
  }

  /** Joins cells to a line and escapes their control characters; the last cell is not padded. `paint` may add colour codes, which do not count as width. */
  line(cells: readonly string[], paint?: (cell: string, column: number) => string): string {
    this.fit(cells);
    const padded = cells.map(escapeControls).map((cell, column) => {
      const width = this.#widths[column] as number;
      const painted = paint === undefined ? cell : paint(cell, column);
      return column === cells.length - 1 ? painted : painted + ' '.repeat(width - cell.length);
    });
    return padded.join(this.#gap).trimEnd();
  }
}

/** Cuts a text to a width; `…` at the end marks a cut. */
export function cut(text: string, width: number): string {
  if (text.length <= width) return text;
  const mark = width > 1 ? '…' : '';
  // Half of a surrogate pair would be shown as a question mark.
  return text.slice(0, Math.max(0, width - mark.length)).replace(/[\ud800-\udbff]$/, '') + mark;
}

/**
 * Replaces control characters, line breaks and bidirectional overrides by spaces: field values may contain sequences that a
 * terminal would obey.
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
