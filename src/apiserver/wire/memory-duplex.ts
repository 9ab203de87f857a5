import { Duplex } from 'node:stream';
import type { Clock } from '../../time/clock.js';

/**
 * Both ends of a connection in memory, as a pair of sockets: what is written to one is read from the other, a turn of the
 * clock's event loop later. A writer waits until its bytes are taken.
 */
export function memoryDuplexes(clock: Clock): [Duplex, Duplex] {
  const one = new MemoryDuplex(clock);
  const other = new MemoryDuplex(clock);
  one.connect(other);
  other.connect(one);
  return [one, other];
}

class MemoryDuplex extends Duplex {
  readonly #clock: Clock;
  #peer: MemoryDuplex | undefined;
  /** Called when the bytes of the peer are taken. */
  #taken: (() => void) | undefined;

  constructor(clock: Clock) {
    super({ allowHalfOpen: true });
    this.#clock = clock;
    // As with a socket, its owner may only listen for 'close'.
    this.on('error', () => {});
  }

  connect(peer: MemoryDuplex): void {
    this.#peer = peer;
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#clock.defer(() => this.#peer?.receive(chunk, done));
  }

  override _read(): void {
    const taken = this.#taken;
    this.#taken = undefined;
    taken?.();
  }

  override _final(done: () => void): void {
    this.#clock.defer(() => {
      if (this.#peer?.destroyed === false) this.#peer.push(null);
      done();
    });
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this._read();
    this.#clock.defer(() => this.#peer?.destroy());
    done(error);
  }

  /** Takes bytes of the peer. */
  receive(chunk: Buffer, done: () => void): void {
    if (this.destroyed || this.push(chunk)) done();
    else this.#taken = done;
  }
}
