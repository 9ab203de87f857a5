import { Duplex } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { FakeClock } from '../time/fake-clock.js';
import { WebSocket, type WebSocketEnd, type WebSocketOptions } from './web-socket.js';
import { encodeFrame, FrameReader, OPCODES } from './web-socket-frames.js';

/** The other side of a WebSocket: frames that were written, and bytes that are pushed. */
class Peer extends Duplex {
  readonly sent: [opcode: number, payload: string][] = [];
  readonly #reader: FrameReader;
  /** Calls back for what was written; undefined: at once. */
  held: (() => void)[] | undefined;

  constructor(isClient: boolean) {
    super({ writableHighWaterMark: 1000 });
    this.#reader = new FrameReader(
      {
        data: (bytes) => void this.sent.push([OPCODES.binary, bytes.toString()]),
        control: (opcode, payload) => void this.sent.push([opcode, payload.toString('latin1')]),
      },
      isClient,
    );
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#reader.read(Buffer.from(chunk));
    if (this.held === undefined) done();
    else this.held.push(done);
  }
}

function open(options: Partial<WebSocketOptions> = {}) {
  const clock = new FakeClock();
  const peer = new Peer(options.role !== 'server');
  const messages: string[] = [];
  let end: WebSocketEnd | undefined;
  const reader = {
    data: (bytes: Buffer, isFirst: boolean) => void messages.push(`${isFirst ? '' : '+'}${bytes}`),
    closed: (how: WebSocketEnd) => void (end = how),
  };
  const socket = new WebSocket(peer, reader, { role: 'client', clock, ...options });
  const receive = (opcode: number, payload = ''): void =>
    void peer.push(encodeFrame(opcode, [Buffer.from(payload, 'latin1')], options.role === 'server'));
  const turn = (): Promise<void> => clock.runUntilIdle();
  return { clock, peer, messages, socket, receive, turn, end: () => end };
}

const CODE_1000 = '\x03\xe8';

describe.each(['client', 'server'] as const)('a WebSocket of a %s', (role) => {
  it('passes on messages, answers pings and sends its own', async () => {
    const { peer, messages, socket, receive, turn } = open({ role });
    receive(OPCODES.binary, 'one');
    receive(OPCODES.ping, 'here');
    receive(OPCODES.text, 'two');
    socket.send(Buffer.from('an'), Buffer.from('swer'));
    await turn();
    expect(messages).toEqual(['one', 'two']);
    expect(peer.sent).toEqual([
      [OPCODES.binary, 'answer'],
      [OPCODES.pong, 'here'],
    ]);
  });

  it('answers a close with a close, and tells its code and reason', async () => {
    const { peer, receive, turn, end } = open({ role });
    receive(OPCODES.close, `${CODE_1000}done`);
    receive(OPCODES.binary, 'late');
    await turn();
    expect(peer.sent).toEqual([[OPCODES.close, CODE_1000]]);
    peer.destroy();
    await turn();
    expect(end()).toEqual({ code: 1000, reason: 'done', error: undefined });
  });

  it('is closed after bytes that are no frame, and waits five seconds for the other side', async () => {
    const { clock, peer, turn, end, messages } = open({ role });
    peer.push(Buffer.alloc(20, 0xff));
    await turn();
    expect(peer.sent).toEqual([[OPCODES.close, '\x03\xea']]);
    expect(end()).toBeUndefined();
    await clock.advance(5000);
    expect(end()?.error?.message).toBe('the other side sent bytes that are no WebSocket frame');
    expect(messages).toEqual([]);
  });
});

describe('a WebSocket', () => {
  it('tells when there is no room, and calls back when there is', async () => {
    const { peer, socket, turn } = open();
    peer.held = [];
    let drained = 0;
    expect(socket.send(Buffer.alloc(10))).toBe(true);
    expect(socket.send(Buffer.alloc(2000))).toBe(false);
    socket.onDrain(() => drained++);
    await turn();
    expect(drained).toBe(0);
    while (peer.held.length > 0) {
      peer.held.shift()!();
      await turn();
    }
    expect(drained).toBe(1);
  });

  it('reads no more while the other side reads no pongs', async () => {
    const { peer, receive, messages, turn } = open();
    peer.held = [];
    for (let n = 0; n < 20; n++) receive(OPCODES.ping, 'x'.repeat(100));
    await turn();
    receive(OPCODES.binary, 'waits');
    await turn();
    expect(messages).toEqual([]);
    while (peer.held.length > 0) {
      peer.held.shift()!();
      await turn();
    }
    expect(messages).toEqual(['waits']);
  });

  it('delivers nothing during a pause', async () => {
    const { socket, receive, messages, turn } = open();
    await turn();
    socket.pause();
    receive(OPCODES.binary, 'one');
    await turn();
    expect(messages).toEqual([]);
    socket.resume();
    await turn();
    expect(messages).toEqual(['one']);
  });

  it('that pings is given up when no answer comes, and not while it is answered', async () => {
    const { clock, peer, receive, end } = open({ pingMs: 5000, silenceMs: 60_000 });
    for (let n = 0; n < 30; n++) {
      await clock.advance(5000);
      receive(OPCODES.pong);
    }
    expect(peer.sent.filter(([opcode]) => opcode === OPCODES.ping)).toHaveLength(30);
    expect(end()).toBeUndefined();
    await clock.advance(70_000);
    expect(end()?.error?.message).toMatch(/^the other side has answered no ping for 6\d000 ms$/);
  });

  it('is not given up while it is paused, or while the other side may hold back what was sent', async () => {
    const { clock, socket, receive, end } = open({ pingMs: 5000, silenceMs: 60_000 });
    socket.pause();
    await clock.advance(600_000);
    socket.resume();
    socket.send(Buffer.from('input that is not read'));
    await clock.advance(600_000);
    expect(end()).toBeUndefined();
    receive(OPCODES.pong);
    await clock.advance(70_000);
    expect(end()?.error).toBeDefined();
  });

  it('that is destroyed ends with the error, once', async () => {
    const { socket, turn, end, peer } = open();
    socket.destroy(new Error('enough'));
    socket.close();
    expect(socket.send(Buffer.from('late'))).toBe(true);
    await turn();
    expect(end()?.error?.message).toBe('enough');
    expect(peer.sent).toEqual([]);
  });
});
