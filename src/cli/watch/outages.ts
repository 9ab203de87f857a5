import type { InformerStatus } from '../../cache/informer/informer-status.js';
import type { InformerErrorHandler } from '../../cache/informer/shared-informer.js';
import type { Clock, Timer } from '../../time/clock.js';
import type { OutputStream } from '../command.js';

/** As much of an informer as tells whether it is well again. */
export interface RecoveringInformer {
  readonly status: Pick<InformerStatus, 'state' | 'consecutiveFailures'>;
}

type Reason = Parameters<InformerErrorHandler>[1]['reason'];

/** How soon people hear that all is well again. No message says so: a watch is open when the server has answered. */
const lookAgainMs = 500;

/** Tells people what goes wrong while it is tried again, and when that has helped. */
export class Outages {
  readonly #stream: OutputStream;
  readonly #clock: Clock;
  readonly #informerOf: (resource: string) => RecoveringInformer | undefined;
  /** The resources of which the last word was bad news. */
  readonly #down = new Set<string>();
  #timer: Timer | undefined;

  constructor(stream: OutputStream, clock: Clock, informerOf: (resource: string) => RecoveringInformer | undefined) {
    this.#stream = stream;
    this.#clock = clock;
    this.#informerOf = informerOf;
  }

  tell(resource: string, error: Error, reason: Reason): void {
    // These belong to the life of a watch, and nothing is lost.
    if (reason === 'expired' || reason === 'silent' || reason === 'stream') return;
    const isOutage = reason !== 'skipped';
    this.#stream.write(`${resource}: ${error.message}${isOutage ? '; trying again' : ''}\n`);
    if (!isOutage) return;
    this.#down.add(resource);
    this.#timer ??= this.#lookLater();
  }

  /** Says nothing more. */
  stop(): void {
    this.#timer?.cancel();
  }

  #lookLater(): Timer {
    return this.#clock.setTimer(lookAgainMs, () => this.#look(), { keepAlive: false });
  }

  #look(): void {
    for (const resource of this.#down) {
      const status = this.#informerOf(resource)?.status;
      if (status?.state !== 'watching' || status.consecutiveFailures > 0) continue;
      this.#down.delete(resource);
      this.#stream.write(`${resource}: watching again\n`);
    }
    this.#timer = this.#down.size === 0 ? undefined : this.#lookLater();
  }
}
