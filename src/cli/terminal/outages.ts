import type { InformerStatus } from '../../cache/informer/informer-status.js';
import type { InformerErrorHandler } from '../../cache/informer/shared-informer.js';
import { isRefusal } from '../../meta/errors/refusal.js';
import type { Clock, Timer } from '../../time/clock.js';
import type { OutputStream } from '../command.js';

/** The part of an informer that shows whether its watch is open again. */
export interface RecoveringInformer {
  readonly hasSynced: boolean;
  readonly status: Pick<InformerStatus, 'state' | 'consecutiveFailures'>;
}

type Reason = Parameters<InformerErrorHandler>[1]['reason'];

/** How often the status of a failed informer is read. Informers have no event for an opened watch. */
const pollMs = 500;

/** Prints the errors of informers, and a line when the watch is open again. */
export class Outages {
  readonly #stream: OutputStream;
  readonly #clock: Clock;
  readonly #informerOf: (resource: string) => RecoveringInformer | undefined;
  /** The resources whose watch failed and is not open again. */
  readonly #down = new Set<string>();
  #timer: Timer | undefined;

  constructor(stream: OutputStream, clock: Clock, informerOf: (resource: string) => RecoveringInformer | undefined) {
    this.#stream = stream;
    this.#clock = clock;
    this.#informerOf = informerOf;
  }

  tell(resource: string, error: Error, reason: Reason): void {
    // These are normal in a long watch: the informer continues without losing a change.
    if (reason === 'expired' || reason === 'silent' || reason === 'stream') return;
    // A command ends with the error of a first list that the server refuses.
    if (isRefusal(error) && this.#informerOf(resource)?.hasSynced === false) return;
    const isOutage = reason !== 'skipped';
    this.#stream.write(`${resource}: ${error.message}${isOutage ? '; trying again' : ''}\n`);
    if (!isOutage) return;
    this.#down.add(resource);
    this.#timer ??= this.#pollLater();
  }

  /** Prints nothing more. */
  stop(): void {
    this.#timer?.cancel();
  }

  #pollLater(): Timer {
    return this.#clock.setTimer(pollMs, () => this.#poll(), { keepAlive: false });
  }

  #poll(): void {
    for (const resource of this.#down) {
      const status = this.#informerOf(resource)?.status;
      if (status?.state !== 'watching' || status.consecutiveFailures > 0) continue;
      this.#down.delete(resource);
      this.#stream.write(`${resource}: watching again\n`);
    }
    this.#timer = this.#down.size === 0 ? undefined : this.#pollLater();
  }
}
