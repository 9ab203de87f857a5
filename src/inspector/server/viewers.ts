import type { ServerResponse } from 'node:http';

/** The pages that are open at the same time. */
const mostViewers = 8;
/** Snapshots that a page may miss because it has not read the one before. */
const mostMissed = 5;

interface Viewer {
  readonly response: ServerResponse;
  missed: number;
}

/**
 * The open streams of Server-Sent Events. A page that has not read the last event misses the next one, so that at most one event waits for each page;
 * after five missed ones it is disconnected.
 */
export class Viewers {
  readonly #viewers = new Set<Viewer>();
  readonly #onCount: (count: number) => void;

  /** @param onCount called with the number of viewers when it has changed */
  constructor(onCount: (count: number) => void) {
    this.#onCount = onCount;
  }

  get count(): number {
    return this.#viewers.size;
  }

  get isFull(): boolean {
    return this.#viewers.size >= mostViewers;
  }

  /** Sends events to this response from now on. Its head was written. */
  add(response: ServerResponse): void {
    const viewer: Viewer = { response, missed: 0 };
    this.#viewers.add(viewer);
    response.on('error', () => {});
    response.once('close', () => {
      this.#viewers.delete(viewer);
      this.#onCount(this.#viewers.size);
    });
    this.#onCount(this.#viewers.size);
  }

  /** Sends one event to all viewers that have read the one before. */
  send(text: string): void {
    for (const viewer of this.#viewers) {
      const { response } = viewer;
      if (response.writableLength === 0) {
        viewer.missed = 0;
        response.write(text);
      } else if (++viewer.missed > mostMissed) response.destroy();
    }
  }

  close(): void {
    for (const { response } of this.#viewers) response.destroy();
  }
}

/** An event in the form of `text/event-stream`; JSON has no line breaks. */
export function eventText(name: string, data: unknown): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
