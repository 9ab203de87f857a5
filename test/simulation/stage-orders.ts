import { channels, type InformerSource, listen } from '../../src/observe/channels.js';
import type { Figures } from './figures.js';

/** How many stages in a row make an order. */
const length = 5;

/** Counts in which orders the stages of an informer work: list, watch, backoff, queue, handler, and their failures. */
export class StageOrders {
  readonly #figures: Figures;
  readonly #recent = new Map<InformerSource, string[]>();
  readonly #undos: (() => void)[];

  constructor(figures: Figures) {
    this.#figures = figures;
    const at = (source: InformerSource, stage: string): void => this.#at(source, stage);
    this.#undos = [
      listen(channels.reflectorList, ({ source, how, error }) => at(source, error === undefined ? how : `no ${how}`)),
      listen(channels.reflectorWatch, ({ source, error }) => at(source, error === undefined ? 'closed' : 'broken')),
      listen(channels.reflectorRelist, ({ source }) => at(source, 'relist')),
      listen(channels.reflectorBackoff, ({ source }) => at(source, 'backoff')),
      listen(channels.reflectorSkipped, ({ source }) => at(source, 'skipped')),
      listen(channels.queueProcess, ({ source }) => at(source, 'queue')),
      listen(channels.handlerLag, ({ source }) => at(source, 'handler')),
      listen(channels.handlerError, ({ source }) => at(source, 'handler failed')),
    ];
  }

  stop(): void {
    for (const undo of this.#undos) undo();
  }

  /** A stage that works again at once is no new one. */
  #at(source: InformerSource, stage: string): void {
    let recent = this.#recent.get(source);
    if (recent === undefined) this.#recent.set(source, (recent = []));
    if (recent.at(-1) === stage) return;
    recent.push(stage);
    if (recent.length > length) recent.shift();
    if (recent.length === length) this.#figures.add(`order ${recent.join(', ')}`);
  }
}
