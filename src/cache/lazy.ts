import { requireFunction } from '../meta/validate.js';

/**
 * A value that is worked out when somebody asks, and again only after {@link notify}: for what is expensive to derive from
 * a cache and seldom read.
 *
 * - Those who ask meanwhile share one evaluation.
 * - `get` after `notify` never returns what was worked out before it, however long that took.
 * - An evaluation that fails is not kept: the next `get` tries again.
 *
 * @example
 * const summary = new Lazy(() => summarize(pods.lister.list()));
 * pods.subscribe(() => summary.notify());
 * await summary.get();
 */
export class Lazy<T> {
  readonly #evaluate: () => T | PromiseLike<T>;
  #current: Promise<T> | undefined;

  constructor(evaluate: () => T | PromiseLike<T>) {
    requireFunction('evaluate', evaluate);
    this.#evaluate = evaluate;
  }

  /** What the value is made of has changed. */
  notify(): void {
    // An evaluation under way goes on for those who asked before; nobody else will see it.
    this.#current = undefined;
  }

  get(): Promise<T> {
    if (this.#current !== undefined) return this.#current;
    const evaluation = this.#run();
    this.#current = evaluation;
    evaluation.catch(() => {
      if (this.#current === evaluation) this.#current = undefined;
    });
    return evaluation;
  }

  async #run(): Promise<T> {
    return this.#evaluate();
  }
}
