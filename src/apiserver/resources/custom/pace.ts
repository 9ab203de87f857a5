/** How many nodes a walk visits in one step. */
const NODES = 256;

/** Counts the nodes of a walk through a document, so that it pauses often enough, but not at each node. */
export class Pace {
  #left = NODES;

  /** Counts a node; true if a step ends here. */
  isDue(): boolean {
    if (--this.#left > 0) return false;
    this.#left = NODES;
    return true;
  }
}
