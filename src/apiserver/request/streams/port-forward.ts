import type { Duplex, Writable } from 'node:stream';
import { StatusError } from '../../../meta/errors/errors.js';
import { badRequest } from '../../../meta/errors/status.js';
import type { Pod } from '../../../resources/types/core-v1.js';
import { SpdyConnection, type SpdyPipe, type SpdyStream } from '../../wire/spdy-connection.js';
import { asksForWebSocket, type WebSocket } from '../../wire/web-socket.js';
import type { ResourceCall } from '../resource-call.js';
import { openWebSocket } from './attached-streams.js';
import { ChannelStreams } from './channel-streams.js';
import type { Kubelet, PortForwardCall } from './kubelet.js';
import { asksForSpdy, spdyOver } from './spdy-streams.js';

const PROTOCOL = 'portforward.k8s.io';
/** SPDY inside a WebSocket, as kubectl speaks since 1.31. */
const TUNNEL = `SPDY/3.1+${PROTOCOL}`;
/** Two channels for each port of the query. */
const CHANNELS = 'v4.channel.k8s.io';

type Forward = NonNullable<Kubelet['portForward']>;

/** Forwards connections of a client to ports of a pod. */
export async function servePortForward(call: ResourceCall, pod: Pod, forward: Forward): Promise<void> {
  const { headers, signal: stopping } = call.request;
  const gone = new AbortController();
  const signal = AbortSignal.any([gone.signal, stopping]);
  const serve = (port: number, connection: Duplex, errors: Writable): void =>
    void serveConnection({ pod, port, connection, signal }, forward, errors);
  if (asksForSpdy(headers)) spdyOver(call, [PROTOCOL], gone, pairStreams(serve));
  else if (!asksForWebSocket(headers)) throw new StatusError(badRequest('Upgrade request required'));
  else serveWebSocket(call, gone, serve);
}

type Serve = (port: number, connection: Duplex, errors: Writable) => void;

function serveWebSocket(call: ResourceCall, gone: AbortController, serve: Serve): void {
  const ports = call.info.query
    .getAll('ports')
    .flatMap((text) => text.split(','))
    .map(Number);
  const { protocol, open } = openWebSocket(call, [TUNNEL, CHANNELS]);
  const leave = (): void => gone.abort(new Error('The client has gone away'));
  if (protocol === TUNNEL) {
    let socket: WebSocket | undefined;
    const pipe: SpdyPipe = {
      write: (bytes) => socket!.send(bytes),
      onDrain: (callback) => socket!.onDrain(callback),
      pause: () => socket!.pause(),
      resume: () => socket!.resume(),
      close: () => socket!.close(),
    };
    const connection = new SpdyConnection(pipe, pairStreams(serve));
    socket = open({
      message: (bytes) => connection.receive(bytes),
      closed() {
        connection.close();
        leave();
      },
    });
    return;
  }
  if (ports.length === 0 || !ports.every(isPort))
    throw new StatusError(badRequest('query parameter "ports" is required'));
  const channels = new ChannelStreams(leave);
  const pairs = ports.map((port, at) => ({
    port,
    at,
    data: channels.duplex(2 * at),
    errors: channels.writable(2 * at + 1),
  }));
  channels.attach(open(channels));
  for (const { port, at, data, errors } of pairs) {
    const number = Buffer.alloc(2);
    number.writeUInt16LE(port);
    channels.send(2 * at, number);
    channels.send(2 * at + 1, number);
    serve(port, data, errors);
  }
}

function isPort(port: number): boolean {
  return Number.isInteger(port) && port > 0 && port < 65_536;
}

/** How many error streams may wait for their data streams. */
const MOST_WAITING = 100;

/** A client opens two streams for each connection, with the same request id: one for errors, then one for data. */
function pairStreams(serve: Serve): (stream: SpdyStream) => void {
  const waiting = new Map<string, SpdyStream>();
  return (stream) => {
    const { streamtype: type, port = '', requestid: id = port } = stream.headers;
    const number = Number(port);
    if (!isPort(number) || (type !== 'data' && type !== 'error') || waiting.size > MOST_WAITING) {
      stream.destroy();
      return;
    }
    const other = waiting.get(id);
    if (other === undefined || other.headers['streamtype'] === type) {
      waiting.set(id, stream);
      stream.once('close', () => {
        if (waiting.get(id) === stream) waiting.delete(id);
      });
      return;
    }
    waiting.delete(id);
    const [data, errors] = type === 'data' ? [stream, other] : [other, stream];
    // The client writes nothing to the stream of errors, but its end must be read.
    errors.resume();
    serve(number, data, errors);
  };
}

async function serveConnection(call: PortForwardCall, forward: Forward, errors: Writable): Promise<void> {
  const { connection, port, pod } = call;
  connection.on('error', () => {});
  try {
    await forward(call);
    if (!connection.writableEnded) connection.end();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    errors.write(`error forwarding port ${port} to pod ${pod.metadata.name}: ${why}`);
    connection.destroy();
  } finally {
    errors.end();
  }
}
