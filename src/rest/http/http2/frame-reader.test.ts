import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../time/seeded-random.js';
import { type FrameHandler, FrameReader } from './frame-reader.js';
import * as h2 from './frames.js';

/** Records the calls of a reader; the pieces of one DATA frame are joined. */
class Recorder implements FrameHandler {
  readonly calls: string[] = [];
  #piece = '';

  dataBegins(streamId: number, length: number): void {
    this.#piece = '';
    this.calls.push(`data ${streamId} ${length}`);
  }
  data(bytes: Buffer): void {
    this.#piece += bytes.toString('hex');
  }
  dataEnds(endsStream: boolean): void {
    this.calls.push(`${this.#piece} ${endsStream}`);
  }
  headers(streamId: number, block: Buffer, endsStream: boolean): void {
    this.calls.push(`headers ${streamId} ${block.toString('hex')} ${endsStream}`);
  }
  reset(streamId: number, code: number): void {
    this.calls.push(`reset ${streamId} ${code}`);
  }
  settings(pairs: Buffer): void {
    this.calls.push(`settings ${pairs.toString('hex')}`);
  }
  ping(opaque: Buffer, isAck: boolean): void {
    this.calls.push(`ping ${opaque.toString('hex')} ${isAck}`);
  }
  goAway(lastStreamId: number, code: number, debug: Buffer): void {
    this.calls.push(`goaway ${lastStreamId} ${code} ${debug.toString('hex')}`);
  }
  windowUpdate(streamId: number, increment: number): void {
    this.calls.push(`window ${streamId} ${increment}`);
  }
}

/** A valid stream of frames, and the calls that it stands for. */
function generate(seed: number): { bytes: Buffer; calls: string[] } {
  const random = seededRandom(seed);
  const below = (limit: number): number => Math.floor(random() * limit);
  const some = (limit: number): Buffer => Buffer.from(Array.from({ length: below(limit) }, () => below(256)));
  const frames = [h2.settingsFrame([[h2.MAX_CONCURRENT_STREAMS, 9]])];
  const calls = [`settings ${frames[0]!.subarray(9).toString('hex')}`];
  for (let i = below(12); i > 0; i--) {
    const streamId = 1 + 2 * below(5);
    const ends = below(2);
    const content = some(60);
    const padding = below(2) === 0 ? undefined : below(20);
    const padded = padding === undefined ? [content] : [Buffer.from([padding]), content, Buffer.alloc(padding)];
    const flags = ends | (padding === undefined ? 0 : h2.PADDED);
    switch (below(8)) {
      case 0:
      case 1: {
        frames.push(h2.frame(h2.DATA, flags, streamId, ...padded));
        const length = padded.reduce((sum, part) => sum + part.length, 0);
        calls.push(`data ${streamId} ${length}`, `${content.toString('hex')} ${ends === 1}`);
        break;
      }
      case 2: {
        const parts = Array.from({ length: below(4) }, () => some(20));
        frames.push(h2.frame(h2.HEADERS, flags | (parts.length === 0 ? h2.END_HEADERS : 0), streamId, ...padded));
        for (const [at, part] of parts.entries()) {
          frames.push(h2.frame(h2.CONTINUATION, at === parts.length - 1 ? h2.END_HEADERS : 0, streamId, part));
        }
        calls.push(`headers ${streamId} ${Buffer.concat([content, ...parts]).toString('hex')} ${ends === 1}`);
        break;
      }
      case 3:
        frames.push(h2.numberFrame(h2.RST_STREAM, streamId, i));
        calls.push(`reset ${streamId} ${i}`);
        break;
      case 4:
        frames.push(h2.frame(h2.PING, ends, 0, Buffer.alloc(8, i)));
        calls.push(`ping ${Buffer.alloc(8, i).toString('hex')} ${ends === 1}`);
        break;
      case 5:
        // The reserved bit of numbers is ignored.
        frames.push(h2.frame(h2.GOAWAY, 0, 0, Buffer.from([0x80, 0, 0, 7, 0, 0, 0, 2]), content));
        calls.push(`goaway 7 2 ${content.toString('hex')}`);
        break;
      case 6:
        frames.push(h2.numberFrame(h2.WINDOW_UPDATE, streamId, 2 ** 31 + 1000));
        calls.push(`window ${streamId} 1000`);
        break;
      default:
        frames.push(h2.frame(50 + below(100), below(256), streamId, content), h2.frame(h2.SETTINGS, h2.ACK, 0));
    }
  }
  return { bytes: Buffer.concat(frames), calls };
}

describe('FrameReader', () => {
  it('reads frames as they were written, wherever the bytes are cut', () => {
    for (let seed = 1; seed <= 300; seed++) {
      const { bytes, calls } = generate(seed);
      const random = seededRandom(seed);
      for (const most of [Number.POSITIVE_INFINITY, 1, 10, 100]) {
        const recorder = new Recorder();
        const reader = new FrameReader(recorder);
        // A read overwrites the bytes of the one before.
        const shared = Buffer.alloc(bytes.length);
        for (let at = 0; at < bytes.length; ) {
          const length = Math.min(
            bytes.length - at,
            most === Number.POSITIVE_INFINITY ? most : 1 + Math.floor(random() * most),
          );
          bytes.copy(shared, 0, at, at + length);
          reader.read(shared.subarray(0, length));
          at += length;
        }
        expect(recorder.calls, `seed ${seed}, at most ${most} bytes`).toEqual(calls);
      }
    }
  });

  it('calls nothing after it was stopped, even within a read', () => {
    const recorder = new Recorder();
    const reader = new FrameReader(recorder);
    recorder.ping = () => reader.stop();
    const ping = h2.frame(h2.PING, 0, 0, Buffer.alloc(8));
    reader.read(Buffer.concat([h2.settingsFrame([]), ping, h2.numberFrame(h2.RST_STREAM, 1, 8)]));
    reader.read(ping);
    expect(recorder.calls).toEqual(['settings ']);
  });
});
