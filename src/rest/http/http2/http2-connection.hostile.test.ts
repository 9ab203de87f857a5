import { describe, expect, it } from 'vitest';
import { PlayedServer, settled } from '../../../../test/support/http2-rig.js';
import { isConnectionLost } from '../../../meta/errors/error-predicates.js';
import { NotProcessedError } from '../http-connection.js';
import * as h2 from './frames.js';

const ok = { ':status': '200' };
const number = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};

/** A frame whose head says another length than it has. */
function oversized(type: number, length: number, streamId: number): Buffer {
  const bytes = h2.frame(type, 0, streamId);
  bytes.writeUIntBE(length, 0, 3);
  return bytes;
}

const repeated = (count: number, frame: Buffer): Buffer => Buffer.concat(Array.from({ length: count }, () => frame));
/** A string of HPACK without Huffman codes. */
const text = (value: string): Buffer => Buffer.concat([Buffer.from([value.length]), Buffer.from(value)]);
/** A field that is not in the tables. */
const literal = (name: string, value: string): Buffer => Buffer.concat([Buffer.from([0]), text(name), text(value)]);
const block = (...parts: readonly Buffer[]): Buffer => h2.frame(h2.HEADERS, h2.END_HEADERS, 1, ...parts);

type Play = (server: PlayedServer) => Buffer | readonly Buffer[];

describe('a connection whose server breaks its rules', () => {
  it('has no room for another request when the first one fails', async () => {
    const server = PlayedServer.begun();
    const asked = server.ask();
    await settled();
    const rooms: number[] = [];
    server.onRoom = ({ room }) => void rooms.push(room);
    server.send(h2.frame(h2.CONTINUATION, h2.END_HEADERS, 1));
    expect(asked.error).toMatchObject({ message: expect.stringMatching(/does not follow HEADERS/) });
    expect(server.connection.room).toBe(0);
    expect(rooms.filter((room) => room > 0)).toEqual([]);
  });
});

describe('a server that breaks the rules of the connection', () => {
  it.each<[string, number, Play, RegExp]>([
    ['a frame that is too large', h2.FRAME_SIZE_ERROR, () => oversized(h2.DATA, 65_537, 1), /65537 bytes is larger/],
    ['an unknown frame that is too large', h2.FRAME_SIZE_ERROR, () => oversized(99, 2 ** 24 - 1, 0), /is larger/],
    ['DATA on the connection', h2.PROTOCOL_ERROR, (s) => s.data(0, 'x'), /DATA is not on a stream/],
    ['DATA on an idle stream', h2.PROTOCOL_ERROR, (s) => s.data(3, 'x'), /DATA is on a stream that was not opened/],
    ['DATA on a stream of the server', h2.PROTOCOL_ERROR, (s) => s.data(2, 'x'), /was not opened/],
    [
      'padding as long as its frame',
      h2.PROTOCOL_ERROR,
      (s) => [s.headers(1, ok), h2.frame(h2.DATA, h2.PADDED, 1, Buffer.from([3, 0, 0]))],
      /padding is longer/,
    ],
    [
      'an empty padded frame',
      h2.FRAME_SIZE_ERROR,
      (s) => [s.headers(1, ok), h2.frame(h2.DATA, h2.PADDED, 1)],
      /padded frame is empty/,
    ],
    [
      'padded HEADERS without room for the padding',
      h2.PROTOCOL_ERROR,
      () => h2.frame(h2.HEADERS, h2.END_HEADERS | h2.PADDED, 1, Buffer.from([9, 0x88])),
      /padding is longer/,
    ],
    [
      'HEADERS that are shorter than their priority',
      h2.FRAME_SIZE_ERROR,
      () => h2.frame(h2.HEADERS, h2.END_HEADERS | h2.HAS_PRIORITY, 1, Buffer.from([0, 0])),
      /shorter than its fields/,
    ],
    ['HEADERS on the connection', h2.PROTOCOL_ERROR, (s) => s.headers(0, ok), /a header block is not on a stream/],
    ['HEADERS on an idle stream', h2.PROTOCOL_ERROR, (s) => s.headers(7, ok), /was not opened/],
    ['a CONTINUATION alone', h2.PROTOCOL_ERROR, () => h2.frame(h2.CONTINUATION, 4, 1), /does not follow HEADERS/],
    [
      'a frame within a header block',
      h2.PROTOCOL_ERROR,
      (s) => [h2.frame(h2.HEADERS, 0, 1), s.data(1, 'x')],
      /interrupted by another frame/,
    ],
    [
      'a CONTINUATION of another stream',
      h2.PROTOCOL_ERROR,
      () => [h2.frame(h2.HEADERS, 0, 1), h2.frame(h2.CONTINUATION, 4, 3)],
      /interrupted by another frame/,
    ],
    [
      'a flood of CONTINUATION',
      h2.ENHANCE_YOUR_CALM,
      () => [h2.frame(h2.HEADERS, 0, 1), repeated(100, h2.frame(h2.CONTINUATION, 0, 1))],
      /more than 65536 bytes or 16 frames/,
    ],
    [
      'an endless header block',
      h2.ENHANCE_YOUR_CALM,
      () => [h2.frame(h2.HEADERS, 0, 1, Buffer.alloc(60_000)), h2.frame(h2.CONTINUATION, 0, 1, Buffer.alloc(10_000))],
      /more than 65536 bytes/,
    ],
    ['PUSH_PROMISE', h2.PROTOCOL_ERROR, () => h2.frame(h2.PUSH_PROMISE, 4, 1, number(2)), /push is disabled/],
    ['PRIORITY on the connection', h2.PROTOCOL_ERROR, () => h2.frame(h2.PRIORITY, 0, 0, Buffer.alloc(5)), /PRIORITY/],
    ['a short PRIORITY', h2.FRAME_SIZE_ERROR, () => h2.frame(h2.PRIORITY, 0, 1, Buffer.alloc(4)), /PRIORITY/],
    ['RST_STREAM on the connection', h2.PROTOCOL_ERROR, () => h2.numberFrame(h2.RST_STREAM, 0, 8), /RST_STREAM/],
    ['RST_STREAM of an idle stream', h2.PROTOCOL_ERROR, () => h2.numberFrame(h2.RST_STREAM, 9, 8), /was not opened/],
    ['a long RST_STREAM', h2.FRAME_SIZE_ERROR, () => h2.numberFrame(h2.RST_STREAM, 1, 8, 8), /RST_STREAM/],
    ['SETTINGS on a stream', h2.PROTOCOL_ERROR, () => h2.frame(h2.SETTINGS, 0, 1), /SETTINGS is on a stream/],
    ['cut SETTINGS', h2.FRAME_SIZE_ERROR, () => h2.frame(h2.SETTINGS, 0, 0, Buffer.alloc(7)), /SETTINGS has a wrong/],
    ['SETTINGS ACK with settings', h2.FRAME_SIZE_ERROR, () => h2.frame(h2.SETTINGS, 1, 0, Buffer.alloc(6)), /SETTINGS/],
    [
      'very many settings',
      h2.ENHANCE_YOUR_CALM,
      () => h2.settingsFrame(Array.from({ length: 33 }, (_, i) => [i + 100, 0])),
      /more than 32 settings/,
    ],
    ['SETTINGS that enable push', h2.PROTOCOL_ERROR, () => h2.settingsFrame([[h2.ENABLE_PUSH, 1]]), /enables push/],
    [
      'SETTINGS with a window that is too large',
      h2.FLOW_CONTROL_ERROR,
      () => h2.settingsFrame([[h2.INITIAL_WINDOW_SIZE, 2 ** 31]]),
      /window is larger/,
    ],
    [
      'SETTINGS with frames that are too small',
      h2.PROTOCOL_ERROR,
      () => h2.settingsFrame([[h2.MAX_FRAME_SIZE, 16_383]]),
      /largest frame is 16383/,
    ],
    [
      'SETTINGS with frames that are too large',
      h2.PROTOCOL_ERROR,
      () => h2.settingsFrame([[h2.MAX_FRAME_SIZE, 2 ** 24]]),
      /largest frame/,
    ],
    [
      'SETTINGS that overflow the window of a stream',
      h2.FLOW_CONTROL_ERROR,
      () => [
        h2.numberFrame(h2.WINDOW_UPDATE, 1, 2 ** 31 - 1 - 65_535),
        h2.settingsFrame([[h2.INITIAL_WINDOW_SIZE, 65_536]]),
      ],
      /window is larger/,
    ],
    ['PING on a stream', h2.PROTOCOL_ERROR, () => h2.frame(h2.PING, 0, 1, Buffer.alloc(8)), /PING is on a stream/],
    ['a short PING', h2.FRAME_SIZE_ERROR, () => h2.frame(h2.PING, 0, 0, Buffer.alloc(7)), /PING has a wrong length/],
    ['GOAWAY on a stream', h2.PROTOCOL_ERROR, () => h2.numberFrame(h2.GOAWAY, 1, 0, 0), /GOAWAY is on a stream/],
    ['a short GOAWAY', h2.FRAME_SIZE_ERROR, () => h2.numberFrame(h2.GOAWAY, 0, 0), /GOAWAY has a wrong length/],
    [
      'a second GOAWAY that takes back the first',
      h2.PROTOCOL_ERROR,
      () => [h2.numberFrame(h2.GOAWAY, 0, 1, 0), h2.numberFrame(h2.GOAWAY, 0, 3, 0)],
      /second GOAWAY/,
    ],
    ['a WINDOW_UPDATE of nothing', h2.PROTOCOL_ERROR, () => h2.numberFrame(h2.WINDOW_UPDATE, 0, 0), /adds nothing/],
    ['a long WINDOW_UPDATE', h2.FRAME_SIZE_ERROR, () => h2.numberFrame(h2.WINDOW_UPDATE, 0, 1, 1), /WINDOW_UPDATE/],
    [
      'a WINDOW_UPDATE that overflows',
      h2.FLOW_CONTROL_ERROR,
      () => h2.numberFrame(h2.WINDOW_UPDATE, 0, 2 ** 31 - 1),
      /window is larger/,
    ],
    [
      'a flood of PING',
      h2.ENHANCE_YOUR_CALM,
      () => repeated(10_001, h2.frame(h2.PING, 0, 0, Buffer.alloc(8))),
      /10000 frames in a row/,
    ],
    [
      'a flood of SETTINGS',
      h2.ENHANCE_YOUR_CALM,
      () => repeated(10_001, h2.settingsFrame([])),
      /10000 frames in a row/,
    ],
    [
      'a flood of RST_STREAM',
      h2.ENHANCE_YOUR_CALM,
      () => repeated(10_001, h2.numberFrame(h2.RST_STREAM, 1, 8)),
      /10000 frames in a row/,
    ],
    [
      'a flood of empty DATA',
      h2.ENHANCE_YOUR_CALM,
      (s) => [s.headers(1, ok), repeated(10_001, s.data(1, ''))],
      /10000 frames in a row/,
    ],
    ['a flood of unknown frames', h2.ENHANCE_YOUR_CALM, () => repeated(10_001, h2.frame(77, 0, 0)), /in a row/],
    ['an index beyond the table', h2.COMPRESSION_ERROR, () => block(Buffer.from([0xff, 0])), /no entry 127/],
    ['the index 0', h2.COMPRESSION_ERROR, () => block(Buffer.from([0x80])), /no entry 0/],
    ['an endless integer', h2.COMPRESSION_ERROR, () => block(Buffer.from([0xff, ...Array(9).fill(0x80)])), /too large/],
    ['a cut integer', h2.COMPRESSION_ERROR, () => block(Buffer.from([0xff, 0x80])), /middle of a field/],
    ['a cut string', h2.COMPRESSION_ERROR, () => block(Buffer.from([0, 5, 0x61])), /longer than its block/],
    [
      'a table that is larger than allowed',
      h2.COMPRESSION_ERROR,
      () => block(Buffer.from([0x3f, 0xe2, 0x1f])),
      /4097 bytes is larger/,
    ],
    [
      'a new size of the table after a field',
      h2.COMPRESSION_ERROR,
      () => block(Buffer.from([0x88, 0x20])),
      /after a field/,
    ],
    [
      'the end of a Huffman string within it',
      h2.COMPRESSION_ERROR,
      () => block(Buffer.from([0x48, 0x84, 0xff, 0xff, 0xff, 0xff])),
      /code of its end/,
    ],
    [
      'a Huffman string with a byte of padding',
      h2.COMPRESSION_ERROR,
      () => block(Buffer.from([0x48, 0x82, 0x07, 0xff])),
      /last code of a string is cut/,
    ],
    [
      'a Huffman string whose padding is not ones',
      h2.COMPRESSION_ERROR,
      () => block(Buffer.from([0x48, 0x81, 0x00 | 0x18])),
      /last code of a string is cut/,
    ],
  ])('%s: closes the connection with code %i', async (_what, code, play, message) => {
    const server = PlayedServer.begun();
    const asked = server.ask();
    await settled();
    const bytes = play(server);
    server.send(...(Buffer.isBuffer(bytes) ? [bytes] : bytes));
    await settled();
    expect(server.farewell).toBe(code);
    expect(server.socket.destroyed).toBe(true);
    expect(server.gone).toBe(1);
    expect(server.connection.room).toBe(0);
    if (asked.outcome === 'none') throw new Error('the request has no outcome');
    // A flood of resets ends the request before it ends the connection.
    if (!_what.includes('RST')) expect(String(asked.error)).toMatch(message);
    if (asked.outcome === 'fail') expect(isConnectionLost(asked.error)).toBe(true);
    // Bytes after the end are ignored.
    server.send(server.headers(1, ok));
  });

  it('whose first frame is not SETTINGS is refused', async () => {
    for (const first of [h2.frame(h2.PING, 0, 0, Buffer.alloc(8)), Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')]) {
      const server = new PlayedServer();
      const asked = server.ask();
      await settled();
      server.send(first);
      expect((await asked.failure()).message).toMatch(/first frame is not SETTINGS/);
      expect(server.farewell).toBe(h2.PROTOCOL_ERROR);
    }
  });

  it('that does not read the answers to its pings is closed before they fill the memory', async () => {
    const server = PlayedServer.begun();
    const asked = server.ask();
    await settled();
    server.send(server.headers(1, ok));
    server.socket.held = [];
    // With content in between, so that it is not a flood of empty frames.
    const round = [repeated(9_000, h2.frame(h2.PING, 0, 0, Buffer.alloc(8))), server.data(1, 'x')];
    for (let i = 0; i < 20 && asked.outcome === 'none'; i++) server.send(...round);
    expect((await asked.failure()).message).toMatch(/does not read the answers/);
    expect(server.farewell).toBe(h2.ENHANCE_YOUR_CALM);
  });
});

describe('a response that breaks the rules', () => {
  it.each<[string, number, Play, RegExp]>([
    ['no status', h2.PROTOCOL_ERROR, (s) => s.headers(1, { 'content-type': 'a/b' }), /no :status/],
    [
      'two statuses',
      h2.PROTOCOL_ERROR,
      (s) =>
        s.headers(1, [
          [':status', '200'],
          [':status', '200'],
        ]),
      /:status/,
    ],
    ['a status after a field', h2.PROTOCOL_ERROR, (s) => s.headers(1, { a: 'b', ':status': '200' }), /:status/],
    ['a status that is no number', h2.PROTOCOL_ERROR, (s) => s.headers(1, { ':status': '2x0' }), /:status/],
    ['an upgrade', h2.PROTOCOL_ERROR, (s) => s.headers(1, { ':status': '101' }), /status is 101/],
    ['an unknown pseudo-header', h2.PROTOCOL_ERROR, (s) => s.headers(1, { ...ok, ':path': '/' }), /":path"/],
    ['a name in upper case', h2.PROTOCOL_ERROR, () => block(Buffer.from([0x88]), literal('Server', 'x')), /"Server"/],
    ['an empty name', h2.PROTOCOL_ERROR, () => block(Buffer.from([0x88]), literal('', 'x')), /field ""/],
    ['a name with a blank', h2.PROTOCOL_ERROR, () => block(Buffer.from([0x88]), literal('a b', 'x')), /"a b"/],
    ['a value with a line', h2.PROTOCOL_ERROR, () => block(Buffer.from([0x88]), literal('a', 'x\r\ny')), /"a"/],
    ['a value with NUL', h2.PROTOCOL_ERROR, () => block(Buffer.from([0x88]), literal('a', 'x\0y')), /"a"/],
    ['a value that begins with a blank', h2.PROTOCOL_ERROR, (s) => s.headers(1, { ...ok, a: ' x' }), /"a"/],
    ['a header of HTTP/1.1', h2.PROTOCOL_ERROR, (s) => s.headers(1, { ...ok, 'transfer-encoding': 'chunked' }), /tran/],
    ['a length that is no number', h2.PROTOCOL_ERROR, (s) => s.headers(1, { ...ok, 'content-length': '-1' }), /is -1/],
    [
      'two lengths',
      h2.PROTOCOL_ERROR,
      (s) => s.headers(1, [...Object.entries(ok), ['content-length', '1'], ['content-length', '2']]),
      /content-length is 1, 2/,
    ],
    [
      'a body that is longer than its length',
      h2.PROTOCOL_ERROR,
      (s) => [s.headers(1, { ...ok, 'content-length': '3' }), s.data(1, 'abcd')],
      /longer than its content-length/,
    ],
    [
      'a body that is shorter than its length',
      h2.PROTOCOL_ERROR,
      (s) => [s.headers(1, { ...ok, 'content-length': '3' }), s.data(1, 'ab', h2.END_STREAM)],
      /shorter than its content-length/,
    ],
    [
      'a length without a body',
      h2.PROTOCOL_ERROR,
      (s) => s.headers(1, { ...ok, 'content-length': '3' }, h2.END_STREAM),
      /shorter than its content-length/,
    ],
    ['a body of a 204', h2.PROTOCOL_ERROR, (s) => [s.headers(1, { ':status': '204' }), s.data(1, 'a')], /longer/],
    ['a body before the head', h2.PROTOCOL_ERROR, (s) => s.data(1, 'a'), /body comes before its head/],
    ['an end before the head', h2.PROTOCOL_ERROR, (s) => s.data(1, '', h2.END_STREAM), /ends without a head/],
    ['a second head', h2.PROTOCOL_ERROR, (s) => [s.headers(1, ok), s.headers(1, ok)], /second head follows/],
    [
      'an interim head at the end',
      h2.PROTOCOL_ERROR,
      (s) => s.headers(1, { ':status': '103' }, h2.END_STREAM),
      /ends with an interim head/,
    ],
    [
      'an endless series of interim heads',
      h2.PROTOCOL_ERROR,
      (s) => Array.from({ length: 21 }, () => s.headers(1, { ':status': '103' })),
      /more than 20 interim responses/,
    ],
    [
      'pseudo-headers in the trailers',
      h2.PROTOCOL_ERROR,
      (s) => [s.headers(1, ok), s.headers(1, ok, h2.END_STREAM)],
      /field ":status"/,
    ],
    [
      'a WINDOW_UPDATE of nothing',
      h2.PROTOCOL_ERROR,
      () => h2.numberFrame(h2.WINDOW_UPDATE, 1, 0),
      /WINDOW_UPDATE adds nothing/,
    ],
    [
      'a WINDOW_UPDATE that overflows',
      h2.FLOW_CONTROL_ERROR,
      () => h2.numberFrame(h2.WINDOW_UPDATE, 1, 2 ** 31 - 1),
      /window is larger/,
    ],
    [
      'a head that is larger than the limit',
      h2.ENHANCE_YOUR_CALM,
      (s) => s.headers(1, [[':status', '200'], ...Array.from({ length: 2000 }, (_, i) => [`a${i}`, ''] as const)]),
      /more than 65536 bytes/,
    ],
    [
      // An entry of 4000 bytes that is referred to 60,000 times would be 240 MB.
      'a bomb of references to one large entry',
      h2.ENHANCE_YOUR_CALM,
      () => {
        const value = Buffer.concat([Buffer.from([0x40, 1, 0x61, 0x7f, 0xa1, 0x1e]), Buffer.alloc(4000, 'x')]);
        return block(Buffer.from([0x88]), value, Buffer.alloc(60_000, 0xbe));
      },
      /more than 65536 bytes/,
    ],
  ])('%s: fails alone, with code %i', async (_what, code, play, message) => {
    const server = PlayedServer.begun();
    const asked = server.ask();
    const other = server.ask();
    await settled();
    const bytes = play(server);
    server.send(...(Buffer.isBuffer(bytes) ? [bytes] : bytes));
    const error = await asked.failure();
    expect(error.message).toMatch(message);
    expect(isConnectionLost(error)).toBe(true);
    await settled();
    expect(server.resets).toEqual([[1, code]]);
    expect(server.farewell).toBeUndefined();
    // What the server has sent before it got the reset is dropped.
    server.send(server.data(1, 'late'), server.headers(1, { a: 'b' }, h2.END_STREAM));
    server.send(server.headers(3, ok), server.data(3, 'fine', h2.END_STREAM));
    expect(await other.whole()).toBe('fine');
  });

  it('that goes on after its end is complete, and the rest is dropped', async () => {
    const server = PlayedServer.begun();
    const [paused, other] = [server.ask({}, 1), server.ask()];
    await settled();
    const late = [server.data(1, 'late'), server.headers(1, ok), h2.numberFrame(h2.WINDOW_UPDATE, 1, 0)];
    server.send(server.headers(1, ok), server.data(1, 'some'), server.data(1, 'more', h2.END_STREAM), ...late);
    paused.resume();
    expect(await paused.whole()).toBe('somemore');
    server.send(...late, server.headers(3, ok, h2.END_STREAM));
    expect(await other.whole()).toBe('');
    expect(server.farewell).toBeUndefined();
  });

  it('that was complete is handed over although the connection is gone', async () => {
    const server = PlayedServer.begun();
    const asked = server.ask({}, 1);
    await settled();
    server.send(server.headers(1, ok), server.data(1, 'some'), server.data(1, 'more', h2.END_STREAM));
    server.send(h2.frame(h2.PUSH_PROMISE, 0, 1));
    await settled();
    expect(server.gone).toBe(1);
    expect(asked.outcome).toBe('none');
    asked.resume();
    expect(await asked.whole()).toBe('somemore');
  });

  it('exceeds the window of a paused stream: only that stream fails', async () => {
    const server = PlayedServer.begun();
    const asked = server.ask({}, 1);
    const other = server.ask();
    await settled();
    server.send(server.headers(1, ok));
    const piece = server.data(1, Buffer.alloc(65_536, 'x'));
    for (let i = 0; i < 65 && asked.outcome === 'none'; i++) server.send(piece);
    expect((await asked.failure()).message).toMatch(/exceeds the flow-control window of a stream/);
    await settled();
    expect(server.resets).toEqual([[1, h2.FLOW_CONTROL_ERROR]]);
    server.send(server.headers(3, ok, h2.END_STREAM));
    expect(await other.whole()).toBe('');
  });
});

describe('a request', () => {
  it('that the server refused, or that is above the last stream of GOAWAY, can be sent again', async () => {
    const server = PlayedServer.begun();
    const asked = [server.ask(), server.ask(), server.ask()];
    await settled();
    server.send(h2.numberFrame(h2.RST_STREAM, 3, h2.REFUSED_STREAM), h2.numberFrame(h2.GOAWAY, 0, 3, 0));
    expect(await asked[1]!.failure()).toBeInstanceOf(NotProcessedError);
    expect(await asked[2]!.failure()).toBeInstanceOf(NotProcessedError);
    expect(server.connection.room).toBe(0);
    server.send(server.headers(1, ok), server.data(1, 'last', h2.END_STREAM));
    expect(await asked[0]!.whole()).toBe('last');
    await settled();
    // The connection is closed after its last response.
    expect(server.gone).toBe(1);
    expect(server.farewell).toBe(h2.NO_ERROR);
  });

  it('that was not written when the connection closed can be sent again; one that was is lost', async () => {
    const server = PlayedServer.begun();
    const written = server.ask({ method: 'POST' });
    await settled();
    const unwritten = server.ask({ method: 'POST' });
    server.socket.destroy(new Error('read ECONNRESET'));
    expect(await unwritten.failure()).toBeInstanceOf(NotProcessedError);
    const error = await written.failure();
    expect(isConnectionLost(error)).toBe(true);
    expect(error.message).toBe('the connection closed before the server answered: read ECONNRESET');
  });

  it('names what a GOAWAY said', async () => {
    const server = PlayedServer.begun();
    const asked = server.ask();
    await settled();
    const debug = Buffer.concat([number(1), number(h2.ENHANCE_YOUR_CALM), Buffer.from('too_many_pings')]);
    server.send(server.headers(1, ok), h2.frame(h2.GOAWAY, 0, 0, debug));
    expect(asked.outcome).toBe('none');
    server.socket.emit('end');
    expect((await asked.failure()).message).toBe(
      'the connection closed in the middle of the response after GOAWAY with error code 11 "too_many_pings"',
    );
  });
});
