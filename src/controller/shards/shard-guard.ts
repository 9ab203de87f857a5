import { guardedClient } from '../../election/guarded-client.js';
import { type Client, type Clock, LeadershipLostError } from '../../index.js';

/** From when a shard is opened until it is closed: what its runs write. */
class Tenure {
  readonly #clock: Clock;
  readonly #uncertainMs: number;
  readonly #refusal: () => Error | undefined;
  readonly #clients = new WeakMap<Client, Client>();
  readonly #waiting = new Set<() => void>();
  #inFlight = 0;
  #certainAt = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, uncertainMs: number, refusal: () => Error | undefined) {
    this.#clock = clock;
    this.#uncertainMs = uncertainMs;
    this.#refusal = refusal;
  }

  guard(client: Client): Client {
    let guarded = this.#clients.get(client);
    if (guarded === undefined) {
      guarded = guardedClient(client, { refusal: this.#refusal, writeSent: () => this.#writeSent() });
      this.#clients.set(client, guarded);
    }
    return guarded;
  }

  /** Resolves when every write was answered, or failed so long ago that the server does not carry it out any more. */
  async settled(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const waitMs = this.#certainAt - this.#clock.monotonicNow();
      if (this.#inFlight > 0) await new Promise<void>((resolve) => this.#waiting.add(resolve));
      else if (waitMs > 0) await this.#clock.sleep(waitMs, { signal }).catch(() => {});
      else return;
    }
  }

  #writeSent(): (isAnswered: boolean) => void {
    this.#inFlight++;
    return (isAnswered) => {
      this.#inFlight--;
      if (!isAnswered) this.#certainAt = this.#clock.monotonicNow() + this.#uncertainMs;
      if (this.#inFlight > 0) return;
      for (const resolve of this.#waiting) resolve();
      this.#waiting.clear();
    };
  }
}

/** What a {@link ShardGuard} asks. */
interface ShardGuardOptions {
  readonly clock: Clock;
  readonly identity: string;
  /** Namespace and name of the shared Lease. */
  readonly lease: string;
  /** How long a write without an answer may still be carried out. */
  readonly uncertainMs: number;
  /** Whether a request for an object of this shard may be sent now. */
  mayWrite(shard: number): boolean;
}

/**
 * Ties every request of a run to its shard: to the time from when the shard was opened until it was closed, and to the deadline
 * of the replica. A run that outlives its shard sends nothing more, not even when the shard has come back.
 */
export class ShardGuard {
  readonly #options: ShardGuardOptions;
  readonly #tenures = new Map<number, Tenure>();

  constructor(options: ShardGuardOptions) {
    this.#options = options;
  }

  /** Called when the shard is opened; goes on with the tenure of a shard that was not closed. */
  open(shard: number): void {
    if (this.#tenures.has(shard)) return;
    const { clock, uncertainMs } = this.#options;
    const tenure: Tenure = new Tenure(clock, uncertainMs, () =>
      this.#tenures.get(shard) === tenure && this.#options.mayWrite(shard) ? undefined : this.#lost(shard),
    );
    this.#tenures.set(shard, tenure);
  }

  close(shard: number): void {
    this.#tenures.delete(shard);
  }

  /** A client for runs of this shard that begin now. */
  client(client: Client, shard: number): Client {
    const tenure = this.#tenures.get(shard);
    return tenure?.guard(client) ?? guardedClient(client, { refusal: () => this.#lost(shard) });
  }

  /** Resolves when no write of this shard is on its way. */
  async settled(shard: number, signal: AbortSignal): Promise<void> {
    await this.#tenures.get(shard)?.settled(signal);
  }

  #lost(shard: number): LeadershipLostError {
    const { lease, identity } = this.#options;
    return new LeadershipLostError(
      lease,
      identity,
      `it does not hold shard ${shard} any more; the request was not sent`,
    );
  }
}
