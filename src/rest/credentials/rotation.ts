import { type Undo, undoOnce } from '../../meta/undo.js';

/** Calls listeners when TLS material changes, and counts the changes. */
export class Rotation {
  readonly #listeners = new Set<() => void>();
  #version = 0;

  /** How often the material has changed. */
  get version(): number {
    return this.#version;
  }

  get hasListeners(): boolean {
    return this.#listeners.size > 0;
  }

  /** A listener that is added twice is called once. */
  add(listener: () => void): Undo {
    this.#listeners.add(listener);
    return undoOnce(() => this.#listeners.delete(listener));
  }

  rotate(): void {
    this.#version++;
    for (const listener of [...this.#listeners]) listener();
  }
}
