import { StatusError } from '../../../meta/errors/errors.js';
import { badRequest } from '../../../meta/errors/status.js';
import { SpdyConnection, type SpdyPipe, type SpdyStream } from '../../../streams/spdy-connection.js';
import type { ResourceCall } from '../resource-call.js';

const SPDY = 'SPDY/3.1';
const PROTOCOL_HEADER = 'x-stream-protocol-version';

/** Whether a request asks for SPDY, as clients did before WebSockets. */
export function asksForSpdy(headers: Readonly<Record<string, string>>): boolean {
  return headers['upgrade']?.toLowerCase() === SPDY.toLowerCase();
}

/**
 * Accepts SPDY in one of the protocols and hands over the streams that the client opens. `gone` aborts when the connection
 * is closed; aborting it closes the connection.
 */
export function spdyOver(
  call: ResourceCall,
  protocols: readonly string[],
  gone: AbortController,
  onStream: (stream: SpdyStream) => void,
): void {
  const { request } = call;
  const offered = (request.headers[PROTOCOL_HEADER] ?? '').split(',').map((one) => one.trim());
  const protocol = protocols.find((one) => offered.includes(one));
  if (protocol === undefined || request.upgrade === undefined) {
    const message = `unable to upgrade: the header X-Stream-Protocol-Version must have one of ${protocols.join(', ')}`;
    throw new StatusError(badRequest(message));
  }
  const socket = request.upgrade({ Upgrade: SPDY, Connection: 'Upgrade', 'X-Stream-Protocol-Version': protocol });
  const waiting: (() => void)[] = [];
  const drained = (): void => {
    for (const callback of waiting.splice(0)) callback();
  };
  const pipe: SpdyPipe = {
    write: (bytes) => socket.destroyed || socket.write(bytes),
    onDrain: (callback) => (socket.destroyed ? process.nextTick(callback) : void waiting.push(callback)),
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    // Reads on, so that the end of the client's side is noticed.
    close: () => void socket.end().resume(),
  };
  const connection = new SpdyConnection(pipe, onStream);
  socket.on('data', (chunk: Buffer) => connection.receive(chunk));
  socket.on('drain', drained);
  socket.on('error', () => socket.destroy());
  socket.once('end', () => socket.destroy());
  socket.once('close', () => {
    drained();
    connection.close();
    gone.abort(new Error('The client has gone away'));
  });
  gone.signal.addEventListener('abort', () => connection.close(), { once: true });
  socket.resume();
}
