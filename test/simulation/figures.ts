/** Counts of what happened in simulations, by name. */
export class Figures {
  readonly counts: Record<string, number> = {};

  add(name: string, count = 1): void {
    this.counts[name] = (this.counts[name] ?? 0) + count;
  }
}
