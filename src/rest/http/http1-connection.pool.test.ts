import { getEventListeners, once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { fixedTls } from '../../../test/support/fixed-tls.js';
import {
  Asked,
  answer,
  authority,
  certificate,
  closing,
  type Kind,
  kinds,
  listening,
  Peer,
  turns,
} from '../../../test/support/http1-rig.js';
import { realClock } from '../../time/real-clock.js';
import { HttpTransport } from './http-transport.js';
import type { TransportRequest } from './transport.js';

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

  /** A server that answers each request with its path, and lets the test add bytes to the first response. */
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

  it.each(ways)('never takes a second response for that of a waiting request ($name)', async (kind) => {
    const body = (length: number): string => answer('x'.repeat(length));
    const length = 10_000 + kind.pieceBytes - body(10_000).length;
    const fitting = body(length - (body(length).length - kind.pieceBytes));
    expect(fitting.length).toBe(kind.pieceBytes);
    const { port, peers } = await answering(kind, () => `${fitting}${answer('evil')}`);
    const transport = transportTo(port, kind);
    const first = send(transport, { target: '/1' });
    let second: Asked | undefined;
    // There is no room yet: it waits in the pool.
    first.onOver = () => {
      second = send(transport, { method: 'POST', target: '/2' });
    };
    await first.whole();
    expect(await second?.whole()).toBe('/2');
    expect(peers[0]!.received).not.toContain('/2');
  });

  it.each(ways)('reuses one connection ($name)', async (kind) => {
    const { port, peers } = await answering(kind, answer);
    const transport = transportTo(port, kind);
    const { signal } = new AbortController();
    for (let i = 0; i < 50; i++) expect(await send(transport, { target: `/${i}`, signal }).whole()).toBe(`/${i}`);
    expect(peers).toHaveLength(1);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it.each(ways)('does not use a connection that the server closed after its response ($name)', async (kind) => {
    const port = await listening((raw) => {
      const peer = new Peer(kind.serve(raw), raw);
      closing.push(() => raw.destroy());
      peer.on('change', () => {
        if (peer.received.endsWith('\r\n\r\n')) peer.hangUp(answer(peer.received.split(' ')[1]!));
      });
    });
    const transport = transportTo(port, kind);
    for (let i = 0; i < 20; i++) {
      expect(await send(transport, { method: 'POST', target: `/${i}` }).whole()).toBe(`/${i}`);
    }
  });

  it.each(ways)('keeps the connection after a refused request ($name)', async (kind) => {
    const { port, peers } = await answering(kind, answer);
    const transport = transportTo(port, kind);
    const reason = new Error('no longer the leader');
    expect(await send(transport, { target: '/refused', refusal: () => reason }).failure()).toBe(reason);
    expect(await send(transport, { target: '/1' }).whole()).toBe('/1');
    expect(peers.map(({ received }) => received.includes('/refused'))).toEqual([false]);
  });

  it.each(ways)('keeps a connection whose request was aborted meanwhile ($name)', async (kind) => {
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

  it('keeps a TLS connection however soon the response comes', async () => {
    // The response has to come within the turn in which the request was sent, so the server has its own thread.
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
    const waits: string[] = [];
    for (let i = 1; i <= 10; i++) {
      // When the event loop goes on, it reads sockets, and only then reports completed writes of TLS.
      const asked = await new Promise<Asked>((resolve) => {
        realClock.setTimer(1, () => {
          resolve(send(transport));
          // The connection writes two turns later.
          setImmediate(() => setImmediate(() => waits.push(Atomics.wait(written, 0, i, 60_000))));
        });
      });
      expect(await asked.whole()).toBe('ok');
    }
    expect(waits).not.toContain('timed-out');
    expect(connections).toBe(1);
  });
});
