import { once } from 'node:events';
import { connect as connectHttp2, constants, createServer, type ServerHttp2Stream } from 'node:http2';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Asked } from '../../../../test/support/http1-rig.js';
import { FakeClock } from '../../../time/fake-clock.js';
import { seededRandom } from '../../../time/seeded-random.js';
import { SocketReader } from '../socket-reader.js';
import { Http2Connection } from './http2-connection.js';

/** What a server does for a request, and so what its path says. */
interface Script {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly interims: number;
  readonly chunks: readonly number[];
  readonly trailers: boolean;
  /** Resets the stream instead of ending it. */
  readonly reset: number | undefined;
}

function scriptOf(seed: number): Script {
  const random = seededRandom(seed);
  const below = (limit: number): number => Math.floor(random() * limit);
  const headers: Record<string, string> = {};
  for (let i = below(10); i > 0; i--) {
    // All characters of a value, which are written with Huffman codes if that is shorter.
    const length = below(10) === 0 ? below(2000) : below(40);
    const value = Array.from({ length }, () => String.fromCharCode(0x20 + below(0x5f))).join('');
    headers[`x-${below(30)}`] = value.trim();
  }
  const status = [200, 200, 200, 201, 404, 500, 204][below(7)]!;
  const chunks = Array.from({ length: status === 204 ? 0 : below(5) }, () => below(below(4) === 0 ? 300_000 : 500));
  return {
    status,
    headers,
    interims: below(3),
    chunks,
    trailers: below(3) === 0,
    reset: below(8) === 0 ? 2 : undefined,
  };
}

function play(stream: ServerHttp2Stream, { status, headers, interims, chunks, trailers, reset }: Script): void {
  for (let i = 0; i < interims; i++) stream.additionalHeaders({ ':status': 103, link: `<${i}>` });
  stream.respond({ ':status': status, ...headers }, { waitForTrailers: trailers });
  stream.on('wantTrailers', () => stream.sendTrailers({ 'x-trailer': 'last' }));
  for (const [at, length] of chunks.entries()) stream.write(Buffer.alloc(length, 65 + at));
  if (reset === undefined) stream.end();
  else setImmediate(() => stream.close(reset));
}

const server = createServer({ paddingStrategy: constants.PADDING_STRATEGY_MAX });
server.on('session', (session) => session.on('error', () => {}));
server.on('stream', (stream, headers) => {
  stream.on('error', () => {});
  const received: Buffer[] = [];
  stream.on('data', (bytes: Buffer) => received.push(bytes));
  stream.on('end', () => {
    if (stream.destroyed) return;
    const [, what, seed] = String(headers[':path']).split('/');
    if (what === 'script') play(stream, scriptOf(Number(seed)));
    else {
      const { ':path': path, ':method': method, ':authority': authority, ...rest } = headers;
      delete rest['content-length'];
      stream.respond({ ':status': 200 });
      stream.end(JSON.stringify({ path, method, authority, rest, body: Buffer.concat(received).toString('base64') }));
    }
  });
});
let port = 0;
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => void server.close());

interface Answer {
  status: number | undefined;
  headers: Record<string, unknown>;
  length: number;
  text: string;
  isComplete: boolean;
}

async function ours(): Promise<{ connection: Http2Connection; closed: Promise<unknown> }> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  const owner = { onRoom() {}, onGone() {}, onDead() {} };
  const options = { pingAfterMs: 10_000, pingTimeoutMs: 5_000, maxStreams: 1000 };
  const url = new URL(`http://127.0.0.1:${port}`);
  const connection = new Http2Connection(socket, new SocketReader(), url, new FakeClock(), options, owner);
  return { connection, closed: once(socket, 'close') };
}

async function answerOf(connection: Http2Connection, target: string): Promise<Answer> {
  const asked = new Asked();
  asked.exchange = connection.send({ method: 'GET', target, headers: {} }, asked);
  await asked.until(() => asked.outcome !== 'none');
  const { status, headers, received, text } = asked;
  return {
    status: status || undefined,
    headers: { ...headers },
    length: received,
    text,
    isComplete: asked.outcome === 'end',
  };
}

function answerOfNode(session: ReturnType<typeof connectHttp2>, target: string): Promise<Answer> {
  return new Promise((resolve) => {
    const stream = session.request({ ':path': target });
    const answer: Answer = { status: undefined, headers: {}, length: 0, text: '', isComplete: false };
    stream.on('response', ({ ':status': status, ...headers }) => {
      answer.status = status;
      // Without the list of sensitive headers, which has a symbol.
      answer.headers = Object.fromEntries(Object.entries(headers));
    });
    stream.on('data', (bytes: Buffer) => {
      answer.length += bytes.length;
      if (answer.length < 100_000) answer.text += bytes.toString('latin1');
    });
    stream.on('error', () => {});
    stream.on('close', () => {
      answer.isComplete = stream.rstCode === 0;
      resolve(answer);
    });
  });
}

it('reads what a server of node:http2 sends, as the client of node:http2 reads it', async () => {
  const { connection, closed } = await ours();
  const session = connectHttp2(`http://127.0.0.1:${port}`);
  const seeds = Array.from({ length: 300 }, (_, i) => i + 1);
  for (let at = 0; at < seeds.length; at += 30) {
    const paths = seeds.slice(at, at + 30).map((seed) => `/script/${seed}`);
    const [mine, theirs] = await Promise.all([
      Promise.all(paths.map((path) => answerOf(connection, path))),
      Promise.all(paths.map((path) => answerOfNode(session, path))),
    ]);
    for (const [i, answer] of mine.entries()) {
      const expected = theirs[i]!;
      // What of a stream that was reset has arrived before, and even its end, is a matter of time.
      if (scriptOf(seeds[at + i]!).reset !== undefined) continue;
      expect(answer.isComplete, paths[i]).toBe(true);
      const { date: _, ...headers } = answer.headers;
      const { date: __, ...expectedHeaders } = expected.headers;
      expect({ ...answer, headers, text: '' }, paths[i]).toEqual({ ...expected, headers: expectedHeaders, text: '' });
      if (answer.length < 100_000) expect(answer.text).toBe(expected.text);
    }
  }
  session.close();
  connection.drain();
  await closed;
});

it('sends what a server of node:http2 reads', async () => {
  const { connection, closed } = await ours();
  const random = seededRandom(7);
  const below = (limit: number): number => Math.floor(random() * limit);
  const requests = Array.from({ length: 100 }, (_, i) => ({
    method: ['POST', 'PUT', 'PATCH'][below(3)]!,
    target: `/echo/${i}?${'q'.repeat(below(10) === 0 ? below(30_000) : below(50))}`,
    headers: { [`x-${below(20)}`]: 'v'.repeat(below(300)), authorization: `Bearer ${'t'.repeat(500)}` },
    body: Buffer.alloc(below(5) === 0 ? below(200_000) : below(300), i),
  }));
  const asked = requests.map((request) => {
    const one = new Asked();
    one.exchange = connection.send(request, one);
    return one;
  });
  for (const [i, { method, target, headers, body }] of requests.entries()) {
    await asked[i]!.until(() => asked[i]!.outcome !== 'none');
    expect(asked[i]!.outcome).toBe('end');
    if (asked[i]!.received >= 100_000) continue;
    const said = JSON.parse(asked[i]!.text);
    expect(said).toMatchObject({ method, path: target, authority: `127.0.0.1:${port}` });
    expect(said.rest).toMatchObject(headers);
    expect(said.body).toBe(body.toString('base64'));
  }
  connection.drain();
  await closed;
});
