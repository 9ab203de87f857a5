import type { Undo } from '../../meta/undo.js';
import { channels, listen } from '../../observe/channels.js';
import { seededRandom } from '../../time/seeded-random.js';
import type { HotItem } from '../protocol.js';
import { Meter, Named, RateCounter } from './meter.js';

/** The seconds that hot items are counted over. */
const hotSeconds = 10;
/** An item that was counted so often in one window may be hot. */
const oftenCount = 4;
/** The most items that are counted at a time. */
const mostCounted = 10_000;
/** Of a queue with more additions in a second, a random part is counted: a map with thousands of items is slow to use for each addition. */
const countedPerSecond = 250;
const mostHottest = 5;

/** Counts how often each item was added, over two windows, so that an item of the last one is still known in the next. */
class HotItems {
  #counts = new Map<unknown, number>();
  #before = new Map<unknown, number>();
  /** The items that were counted often enough to be looked at. */
  #often = new Set<unknown>();
  #seconds = 0;
  #secondsBefore = 0;
  readonly #random: () => number = seededRandom(1);
  /** How many additions one that is counted stands for, and how many there are until the next one that is counted. */
  #weight = 1;
  #next = 1;
  #added = 0;

  add(item: unknown): void {
    this.#added++;
    if (--this.#next > 0) return;
    const weight = this.#weight;
    // The distance is random, so that items that are added in turn are all counted.
    this.#next = weight === 1 ? 1 : 1 + Math.floor(this.#random() * (2 * weight - 1));
    const count = this.#counts.get(item);
    if (count === undefined && this.#counts.size >= mostCounted) return;
    const now = (count ?? 0) + weight;
    this.#counts.set(item, now);
    if (now > oftenCount * weight) this.#often.add(item);
  }

  /** Items that were added more often than once a second, the most first. Called about once a second. */
  take(seconds: number): readonly HotItem[] {
    this.#seconds += seconds;
    this.#weight = Math.max(1, Math.round(this.#added / seconds / countedPerSecond));
    this.#added = 0;
    // The first seconds do not count for more: a burst is no hot item.
    const over = Math.max(hotSeconds / 2, this.#seconds + this.#secondsBefore);
    const hot: HotItem[] = [];
    const still = new Set<unknown>();
    for (const item of this.#often) {
      const rate = ((this.#counts.get(item) ?? 0) + (this.#before.get(item) ?? 0)) / over;
      if (rate <= 1) continue;
      still.add(item);
      hot.push({ item: String(item).slice(0, 300), rate });
    }
    if (this.#seconds >= hotSeconds / 2) {
      this.#before = this.#counts;
      this.#secondsBefore = this.#seconds;
      this.#counts = new Map();
      this.#seconds = 0;
      this.#often = still;
    }
    return hot.sort((a, b) => b.rate - a.rate).slice(0, mostHottest);
  }
}

/** What is counted of one work queue. */
export class QueueMeter extends Meter {
  readonly taken: RateCounter = new RateCounter();
  readonly retries: RateCounter = new RateCounter();
  readonly hot: HotItems = new HotItems();
}

/** Counts what work queues do, by their names. */
export class QueueRecorder {
  readonly queues: Named<QueueMeter> = new Named(() => new QueueMeter());

  listen(): Undo[] {
    const { queues } = this;
    return [
      listen(channels.workqueueAdd, ({ queue, item }) => {
        const meter = queues.of(queue);
        meter.count();
        meter.hot.add(item);
      }),
      listen(channels.workqueueGet, ({ queue, waitedMs }) => {
        const meter = queues.of(queue);
        meter.taken.total++;
        meter.delay(waitedMs);
      }),
      listen(channels.workqueueRetry, ({ queue }) => void queues.of(queue).retries.total++),
    ];
  }
}
