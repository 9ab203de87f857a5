import type { ServerHttp2Stream } from 'node:http2';
import { describe, expect, it } from 'vitest';
import { ask, serveHttp2, transportTo, trusting } from '../../../test/support/transport-rig.js';
import { isConnectionLost } from '../../meta/errors/error-predicates.js';

describe('many watches on one HTTP/2 connection', () => {
  it('may be silent for five times as long as on HTTP/1.1, since the connection is pinged', async () => {
    const { url } = await serveHttp2((stream) => {
      stream.respond({ ':status': 200 });
      stream.end('ok');
    });
    const transport = transportTo({ server: url, tls: trusting }, { silenceMs: 20_000 });
    // Before the first connection the protocol is unknown and may be HTTP/1.1.
    expect(transport.silenceMs).toBe(20_000);
    await ask(transport).done;
    expect(transport.silenceMs).toBe(100_000);
  });

  it('fail after too many interim responses', async () => {
    const { url } = await serveHttp2((stream) => {
      const more = (): void => {
        if (stream.destroyed) return;
        stream.additionalHeaders({ ':status': 103 });
        setImmediate(more);
      };
      more();
    });
    const transport = transportTo({ server: url, tls: trusting });
    await expect(ask(transport).done).rejects.toThrow('more than 20 interim responses');
  });

  it('share one connection up to maxStreamsPerConnection, then open another', async () => {
    const { url, sockets } = await serveHttp2((stream) => {
      stream.respond({ ':status': 200 });
      stream.write('open');
    });
    const transport = transportTo({ server: url, tls: trusting }, { maxStreamsPerConnection: 10 });
    const answers = Array.from({ length: 25 }, () => ask(transport));
    await Promise.all(answers.map((answer) => answer.until('open')));
    expect(sockets).toHaveLength(3);
  });

  it('respect the stream limit of the server', async () => {
    const { url, sockets } = await serveHttp2(
      (stream) => {
        stream.respond({ ':status': 200 });
        stream.write('open');
      },
      { maxConcurrentStreams: 4 },
    );
    const transport = transportTo({ server: url, tls: trusting });
    const first = ask(transport);
    await first.until('open');
    const answers = Array.from({ length: 8 }, () => ask(transport));
    await Promise.all(answers.map((answer) => answer.until('open')));
    expect(sockets.length).toBeGreaterThanOrEqual(3);
  });

  it('do not stop each other when one is paused', async () => {
    const block = Buffer.alloc(64 * 1024, 'x');
    const { url } = await serveHttp2((stream, path) => {
      stream.respond({ ':status': 200 });
      if (path === '/paused') for (let i = 0; i < 640; i++) stream.write(block);
      else stream.end(Buffer.alloc(8 * 1024 * 1024, 'y'));
    });
    const transport = transportTo({ server: url, tls: trusting });
    const paused = ask(transport, { target: '/paused' });
    paused.appetite = 1;
    await paused.begun;
    const other = ask(transport);
    await other.done;
    expect(other.received).toBe(8 * 1024 * 1024);
    expect(paused.received).toBeLessThan(1024 * 1024);
  });

  it('finish after a GOAWAY, while new requests go to another connection', async () => {
    const streams: ServerHttp2Stream[] = [];
    const { url, sockets } = await serveHttp2((stream) => {
      stream.respond({ ':status': 200 });
      stream.write('open');
      streams.push(stream);
    });
    const transport = transportTo({ server: url, tls: trusting });
    const old = ask(transport);
    await old.until('open');
    streams[0]!.session!.close();
    await expect
      .poll(async () => {
        await ask(transport).until('open');
        return sockets.length;
      })
      .toBe(2);
    streams[0]!.end(' and done');
    expect(await old.done).toBe('open and done');
  });

  it('are sent again if a GOAWAY says that they were not processed, even a POST', async () => {
    let seen = 0;
    const { url, http2 } = await serveHttp2((stream) => {
      seen++;
      stream.respond({ ':status': 200 });
      stream.end('done');
    });
    let turnedAway = 0;
    http2.on('session', (session) => {
      if (turnedAway++ === 0) session.goaway(0, 0);
    });
    const transport = transportTo({ server: url, tls: trusting });
    const answers = Array.from({ length: 5 }, () => ask(transport, { method: 'POST', body: Buffer.from('{}') }));
    expect(await Promise.all(answers.map((answer) => answer.done))).toEqual(answers.map(() => 'done'));
    expect(seen).toBeGreaterThanOrEqual(5);
  });

  it('are sent again if the server refuses their streams, ten times at most', async () => {
    let left = 2;
    const { url } = await serveHttp2((stream, path) => {
      if (path === '/always' || left-- > 0) stream.close(7);
      else {
        stream.respond({ ':status': 200 });
        stream.end('done');
      }
    });
    const transport = transportTo({ server: url, tls: trusting });
    expect(await ask(transport).done).toBe('done');
    await expect(ask(transport, { target: '/always' }).done).rejects.toThrow(
      '11 connections in a row did not process the request',
    );
  });

  it('report a stream that the server resets', async () => {
    const { url } = await serveHttp2((stream) => {
      stream.respond({ ':status': 200 });
      stream.write('open');
      setImmediate(() => stream.destroy(new Error('broken')));
    });
    const transport = transportTo({ server: url, tls: trusting });
    await expect(ask(transport).done).rejects.toSatisfy(isConnectionLost);
  });
});
