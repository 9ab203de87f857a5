interface Issue {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

const maxIssues = 100;
const maxSnippetLength = 16_384;

/** The problems of an expression, each shown with the line of the source and a mark below the place. */
export class Issues {
  readonly #lines: readonly (readonly string[])[];
  readonly #lineStarts: number[] = [];
  readonly #issues: Issue[] = [];
  #count = 0;

  constructor(readonly source: string) {
    const lines = source.split('\n');
    let start = 0;
    for (const line of lines) {
      this.#lineStarts.push(start);
      start += line.length + 1;
    }
    this.#lines = lines.map((line) => [...line]);
  }

  get found(): boolean {
    return this.#count > 0;
  }

  /** @param offset where in the source, in UTF-16 units; undefined if the whole source is meant */
  report(offset: number | undefined, message: string): void {
    if (++this.#count > maxIssues) return;
    if (offset === undefined) {
      this.#issues.push({ line: -1, column: -1, message });
      return;
    }
    let line = 0;
    while (line + 1 < this.#lineStarts.length && (this.#lineStarts[line + 1] as number) <= offset) line++;
    const column = [...this.source.slice(this.#lineStarts[line], offset)].length;
    this.#issues.push({ line: line + 1, column, message });
  }

  /** The text as cel-go displays it: `ERROR: <input>:1:5: undefined field 'b'`, the line, and `....^`. */
  toString(): string {
    const shown = this.#issues
      .toSorted((a, b) => a.line - b.line || a.column - b.column)
      .map((issue) => this.#show(issue));
    if (this.#count > maxIssues) shown.push(`${this.#count - maxIssues} more errors were truncated`);
    return shown.join('\n');
  }

  #show({ line, column, message }: Issue): string {
    const text = `ERROR: <input>:${line}:${column + 1}: ${message}`;
    const characters = this.#lines[line - 1];
    if (characters === undefined || Buffer.byteLength(characters.join('')) > maxSnippetLength) return text;
    const snippet = characters.map((character) => (character === '\t' ? ' ' : character));
    const isWide = (character: string | undefined): boolean => character !== undefined && character > '\x7f';
    const dots = snippet.slice(0, Math.max(0, column)).map((character) => (isWide(character) ? '．' : '.'));
    return `${text}\n | ${snippet.join('')}\n | ${dots.join('')}${isWide(snippet[column]) ? '＾' : '^'}`;
  }
}
