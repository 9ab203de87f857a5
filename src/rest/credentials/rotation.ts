/** Who wants to know when TLS material changes. Counts the changes, so that a pool can tell connections of then and now. */
export class Rotation {
  readonly #listeners = new Set<() => void>();
  #version = 0;

  /** How often the material has changed. */
  get version(): number {
    return this.#version;
  }

  get isHeard(): boolean {
    return this.#listeners.size > 0;
  }

  /** The undo is idempotent. One listener added twice is called once. */
  add(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  rotate(): void {
    this.#version++;
    for (const listener of [...this.#listeners]) listener();
  }
}
