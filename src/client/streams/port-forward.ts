import { createServer, type Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { asError } from '../../meta/errors/errors.js';
import { onAbort } from '../../time/signals.js';
import type { PortForward, PortForwardOptions } from './pod-client.js';
import type { OpenTunnel } from './pod-connection.js';

/** A port to forward. */
export interface PortPair {
  readonly remote: number;
  /** 0: a free one. */
  readonly local: number;
}

/** Opens a WebSocket to a port of the pod. */
type Open = (port: number, signal: AbortSignal) => Promise<OpenTunnel>;

/** Listens at local ports and forwards their connections. Rejects if the pod cannot be reached, or a port is in use. */
export async function startPortForward(
  pairs: readonly PortPair[],
  open: Open,
  options: PortForwardOptions,
): Promise<PortForward> {
  const { signal, address = '127.0.0.1', onError = warn } = options;
  const forward = new LocalForward(open, onError);
  forward.onClosed = onAbort(signal, () => void forward.close());
  try {
    // The first connection is opened before it is needed: an error of the server is reported here.
    await forward.openSpare(pairs[0]!.remote);
    for (const pair of pairs) await forward.listen(pair, address);
    signal?.throwIfAborted();
  } catch (error) {
    await forward.close();
    throw signal?.aborted ? signal.reason : error;
  }
  return forward;
}

class LocalForward implements PortForward {
  readonly ports: { readonly local: number; readonly remote: number }[] = [];
  onClosed: () => void = () => {};
  readonly #open: Open;
  readonly #onError: (error: Error) => void;
  readonly #servers: Server[] = [];
  readonly #sockets = new Set<Socket>();
  /** Aborts the connections that are being opened. */
  readonly #closing = new AbortController();
  #spare: { readonly port: number; readonly tunnel: OpenTunnel } | undefined;
  #closed: Promise<void> | undefined;

  constructor(open: Open, onError: (error: Error) => void) {
    this.#open = open;
    this.#onError = onError;
  }

  async openSpare(port: number): Promise<void> {
    const tunnel = await this.#open(port, this.#closing.signal);
    this.#spare = { port, tunnel };
    tunnel.onClosed = () => {
      this.#spare = undefined;
    };
  }

  async listen({ remote, local }: PortPair, address: string): Promise<void> {
    // Half-open: a client may close its side and wait for the answer.
    const server = createServer({ allowHalfOpen: true, pauseOnConnect: true, noDelay: true }, (socket) => {
      void this.#serve(socket, remote);
    });
    this.#servers.push(server);
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(local, address, () => {
        server.off('error', reject).on('error', this.#onError);
        resolve();
      });
    });
    this.ports.push({ local: (server.address() as { port: number }).port, remote });
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    this.onClosed();
    this.#closing.abort(new Error('the port-forward was closed'));
    this.#spare?.tunnel.destroy();
    const ends = this.#servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve())));
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all(ends);
  }

  async #serve(socket: Socket, port: number): Promise<void> {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    // A client that resets its connection is no error of the forward.
    socket.on('error', () => {});
    try {
      const connection = await (await this.#tunnel(port)).connect();
      await join(socket, connection);
    } catch (error) {
      // A reset, so that the client does not take this for the end of the answer.
      socket.resetAndDestroy();
      if (!this.#closing.signal.aborted) this.#onError(asError(error));
    }
  }

  #tunnel(port: number): OpenTunnel | Promise<OpenTunnel> {
    const spare = this.#spare;
    if (spare?.port !== port) return this.#open(port, this.#closing.signal);
    this.#spare = undefined;
    return spare.tunnel;
  }
}

/** Connects two streams with each other, until both directions have ended. Rejects with the error of the pod's side. */
function join(socket: Socket, connection: Duplex): Promise<void> {
  return new Promise((resolve, reject) => {
    connection.once('error', reject);
    connection.once('close', () => {
      if (connection.errored === null && !socket.writableEnded) socket.destroy();
    });
    socket.once('close', () => {
      connection.destroy();
      resolve();
    });
    if (socket.destroyed) connection.destroy();
    else socket.pipe(connection).pipe(socket);
  });
}

function warn(error: Error): void {
  process.emitWarning(error);
}
