import type { InformerStatus } from '../../cache/informer/informer-status.js';
import type { Clock, Timer } from '../../time/clock.js';
import type { OutputStream } from '../command.js';

/** The part of an informer that shows its progress. */
export interface SyncingInformer {
  readonly hasSynced: boolean;
  readonly status: Pick<InformerStatus, 'state' | 'listed'>;
}

/** A sync that takes less time than this prints no progress. */
const quietMs = 2_000;

/** Prints the progress of a long first list, objects and objects per second, on a line of a terminal that it rewrites. */
export class SyncProgress {
  readonly #stream: OutputStream;
  readonly #clock: Clock;
  readonly #informers: ReadonlyMap<string, SyncingInformer>;
  readonly #startedAt: number;
  #timer: Timer | undefined;
  #hasLine = false;

  constructor(stream: OutputStream, clock: Clock, informers: ReadonlyMap<string, SyncingInformer>) {
    this.#stream = stream;
    this.#clock = clock;
    this.#informers = informers;
    this.#startedAt = clock.monotonicNow();
    // Lines of progress would fill the log of a script.
    this.#timer = stream.isTTY === true ? this.#printIn(quietMs) : undefined;
  }

  /** Prints nothing more, and clears the line. */
  stop(): void {
    this.#timer?.cancel();
    this.clearLine();
  }

  /** Clears the line on the terminal before other output. */
  clearLine(): void {
    if (this.#hasLine) this.#stream.write('\r\u001b[K');
    this.#hasLine = false;
  }

  #printIn(ms: number): Timer {
    return this.#clock.setTimer(ms, () => this.#print(), { keepAlive: false });
  }

  #print(): void {
    const elapsedMs = this.#clock.monotonicNow() - this.#startedAt;
    const syncing = [...this.#informers].filter(([, { hasSynced }]) => !hasSynced);
    if (syncing.length === 0) {
      this.stop();
      return;
    }
    const parts = syncing.map(([name, { status }]) => {
      const rate = Math.round((status.listed * 1000) / elapsedMs);
      return `${name} ${grouped(status.listed)} objects, ${grouped(rate)}/s (${status.state})`;
    });
    const text = `syncing for ${Math.round(elapsedMs / 1000)} s: ${parts.join('; ')}`;
    this.#stream.write(`\r${text.slice(0, (this.#stream.columns ?? 80) - 1)}\u001b[K`);
    this.#hasLine = true;
    this.#timer = this.#printIn(500);
  }
}

function grouped(number: number): string {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ',');
}
