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

/** Prints the progress of a long first list: objects and objects per second. On a terminal it rewrites one line. */
export class SyncProgress {
  readonly #stream: OutputStream;
  readonly #clock: Clock;
  readonly #informers: ReadonlyMap<string, SyncingInformer>;
  readonly #startedAt: number;
  #timer: Timer;
  #hasLine = false;

  constructor(stream: OutputStream, clock: Clock, informers: ReadonlyMap<string, SyncingInformer>) {
    this.#stream = stream;
    this.#clock = clock;
    this.#informers = informers;
    this.#startedAt = clock.monotonicNow();
    this.#timer = clock.setTimer(quietMs, () => this.#print(), { keepAlive: false });
  }

  /** Prints nothing more, and clears the line. */
  stop(): void {
    this.#timer.cancel();
    this.clearLine();
  }

  /** Clears the line on the terminal before other output. */
  clearLine(): void {
    if (this.#hasLine) this.#stream.write('\r\u001b[K');
    this.#hasLine = false;
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
    const isTerminal = this.#stream.isTTY === true;
    this.#stream.write(isTerminal ? `\r${text.slice(0, (this.#stream.columns ?? 80) - 1)}\u001b[K` : `${text}\n`);
    this.#hasLine = isTerminal;
    this.#timer = this.#clock.setTimer(isTerminal ? 500 : 5_000, () => this.#print(), { keepAlive: false });
  }
}

function grouped(number: number): string {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ',');
}
