import { Writable } from 'node:stream';
import type { CopyProgress, ExecOptions } from './pod-client.js';

/** Runs a command in the container of a copy. */
export type Exec = (options: ExecOptions) => Promise<number>;

/** Counts what was copied, and tells the caller. */
export class CopyCount {
  readonly #onProgress: ((progress: CopyProgress) => void) | undefined;
  progress: CopyProgress = { path: '', files: 0, bytes: 0 };

  constructor(onProgress: ((progress: CopyProgress) => void) | undefined) {
    this.#onProgress = onProgress;
  }

  add(path: string, size: number): void {
    const { files, bytes } = this.progress;
    this.progress = { path, files: files + 1, bytes: bytes + size };
    this.#onProgress?.(this.progress);
  }
}

const MAX_TEXT_BYTES = 4096;

/** Keeps the end of what a command writes to stderr. */
export class TextEnd extends Writable {
  text = '';

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text = (this.text + chunk.toString()).slice(-MAX_TEXT_BYTES);
    done();
  }
}

/** The error of a copy whose `tar` failed. */
export function failedTar(what: string, path: string, code: number, said: string): Error {
  const hint = code === 126 || code === 127 ? ' (the container needs tar)' : '';
  const why = said.trim() === '' ? '' : `: ${said.trim()}`;
  return new Error(`tar could not ${what} ${path} in the container, exit code ${code}${hint}${why}`);
}
