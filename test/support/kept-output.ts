import { Writable } from 'node:stream';

/** Keeps what is written. */
export class Kept extends Writable {
  readonly chunks: Buffer[] = [];
  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.chunks.push(chunk);
    done();
  }
  get text(): string {
    return Buffer.concat(this.chunks).toString();
  }
}
