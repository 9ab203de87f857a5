import { createServer, type Server } from 'node:http';
import type { Clock } from '../../index.js';
import { type Health, httpHandler, metrics } from '../../observe/index.js';
import { ensureMetrics } from '../../observe/start-metrics.js';

/** Serves `/metrics`, `/livez` and `/readyz`. Metrics are counted from the start until the close. */
export class ManagerServer {
  readonly #server: Server;
  readonly #undoMetrics: () => void;

  private constructor(server: Server, undoMetrics: () => void) {
    this.#server = server;
    this.#undoMetrics = undoMetrics;
  }

  /** Rejects if the port is in use. */
  static async listen(port: number, health: Health, clock: Clock): Promise<ManagerServer> {
    const server = createServer(httpHandler({ metrics, health }));
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, resolve);
    });
    return new ManagerServer(server, ensureMetrics(clock));
  }

  async close(): Promise<void> {
    this.#undoMetrics();
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }
}
