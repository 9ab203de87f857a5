import { constants, deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { SpdyConnection, type SpdyPipe } from './spdy-connection.js';
import { SPDY_DICTIONARY } from './spdy-dictionary.js';

const VERSION = 0x8003;

function control(type: number, payload: Uint8Array): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt16BE(VERSION, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt32BE(payload.length, 4);
  return Buffer.concat([head, payload]);
}

/** A frame that opens a stream without headers. */
function open(id: number): Buffer {
  const block = deflateSync(Buffer.alloc(4), { dictionary: SPDY_DICTIONARY, finishFlush: constants.Z_SYNC_FLUSH });
  const head = Buffer.alloc(10);
  head.writeUInt32BE(id, 0);
  return control(1, Buffer.concat([head, block]));
}

function data(id: number, bytes: Uint8Array): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(id, 0);
  head.writeUInt32BE(bytes.length, 4);
  return Buffer.concat([head, bytes]);
}

const reset = (id: number): Buffer => control(3, Buffer.from([0, 0, 0, id, 0, 0, 0, 5]));
const ping = control(6, Buffer.alloc(4));

/** The bytes below a connection: whether they are read, and a client that reads nothing until `drain`. */
class Pipe implements SpdyPipe {
  isPaused = false;
  hasRoom = true;
  drain: () => void = () => {};

  write(): boolean {
    return this.hasRoom;
  }

  onDrain(callback: () => void): void {
    this.drain = callback;
  }

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
  }

  close(): void {}
}

describe('a SPDY connection', () => {
  it('reads on after the client has reset a stream whose reader is slow', async () => {
    const pipe = new Pipe();
    const connection = await new Promise<SpdyConnection>((resolve) => {
      const made: SpdyConnection = new SpdyConnection(pipe, () => resolve(made));
      made.receive(open(1));
    });
    connection.receive(Buffer.concat([data(1, Buffer.alloc(300_000)), reset(1)]));
    expect(pipe.isPaused).toBe(false);
    connection.close();
  });

  it('reads no more frames while the client does not read the answers', () => {
    const pipe = new Pipe();
    const connection = new SpdyConnection(pipe, () => {});
    connection.receive(ping);
    expect(pipe.isPaused).toBe(false);
    pipe.hasRoom = false;
    connection.receive(ping);
    expect(pipe.isPaused).toBe(true);
    pipe.drain();
    expect(pipe.isPaused).toBe(false);
    connection.close();
  });
});
