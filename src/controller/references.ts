/** Which objects of a controller refer to which other objects, both ways, by key. */
export class ReferenceIndex {
  readonly #targets = new Map<string, readonly string[]>();
  readonly #sources = new Map<string, Set<string>>();

  /** The object `source` refers to these, and to no others any more. */
  set(source: string, targets: Iterable<string>): void {
    const list = [...new Set(targets)];
    this.delete(source);
    if (list.length === 0) return;
    this.#targets.set(source, list);
    for (const target of list) {
      const sources = this.#sources.get(target);
      if (sources === undefined) this.#sources.set(target, new Set([source]));
      else sources.add(source);
    }
  }

  delete(source: string): void {
    for (const target of this.#targets.get(source) ?? []) {
      const sources = this.#sources.get(target);
      sources?.delete(source);
      if (sources?.size === 0) this.#sources.delete(target);
    }
    this.#targets.delete(source);
  }

  /** The objects that refer to this one. */
  sourcesOf(target: string): Iterable<string> {
    return this.#sources.get(target) ?? [];
  }
}
