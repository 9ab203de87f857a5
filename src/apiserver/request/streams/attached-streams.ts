import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { StatusError } from '../../../meta/errors/errors.js';
import { badRequest } from '../../../meta/errors/status.js';
import { CHANNEL_PROTOCOLS, CHANNELS, ChannelStreams, type TerminalSize } from '../../../streams/channel-streams.js';
import type { SpdyStream } from '../../../streams/spdy-connection.js';
import { WebSocket, type WebSocketReader } from '../../../streams/web-socket.js';
import { acceptHeaders, asksForWebSocket, protocolOf } from '../../../streams/web-socket-handshake.js';
import type { ResourceCall } from '../resource-call.js';
import { asksForSpdy, spdyOver } from './spdy-streams.js';

/** The streams that a client asks for. */
export interface WantedStreams {
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly tty: boolean;
}

/** The streams between a client and a process. */
export interface Attached {
  readonly stdin: Readable | undefined;
  readonly stdout: Writable | undefined;
  readonly stderr: Writable | undefined;
  readonly signal: AbortSignal;
  onResize(listener: (size: TerminalSize) => void): void;
  /** Tells the client how the process has ended, after all of its output, and closes the connection. */
  finish(status: object): Promise<void>;
}

/** How long a client may take to open its streams. */
const OPEN_MS = 30_000;

/** Connects the streams of a client, over a WebSocket or SPDY. Undefined: the client has gone before it opened them all. */
export async function attachStreams(call: ResourceCall, wanted: WantedStreams): Promise<Attached | undefined> {
  const { headers } = call.request;
  if (asksForWebSocket(headers)) return attachChannels(call, wanted);
  if (asksForSpdy(headers)) return attachSpdy(call, wanted);
  throw new StatusError(badRequest('Upgrade request required'));
}

/** Accepts a WebSocket in one of the protocols; throws 400 if the client speaks none of them. */
export function openWebSocket(call: ResourceCall, protocols: readonly string[]): { protocol: string; open: Open } {
  const { request } = call;
  const protocol = protocolOf(request.headers, protocols);
  const accept = protocol === undefined ? undefined : acceptHeaders(request.headers, protocol);
  if (protocol === undefined || accept === undefined || request.upgrade === undefined) {
    const message = `unable to upgrade: the WebSocket needs one of the protocols ${protocols.join(', ')}`;
    throw new StatusError(badRequest(message));
  }
  const { clock } = call.context;
  return { protocol, open: (reader) => new WebSocket(request.upgrade!(accept), reader, { role: 'server', clock }) };
}

type Open = (reader: WebSocketReader) => WebSocket;

function attachChannels(call: ResourceCall, wanted: WantedStreams): Attached {
  const { open } = openWebSocket(call, CHANNEL_PROTOCOLS);
  const gone = new AbortController();
  const channels = new ChannelStreams(() => gone.abort(new Error('The client has gone away')));
  const stdin = wanted.stdin ? channels.readable(CHANNELS.stdin) : undefined;
  const stdout = wanted.stdout ? channels.writable(CHANNELS.stdout) : undefined;
  const stderr = wanted.stderr ? channels.writable(CHANNELS.stderr) : undefined;
  const resize = channels.readable(CHANNELS.resize);
  const socket = open(channels);
  channels.attach(socket);
  // An empty message shows the client that the connection is established.
  channels.send(wanted.stdout ? CHANNELS.stdout : wanted.stderr ? CHANNELS.stderr : CHANNELS.error, Buffer.alloc(0));
  return {
    stdin,
    stdout,
    stderr,
    signal: AbortSignal.any([gone.signal, call.request.signal]),
    onResize: (listener) => readSizes(resize, listener),
    async finish(status) {
      await flush([stdout, stderr], gone.signal);
      channels.send(CHANNELS.error, Buffer.from(JSON.stringify(status)));
      socket.close();
    },
  };
}

async function attachSpdy(call: ResourceCall, wanted: WantedStreams): Promise<Attached | undefined> {
  const { clock } = call.context;
  const gone = new AbortController();
  const names = ['error', ...(['stdin', 'stdout', 'stderr'] as const).filter((name) => wanted[name])];
  if (wanted.tty) names.push('resize');
  const streams = new Map<string, SpdyStream>();
  const complete = new Promise<void>((resolve) => {
    gone.signal.addEventListener('abort', () => resolve(), { once: true });
    spdyOver(call, ['v4.channel.k8s.io'], gone, (stream) => {
      streams.set(stream.headers['streamtype'] ?? '', stream);
      if (names.every((name) => streams.has(name))) resolve();
    });
  });
  const timer = clock.setTimer(OPEN_MS, () => gone.abort(new Error('The client did not open its streams')), {
    keepAlive: false,
  });
  try {
    await complete;
  } finally {
    timer.cancel();
  }
  if (gone.signal.aborted) return undefined;
  const [stdin, stdout, stderr] = [streams.get('stdin'), streams.get('stdout'), streams.get('stderr')];
  return {
    stdin,
    stdout,
    stderr,
    signal: AbortSignal.any([gone.signal, call.request.signal]),
    onResize: (listener) => {
      const resize = streams.get('resize');
      if (resize !== undefined) readSizes(resize, listener);
    },
    async finish(status) {
      await flush([stdout, stderr], gone.signal);
      const error = streams.get('error')!;
      error.end(JSON.stringify(status));
      await flush([error], gone.signal);
      gone.abort(new Error('The process has ended'));
    },
  };
}

/** Ends streams and waits until they are written, or the client has gone. */
async function flush(streams: readonly (Writable | undefined)[], gone: AbortSignal): Promise<void> {
  for (const stream of streams) {
    if (stream === undefined || stream.destroyed || gone.aborted) continue;
    stream.end();
    // A client that goes away meanwhile needs no more output.
    if (!stream.writableFinished) await once(stream, 'finish', { signal: gone }).catch(() => {});
  }
}

/** Reads sizes of a terminal: JSON objects, one after another. */
function readSizes(stream: Readable, listener: (size: TerminalSize) => void): void {
  let text = '';
  stream.on('data', (chunk: Buffer) => {
    text += chunk.toString('utf8');
    for (let end = text.indexOf('}'); end >= 0; end = text.indexOf('}')) {
      const size = sizeOf(text.slice(0, end + 1));
      text = text.slice(end + 1);
      if (size !== undefined) listener(size);
    }
    // A size is short: whatever is longer is none.
    if (text.length > 256) text = '';
  });
}

function sizeOf(json: string): TerminalSize | undefined {
  try {
    const { Width: width, Height: height } = JSON.parse(json);
    return typeof width === 'number' && typeof height === 'number' ? { width, height } : undefined;
  } catch {
    return undefined;
  }
}
