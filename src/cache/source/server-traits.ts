import { requireNumber } from '../../meta/validate.js';

/** Until a bookmark has shown how often they come, a watch may be silent for this long. */
const unknownIdleLimitMs = 75_000;
/** A watch that has missed this many bookmarks in a row is dead. */
const bookmarksMissed = 3;
/** Bookmarks closer together than this belong to a busy moment and say nothing about the quiet ones. */
const shortestGapMs = 1_000;
/** Bookmarks further apart than this were held up on the way: believing them would make every stall allow a longer one. */
const longestGapMs = unknownIdleLimitMs;
/** How long a refusal to stream is believed. */
const refusalLastsMs = 600_000;

/**
 * What has been learnt about a server, shared by everybody who talks to it: how often it sends bookmarks, and whether it
 * can begin a watch with the whole collection.
 */
export class ServerTraits {
  #bookmarkGapMs: number | undefined;
  #refusedAt: number | undefined;

  /** How long a watch may say nothing before it is taken for dead. */
  get idleLimitMs(): number {
    return this.#bookmarkGapMs === undefined ? unknownIdleLimitMs : bookmarksMissed * this.#bookmarkGapMs;
  }

  /** The time between two bookmarks of one watch. The longest one counts. */
  noteBookmarkGap(ms: number): void {
    requireNumber('ms', ms);
    if (ms < shortestGapMs || ms > longestGapMs) return;
    if (ms > (this.#bookmarkGapMs ?? 0)) this.#bookmarkGapMs = ms;
  }

  /** A watch was taken for dead. Perhaps it was not, and the bookmarks lie further apart than those that were seen. */
  noteSilence(): void {
    this.#bookmarkGapMs = undefined;
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
