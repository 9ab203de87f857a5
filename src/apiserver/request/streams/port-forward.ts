import type { Duplex, Writable } from 'node:stream';
import { StatusError } from '../../../meta/errors/errors.js';
import { badRequest } from '../../../meta/errors/status.js';
import type { Pod } from '../../../resources/types/core-v1.js';
import { ChannelStreams } from '../../../streams/channel-streams.js';
import { PORT_FORWARD_CHANNELS, PORT_FORWARD_TUNNEL, SpdyTunnel } from '../../../streams/port-forward-protocols.js';
import type { SpdyStream } from '../../../streams/spdy-connection.js';
import { asksForWebSocket } from '../../../streams/web-socket-handshake.js';
import type { ResourceCall } from '../resource-call.js';
import { openWebSocket } from './attached-streams.js';
import type { Kubelet, PortForwardCall } from './kubelet.js';
import { asksForSpdy, spdyOver } from './spdy-streams.js';

const PROTOCOL = 'portforward.k8s.io';

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
  const { protocol, open } = openWebSocket(call, [PORT_FORWARD_TUNNEL, PORT_FORWARD_CHANNELS]);
  const leave = (): void => gone.abort(new Error('The client has gone away'));
  if (protocol === PORT_FORWARD_TUNNEL) {
    const tunnel = new SpdyTunnel(leave, pairStreams(serve));
    tunnel.attach(open(tunnel));
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
