import { once } from 'node:events';
import type { Duplex, Readable } from 'node:stream';
import { asError } from '../../meta/errors/errors.js';
import { ConnectionLostError, RequestError } from '../../rest/http/request-errors.js';
import { type OpenedWebSocket, openWebSocket } from '../../rest/request/open-web-socket.js';
import type { Request } from '../../rest/request/request.js';
import { ChannelStreams } from '../../streams/channel-streams.js';
import { PORT_FORWARD_CHANNELS, PORT_FORWARD_TUNNEL, SpdyTunnel } from '../../streams/port-forward-protocols.js';
import { WebSocket, type WebSocketEnd } from '../../streams/web-socket.js';
import type { Clock } from '../../time/clock.js';
import { onAbort } from '../../time/signals.js';
import { describeEnd, PING } from './keep-alive.js';

/*
 * A connection to a port of a pod. Each has a WebSocket of its own: SPDY in Kubernetes has no flow control, so that a slow
 * connection would hold up all others of the same WebSocket.
 */

/** A WebSocket to a pod that carries no connection yet. */
export interface OpenTunnel {
  /** Called when it is closed before it was used. */
  onClosed: () => void;
  /** Uses it for a connection to the port it was opened for. */
  connect(): Promise<Duplex>;
  destroy(): void;
}

/** Opens a WebSocket for one connection to a port of a pod. The server checks the permission, and reaches the node. */
export async function openTunnel(
  request: Request,
  port: number,
  clock: Clock,
  signal: AbortSignal | undefined,
): Promise<OpenTunnel> {
  request.param('ports', port);
  const opened = await openWebSocket(request, [PORT_FORWARD_TUNNEL, PORT_FORWARD_CHANNELS], signal);
  const { asked } = request;
  const lost = (end: WebSocketEnd): Error =>
    new RequestError(asked, new ConnectionLostError(describeEnd(end), { cause: end.error }));
  const refused = (text: string): Error =>
    new RequestError(asked, new Error(text.trim() || 'the server gave no reason'));
  const open = opened.protocol === PORT_FORWARD_TUNNEL ? openStreams : openChannels;
  return open({ opened, port, clock, lost, refused });
}

interface Tunnel {
  readonly opened: OpenedWebSocket;
  readonly port: number;
  readonly clock: Clock;
  /** The error of a connection whose WebSocket ended. */
  lost(end: WebSocketEnd): Error;
  /** The error of a connection that the server refused. */
  refused(text: string): Error;
}

/** The protocol of kubectl: two SPDY streams, for errors and for data, inside of the WebSocket. */
function openStreams({ opened, port, clock, lost, refused }: Tunnel): OpenTunnel {
  let data: Duplex | undefined;
  const tunnel = new SpdyTunnel((end) => {
    if (data === undefined) open.onClosed();
    else data.destroy(lost(end));
  });
  const socket = new WebSocket(opened.connection, tunnel, { role: 'client', clock, ...PING });
  tunnel.attach(socket);
  const open: OpenTunnel = {
    onClosed: () => {},
    async connect() {
      const headers = { port: String(port), requestid: '0' };
      const errors = tunnel.connection.open({ ...headers, streamtype: 'error' });
      errors.end();
      const stream = tunnel.connection.open({ ...headers, streamtype: 'data' });
      data = stream;
      destroyOnText(errors, stream, refused);
      stream.once('close', () => socket.close());
      return stream;
    },
    destroy: () => socket.close(),
  };
  return open;
}

/** The protocol of older servers: two channels. Each begins with the number of the port. */
function openChannels({ opened, port, clock, lost, refused }: Tunnel): OpenTunnel {
  let isUsed = false;
  const channels = new ChannelStreams((end) => {
    if (!isUsed) open.onClosed();
    else if (!data.readableEnded || end.error !== undefined) data.destroy(end.code === 1000 ? undefined : lost(end));
  });
  const data = channels.duplex(0);
  const errors = channels.readable(1);
  const socket = new WebSocket(opened.connection, channels, { role: 'client', clock, ...PING });
  channels.attach(socket);
  data.once('close', () => socket.close());
  const open: OpenTunnel = {
    onClosed: () => {},
    async connect() {
      isUsed = true;
      for (const stream of [data, errors]) await readPort(stream, port, refused);
      destroyOnText(errors, data, refused);
      return data;
    },
    destroy: () => socket.close(),
  };
  return open;
}

async function readPort(stream: Readable, port: number, refused: (text: string) => Error): Promise<void> {
  let bytes: Buffer | null = null;
  while ((bytes = stream.read(2)) === null && !stream.readableEnded && !stream.destroyed) {
    await Promise.race([once(stream, 'readable'), once(stream, 'end'), once(stream, 'close')]);
  }
  if (bytes?.length !== 2 || bytes.readUInt16LE() !== port) {
    stream.destroy();
    throw refused(`the server did not open port ${port}`);
  }
}

/** Ends a connection with the text that the server sends about it, if it sends any. */
function destroyOnText(errors: Readable, data: Duplex, refused: (text: string) => Error): void {
  // The server sends a text at once, so that its first chunk is all of it.
  errors.once('data', (chunk: Buffer) => data.destroy(refused(chunk.toString())));
}

/** A connection to a port of a pod, which `signal` closes. */
export async function connectToPod(
  request: Request,
  port: number,
  clock: Clock,
  signal: AbortSignal | undefined,
): Promise<Duplex> {
  const tunnel = await openTunnel(request, port, clock, signal);
  const connection = await tunnel.connect();
  const undo = onAbort(signal, () => connection.destroy(asError(signal?.reason)));
  return connection.once('close', undo);
}
