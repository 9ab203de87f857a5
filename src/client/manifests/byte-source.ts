import { type FileHandle, open } from 'node:fs/promises';

/** Bytes that can be read anywhere, so that a document is found again without being kept. */
export interface ByteSource extends AsyncDisposable {
  /** Reads up to `length` bytes; fewer only at the end. */
  read(position: number, length: number): Promise<Uint8Array>;
}

/** The bytes of a text. */
export function textSource(text: string): ByteSource {
  const bytes = Buffer.from(text);
  return {
    async read(position, length) {
      return bytes.subarray(position, position + length);
    },
    async [Symbol.asyncDispose]() {},
  };
}

/** The bytes of a file, which stays open: a file that is replaced meanwhile is still read as it was. */
export async function fileSource(path: string): Promise<ByteSource> {
  return new FileSource(await open(path, 'r'));
}

class FileSource implements ByteSource {
  readonly #file: FileHandle;

  constructor(file: FileHandle) {
    this.#file = file;
  }

  async read(position: number, length: number): Promise<Uint8Array> {
    const bytes = Buffer.allocUnsafe(length);
    let filled = 0;
    while (filled < length) {
      const { bytesRead } = await this.#file.read(bytes, filled, length - filled, position + filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return bytes.subarray(0, filled);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#file.close();
  }
}
