import { performServerHandshake, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { isConnectionLost } from '../../../meta/errors/error-predicates.js';
import { FakeClock } from '../../../time/fake-clock.js';
import type { HttpConnection } from '../http-connection.js';
import { SocketReader } from '../socket-reader.js';
import type { ResponseHandler } from '../transport.js';
import { Http2Connection } from './http2-connection.js';

/** One end of a wire. The other end reads what is written here, in one piece when the test lets it through. */
class WireEnd extends Duplex {
  peer!: WireEnd;
  #held: Buffer[] | undefined;

  hold(): void {
    this.#held ??= [];
  }

  letThrough(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    if (held.length > 0) this.peer.push(Buffer.concat(held));
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    if (this.#held === undefined) this.peer.push(chunk);
    else this.#held.push(chunk);
    done();
  }

  ref(): void {}

  unref(): void {}

  destroySoon(): void {
    this.destroy();
  }
}

/** Records the calls of a handler. */
class RecordedHandler implements ResponseHandler {
  readonly calls: string[] = [];
  readonly over: Promise<void>;
  error: unknown;
  #over!: () => void;

  constructor() {
    this.over = new Promise((resolve) => {
      this.#over = resolve;
    });
  }

  head(status: number): this {
    this.calls.push(`head ${status}`);
    return this;
  }

  chunk(bytes: Uint8Array): boolean {
    this.calls.push(`chunk ${Buffer.from(bytes).toString()}`);
    return true;
  }

  end(): void {
    this.calls.push('end');
    this.#over();
  }

  fail(error: unknown): void {
    this.calls.push('fail');
    this.error = error;
    this.#over();
  }
}

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** A connection to an HTTP/2 session of the test. */
function connected(): {
  connection: Http2Connection;
  session: ServerHttp2Session;
  client: WireEnd;
  server: WireEnd;
  sentAway: Promise<void>;
} {
  const [client, server] = [new WireEnd(), new WireEnd()];
  client.peer = server;
  server.peer = client;
  const session = performServerHandshake(server);
  session.on('error', () => {});
  client.on('error', () => {});
  const options = { pingAfterMs: 60_000, pingTimeoutMs: 5_000, maxStreams: 10 };
  const url = new URL('https://server.example');
  let onSentAway!: () => void;
  const sentAway = new Promise<void>((resolve) => {
    onSentAway = resolve;
  });
  const owner = { onRoom: ({ room }: HttpConnection) => void (room === 0 && onSentAway()), onGone() {}, onDead() {} };
  const connection = new Http2Connection(
    client as unknown as Socket,
    new SocketReader(),
    url,
    new FakeClock(),
    options,
    owner,
  );
  closing.push(() => connection.destroy(new Error('the test is over')));
  return { connection, session, client, server, sentAway };
}

function nextStream(session: ServerHttp2Session): Promise<ServerHttp2Stream> {
  return new Promise((resolve) => session.once('stream', resolve));
}

const request = { method: 'GET', target: '/', headers: {} };

describe('Http2Connection', () => {
  it('calls head first, even if the whole response comes in one read', async () => {
    const { connection, session, server } = connected();
    const told = new RecordedHandler();
    const asked = nextStream(session);
    connection.send(request, told);
    const stream = await asked;
    server.hold();
    stream.respond({ ':status': 201 });
    stream.write('some');
    stream.end(' body');
    await new Promise((resolve) => stream.once('finish', resolve));
    server.letThrough();
    await told.over;
    expect(told.calls[0]).toBe('head 201');
    expect(told.calls.at(-1)).toBe('end');
    expect(told.calls.slice(1, -1).join('').replaceAll('chunk ', '')).toBe('some body');
  });

  it('fails requests without a response when the connection is reset after a GOAWAY', async () => {
    const { connection, session, client, sentAway } = connected();
    const told = new RecordedHandler();
    const asked = nextStream(session);
    connection.send(request, told);
    const stream = await asked;
    session.goaway(0, stream.id);
    await sentAway;
    client.destroy(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }));
    await told.over;
    expect(told.calls).toEqual(['fail']);
    expect(isConnectionLost(told.error)).toBe(true);
  });
});
