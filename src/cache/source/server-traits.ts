/** How long a watch may receive nothing if the transport has no value of its own. */
const defaultSilenceMs = 15_000;
/** For how long after a refusal no watch-list is tried. */
const refusalLastsMs = 600_000;

/** What requests have shown about a server; shared by all sources that read from it. */
export class ServerTraits {
  readonly #silenceMs: (() => number | undefined) | undefined;
  #refusedAt: number | undefined;

  /** @param silenceMs read each time: the value of the transport depends on the protocol of the connection */
  constructor(silenceMs?: () => number | undefined) {
    this.#silenceMs = silenceMs;
  }

  /** A watch that receives nothing for this long is reopened. */
  get silenceMs(): number {
    return this.#silenceMs?.() ?? defaultSilenceMs;
  }

  /** The server refused a watch-list, at this time of the monotonic clock. */
  noteStreamRefused(now: number): void {
    this.#refusedAt = now;
  }

  /** A new connection may lead to another server, or to a newer release of it. */
  noteReconnected(): void {
    this.#refusedAt = undefined;
  }

  /** Whether to try a watch-list. */
  mayStream(now: number): boolean {
    return this.#refusedAt === undefined || now - this.#refusedAt >= refusalLastsMs;
  }
}
