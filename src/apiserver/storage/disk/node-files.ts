import { type FileHandle, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DataFile, DataFiles, ReadableFile } from './data-files.js';

const OWNER_FILE = 0o600;
const OWNER_FOLDER = 0o700;

/** The files of a directory on disk; creates the directory if it does not exist. */
export async function openNodeFiles(path: string): Promise<DataFiles> {
  await mkdir(path, { recursive: true, mode: OWNER_FOLDER });
  return {
    path,
    list: () => readdir(path),
    create: async (name) => new NodeFile(await open(join(path, name), 'wx', OWNER_FILE)),
    open: async (name) => {
      const handle = await open(join(path, name), 'r');
      return new NodeReadableFile(handle, (await handle.stat()).size);
    },
    rename: (from, to) => rename(join(path, from), join(path, to)),
    remove: (name) => rm(join(path, name)),
    syncDirectory: () => syncDirectory(path),
  };
}

async function syncDirectory(path: string): Promise<void> {
  // Windows cannot open a directory, and makes its entries durable with the file.
  if (process.platform === 'win32') return;
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

class NodeFile implements DataFile {
  readonly #handle: FileHandle;

  constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  async append(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      const { bytesWritten } = await this.#handle.write(bytes, at, bytes.length - at);
      at += bytesWritten;
    }
  }

  sync(): Promise<void> {
    // The size of the file is part of what fdatasync makes durable; its times are not.
    return this.#handle.datasync();
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}

class NodeReadableFile implements ReadableFile {
  readonly #handle: FileHandle;
  readonly size: number;

  constructor(handle: FileHandle, size: number) {
    this.#handle = handle;
    this.size = size;
  }

  async read(position: number, length: number): Promise<Uint8Array> {
    const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(length, this.size - position)));
    let filled = 0;
    while (filled < bytes.length) {
      const { bytesRead } = await this.#handle.read(bytes, filled, bytes.length - filled, position + filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return bytes.subarray(0, filled);
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}
