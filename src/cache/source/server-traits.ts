/** How long a watch may bring nothing, unless its transport says otherwise. */
const defaultSilenceMs = 15_000;
/** How long a refusal to stream is believed. */
const refusalLastsMs = 600_000;

/** What is known of a server, shared by all sources that read from it. */
export class ServerTraits {
  readonly #silenceMs: (() => number | undefined) | undefined;
  #refusedAt: number | undefined;

  /** @param silenceMs what the transport says, asked each time: it depends on the protocol of the connection */
  constructor(silenceMs?: () => number | undefined) {
    this.#silenceMs = silenceMs;
  }

  /** A watch that has brought nothing for this long is reopened. */
  get silenceMs(): number {
    return this.#silenceMs?.() ?? defaultSilenceMs;
  }

  /** The server does not stream collections: it said so at this time of the monotonic clock. */
  noteStreamRefused(now: number): void {
    this.#refusedAt = now;
  }

  /** A new connection may lead to another server, or to a newer one. */
  noteReconnected(): void {
    this.#refusedAt = undefined;
  }

  /** Whether it is worth asking for a stream. */
  mayStream(now: number): boolean {
    return this.#refusedAt === undefined || now - this.#refusedAt >= refusalLastsMs;
  }
}
