import { SpdyConnection, type SpdyPipe, type SpdyStream } from './spdy-connection.js';
import type { WebSocket, WebSocketEnd, WebSocketReader } from './web-socket.js';

/** SPDY inside a WebSocket, as kubectl speaks since 1.31: two streams for each connection, which can be closed halfway. */
export const PORT_FORWARD_TUNNEL = 'SPDY/3.1+portforward.k8s.io';
/** Two channels for each port of the query: data and errors. A channel cannot be closed halfway. */
export const PORT_FORWARD_CHANNELS = 'v4.channel.k8s.io';

/** A SPDY connection whose bytes are the messages of a WebSocket. */
export class SpdyTunnel implements WebSocketReader, SpdyPipe {
  readonly connection: SpdyConnection;
  readonly #onClosed: (end: WebSocketEnd) => void;
  #socket: WebSocket | undefined;

  /**
   * @param onClosed called when the WebSocket is closed, before its streams are
   * @param onStream called with each stream that the client opens; undefined on the client's side
   */
  constructor(onClosed: (end: WebSocketEnd) => void, onStream?: (stream: SpdyStream) => void) {
    this.#onClosed = onClosed;
    this.connection = new SpdyConnection(this, onStream);
  }

  /** Begins with a connection that calls {@link data} and {@link closed}. */
  attach(socket: WebSocket): void {
    this.#socket = socket;
  }

  data(bytes: Buffer): void {
    this.connection.receive(bytes);
  }

  closed(end: WebSocketEnd): void {
    this.#onClosed(end);
    this.connection.close(end.error);
  }

  write(bytes: Uint8Array): boolean {
    return this.#socket?.send(bytes) ?? true;
  }

  onDrain(callback: () => void): void {
    this.#socket?.onDrain(callback);
  }

  pause(): void {
    this.#socket?.pause();
  }

  resume(): void {
    this.#socket?.resume();
  }

  close(): void {
    this.#socket?.close();
  }
}
