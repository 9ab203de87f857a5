import { type EventEmitter, once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { CertificateAuthority } from '../../certificates/certificate-authority.js';
import { FakeClock } from '../../time/fake-clock.js';
import { realClock } from '../../time/real-clock.js';
import type { ApiHandler } from './exchange.js';
import { type HttpListener, type ListenOptions, listen } from './http-listener.js';

const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const answer: ApiHandler = async (_, response) => {
  response.head(200, { 'content-length': '2' });
  response.write(Buffer.from('ok'));
};

async function start(
  options: ListenOptions = {},
  handler = answer,
): Promise<{ listener: HttpListener; clock: FakeClock }> {
  const clock = new FakeClock();
  const listener = await listen(handler, { clock, ...options });
  closing.push(() => Promise.all([listener.close(), clock.until(() => true, { withinMs: 0 })]));
  return { listener, clock };
}

function dial(listener: HttpListener, first: string): Socket {
  const socket = connect(listener.port, listener.host, () => socket.write(first));
  socket.on('error', () => {}).resume();
  closing.push(() => socket.destroy());
  return socket;
}

/** Lets time pass on the server's clock until all of these are closed. */
async function closed(clock: FakeClock, ...connections: EventEmitter[]): Promise<void> {
  let open = connections.length;
  for (const connection of connections) connection.once('close', () => open--);
  while (open > 0) {
    await clock.advance(1000);
    await realClock.yield();
  }
}

const POST = 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n';

describe('connections that keep the server waiting', () => {
  it.each([
    ['say nothing', ''],
    ['stop in the first line', 'GET / HT'],
    ['stop in the head', POST],
    ['stop in the body', `${POST}\r\nabc`],
    ['stop in the preface of HTTP/2', 'PRI * HT'],
    ['stop after the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ])('are closed when they %s', async (_, first) => {
    const { listener, clock } = await start();
    await closed(clock, dial(listener, first));
  });

  it('are closed when an HTTP/2 client opens no stream, and when the body of one does not come', async () => {
    const { listener, clock } = await start();
    const silent = connectHttp2(listener.url).on('error', () => {});
    const slow = connectHttp2(listener.url).on('error', () => {});
    closing.push(
      () => silent.destroy(),
      () => slow.destroy(),
    );
    const stream = slow.request({ ':method': 'POST', ':path': '/' });
    stream.on('error', () => {}).write('half');
    await closed(clock, silent, slow);
    expect(stream.destroyed).toBe(true);
  });

  it('are closed when a TLS handshake does not begin', async () => {
    const authority = new CertificateAuthority(realClock);
    const { certificate, key } = authority.issueServer();
    const { listener } = await start({ tls: { certificate, key }, headersTimeoutMs: 1 });
    await once(dial(listener, ''), 'close');
  });

  it('are closed some time after the last answer, not before, and not while an answer is under way', async () => {
    let finish: (() => void) | undefined;
    const { listener, clock } = await start(
      { headersTimeoutMs: 10, bodyTimeoutMs: 10, idleTimeoutMs: 5000 },
      async (asked, response) => {
        if (asked.target === '/slow') await new Promise<void>((resolve) => (finish = resolve));
        await answer(asked, response);
      },
    );
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    closing.push(() => agent.destroy());
    const ask = async (path: string): Promise<{ reused: boolean; socket: Socket }> => {
      const outgoing = request(`${listener.url}${path}`, { agent });
      outgoing.end();
      const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
      const { socket } = incoming;
      incoming.resume();
      await once(incoming, 'end');
      return { reused: outgoing.reusedSocket, socket };
    };
    await ask('/');
    await clock.advance(4999);
    const slow = ask('/slow');
    while (finish === undefined) await realClock.yield();
    await clock.advance(60_000);
    finish();
    const { reused, socket } = await slow;
    expect(reused).toBe(true);
    await closed(clock, socket);
  });

  it('wait for ever where the timeout is 0', async () => {
    const { listener, clock } = await start({ headersTimeoutMs: 0, bodyTimeoutMs: 0, idleTimeoutMs: 0 });
    const socket = dial(listener, POST);
    await once(socket, 'connect');
    for (let i = 0; i < 20; i++) {
      await realClock.yield();
      await clock.advance(3_600_000);
    }
    socket.write('\r\n0123456789');
    const [bytes] = (await once(socket, 'data')) as [Buffer];
    expect(bytes.toString()).toMatch(/^HTTP\/1\.1 200/);
  });

  it('are timed by numbers', async () => {
    for (const name of ['headersTimeoutMs', 'bodyTimeoutMs', 'idleTimeoutMs']) {
      await expect(listen(answer, { [name]: -1 })).rejects.toThrow(`${name} must be a number`);
    }
  });
});
