import { EventEmitter, once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { createSecureContext, connect as startTls, TLSSocket } from 'node:tls';
import { afterEach, beforeEach, expect } from 'vitest';
import { CertificateAuthority } from '../../src/certificates/certificate-authority.js';
import type { ConnectionOwner, HttpConnection } from '../../src/rest/http/http-connection.js';
import { Http1Connection } from '../../src/rest/http/http1-connection.js';
import { SocketReader } from '../../src/rest/http/socket-reader.js';
import type { Exchange, ResponseHandler, ResponseHeaders, TransportRequest } from '../../src/rest/http/transport.js';
import type { Clock } from '../../src/time/clock.js';
import { realClock } from '../../src/time/real-clock.js';

export const authority = new CertificateAuthority(realClock);
export const certificate = authority.issueServer();
export const closing: (() => unknown)[] = [];
/** Calls that break the contract of a handler: before `send` has returned, after the last one, or during a pause. */
export const violations: string[] = [];

beforeEach(() => void violations.splice(0));
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  expect(violations).toEqual([]);
});

/** Something that changes, and that a test waits for. */
class Changing extends EventEmitter {
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await once(this, 'change');
  }

  changed(): void {
    this.emit('change');
  }
}

/** A request under way, and the calls of its handler. */
export class Asked extends Changing implements ResponseHandler {
  status = 0;
  headers: ResponseHeaders = {};
  text = '';
  /** How many chunks have come. */
  pieces = 0;
  received = 0;
  outcome: 'none' | 'end' | 'fail' = 'none';
  error: unknown;
  exchange: Exchange | undefined;
  /** How many chunks it accepts before it pauses. */
  appetite = Number.POSITIVE_INFINITY;
  isFull = false;
  onOver: () => void = () => {};

  head(status: number, headers: ResponseHeaders): this {
    this.#called('head');
    this.status = status;
    this.headers = headers;
    this.changed();
    return this;
  }

  chunk(bytes: Uint8Array): boolean {
    this.#called('chunk');
    this.pieces++;
    this.received += bytes.length;
    if (this.received < 100_000) this.text += Buffer.from(bytes).toString('latin1');
    this.isFull = --this.appetite <= 0;
    this.changed();
    return !this.isFull;
  }

  end(): void {
    this.#called('end');
    this.#over('end');
  }

  fail(error: unknown): void {
    if (this.exchange === undefined) violations.push('fail before send has returned');
    if (this.outcome !== 'none') violations.push(`fail after ${this.outcome}`);
    this.error = error;
    this.#over('fail');
  }

  /** Resumes, for `appetite` chunks. */
  resume(appetite = Number.POSITIVE_INFINITY): void {
    this.appetite = appetite;
    this.isFull = false;
    this.exchange!.resume();
  }

  /** Resolves to the body when it is complete. */
  async whole(): Promise<string> {
    await this.until(() => this.outcome !== 'none');
    if (this.outcome === 'fail') throw this.error;
    return this.text;
  }

  /** Resolves to the error it failed with. */
  async failure(): Promise<Error> {
    await this.until(() => this.outcome !== 'none');
    expect(this.outcome).toBe('fail');
    return this.error as Error;
  }

  #called(what: string): void {
    if (this.exchange === undefined) violations.push(`${what} before send has returned`);
    if (this.isFull) violations.push(`${what} during a pause`);
    if (this.outcome !== 'none') violations.push(`${what} after ${this.outcome}`);
  }

  #over(outcome: 'end' | 'fail'): void {
    this.outcome = outcome;
    this.changed();
    this.onOver();
  }
}

/** The server's side of a connection. */
export class Peer extends Changing {
  readonly socket: Socket;
  /** The socket below TLS, or the same one. */
  readonly #raw: Socket;
  received = '';
  isClosed = false;

  constructor(socket: Socket, raw: Socket) {
    super();
    this.socket = socket;
    this.#raw = raw;
    socket.on('error', () => {});
    raw.on('error', () => {});
    socket.on('data', (bytes) => {
      this.received += bytes.toString('latin1');
      this.changed();
    });
    raw.on('close', () => {
      this.isClosed = true;
      this.changed();
    });
  }

  write(text: string | Buffer): void {
    this.socket.write(text, 'latin1');
  }

  hangUp(text = ''): void {
    this.socket.end(text, 'latin1');
  }

  reset(): void {
    this.#raw.resetAndDestroy();
  }

  async hears(text: string): Promise<void> {
    await this.until(() => this.received.includes(text));
  }

  async closed(): Promise<void> {
    await this.until(() => this.isClosed);
  }
}

/** Records the callbacks of a connection to its pool. */
class Owner extends Changing implements ConnectionOwner {
  rooms = 0;
  gone = 0;
  onFree: (connection: HttpConnection) => void = () => {};

  onRoom(connection: HttpConnection): void {
    this.rooms++;
    if (this.gone > 0) violations.push('room after it was gone');
    if (connection.room > 0) this.onFree(connection);
    this.changed();
  }

  onDead(): void {}

  onGone(): void {
    if (++this.gone > 1) violations.push('gone twice');
    this.changed();
  }

  async goes(): Promise<void> {
    await this.until(() => this.gone > 0);
  }
}

interface Connected {
  readonly connection: Http1Connection;
  readonly owner: Owner;
  readonly peer: Peer;
  /** The client's socket. */
  readonly socket: Socket;
}

/** How a socket is made, and how many bytes of one write are read at once. */
export interface Kind {
  readonly name: string;
  readonly pieceBytes: number;
  dial(port: number, reader: SocketReader): Socket;
  serve(raw: Socket): Socket;
}

const secureContext = createSecureContext({ key: certificate.key, cert: certificate.certificate });
export const kinds: readonly Kind[] = [
  {
    name: 'TCP, into shared memory',
    pieceBytes: 65_536,
    dial: (port, reader) => connect({ port, host: '127.0.0.1', noDelay: true, onread: reader.options }),
    serve: (raw) => raw,
  },
  {
    name: 'TCP, as it is through a proxy',
    pieceBytes: 65_536,
    dial: (port) => connect({ port, host: '127.0.0.1', noDelay: true }),
    serve: (raw) => raw,
  },
  {
    name: 'TLS',
    pieceBytes: 16_384,
    dial: (port) => startTls({ socket: connect(port, '127.0.0.1'), host: '127.0.0.1', ca: authority.certificate }),
    serve: (raw) => new TLSSocket(raw, { isServer: true, secureContext }),
  },
];

export async function listening(onConnection: (socket: Socket) => void): Promise<number> {
  const server: Server = createServer({ noDelay: true }, onConnection);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** A connection to a server that the test plays. */
export async function connected(
  kind: Kind,
  clock: Clock = realClock,
  before?: (peer: Peer) => unknown,
): Promise<Connected> {
  let peer!: Peer;
  const reader = new SocketReader();
  const port = await listening((raw) => {
    peer = new Peer(kind.serve(raw), raw);
    closing.push(() => raw.destroy());
  });
  const socket = kind.dial(port, reader);
  socket.on('error', () => {});
  closing.push(() => socket.destroy());
  await once(socket, socket instanceof TLSSocket ? 'secureConnect' : 'connect');
  while (peer === undefined) await realClock.yield();
  await before?.(peer);
  const owner = new Owner();
  const url = new URL('http://server.example:8080');
  const connection = new Http1Connection(socket, reader, url, clock, owner);
  return { connection, owner, peer, socket };
}

export function ask(connection: Http1Connection, request: Partial<TransportRequest> = {}, appetite?: number): Asked {
  const asked = new Asked();
  asked.appetite = appetite ?? Number.POSITIVE_INFINITY;
  asked.exchange = connection.send({ method: 'GET', target: '/', headers: {}, ...request }, asked);
  return asked;
}

/** Enough turns of the event loop for bytes that one side has written to be read on the other. */
export async function turns(): Promise<void> {
  for (let i = 0; i < 20; i++) await realClock.yield();
}

export const answer = (body: string, headers = ''): string =>
  `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n${headers}\r\n${body}`;
export const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
export const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
export const requestTo = (target: string): string =>
  `GET ${target} HTTP/1.1\r\nhost: server.example:8080\r\nconnection: keep-alive\r\n\r\n`;
