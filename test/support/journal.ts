/** Collects lines in the order in which they are written; a test can wait for one. */
export class Journal {
  readonly lines: string[] = [];
  readonly #waiting = new Set<() => void>();

  write(line: string): void {
    this.lines.push(line);
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }

  /** Waits until the line has been written so many times. */
  async until(line: string, times = 1): Promise<void> {
    while (this.count(line) < times) await new Promise<void>((resolve) => this.#waiting.add(resolve));
  }

  count(line: string): number {
    return this.lines.filter((written) => written === line).length;
  }
}
