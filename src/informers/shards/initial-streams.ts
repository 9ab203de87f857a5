/**
 * The watch-lists that one reflector has open, one for each namespace. The reflector collects their initial events and writes them to the
 * cache when all of them are complete. A source whose own are complete earlier must not change the cache until then, because the
 * reflector would replace the change.
 */
export class InitialStreams {
  readonly #incomplete = new Set<object>();
  readonly #waiting = new Map<object, () => void>();

  /** A source has opened a watch-list. */
  begin(source: object): void {
    this.#incomplete.add(source);
  }

  /** The reflector has got the initial events of a source; `written` is called when it has written them to the cache. */
  complete(source: object, written: () => void): void {
    this.#incomplete.delete(source);
    this.#waiting.set(source, written);
    if (this.#incomplete.size > 0) return;
    const all = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const one of all) one();
  }

  /** The watch of a source has ended. */
  end(source: object): void {
    this.#incomplete.delete(source);
    this.#waiting.delete(source);
  }
}
