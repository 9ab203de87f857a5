import { describe, expect, it } from 'vitest';
import { PlayedServer, settled } from '../../../../test/support/http2-rig.js';
import { FakeClock } from '../../../time/fake-clock.js';
import { InvalidRequestError } from '../request-errors.js';
import * as h2 from './frames.js';

const ok = { ':status': '200' };
const MB = 1024 * 1024;
const windowUpdates = (server: PlayedServer): [streamId: number, bytes: number][] =>
  server.framesOf(h2.WINDOW_UPDATE).map(({ streamId, payload }) => [streamId, payload.readUInt32BE(0)]);

describe('a request over HTTP/2', () => {
  it('has pseudo-headers, its headers in lower case, and the length of its body', async () => {
    const server = PlayedServer.begun();
    server.ask({
      method: 'POST',
      target: '/api/v1/pods?limit=5',
      headers: { Accept: 'a/b', 'impersonate-group': ['x', 'y'], authorization: 'Bearer t' },
      body: Buffer.from('{}'),
    });
    server.ask({ headers: { host: 'other.example' } });
    await settled();
    expect(server.socket.written.subarray(0, 24).toString()).toBe('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
    expect(server.takeHeads()).toEqual([
      {
        ':method': 'POST',
        ':scheme': 'https',
        ':authority': 'server.example',
        ':path': '/api/v1/pods?limit=5',
        accept: 'a/b',
        'impersonate-group': 'y',
        authorization: 'Bearer t',
        'content-length': '2',
      },
      { ':method': 'GET', ':scheme': 'https', ':authority': 'other.example', ':path': '/' },
    ]);
    expect(server.framesOf(h2.DATA)).toMatchObject([{ streamId: 1, flags: h2.END_STREAM, payload: Buffer.from('{}') }]);
  });

  it('keeps the process alive until it is answered', async () => {
    const server = PlayedServer.begun();
    expect(server.socket.isAwake).toBe(false);
    const [first, second] = [server.ask(), server.ask()];
    expect(server.socket.isAwake).toBe(true);
    await settled();
    server.send(server.headers(1, ok, h2.END_STREAM));
    expect(first.outcome).toBe('end');
    expect(server.socket.isAwake).toBe(true);
    server.send(server.headers(3, ok, h2.END_STREAM));
    expect(second.outcome).toBe('end');
    expect(server.socket.isAwake).toBe(false);
  });

  it('takes few bytes when its headers were sent before', async () => {
    const server = PlayedServer.begun();
    const headers = {
      authorization: `Bearer ${'x'.repeat(900)}`,
      'user-agent': 'kubeflect',
      accept: 'application/json',
    };
    for (let i = 0; i < 3; i++) server.ask({ target: `/api/${i}`, headers });
    await settled();
    const sizes = server.framesOf(h2.HEADERS).map(({ payload }) => payload.length);
    expect(sizes[0]).toBeGreaterThan(900);
    expect(Math.max(...sizes.slice(1))).toBeLessThan(30);
    expect(server.takeHeads()[2]).toMatchObject({ ...headers, ':path': '/api/2' });
  });

  it('whose head is larger than a frame is continued in others', async () => {
    const server = PlayedServer.begun();
    const target = `/api?labelSelector=${'x'.repeat(40_000)}`;
    server.ask({ target });
    await settled();
    expect(server.framesOf(h2.HEADERS)).toMatchObject([{ flags: h2.END_STREAM }]);
    expect(server.framesOf(h2.CONTINUATION)).toMatchObject([{ flags: 0 }, { flags: h2.END_HEADERS }]);
    expect(server.takeHeads()).toMatchObject([{ ':path': target }]);
  });

  it.each(['connection', 'keep-alive', 'proxy-connection', 'te', 'http2-settings', 'Connection'])(
    'cannot have the header %s',
    (name) => {
      expect(() => PlayedServer.begun().ask({ headers: { [name]: 'x' } })).toThrow(InvalidRequestError);
    },
  );

  it('does not use a dynamic table if the server has none, and uses one again later', async () => {
    const server = PlayedServer.begun();
    server.send(h2.settingsFrame([[h2.HEADER_TABLE_SIZE, 0]]));
    for (let i = 0; i < 2; i++) server.ask({ headers: { 'x-some': 'value' } });
    await settled();
    server.send(h2.settingsFrame([[h2.HEADER_TABLE_SIZE, 100_000]]));
    for (let i = 0; i < 2; i++) server.ask({ headers: { 'x-some': 'value' } });
    await settled();
    const [first, second, third, fourth] = server.framesOf(h2.HEADERS).map(({ payload }) => payload);
    // The smaller size is announced, then the larger one.
    expect(first![0]).toBe(0x20);
    expect(second!.length).toBe(first!.length - 1);
    expect(third!.subarray(0, 3)).toEqual(Buffer.from([0x3f, 0xe1, 0x1f]));
    expect(fourth!.length).toBeLessThan(10);
    expect(server.takeHeads().map((head) => head['x-some'])).toEqual(['value', 'value', 'value', 'value']);
  });

  it('that is aborted resets its stream, and one that was not written leaves nothing behind', async () => {
    const server = PlayedServer.begun();
    const written = new AbortController();
    const asked = server.ask({ signal: written.signal });
    await settled();
    const unwritten = new AbortController();
    const never = server.ask({ signal: unwritten.signal });
    written.abort(new Error('enough'));
    unwritten.abort(new Error('never'));
    const late = server.ask({ signal: AbortSignal.abort(new Error('late')) });
    expect([asked.error, never.error]).toEqual([new Error('enough'), new Error('never')]);
    expect(await late.failure()).toEqual(new Error('late'));
    await settled();
    expect(server.resets).toEqual([[1, h2.CANCEL]]);
    expect(server.framesOf(h2.HEADERS)).toHaveLength(1);
    expect(server.connection.active).toBe(0);
  });
});

describe('a body of a request', () => {
  const bodyOf = (server: PlayedServer, streamId: number): number =>
    server
      .framesOf(h2.DATA)
      .filter((frame) => frame.streamId === streamId)
      .reduce((sum, { payload }) => sum + payload.length, 0);

  it('waits for the windows of the server, and is sent in frames of its size', async () => {
    const server = PlayedServer.begun();
    const body = Buffer.alloc(200_000, 'b');
    server.ask({ method: 'POST', body });
    await settled();
    expect(bodyOf(server, 1)).toBe(65_535);
    server.send(h2.numberFrame(h2.WINDOW_UPDATE, 1, 100_000));
    await settled();
    // The window of the connection is used up.
    expect(bodyOf(server, 1)).toBe(65_535);
    server.send(h2.settingsFrame([[h2.MAX_FRAME_SIZE, 50_000]]), h2.numberFrame(h2.WINDOW_UPDATE, 0, 1_000_000));
    await settled();
    expect(bodyOf(server, 1)).toBe(165_535);
    server.send(h2.settingsFrame([[h2.INITIAL_WINDOW_SIZE, 65_535 + 40_000]]));
    await settled();
    expect(bodyOf(server, 1)).toBe(200_000);
    const frames = server.framesOf(h2.DATA);
    expect(Math.max(...frames.map(({ payload }) => payload.length))).toBe(50_000);
    expect(frames.map(({ flags }) => flags)).toEqual([...frames.slice(1).map(() => 0), h2.END_STREAM]);
  });

  it('waits while the window is negative', async () => {
    const server = PlayedServer.begun();
    server.ask({ method: 'POST', body: Buffer.alloc(100_000) });
    await settled();
    server.send(h2.settingsFrame([[h2.INITIAL_WINDOW_SIZE, 0]]), h2.numberFrame(h2.WINDOW_UPDATE, 0, 1_000_000));
    server.send(h2.numberFrame(h2.WINDOW_UPDATE, 1, 65_535));
    await settled();
    expect(bodyOf(server, 1)).toBe(65_535);
    server.send(h2.numberFrame(h2.WINDOW_UPDATE, 1, 1));
    await settled();
    expect(bodyOf(server, 1)).toBe(65_536);
  });

  it('does not keep others waiting, and waits while the socket is full', async () => {
    const server = PlayedServer.begun();
    server.send(h2.settingsFrame([[h2.INITIAL_WINDOW_SIZE, 10 * MB]]), h2.numberFrame(h2.WINDOW_UPDATE, 0, 100 * MB));
    await settled();
    server.socket.held = [];
    server.ask({ method: 'POST', body: Buffer.alloc(MB) });
    server.ask({ method: 'POST', body: Buffer.alloc(20_000) });
    await settled();
    expect([bodyOf(server, 1), bodyOf(server, 3)]).toEqual([65_536 - 20_000, 20_000]);
    await settled();
    expect(bodyOf(server, 1)).toBe(65_536 - 20_000);
    for (let i = 0; i < 20; i++) for (const done of server.socket.held.splice(0)) done();
    expect(bodyOf(server, 1)).toBe(MB);
  });

  it('is given up if the server answers without it', async () => {
    const server = PlayedServer.begun();
    const asked = server.ask({ method: 'POST', body: Buffer.alloc(100_000) });
    await settled();
    server.send(server.headers(1, { ':status': '413' }, h2.END_STREAM));
    expect(await asked.whole()).toBe('');
    await settled();
    expect(server.resets).toEqual([[1, h2.CANCEL]]);
    server.send(h2.numberFrame(h2.RST_STREAM, 1, h2.NO_ERROR), h2.numberFrame(h2.WINDOW_UPDATE, 0, MB));
    await settled();
    expect(bodyOf(server, 1)).toBe(65_535);
  });

  it('is not completed if the request is refused in the middle', async () => {
    const server = PlayedServer.begun();
    const refused = new Error('no longer the leader');
    let isTooLate = false;
    const refusal = () => (isTooLate ? refused : undefined);
    const asked = server.ask({ method: 'PUT', body: Buffer.alloc(100_000), refusal });
    await settled();
    isTooLate = true;
    server.send(h2.numberFrame(h2.WINDOW_UPDATE, 0, MB), h2.numberFrame(h2.WINDOW_UPDATE, 1, MB));
    expect(await asked.failure()).toBe(refused);
    await settled();
    expect(bodyOf(server, 1)).toBe(65_535);
    expect(server.resets).toEqual([[1, h2.CANCEL]]);
  });
});

describe('a response over HTTP/2', () => {
  it('comes with padding, interim heads, trailers and frames of unknown types', async () => {
    const server = PlayedServer.begun();
    const asked = server.ask();
    await settled();
    server.send(
      server.headers(1, { ':status': '103', link: '<x>' }),
      h2.frame(
        h2.HEADERS,
        h2.END_HEADERS | h2.PADDED | h2.HAS_PRIORITY,
        1,
        Buffer.from([2, 0, 0, 0, 0, 5]),
        server.encoder.encode([
          [':status', '201'],
          ['x-a', '1'],
          ['x-a', '2'],
          ['__proto__', 'x'],
        ]),
        Buffer.alloc(2),
      ),
      h2.frame(h2.DATA, h2.PADDED, 1, Buffer.from([3]), Buffer.from('padded '), Buffer.alloc(3)),
      h2.frame(200, 0xff, 1, Buffer.from('unknown')),
      h2.frame(h2.PRIORITY, 0, 1, Buffer.alloc(5)),
      h2.frame(h2.DATA, 0, 1),
      server.data(1, 'body'),
      server.headers(1, { 'x-checksum': '5' }, h2.END_STREAM),
    );
    expect(await asked.whole()).toBe('padded body');
    expect(asked.status).toBe(201);
    expect(asked.headers).toEqual({ 'x-a': '1, 2' });
  });

  it('gets the bytes of its padding back in its window', async () => {
    const server = PlayedServer.begun();
    const asked = server.ask();
    await settled();
    const padded = h2.frame(h2.DATA, h2.PADDED, 1, Buffer.from([255]), Buffer.alloc(100, 'x'), Buffer.alloc(255));
    server.send(server.headers(1, ok));
    // More than half of the window of a stream, and most of it is padding.
    for (let i = 0; i < 6; i++) server.send(...Array.from({ length: 1000 }, () => padded));
    await settled();
    const widened = windowUpdates(server).filter(([streamId]) => streamId === 1);
    expect(widened).toHaveLength(1);
    expect(widened[0]?.[1]).toBeGreaterThanOrEqual(2 * MB);
    expect(asked.received).toBe(600_000);
  });

  it('of a request that was aborted does not change the headers of the next ones', async () => {
    const server = PlayedServer.begun();
    const stop = new AbortController();
    server.ask({ signal: stop.signal });
    const next = server.ask();
    await settled();
    stop.abort();
    const fields = { ...ok, 'x-kept': 'in the table' };
    server.send(server.headers(1, fields, h2.END_STREAM), server.headers(3, fields, h2.END_STREAM));
    expect(await next.whole()).toBe('');
    expect(next.headers).toEqual({ 'x-kept': 'in the table' });
  });

  it('may have a length without a body if there is none: HEAD, 204, 304', async () => {
    const server = PlayedServer.begun();
    const asked = [server.ask({ method: 'HEAD' }), server.ask(), server.ask()];
    await settled();
    for (const [i, status] of ['200', '204', '304'].entries()) {
      server.send(server.headers(2 * i + 1, { ':status': status, 'content-length': '10' }, h2.END_STREAM));
    }
    expect(await Promise.all(asked.map((one) => one.whole()))).toEqual(['', '', '']);
  });

  it('that is paused is not read further than its window, which is widened when it is resumed', async () => {
    const server = PlayedServer.begun();
    const paused = server.ask({}, 1);
    const other = server.ask();
    await settled();
    server.send(server.headers(1, ok), server.headers(3, ok));
    const piece = Buffer.alloc(65_536, 'p');
    for (let i = 0; i < 64; i++) server.send(server.data(1, piece));
    expect(paused.received).toBe(65_536);
    for (let i = 0; i < 32; i++) server.send(server.data(3, piece));
    await settled();
    // That of the connection is widened when half of it was used.
    expect(windowUpdates(server).slice(1)).toEqual([[3, 2 * MB]]);
    expect(other.received).toBe(2 * MB);
    paused.resume();
    await settled();
    expect(paused.received).toBe(4 * MB);
    expect(windowUpdates(server).slice(2)).toEqual([
      [1, 2 * MB],
      [1, 2 * MB],
    ]);
  });

  it('stops the reading of the socket while it is paused and no other response is awaited', async () => {
    const server = PlayedServer.begun();
    const [first, second] = [server.ask({}, 1), server.ask({}, 1)];
    await settled();
    const { socket } = server;
    server.send(server.headers(1, ok), server.data(1, 'a'), server.headers(3, ok));
    expect(socket.isReading).toBe(true);
    server.send(server.data(3, 'b'));
    expect(socket.isReading).toBe(false);
    // A new request needs its response.
    const third = server.ask();
    expect(socket.isReading).toBe(true);
    await settled();
    server.send(server.headers(5, ok, h2.END_STREAM));
    await third.whole();
    expect(socket.isReading).toBe(false);
    first.resume();
    expect(socket.isReading).toBe(true);
    second.resume();
    server.send(server.data(1, '', h2.END_STREAM), server.data(3, '', h2.END_STREAM));
    expect([await first.whole(), await second.whole()]).toEqual(['a', 'b']);
    expect(socket.isReading).toBe(true);
  });

  it('does not count as dead while it is paused', async () => {
    const clock = new FakeClock();
    const server = PlayedServer.begun({ clock });
    const asked = server.ask({}, 1);
    await settled();
    server.send(server.headers(1, ok), server.data(1, 'a'));
    await clock.advance(60_000);
    expect(server.framesOf(h2.PING)).toEqual([]);
    asked.resume();
    await clock.advance(13_000);
    expect(server.framesOf(h2.PING)).toHaveLength(1);
    await clock.advance(10_000);
    expect((await asked.failure()).message).toMatch(/silent for \d+ ms/);
  });

  it('widens the window of the connection even for streams that are closed', async () => {
    const server = PlayedServer.begun();
    const stop = new AbortController();
    server.ask({ signal: stop.signal });
    await settled();
    stop.abort();
    const piece = server.data(1, Buffer.alloc(65_536));
    for (let i = 0; i < 256; i++) server.send(piece);
    await settled();
    expect(windowUpdates(server)).toEqual([
      [0, 32 * MB - 65_535],
      [0, 16 * MB],
    ]);
  });

  it('that ended while it was paused ends when it is resumed, unless it is aborted', async () => {
    const server = PlayedServer.begun();
    const stop = new AbortController();
    const [resumed, aborted] = [server.ask({}, 1), server.ask({ signal: stop.signal }, 1)];
    await settled();
    for (const id of [1, 3])
      server.send(server.headers(id, ok), server.data(id, 'a'), server.data(id, 'b', h2.END_STREAM));
    expect([resumed.outcome, aborted.outcome]).toEqual(['none', 'none']);
    resumed.resume();
    expect(resumed.text).toBe('ab');
    expect(resumed.outcome).toBe('end');
    stop.abort(new Error('enough'));
    expect(aborted.error).toEqual(new Error('enough'));
    expect(aborted.text).toBe('a');
    await settled();
    expect(server.resets).toEqual([]);
    expect(server.connection.active).toBe(0);
  });

  it('calls nothing after its handler was aborted within a call', async () => {
    const server = PlayedServer.begun();
    const stop = new AbortController();
    const asked = server.ask({ signal: stop.signal });
    asked.once('change', () => stop.abort(new Error('at the head')));
    await settled();
    server.send(server.headers(1, ok), server.data(1, 'a'), server.data(1, 'b', h2.END_STREAM));
    expect(asked.text).toBe('');
    expect(asked.error).toEqual(new Error('at the head'));
  });

  it('does not widen the window of a stream that its handler aborts', async () => {
    const server = PlayedServer.begun();
    const stop = new AbortController();
    const asked = server.ask({ signal: stop.signal });
    await settled();
    server.send(server.headers(1, ok));
    asked.on('change', () => {
      if (asked.received >= 2 * MB) stop.abort(new Error('enough'));
    });
    for (let i = 0; i < 32; i++) server.send(server.data(1, Buffer.alloc(65_536)));
    await settled();
    expect(asked.received).toBe(2 * MB);
    expect(server.resets).toEqual([[1, h2.CANCEL]]);
    expect(windowUpdates(server).filter(([streamId]) => streamId === 1)).toEqual([]);
  });

  it('stops with its connection, when that is closed within a call', async () => {
    const server = PlayedServer.begun();
    const asked = server.ask();
    const other = server.ask();
    asked.once('change', () => server.connection.destroy(new Error('closed')));
    await settled();
    server.send(server.headers(1, ok), server.data(1, 'a'), server.headers(3, ok, h2.END_STREAM));
    expect([asked.error, other.error]).toEqual([new Error('closed'), new Error('closed')]);
    await settled();
    expect(server.gone).toBe(1);
  });
});

describe('a connection', () => {
  it('answers pings, and its room follows the settings of the server', async () => {
    const server = new PlayedServer({ maxStreams: 150 });
    expect(server.connection.room).toBe(100);
    server.send(h2.settingsFrame([[h2.MAX_CONCURRENT_STREAMS, 250]]));
    expect(server.connection.room).toBe(150);
    server.send(h2.settingsFrame([[h2.MAX_CONCURRENT_STREAMS, 2]]));
    server.ask();
    expect(server.connection.room).toBe(1);
    server.send(h2.settingsFrame([[h2.MAX_CONCURRENT_STREAMS, 0]]));
    expect(server.connection.room).toBe(0);
    server.send(h2.frame(h2.PING, 0, 0, Buffer.from('12345678')));
    await settled();
    expect(server.framesOf(h2.PING)).toMatchObject([{ flags: h2.ACK, payload: Buffer.from('12345678') }]);
    expect(server.framesOf(h2.SETTINGS).filter(({ flags }) => flags === h2.ACK)).toHaveLength(3);
  });

  it('that is drained takes no request, and closes after its last response', async () => {
    const server = PlayedServer.begun();
    const asked = server.ask();
    await settled();
    server.connection.drain();
    expect(server.connection.room).toBe(0);
    expect(server.socket.destroyed).toBe(false);
    server.send(server.headers(1, ok, h2.END_STREAM));
    await asked.whole();
    await settled();
    expect(server.farewell).toBe(h2.NO_ERROR);
    expect(server.gone).toBe(1);
  });

  it('has no timer left when it is closed', async () => {
    const clock = new FakeClock();
    const server = PlayedServer.begun({ clock });
    await clock.advance(13_000);
    expect(server.framesOf(h2.PING)).toHaveLength(1);
    server.connection.drain();
    await settled();
    expect(server.gone).toBe(1);
    expect(clock.pendingTimers).toEqual([]);
  });
});
