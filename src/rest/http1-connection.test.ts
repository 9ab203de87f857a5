import { EventEmitter, getEventListeners, once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { createSecureContext, connect as startTls, TLSSocket } from 'node:tls';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CertificateAuthority } from '../apiserver/certificates.js';
import { isConnectionLost } from '../meta/error-predicates.js';
import type { Clock } from '../time/clock.js';
import { FakeClock } from '../time/fake-clock.js';
import { realClock } from '../time/real-clock.js';
import { abortError } from '../time/wait.js';
import { fixedTls } from './connection.js';
import { ConnectionLostError, InvalidRequestError } from './errors.js';
import { type ConnectionOwner, type HttpConnection, NotProcessedError } from './http-connection.js';
import { HttpTransport } from './http-transport.js';
import { Http1Connection } from './http1-connection.js';
import { Http1Error } from './http1-parser.js';
import { SocketReader } from './socket-reader.js';
import type { Exchange, ResponseHandler, ResponseHeaders, TransportRequest } from './transport.js';

const authority = new CertificateAuthority(realClock);
const certificate = authority.issueServer();
const closing: (() => unknown)[] = [];
/** Calls that should not have been made: before `send` has returned, after the last one, or while nothing was wanted. */
const mischief: string[] = [];

beforeEach(() => void mischief.splice(0));
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  expect(mischief).toEqual([]);
});

/** Something that changes, and that somebody waits for. */
class Changing extends EventEmitter {
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await once(this, 'change');
  }

  changed(): void {
    this.emit('change');
  }
}

/** A request under way, and what its handler was told. */
class Asked extends Changing implements ResponseHandler {
  status = 0;
  headers: ResponseHeaders = {};
  text = '';
  /** How many pieces of the body were taken. */
  pieces = 0;
  received = 0;
  outcome: 'none' | 'end' | 'fail' = 'none';
  error: unknown;
  exchange: Exchange | undefined;
  /** How many pieces are taken until it has enough. */
  appetite = Number.POSITIVE_INFINITY;
  isFull = false;
  onOver: () => void = () => {};

  head(status: number, headers: ResponseHeaders): void {
    this.#called('head');
    this.status = status;
    this.headers = headers;
    this.changed();
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
    if (this.exchange === undefined) mischief.push('fail before send has returned');
    if (this.outcome !== 'none') mischief.push(`fail after ${this.outcome}`);
    this.error = error;
    this.#over('fail');
  }

  /** Goes on, for as many pieces as told. */
  resume(appetite = Number.POSITIVE_INFINITY): void {
    this.appetite = appetite;
    this.isFull = false;
    this.exchange!.resume();
  }

  /** The body, once it is whole. */
  async whole(): Promise<string> {
    await this.until(() => this.outcome !== 'none');
    if (this.outcome === 'fail') throw this.error;
    return this.text;
  }

  /** What it failed with. */
  async failure(): Promise<Error> {
    await this.until(() => this.outcome !== 'none');
    expect(this.outcome).toBe('fail');
    return this.error as Error;
  }

  #called(what: string): void {
    if (this.exchange === undefined) mischief.push(`${what} before send has returned`);
    if (this.isFull) mischief.push(`${what} though it has enough`);
    if (this.outcome !== 'none') mischief.push(`${what} after ${this.outcome}`);
  }

  #over(outcome: 'end' | 'fail'): void {
    this.outcome = outcome;
    this.changed();
    this.onOver();
  }
}

/** The other side of a connection. */
class Peer extends Changing {
  readonly socket: Socket;
  /** What lies under TLS, or the same. */
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

/** What a connection tells its pool. */
class Owner extends Changing implements ConnectionOwner {
  rooms = 0;
  gone = 0;
  onFree: (connection: HttpConnection) => void = () => {};

  onRoom(connection: HttpConnection): void {
    this.rooms++;
    if (this.gone > 0) mischief.push('room after it was gone');
    if (connection.room > 0) this.onFree(connection);
    this.changed();
  }

  onGone(): void {
    if (++this.gone > 1) mischief.push('gone twice');
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
  /** This side's socket. */
  readonly socket: Socket;
}

/** How the socket comes about, and how many bytes of one write are read at once. */
interface Kind {
  readonly name: string;
  readonly pieceBytes: number;
  dial(port: number, reader: SocketReader): Socket;
  serve(raw: Socket): Socket;
}

const secureContext = createSecureContext({ key: certificate.key, cert: certificate.certificate });
const kinds: readonly Kind[] = [
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

async function listening(onConnection: (socket: Socket) => void): Promise<number> {
  const server: Server = createServer({ noDelay: true }, onConnection);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** A connection whose other side the test plays. */
async function connected(kind: Kind, clock: Clock = realClock, before?: (peer: Peer) => unknown): Promise<Connected> {
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

function ask(connection: Http1Connection, request: Partial<TransportRequest> = {}, appetite?: number): Asked {
  const asked = new Asked();
  asked.appetite = appetite ?? Number.POSITIVE_INFINITY;
  asked.exchange = connection.send({ method: 'GET', target: '/', headers: {}, ...request }, asked);
  return asked;
}

/** Enough turns for what has been written on this machine to be read on the other side. */
async function turns(): Promise<void> {
  for (let i = 0; i < 20; i++) await realClock.yield();
}

const answer = (body: string, headers = ''): string =>
  `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n${headers}\r\n${body}`;
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
const requestTo = (target: string): string =>
  `GET ${target} HTTP/1.1\r\nhost: server.example:8080\r\nconnection: keep-alive\r\n\r\n`;

describe.each(kinds)('over $name', (kind) => {
  describe('a request', () => {
    const host = 'host: server.example:8080\r\nconnection: keep-alive\r\n';
    const bytes = Buffer.from([0, 13, 10, 0x80, 0xff]);
    it.each<[string, Partial<TransportRequest>, string]>([
      ['a GET', { target: '/api?watch=1' }, `GET /api?watch=1 HTTP/1.1\r\n${host}\r\n`],
      ['a HEAD', { method: 'HEAD' }, `HEAD / HTTP/1.1\r\n${host}\r\n`],
      ['a DELETE', { method: 'DELETE' }, `DELETE / HTTP/1.1\r\n${host}\r\n`],
      [
        'a DELETE with a body',
        { method: 'DELETE', body: Buffer.from('{}') },
        `DELETE / HTTP/1.1\r\n${host}content-length: 2\r\n\r\n{}`,
      ],
      ['a POST without a body', { method: 'POST' }, `POST / HTTP/1.1\r\n${host}content-length: 0\r\n\r\n`],
      [
        'a PUT of nothing',
        { method: 'PUT', body: Buffer.alloc(0) },
        `PUT / HTTP/1.1\r\n${host}content-length: 0\r\n\r\n`,
      ],
      ['a PATCH without a body', { method: 'PATCH' }, `PATCH / HTTP/1.1\r\n${host}content-length: 0\r\n\r\n`],
      [
        'a POST of bytes',
        { method: 'POST', body: new Uint8Array(bytes) },
        `POST / HTTP/1.1\r\n${host}content-length: 5\r\n\r\n${bytes.toString('latin1')}`,
      ],
      [
        'headers, some of them lists',
        { headers: { accept: 'application/json', 'impersonate-group': ['a', 'b'], none: [], x: '\xe9\t"' } },
        `GET / HTTP/1.1\r\n${host}accept: application/json\r\nimpersonate-group: a\r\nimpersonate-group: b\r\nx: \xe9\t"\r\n\r\n`,
      ],
      [
        'another host',
        { headers: { host: 'other.example' } },
        'GET / HTTP/1.1\r\nhost: other.example\r\nconnection: keep-alive\r\n\r\n',
      ],
    ])('is sent as it has to be: %s', async (_what, request, expected) => {
      const { connection, peer } = await connected(kind);
      const asked = ask(connection, request);
      await peer.until(() => peer.received.length >= expected.length);
      peer.write('HTTP/1.1 204 No Content\r\n\r\n');
      await asked.whole();
      expect(peer.received).toBe(expected);
    });

    it('may have a large body', async () => {
      const { connection, peer } = await connected(kind);
      const body = Buffer.alloc(8 * 1024 * 1024, 'x');
      const asked = ask(connection, { method: 'POST', body });
      await peer.hears('\r\n\r\n');
      const headBytes = peer.received.indexOf('\r\n\r\n') + 4;
      await peer.until(() => peer.received.length === headBytes + body.length);
      peer.write(answer('thanks'));
      expect(await asked.whole()).toBe('thanks');
      expect(peer.received).toContain(`content-length: ${body.length}\r\n`);
    });

    it.each<[string, Partial<TransportRequest>, string | RegExp]>([
      ['a method with a line', { method: 'GET / HTTP/1.1\r\nx: y' }, /^the method "GET/],
      ['an empty method', { method: '' }, 'the method "" has characters that no request can carry'],
      [
        'a path with a line',
        { target: '/ HTTP/1.1\r\nx: y' },
        /^the path "\/ HTTP.* has characters that no request can/,
      ],
      ['a path with a line feed', { target: '/a\nb' }, 'the path "/a\\nb" has'],
      ['a path with a blank', { target: '/a b' }, 'the path "/a b" has'],
      ['a path that is not ASCII', { target: '/é' }, 'the path "/é" has'],
      ['an empty path', { target: '' }, 'the path "" has'],
      ['a name with a line', { headers: { 'x\r\ny': 'z' } }, /valid HTTP token/],
      ['a name with a colon', { headers: { 'x:': 'z' } }, /valid HTTP token/],
      ['an empty name', { headers: { '': 'z' } }, /valid HTTP token/],
      ['a value with a line', { headers: { x: 'se\r\ncret: y' } }, /Invalid character in header content \["x"\]/],
      ['a value with a line feed', { headers: { x: 'se\ncret' } }, /Invalid character/],
      ['a value with a carriage return', { headers: { x: 'se\rcret' } }, /Invalid character/],
      ['a value with a NUL', { headers: { x: 'se\0cret' } }, /Invalid character/],
      ['a value beyond a byte', { headers: { x: 'se\u0100cret' } }, /Invalid character/],
      ['a bad value in a list', { headers: { x: ['good', 'se\ncret'] } }, /Invalid character/],
      ['a bad host', { headers: { host: 'se\r\ncret' } }, /Invalid character/],
      ['a length', { headers: { 'content-length': '5' } }, 'the header content-length is for the connection to set'],
      ['a Length', { headers: { 'Content-Length': '5' } }, 'the header Content-Length is for the connection to set'],
      ['an encoding', { headers: { 'transfer-encoding': 'chunked' } }, 'the header transfer-encoding is for'],
      ['a trailer', { headers: { trailer: 'x' } }, 'the header trailer is for'],
      ['an upgrade', { headers: { upgrade: 'websocket' } }, 'the header upgrade is for'],
      ['an expectation', { headers: { expect: '100-continue' } }, 'the header expect is for'],
    ])('is refused with nothing sent, and the connection goes on: %s', async (_what, request, message) => {
      const { connection, peer } = await connected(kind);
      const handler = new Asked();
      let error: unknown;
      try {
        connection.send({ method: 'GET', target: '/', headers: {}, ...request }, handler);
      } catch (thrown) {
        error = thrown;
      }
      expect(() => {
        throw error;
      }).toThrow(message);
      expect((error as Error).message).not.toContain('cret');
      expect([connection.active, connection.room]).toEqual([0, 1]);
      const asked = ask(connection, { target: '/next' });
      await peer.hears('\r\n\r\n');
      peer.write(answer('fine'));
      expect(await asked.whole()).toBe('fine');
      expect(peer.received).toBe(requestTo('/next'));
      expect(handler.outcome).toBe('none');
    });

    it('that cannot be sent says so with an error of its own', async () => {
      const { connection } = await connected(kind);
      expect(() => ask(connection, { target: '/a b' })).toThrow(InvalidRequestError);
      expect(() => ask(connection, { headers: { expect: 'x' } })).toThrow(InvalidRequestError);
    });
  });

  describe('a connection', () => {
    it('carries one request after the other', async () => {
      const { connection, peer, owner } = await connected(kind);
      expect([connection.active, connection.room]).toEqual([0, 1]);
      const targets = Array.from({ length: 5 }, (_, i) => `/${i}`);
      for (const [i, target] of targets.entries()) {
        const asked = ask(connection, { target });
        expect([connection.active, connection.room]).toEqual([1, 0]);
        await peer.hears(requestTo(target));
        peer.write(i % 2 === 0 ? answer(target) : `${chunked}${chunk(target)}0\r\n\r\n`);
        expect(await asked.whole()).toBe(target);
        expect([connection.active, connection.room, owner.rooms]).toEqual([0, 1, i + 1]);
        if (i === 2) await turns();
      }
      expect(peer.received).toBe(targets.map(requestTo).join(''));
      expect(owner.gone).toBe(0);
    });

    it('takes the next request from within the end of the answer before', async () => {
      const { connection, peer, owner } = await connected(kind);
      const first = ask(connection, { target: '/1' });
      let second: Asked | undefined;
      owner.onFree = () => {
        second ??= ask(connection, { target: '/2' });
      };
      await peer.hears('/1');
      peer.write(answer('one'));
      expect(await first.whole()).toBe('one');
      await peer.hears('/2');
      peer.write(answer('two'));
      expect(await second?.whole()).toBe('two');
    });

    it.each([
      ['says that it closes', answer('body', 'connection: close\r\n')],
      ['is HTTP/1.0', 'HTTP/1.0 200 OK\r\ncontent-length: 4\r\n\r\nbody'],
      ['is HTTP/1.0, whatever it says', 'HTTP/1.0 200 OK\r\ncontent-length: 4\r\nconnection: keep-alive\r\n\r\nbody'],
      ['will be closed within a second', answer('body', 'keep-alive: timeout=1\r\n')],
      ['is closed at once', answer('body', 'keep-alive: timeout=0\r\n')],
      ['is followed by bytes', `${answer('body')}x`],
      ['is followed by an answer', `${answer('body')}${answer('evil')}`],
      ['is followed by a line', `${answer('body')}\r\n`],
    ])('is not used again when the answer %s', async (_what, wire) => {
      const { connection, peer, owner } = await connected(kind);
      const asked = ask(connection);
      owner.onFree = () => mischief.push('room for another request');
      asked.onOver = () => expect(connection.room).toBe(0);
      await peer.hears('\r\n\r\n');
      peer.write(wire);
      expect(await asked.whole()).toBe('body');
      expect(connection.room).toBe(0);
      await owner.goes();
      await peer.closed();
      expect([connection.room, connection.active]).toEqual([0, 0]);
    });

    it('is closed when something comes that nobody asked for', async () => {
      const { connection, peer, owner } = await connected(kind);
      const asked = ask(connection);
      await peer.hears('\r\n\r\n');
      peer.write(answer('body'));
      await asked.whole();
      await turns();
      expect(connection.room).toBe(1);
      peer.write(answer('evil'));
      await owner.goes();
      expect(connection.room).toBe(0);
    });

    it('takes nothing for an answer that has come before the request left', async () => {
      const { connection, peer, owner } = await connected(kind);
      const first = ask(connection, { target: '/1' });
      let second: Asked | undefined;
      owner.onFree = () => {
        second ??= ask(connection, { target: '/2' });
      };
      await peer.hears('/1');
      // Both are there before this side reads, and it reads the first of them alone.
      const padding = kind.pieceBytes - answer('x'.repeat(20_000)).length;
      const whole = answer('x'.repeat(20_000 + padding));
      const fitting = answer('x'.repeat(20_000 + padding - (whole.length - kind.pieceBytes)));
      expect(fitting.length).toBe(kind.pieceBytes);
      peer.write(Buffer.from(`${fitting}${answer('evil')}`));
      await first.whole();
      expect(second).toBeDefined();
      expect(await second!.failure()).toBeInstanceOf(NotProcessedError);
      expect(second!.status).toBe(0);
      await peer.closed();
      expect(peer.received).not.toContain('/2');
    });

    it('takes nothing for an answer that has come before anything was asked', async () => {
      const greet = async (peer: Peer): Promise<void> => {
        peer.write(answer('evil'));
        await turns();
      };
      const { connection, peer, owner, socket } = await connected(kind, realClock, greet);
      // What reads into shared memory has nowhere to put it, and has hung up by itself.
      expect(socket.destroyed).toBe(kind === kinds[0]);
      if (!socket.destroyed) {
        const asked = ask(connection);
        expect(await asked.failure()).toBeInstanceOf(NotProcessedError);
        expect(asked.status).toBe(0);
        await owner.goes();
      }
      await peer.closed();
      expect(peer.received).toBe('');
    });

    it('is not used again when the answer came before the request was written', async () => {
      const { connection, peer, owner, socket } = await connected(kind);
      peer.socket.pause();
      const asked = ask(connection, { method: 'POST', body: Buffer.alloc(64 * 1024 * 1024) });
      let next: Asked | undefined;
      owner.onFree = () => {
        next ??= ask(connection, { target: '/next' });
      };
      peer.write(answer('too large'));
      expect(await asked.whole()).toBe('too large');
      expect(socket.writableLength).toBeGreaterThan(0);
      await owner.goes();
      if (next !== undefined) expect(await next.failure()).toBeInstanceOf(NotProcessedError);
      expect(connection.room).toBe(0);
    });

    it('is not left open after such an answer, even if nobody asks for more', async () => {
      const { connection, peer, owner } = await connected(kind);
      peer.socket.pause();
      const asked = ask(connection, { method: 'POST', body: Buffer.alloc(64 * 1024 * 1024) });
      peer.write(answer('too large'));
      await asked.whole();
      await owner.goes();
      expect(connection.room).toBe(0);
    });

    it('is given up a second before the server would close it', async () => {
      const clock = new FakeClock();
      const { connection, peer, owner } = await connected(kind, clock);
      const exchange = async (target: string): Promise<void> => {
        const asked = ask(connection, { target });
        await peer.hears(requestTo(target));
        peer.write(answer('ok', 'Keep-Alive: timeout=5, max=100\r\n'));
        await asked.whole();
      };
      await exchange('/1');
      await clock.advance(3999);
      expect(connection.room).toBe(1);
      await exchange('/2');
      await clock.advance(3000);
      // What is not sent does not count for the server.
      const refused = ask(connection, { refusal: () => new Error('too late') });
      await refused.failure();
      await clock.advance(999);
      expect([connection.room, owner.gone]).toEqual([1, 0]);
      await clock.advance(1);
      expect(connection.room).toBe(0);
      await owner.goes();
      await peer.closed();
    });

    it('is not given up in the middle of an answer', async () => {
      const clock = new FakeClock();
      const { connection, peer } = await connected(kind, clock);
      const first = ask(connection, { target: '/1' });
      await peer.hears('/1');
      peer.write(answer('ok', 'keep-alive: timeout=5\r\n'));
      await first.whole();
      const second = ask(connection, { target: '/2' });
      await peer.hears('/2');
      await clock.advance(60_000);
      peer.write(answer('ok'));
      expect(await second.whole()).toBe('ok');
    });
  });

  describe('a handler that has enough', () => {
    it('holds up the server, and loses nothing', async () => {
      const { connection, peer } = await connected(kind);
      const blocks = 64;
      const block = Buffer.alloc(512 * 1024, 'x');
      const asked = ask(connection, {}, 1);
      await peer.hears('\r\n\r\n');
      peer.write(`HTTP/1.1 200 OK\r\ncontent-length: ${blocks * block.length}\r\n\r\n`);
      for (let i = 0; i < blocks; i++) peer.write(block);
      await asked.until(() => asked.isFull);
      const { received } = asked;
      await turns();
      expect(asked.received).toBe(received);
      expect(peer.socket.writableLength).toBeGreaterThan(0);
      asked.resume(3);
      await asked.until(() => asked.isFull);
      await turns();
      expect(peer.socket.writableLength).toBeGreaterThan(0);
      asked.resume();
      await asked.whole();
      expect(asked.received).toBe(blocks * block.length);
    });

    it('is told nothing more until it goes on, whatever was read already', async () => {
      const { connection, peer, owner } = await connected(kind);
      const asked = ask(connection, {}, 1);
      await peer.hears('\r\n\r\n');
      const pieces = ['one', 'two', 'three'];
      peer.write(`${chunked}${pieces.map(chunk).join('')}0\r\n\r\n`);
      for (const [i] of pieces.entries()) {
        await asked.until(() => asked.isFull);
        await turns();
        expect(asked.text).toBe(pieces.slice(0, i + 1).join(''));
        expect([asked.outcome, owner.rooms]).toEqual(['none', 0]);
        asked.resume(1);
      }
      expect(asked.outcome).toBe('end');
      expect(connection.room).toBe(1);
    });

    it('is not told of the end either', async () => {
      const { connection, peer } = await connected(kind);
      for (const target of ['/1', '/2']) {
        const asked = ask(connection, { target }, 1);
        await peer.hears(requestTo(target));
        peer.write(answer('body'));
        await asked.until(() => asked.isFull);
        await turns();
        expect([asked.outcome, connection.room]).toEqual(['none', 0]);
        asked.resume();
        expect(await asked.whole()).toBe('body');
      }
    });

    it('keeps its bytes when others read into the same memory', async () => {
      const all = await Promise.all([connected(kind), connected(kind), connected(kind)]);
      const asked = all.map(({ connection }, i) => ask(connection, { target: `/${i}` }, 1));
      const bodies = asked.map((_, i) => Array.from({ length: 50 }, (__, n) => `${i}`.repeat(1 + ((n * 37) % 90))));
      for (const [i, { peer }] of all.entries()) {
        await peer.hears(`/${i}`);
        peer.write(`${chunked}${bodies[i]!.map(chunk).join('')}`);
      }
      for (let open = asked; open.length > 0; open = open.filter(({ pieces }) => pieces < 50)) {
        await Promise.all(open.map((one) => one.until(() => one.isFull)));
        for (const one of open) one.resume(1);
      }
      for (const { peer } of all) peer.write('0\r\n\r\n');
      for (const one of asked) if (one.isFull) one.resume();
      expect(await Promise.all(asked.map((one) => one.whole()))).toEqual(bodies.map((body) => body.join('')));
    });

    it('can go on at any time without harm', async () => {
      const { connection, peer } = await connected(kind);
      const first = ask(connection, { target: '/1' });
      first.resume();
      await peer.hears('/1');
      peer.write(answer('one'));
      await first.whole();
      first.exchange!.resume();
      const second = ask(connection, { target: '/2' }, 1);
      await peer.hears('/2');
      peer.write(`${chunked}${chunk('two')}${chunk('three')}`);
      await second.until(() => second.isFull);
      // This one is over and has no say in what the other wants.
      first.exchange!.resume();
      await turns();
      expect(second.text).toBe('two');
      second.resume();
      second.exchange!.resume();
      peer.write('0\r\n\r\n');
      expect(await second.whole()).toBe('twothree');
      second.exchange!.resume();
    });

    it('and goes on before it has said so is not held to it', async () => {
      const { connection, peer } = await connected(kind);
      const asked = new Asked();
      const pieces: string[] = [];
      asked.chunk = (bytes) => {
        pieces.push(Buffer.from(bytes).toString());
        asked.exchange!.resume();
        return false;
      };
      asked.exchange = connection.send({ method: 'GET', target: '/', headers: {} }, asked);
      await peer.hears('\r\n\r\n');
      peer.write(`${chunked}${chunk('one')}${chunk('two')}0\r\n\r\n`);
      await turns();
      expect(pieces).toEqual(['one']);
      asked.exchange.resume();
      expect(pieces).toEqual(['one', 'two']);
      asked.exchange.resume();
      expect(asked.outcome).toBe('end');
    });

    it('can give up', async () => {
      const { connection, peer, owner } = await connected(kind);
      const controller = new AbortController();
      const asked = ask(connection, { signal: controller.signal }, 1);
      await peer.hears('\r\n\r\n');
      peer.write(`${chunked}${chunk('one')}${chunk('two')}`);
      await asked.until(() => asked.isFull);
      const reason = new Error('enough');
      controller.abort(reason);
      expect(asked.error).toBe(reason);
      asked.exchange!.resume();
      await owner.goes();
      await peer.closed();
      expect(asked.text).toBe('one');
    });

    it.each([
      ['of known length', answer('one-two-three', 'connection: close\r\n')],
      ['in chunks', `${chunked}${['one-', 'two-', 'three'].map(chunk).join('')}0\r\n\r\n`],
      ['that ends with the connection', 'HTTP/1.1 200 OK\r\n\r\none-two-three'],
    ])('gets all of an answer %s after the server has hung up', async (_what, wire) => {
      for (const appetite of [1, 2]) {
        const { connection, peer, owner } = await connected(kind);
        const asked = ask(connection, {}, 1);
        await peer.hears('\r\n\r\n');
        const cut = wire.indexOf('one') + 2;
        peer.write(wire.slice(0, cut));
        await asked.until(() => asked.isFull);
        // This may be read before the pause is noticed, or after.
        peer.hangUp(wire.slice(cut));
        await turns();
        expect([asked.outcome, asked.text, owner.gone]).toEqual(['none', 'on', 0]);
        while (asked.outcome === 'none') {
          asked.resume(appetite);
          await asked.until(() => asked.isFull || asked.outcome !== 'none');
          await turns();
        }
        expect(await asked.whole()).toBe('one-two-three');
        await owner.goes();
        await peer.closed();
      }
    });

    it('gets all of an answer that came with the end in one piece', async () => {
      for (const wire of [
        answer('ab', 'connection: close\r\n'),
        'HTTP/1.1 200 OK\r\n\r\nab',
        `${chunked}${chunk('a')}${chunk('b')}0\r\n\r\n`,
      ]) {
        const { connection, peer, owner } = await connected(kind);
        const asked = ask(connection, {}, 1);
        await peer.hears('\r\n\r\n');
        peer.hangUp(wire);
        await asked.until(() => asked.isFull);
        await turns();
        expect([asked.outcome, owner.gone]).toEqual(['none', 0]);
        asked.resume();
        expect(await asked.whole()).toBe('ab');
        await owner.goes();
      }
    });

    it('hears of a connection that was cut, after what came before', async () => {
      const { connection, peer, owner } = await connected(kind);
      const asked = ask(connection, {}, 1);
      await peer.hears('\r\n\r\n');
      peer.hangUp(`${chunked}${chunk('one')}${chunk('two')}5\r\nthr`);
      await asked.until(() => asked.isFull);
      await turns();
      expect([asked.outcome, asked.text]).toEqual(['none', 'one']);
      asked.resume();
      expect((await asked.failure()).message).toBe(
        'the connection closed in the middle of the answer, 2 bytes before the end of a chunk',
      );
      expect(asked.text).toBe('onetwothr');
      await owner.goes();
    });

    it('does not keep a pool from closing what the server has hung up on', async () => {
      const { connection, peer, owner } = await connected(kind);
      const asked = ask(connection, {}, 1);
      await peer.hears('\r\n\r\n');
      peer.hangUp(answer('ab'));
      await asked.until(() => asked.isFull);
      await turns();
      const reason = new Error('closed');
      connection.destroy(reason);
      expect(asked.error).toBe(reason);
      await owner.goes();
    });
  });

  describe('who gives up', () => {
    it.each([
      ['before the answer', ''],
      ['in the middle of the head', 'HTTP/1.1 200 OK\r\nx:'],
      ['after the head', 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n'],
      ['in the middle of the body', 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nabc'],
      ['in a chunk', `${chunked}5\r\nabc`],
    ])('hears of it at once %s, and the server too', async (_what, wire) => {
      const { connection, peer, owner } = await connected(kind);
      const controller = new AbortController();
      const asked = ask(connection, { signal: controller.signal });
      await peer.hears('\r\n\r\n');
      if (wire !== '') peer.write(wire);
      if (wire.includes('abc')) await asked.until(() => asked.text === 'abc');
      else await turns();
      const reason = new Error('enough');
      controller.abort(reason);
      expect(asked.error).toBe(reason);
      expect(connection.room).toBe(0);
      await owner.goes();
      await peer.closed();
      expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
    });

    it('in the middle of a piece hears no more of it', async () => {
      for (const at of ['head', 'chunk'] as const) {
        const { connection, peer, owner } = await connected(kind);
        const controller = new AbortController();
        const asked = ask(connection, { signal: controller.signal });
        const original = asked[at].bind(asked) as (...args: unknown[]) => boolean;
        asked[at] = ((...args: unknown[]) => {
          const wantsMore = original(...args);
          controller.abort(new Error('enough'));
          return wantsMore;
        }) as never;
        await peer.hears('\r\n\r\n');
        peer.write(`${chunked}${chunk('one')}${chunk('two')}0\r\n\r\n`);
        expect((await asked.failure()).message).toBe('enough');
        await owner.goes();
        expect(asked.text).toBe(at === 'head' ? '' : 'one');
      }
    });

    it('after the end has no effect', async () => {
      const { connection, peer } = await connected(kind);
      const controller = new AbortController();
      const asked = ask(connection, { signal: controller.signal, target: '/1' });
      await peer.hears('/1');
      peer.write(answer('one'));
      await asked.whole();
      expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
      controller.abort();
      const next = ask(connection, { target: '/2' });
      await peer.hears('/2');
      peer.write(answer('two'));
      expect(await next.whole()).toBe('two');
    });

    it('before it was sent hears of it, and nothing is sent', async () => {
      const { connection, peer } = await connected(kind);
      const reason = new Error('enough');
      const asked = ask(connection, { signal: AbortSignal.abort(reason), target: '/1' });
      expect(asked.outcome).toBe('none');
      expect(await asked.failure()).toBe(reason);
      const next = ask(connection, { target: '/2' });
      await peer.hears('/2');
      peer.write(answer('two'));
      expect(await next.whole()).toBe('two');
      expect(peer.received).toBe(requestTo('/2'));
    });

    it('while the request waits for its turn hears of it at once, and nothing is sent', async () => {
      const { connection, peer, owner } = await connected(kind);
      const first = ask(connection, { target: '/1' });
      const controller = new AbortController();
      const reason = new Error('enough');
      let second: Asked | undefined;
      owner.onFree = () => {
        second = ask(connection, { target: '/2', signal: controller.signal });
        controller.abort(reason);
      };
      await peer.hears('/1');
      peer.write(answer('one'));
      await first.whole();
      expect(second?.error).toBe(reason);
      await peer.closed();
      expect(peer.received).toBe(requestTo('/1'));
    });
  });

  describe('a server that hangs up', () => {
    it.each([
      ['before it answers', '', 'before the server answered'],
      ['after an interim answer', 'HTTP/1.1 103 Early Hints\r\n\r\n', 'before the server answered'],
      ['in the middle of the first line', 'HTTP/1', 'in the middle of the head of the answer'],
      ['in the middle of the head', 'HTTP/1.1 200 OK\r\nx: y\r\n', 'in the middle of the head of the answer'],
      [
        'before the body',
        'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n',
        'in the middle of the answer, 5 bytes before its end',
      ],
      [
        'in a body of known length',
        'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nabc',
        'in the middle of the answer, 2 bytes before its end',
      ],
      ['in a chunk', `${chunked}5\r\nabc`, 'in the middle of the answer, 2 bytes before the end of a chunk'],
      ['behind a chunk', `${chunked}${chunk('abc')}`, 'in the middle of the answer, before its last chunk was over'],
      ['in the size of a chunk', `${chunked}5`, 'in the middle of the answer, before its last chunk was over'],
      ['before the last line', `${chunked}0\r\n`, 'in the middle of the answer, before its last chunk was over'],
    ])('%s is reported, with where that was', async (_what, wire, where) => {
      for (const how of ['hangs up', 'resets'] as const) {
        const { connection, peer, owner } = await connected(kind);
        const asked = ask(connection);
        await peer.hears('\r\n\r\n');
        peer.write(wire);
        if (wire.includes('\r\n\r\n') && !wire.includes(' 103 ')) await asked.until(() => asked.status === 200);
        await turns();
        if (how === 'hangs up') peer.hangUp();
        else peer.reset();
        const error = await asked.failure();
        expect(error).toBeInstanceOf(ConnectionLostError);
        expect(isConnectionLost(error)).toBe(true);
        expect(error.message).toBe(
          how === 'hangs up' ? `the connection closed ${where}` : `the connection closed ${where}: read ECONNRESET`,
        );
        expect(error.cause).toEqual(how === 'hangs up' ? undefined : expect.objectContaining({ code: 'ECONNRESET' }));
        await owner.goes();
        expect([connection.active, connection.room]).toEqual([0, 0]);
      }
    });

    it('ends a body that has no other end, but not by a reset', async () => {
      for (const how of ['hangs up', 'resets'] as const) {
        const { connection, peer, owner } = await connected(kind);
        const asked = ask(connection);
        await peer.hears('\r\n\r\n');
        peer.write('HTTP/1.1 200 OK\r\n\r\nall of it');
        await asked.until(() => asked.text === 'all of it');
        if (how === 'hangs up') {
          peer.hangUp();
          expect(await asked.whole()).toBe('all of it');
        } else {
          peer.reset();
          expect((await asked.failure()).message).toBe(
            'the connection closed in the middle of the answer: read ECONNRESET',
          );
        }
        await owner.goes();
      }
    });

    it('on a connection that carries nothing leaves no room on it', async () => {
      const { connection, peer, owner } = await connected(kind);
      peer.hangUp();
      await owner.goes();
      expect(connection.room).toBe(0);
      await peer.closed();
    });

    it('that does not speak HTTP/1.1 is not listened to any longer', async () => {
      const { connection, peer, owner } = await connected(kind);
      const asked = ask(connection);
      await peer.hears('\r\n\r\n');
      peer.write('SSH-2.0-OpenSSH_9.2\r\n\r\n');
      const error = await asked.failure();
      expect(error).toBeInstanceOf(Http1Error);
      expect(error.message).toContain('it begins with "SSH-2.0-OpenSSH_9.2"');
      await owner.goes();
      await peer.closed();
    });
  });

  describe('a request that may be refused', () => {
    it('is asked right before it leaves, and then leaves in the same call', async () => {
      const { connection, peer, socket } = await connected(kind);
      const written: number[] = [];
      const asked = ask(connection, {
        refusal: () => {
          written.push(socket.bytesWritten);
          return undefined;
        },
      });
      expect(written).toEqual([0]);
      expect(socket.bytesWritten).toBe(requestTo('/').length);
      // What TLS made of it is on its way, too, and only told a turn later.
      if (!(socket instanceof TLSSocket)) expect(socket.writableLength).toBe(0);
      await peer.hears(requestTo('/'));
      peer.write(answer('ok'));
      await asked.whole();
      expect(written).toHaveLength(1);
    });

    it('sends nothing when it is, and leaves the connection to others', async () => {
      const { connection, peer, owner } = await connected(kind);
      for (const round of ['/1', '/2']) {
        const reason = new Error('no longer the leader');
        const asked = ask(connection, {
          method: 'PUT',
          target: '/refused',
          body: Buffer.from('x'),
          refusal: () => reason,
        });
        expect([asked.outcome, connection.room, connection.active]).toEqual(['none', 0, 1]);
        expect(await asked.failure()).toBe(reason);
        await owner.until(() => connection.room === 1);
        const next = ask(connection, { target: round });
        await peer.hears(requestTo(round));
        peer.write(answer('ok'));
        expect(await next.whole()).toBe('ok');
      }
      expect(peer.received).toBe(`${requestTo('/1')}${requestTo('/2')}`);
      expect(owner.gone).toBe(0);
    });

    it('is asked when it leaves, not when it is handed in', async () => {
      const { connection, peer, owner } = await connected(kind);
      const first = ask(connection, { target: '/1' });
      const reason = new Error('no longer the leader');
      let mayAsk = true;
      let second: Asked | undefined;
      owner.onFree = () => {
        second ??= ask(connection, { target: '/2', refusal: () => (mayAsk ? undefined : reason) });
        mayAsk = false;
      };
      await peer.hears('/1');
      peer.write(answer('one'));
      await first.whole();
      expect(await second?.failure()).toBe(reason);
      await owner.until(() => connection.room === 1);
      expect(peer.received).toBe(requestTo('/1'));
    });

    it('may be called off by the question itself', async () => {
      const { connection, peer } = await connected(kind);
      const controller = new AbortController();
      const reason = new Error('enough');
      const asked = ask(connection, {
        signal: controller.signal,
        refusal: () => {
          controller.abort(reason);
          return undefined;
        },
      });
      expect(await asked.failure()).toBe(reason);
      await turns();
      expect(peer.received).toBe('');
    });
  });

  describe('the end of a connection', () => {
    it('comes at once when it is destroyed, in whatever state it is', async () => {
      for (const state of ['idle', 'asked', 'answering', 'paused', 'waiting', 'refused'] as const) {
        const { connection, peer, owner } = await connected(kind);
        const reason = abortError('the client was closed');
        let asked: Asked | undefined;
        if (state === 'waiting') {
          const first = ask(connection);
          owner.onFree = () => {
            asked ??= ask(connection, { target: '/2' });
          };
          await peer.hears('\r\n\r\n');
          peer.write(answer('ok'));
          await first.whole();
        } else if (state === 'refused') asked = ask(connection, { refusal: () => reason });
        else if (state !== 'idle') asked = ask(connection, {}, state === 'paused' ? 1 : undefined);
        if (state === 'answering' || state === 'paused') {
          await peer.hears('\r\n\r\n');
          peer.write(`${chunked}${chunk('one')}${chunk('two')}`);
          await asked!.until(() => asked!.pieces > 0);
        }
        connection.destroy(reason);
        if (asked !== undefined) expect(asked.error).toBe(reason);
        expect(connection.room).toBe(0);
        connection.destroy(new Error('again'));
        await owner.goes();
        await peer.closed();
        await turns();
        expect(peer.received).not.toContain('/2');
      }
    });

    it('needs no reason', async () => {
      const { connection } = await connected(kind);
      const asked = ask(connection);
      connection.destroy(undefined);
      expect(await asked.failure()).toMatchObject({ code: 'CONNECTION_LOST', message: 'the connection was closed' });
    });

    it('waits for what is under way when it is drained', async () => {
      const { connection, peer, owner } = await connected(kind);
      const asked = ask(connection);
      await peer.hears('\r\n\r\n');
      peer.write(`${chunked}${chunk('one')}`);
      await asked.until(() => asked.pieces > 0);
      connection.drain();
      expect([connection.room, connection.active]).toEqual([0, 1]);
      peer.write(`${chunk('two')}0\r\n\r\n`);
      expect(await asked.whole()).toBe('onetwo');
      expect(connection.room).toBe(0);
      await owner.goes();
      await peer.closed();
    });

    it('waits for what was handed in and has not left yet', async () => {
      const { connection, peer, owner } = await connected(kind);
      const first = ask(connection, { target: '/1' });
      let second: Asked | undefined;
      owner.onFree = () => {
        second ??= ask(connection, { target: '/2' });
        connection.drain();
      };
      await peer.hears('/1');
      peer.write(answer('one'));
      await first.whole();
      await peer.hears('/2');
      peer.write(answer('two'));
      expect(await second?.whole()).toBe('two');
      await owner.goes();
    });

    it('is there at once when nothing is under way', async () => {
      const { connection, peer, owner } = await connected(kind);
      connection.drain();
      expect(connection.room).toBe(0);
      await owner.goes();
      await peer.closed();
    });
  });

  it('keeps the process alive while something is under way, and only then', async () => {
    const { connection, peer, socket } = await connected(kind);
    interface Handle {
      readonly _parent?: Handle;
      hasRef(): boolean;
    }
    const { _handle: handle } = socket as unknown as { _handle: Handle };
    const isAwake = (): boolean => (handle._parent ?? handle).hasRef();
    expect(isAwake()).toBe(false);
    for (const target of ['/1', '/2']) {
      const asked = ask(connection, { target });
      await peer.hears(target);
      expect(isAwake()).toBe(true);
      peer.write(answer('ok'));
      await asked.whole();
      expect(isAwake()).toBe(false);
      await ask(connection, { refusal: () => new Error('no') }).failure();
      expect(isAwake()).toBe(false);
    }
  });

  it('leaves nothing behind on a signal or a socket, however often it is used', async () => {
    const { connection, peer, socket } = await connected(kind);
    const { signal } = new AbortController();
    peer.socket.on('data', () => peer.write(answer('ok')));
    const listeners = (): [string | symbol, number][] =>
      socket.eventNames().map((name) => [name, socket.listenerCount(name)]);
    await ask(connection, { signal }).whole();
    const before = listeners();
    for (let i = 0; i < 1000; i++) await ask(connection, { signal }).whole();
    expect(listeners()).toEqual(before);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });
});

describe('a pool', () => {
  const secure = fixedTls({ ca: authority.certificate });
  const ways = kinds.filter(({ name }) => !name.includes('proxy'));

  function transportTo(port: number, kind: Kind): HttpTransport {
    const scheme = kind.name === 'TLS' ? 'https' : 'http';
    const transport = new HttpTransport({ server: `${scheme}://127.0.0.1:${port}`, tls: secure }, { http2: false });
    closing.push(() => transport.close());
    return transport;
  }

  function send(transport: HttpTransport, request: Partial<TransportRequest> = {}): Asked {
    const asked = new Asked();
    asked.exchange = transport.send({ method: 'GET', target: '/', headers: {}, ...request }, asked);
    return asked;
  }

  /** A server that answers each request with its path, and lets the test add to the first answer of the first connection. */
  async function answering(kind: Kind, first: (path: string) => string): Promise<{ port: number; peers: Peer[] }> {
    const peers: Peer[] = [];
    const port = await listening((raw) => {
      const peer = new Peer(kind.serve(raw), raw);
      closing.push(() => raw.destroy());
      let heard = 0;
      peers.push(peer);
      peer.on('change', () => {
        const heads = peer.received.split('\r\n\r\n').slice(0, -1);
        for (; heard < heads.length; heard++) {
          const path = heads[heard]!.split(' ')[1]!;
          peer.write(Buffer.from(peer === peers[0] && heard === 0 ? first(path) : answer(path)));
        }
      });
    });
    return { port, peers };
  }

  it.each(ways)('never takes a second answer for that of a request that waits ($name)', async (kind) => {
    const body = (length: number): string => answer('x'.repeat(length));
    const length = 10_000 + kind.pieceBytes - body(10_000).length;
    const fitting = body(length - (body(length).length - kind.pieceBytes));
    expect(fitting.length).toBe(kind.pieceBytes);
    const { port, peers } = await answering(kind, () => `${fitting}${answer('evil')}`);
    const transport = transportTo(port, kind);
    const first = send(transport, { target: '/1' });
    let second: Asked | undefined;
    // There is no room yet at this point: it waits in the pool.
    first.onOver = () => {
      second = send(transport, { method: 'POST', target: '/2' });
    };
    await first.whole();
    expect(await second?.whole()).toBe('/2');
    expect(peers[0]!.received).not.toContain('/2');
  });

  it.each(ways)('uses one connection for one request after the other ($name)', async (kind) => {
    const { port, peers } = await answering(kind, answer);
    const transport = transportTo(port, kind);
    const { signal } = new AbortController();
    for (let i = 0; i < 50; i++) expect(await send(transport, { target: `/${i}`, signal }).whole()).toBe(`/${i}`);
    expect(peers).toHaveLength(1);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it.each(ways)('goes on with the same connection after a request that was refused ($name)', async (kind) => {
    const { port, peers } = await answering(kind, answer);
    const transport = transportTo(port, kind);
    const reason = new Error('no longer the leader');
    expect(await send(transport, { target: '/refused', refusal: () => reason }).failure()).toBe(reason);
    expect(await send(transport, { target: '/1' }).whole()).toBe('/1');
    expect(peers.map(({ received }) => received.includes('/refused'))).toEqual([false]);
  });

  it.each(ways)('keeps a connection that is made for nobody in the end ($name)', async (kind) => {
    const { port, peers } = await answering(kind, answer);
    const transport = transportTo(port, kind);
    const first = send(transport, { target: '/1' });
    let second: Asked | undefined;
    first.onOver = () => {
      second = send(transport, { target: '/2' });
    };
    await first.whole();
    expect(await second?.whole()).toBe('/2');
    expect(peers[0]!.received).toContain('/2');
    await turns();
    expect(await Promise.all(['/3', '/4'].map((target) => send(transport, { target }).whole()))).toEqual(['/3', '/4']);
    expect(peers.map(({ isClosed }) => isClosed)).toEqual([false, false]);
  });

  it('keeps a connection over TLS however soon the answer comes', async () => {
    // The answer has to be there before the turn is over in which the request was sent: the server needs its own thread.
    const written = new Int32Array(new SharedArrayBuffer(4));
    const worker = new Worker(
      `const { createServer } = require('node:tls');
      const { workerData: { written, ...options }, parentPort } = require('node:worker_threads');
      const server = createServer(options, (socket) => {
        parentPort.postMessage('connection');
        socket.on('error', () => {});
        socket.on('data', () => {
          socket.write('HTTP/1.1 200 OK\\r\\ncontent-length: 2\\r\\n\\r\\nok', () => {
            Atomics.add(written, 0, 1);
            Atomics.notify(written, 0);
          });
        });
      });
      server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));`,
      { eval: true, workerData: { written, key: certificate.key, cert: certificate.certificate } },
    );
    closing.push(() => worker.terminate());
    const [port] = (await once(worker, 'message')) as [number];
    let connections = 0;
    worker.on('message', () => connections++);
    const transport = transportTo(port, kinds.find(({ name }) => name === 'TLS')!);
    expect(await send(transport).whole()).toBe('ok');
    for (let i = 1; i <= 10; i++) {
      // From a timer the event loop goes on to sockets, and only then to what TLS has to say about what it has written.
      const asked = await new Promise<Asked>((resolve) => {
        realClock.setTimer(1, () => {
          resolve(send(transport));
          Atomics.wait(written, 0, i, 1000);
        });
      });
      expect(await asked.whole()).toBe('ok');
    }
    expect(connections).toBe(1);
  });
});
