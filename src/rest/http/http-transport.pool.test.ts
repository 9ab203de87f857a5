import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { ask, serveSockets, transportTo } from '../../../test/support/transport-rig.js';
import { isConnectionLost } from '../../meta/errors/error-predicates.js';
import { realClock } from '../../time/real-clock.js';
import type { HttpTransport, HttpTransportOptions } from './http-transport.js';
import { ConnectionLostError } from './request-errors.js';

/** A request that the test answers. */
interface Held {
  readonly socket: Socket;
  readonly path: string;
  answer(): void;
}

/** An HTTP/1.1 server whose responses the test sends. */
class Server {
  readonly sockets: Socket[] = [];
  readonly held: Held[] = [];
  readonly seen: string[] = [];
  /** Answers at once. */
  isQuick = true;
  onHeld: () => void = () => {};

  async start(options?: HttpTransportOptions): Promise<HttpTransport> {
    const port = await serveSockets((socket) => {
      this.sockets.push(socket);
      socket.on('data', (bytes) => {
        for (const [, method = '', path = ''] of bytes.toString().matchAll(/^([A-Z]+) (\S+) HTTP\/1\.1\r$/gm)) {
          this.seen.push(`${method} ${path}`);
          const body = `${method} ${path}`;
          const answer = (): void => {
            socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
          };
          if (this.isQuick) answer();
          else {
            this.held.push({ socket, path, answer });
            this.onHeld();
          }
        }
      });
    });
    return transportTo({ server: `http://127.0.0.1:${port}` }, options);
  }

  get open(): Socket[] {
    return this.sockets.filter(({ destroyed }) => !destroyed);
  }

  /** Two idle connections that were used before. */
  async twoIdle(transport: HttpTransport): Promise<void> {
    this.isQuick = false;
    const answers = [ask(transport), ask(transport)];
    await expect.poll(() => this.held.length).toBe(2);
    for (const { answer } of this.held.splice(0)) answer();
    await Promise.all(answers.map(({ done }) => done));
    this.isQuick = true;
    for (let i = 0; i < 20; i++) await realClock.yield();
  }
}

describe('HTTP/1.1 connections', () => {
  it('are limited by maxConnections, and further requests are sent in order', async () => {
    const server = new Server();
    server.isQuick = false;
    const transport = await server.start({ maxConnections: 3 });
    server.onHeld = () => realClock.defer(() => server.held.shift()?.answer());
    const answers = Array.from({ length: 400 }, (_, i) => ask(transport, { target: `/${i}` }));
    await Promise.all(answers.map(({ done }) => done));
    expect(server.sockets).toHaveLength(3);
    const order = server.seen.map((line) => Number(line.split('/')[1]));
    // Three are under way at a time, so the order of arrival may differ by that much.
    for (const [at, number] of order.entries()) expect(Math.abs(at - number)).toBeLessThan(3);
  });

  it('of watches do not count: watches keep no request waiting, nor requests a watch', async () => {
    const server = new Server();
    server.isQuick = false;
    const transport = await server.start({ maxConnections: 2 });
    const watches = Array.from({ length: 5 }, (_, i) => ask(transport, { target: `/watch${i}`, isLongRunning: true }));
    await expect.poll(() => server.held.length).toBe(5);
    const lists = Array.from({ length: 6 }, (_, i) => ask(transport, { target: `/list${i}` }));
    await expect.poll(() => server.held.length).toBe(7);
    const late = ask(transport, { target: '/late', isLongRunning: true });
    await expect.poll(() => server.held.some(({ path }) => path === '/late')).toBe(true);
    const answerAll = (prefix: string): void => {
      for (const { path, answer } of server.held) if (path.startsWith(prefix)) answer();
    };
    for (let answered = 0; answered < 6; answered += 2) {
      await expect.poll(() => server.held.filter(({ path }) => path.startsWith('/list')).length).toBe(answered + 2);
      for (const { answer } of server.held.filter(({ path }) => path.startsWith('/list')).slice(answered)) answer();
    }
    await Promise.all(lists.map(({ done }) => done));
    expect(server.sockets).toHaveLength(8);
    // Without the watches there are more connections than allowed: idle ones are closed.
    answerAll('/watch');
    answerAll('/late');
    await Promise.all([...watches, late].map(({ done }) => done));
    await expect.poll(() => server.open.length).toBe(2);
  });

  it('are opened for waiting requests when one is lost or cannot be opened', async () => {
    const server = new Server();
    server.isQuick = false;
    const transport = await server.start({ maxConnections: 1 });
    const answers = Array.from({ length: 3 }, (_, i) => ask(transport, { method: 'POST', target: `/${i}` }));
    await expect.poll(() => server.held.length).toBe(1);
    server.held.shift()!.socket.destroy();
    expect(isConnectionLost(await answers[0]!.done.catch((error: unknown) => error))).toBe(true);
    await expect.poll(() => server.held.length).toBe(1);
    server.held.shift()!.answer();
    await expect.poll(() => server.held.length).toBe(1);
    server.held.shift()!.answer();
    expect(await Promise.all(answers.slice(1).map(({ done }) => done))).toEqual(['POST /1', 'POST /2']);
  });
});

describe('HTTP/1.1 connections that died while they were idle', () => {
  it.each([
    ['hung up', 'destroy'],
    ['reset', 'resetAndDestroy'],
  ] as const)('fail no write after a restart of the server: what it has %s is noticed first', async (_, end) => {
    const server = new Server();
    const transport = await server.start();
    await server.twoIdle(transport);
    for (const socket of server.open) socket[end]();
    // As with a blocked event loop: the kernel has the ends of the connections, and they have not been read.
    const [one, two] = [
      ask(transport, { method: 'POST', target: '/1', body: Buffer.from('{}') }),
      ask(transport, { method: 'POST', target: '/2' }),
    ];
    expect(await one.done).toBe('POST /1');
    expect(await two.done).toBe('POST /2');
  });

  it('are closed together: a write that may have been executed fails, a GET is sent again, the next write succeeds', async () => {
    const server = new Server();
    const transport = await server.start();
    for (const method of ['GET', 'POST']) {
      await server.twoIdle(transport);
      const [idle, other] = server.open as [Socket, Socket];
      server.isQuick = false;
      const asked = ask(transport, { method, target: '/lost' });
      await expect.poll(() => server.held.length).toBe(1);
      const { socket } = server.held.shift()!;
      server.isQuick = true;
      socket.destroy();
      const outcome = await asked.done.catch((error: unknown) => error);
      if (method === 'GET') expect(outcome).toBe('GET /lost');
      else expect(isConnectionLost(outcome)).toBe(true);
      await expect.poll(() => (socket === idle ? other : idle).destroyed).toBe(true);
      expect(await ask(transport, { method: 'POST', target: '/next' }).done).toBe('POST /next');
    }
    expect(server.seen.filter((line) => line === 'POST /lost')).toHaveLength(1);
  });

  it('move a request of which the kernel took only a part', async () => {
    const server = new Server();
    const transport = await server.start();
    await server.twoIdle(transport);
    for (const socket of server.open) socket.removeAllListeners('data').pause();
    // More than the kernel buffers while the server does not read.
    const body = Buffer.alloc(64 * 1024 * 1024, 'x');
    const asked = ask(transport, { method: 'POST', target: '/large', body });
    for (let i = 0; i < 20; i++) await realClock.yield();
    for (const socket of server.open) socket.destroy();
    expect(await asked.done).toBe('POST /large');
  });

  it('are closed when a watch beside them has been silent', async () => {
    const server = new Server();
    const transport = await server.start();
    await server.twoIdle(transport);
    server.isQuick = false;
    const abort = new AbortController();
    const watch = ask(transport, { isLongRunning: true, signal: abort.signal });
    await expect.poll(() => server.held.length).toBe(1);
    abort.abort(new ConnectionLostError('nothing came', { silent: true }));
    await watch.done.catch(() => {});
    await expect.poll(() => server.open.length).toBe(0);
  });

  it('fail a request on a new connection that the server closes', async () => {
    const server = new Server();
    server.isQuick = false;
    const transport = await server.start();
    const asked = ask(transport);
    await expect.poll(() => server.held.length).toBe(1);
    server.held[0]!.socket.destroy();
    expect(isConnectionLost(await asked.done.catch((error: unknown) => error))).toBe(true);
    expect(server.seen).toEqual(['GET /']);
  });
});

describe('how long a watch may be silent', () => {
  it('is 15 s on HTTP/1.1, or silenceMs', async () => {
    expect(transportTo({ server: 'http://127.0.0.1:1' }).silenceMs).toBe(15_000);
    expect(transportTo({ server: 'http://127.0.0.1:1' }, { silenceMs: 60_000 }).silenceMs).toBe(60_000);
    expect(() => transportTo({ server: 'http://127.0.0.1:1' }, { silenceMs: 999 })).toThrow(/silenceMs/);
  });
});
