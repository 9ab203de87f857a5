import type { DataFile, DataFiles, ReadableFile } from '../../src/apiserver/storage/disk/data-files.js';

/** The unit that a disk writes as a whole, or tears. */
const SECTOR = 512;

class Inode {
  /** Twice as long whenever it is full: copying a whole file for each append would take a tenth of the CPU time of a simulation. */
  #held: Buffer;
  #length: number;
  /** How many of the bytes survive every crash. */
  synced: number;

  /** @param bytes what it holds, all of it synced */
  constructor(bytes: Buffer = Buffer.alloc(0)) {
    this.#held = bytes;
    this.#length = bytes.length;
    this.synced = bytes.length;
  }

  /** All that was written. */
  get bytes(): Buffer {
    return this.#held.subarray(0, this.#length);
  }

  append(bytes: Buffer): void {
    const length = this.#length + bytes.length;
    if (length > this.#held.length) {
      const longer = Buffer.alloc(2 * length);
      this.bytes.copy(longer);
      this.#held = longer;
    }
    bytes.copy(this.#held, this.#length);
    this.#length = length;
  }
}

type DirectoryChange = { readonly set: string; readonly inode: Inode } | { readonly remove: string };

/** The error of a system call. */
function systemError(code: string, call: string): Error {
  return Object.assign(new Error(`${code}: injected, ${call}`), { code });
}

/**
 * A disk in memory that can lose power. What was not synced survives in part, as on a real one: any number of the bytes that were
 * appended, with sectors that were never written or are torn, and any of the changes of the directory.
 */
export class FakeDisk implements DataFiles {
  readonly path = '/data';
  readonly #random: () => number;
  /** The directory as processes see it, and as it is on the disk. */
  #entries = new Map<string, Inode>();
  #synced = new Map<string, Inode>();
  #changes: DirectoryChange[] = [];
  #isOff = false;
  #reportOff!: () => void;
  /** Resolves when the power fails. */
  readonly off: Promise<void> = new Promise((resolve) => {
    this.#reportOff = resolve;
  });
  /** Operations until the power fails. */
  operationsLeft: number = Number.POSITIVE_INFINITY;
  /** The number of operations so far. */
  operations = 0;
  /** Bytes that still fit on the disk. */
  free: number = Number.POSITIVE_INFINITY;
  /** Decides whether an operation fails, by the code that it returns. */
  fault: ((call: string, name: string) => string | undefined) | undefined;
  /** Awaited before each operation: a slow disk. */
  delay: (() => Promise<void>) | undefined;

  constructor(random: () => number, entries: ReadonlyMap<string, Buffer> = new Map()) {
    this.#random = random;
    for (const [name, bytes] of entries) this.#entries.set(name, new Inode(bytes));
    this.#synced = new Map(this.#entries);
  }

  /** The files, as a process sees them. */
  get content(): Map<string, Buffer> {
    return new Map([...this.#entries].map(([name, { bytes }]) => [name, Buffer.from(bytes)]));
  }

  /** The disk after the power has failed. Operations of this one never end. */
  crash(): FakeDisk {
    this.#isOff = true;
    const entries = new Map(this.#synced);
    for (const change of this.#changes) {
      if (this.#random() < 0.5) continue;
      if ('set' in change) entries.set(change.set, change.inode);
      else entries.delete(change.remove);
    }
    const survived = new Map([...entries].map(([name, inode]) => [name, this.#survivor(inode)]));
    return new FakeDisk(this.#random, survived);
  }

  /** The disk after the process was killed: everything that was written is there. */
  kill(): FakeDisk {
    this.#isOff = true;
    return new FakeDisk(this.#random, this.content);
  }

  #survivor({ bytes, synced }: Inode): Buffer {
    const kind = this.#random();
    const length = kind < 0.2 ? synced : synced + Math.floor(this.#random() * (bytes.length - synced + 1));
    const left = Buffer.from(bytes.subarray(0, kind > 0.8 ? bytes.length : length));
    if (kind < 0.5) return left;
    // Sectors that were not written are zero; the last one may hold anything after the part that was written.
    for (let start = synced; start < left.length; start = (Math.floor(start / SECTOR) + 1) * SECTOR) {
      const end = Math.min(left.length, (Math.floor(start / SECTOR) + 1) * SECTOR);
      if (this.#random() < 0.3) left.fill(0, start, end);
      else if (end === left.length && this.#random() < 0.5) {
        for (let at = start + Math.floor(this.#random() * (end - start)); at < end; at++)
          left[at] = this.#random() * 256;
      }
    }
    return left;
  }

  async #begin(call: string, name: string): Promise<void> {
    await this.delay?.();
    this.operations++;
    if (this.#isOff || --this.operationsLeft < 0) {
      this.#isOff = true;
      this.#reportOff();
      await new Promise(() => {});
    }
    const code = this.fault?.(call, name);
    if (code !== undefined) throw systemError(code, call);
  }

  async list(): Promise<readonly string[]> {
    await this.#begin('readdir', '');
    return [...this.#entries.keys()];
  }

  async create(name: string): Promise<DataFile> {
    await this.#begin('open', name);
    if (this.#entries.has(name)) throw systemError('EEXIST', `open ${name}`);
    const inode = new Inode();
    this.#set(name, inode);
    return {
      append: async (bytes) => {
        const fits = Math.min(bytes.length, this.free);
        const copy = Buffer.from(bytes);
        try {
          await this.#begin('write', name);
        } catch (error) {
          inode.append(copy.subarray(0, Math.floor(this.#random() * fits)));
          throw error;
        }
        this.free -= fits;
        inode.append(copy.subarray(0, fits));
        if (fits < copy.length) throw systemError('ENOSPC', `write ${name}`);
      },
      sync: async () => {
        await this.#begin('fsync', name);
        inode.synced = inode.bytes.length;
      },
      close: async () => {},
    };
  }

  async open(name: string): Promise<ReadableFile> {
    await this.#begin('open', name);
    const inode = this.#entries.get(name);
    if (inode === undefined) throw systemError('ENOENT', `open ${name}`);
    const { bytes } = inode;
    return {
      size: bytes.length,
      read: async (position, length) => {
        await this.#begin('read', name);
        return Buffer.from(bytes.subarray(position, position + length));
      },
      close: async () => {},
    };
  }

  async rename(from: string, to: string): Promise<void> {
    await this.#begin('rename', from);
    const inode = this.#entries.get(from);
    if (inode === undefined) throw systemError('ENOENT', `rename ${from}`);
    this.#set(to, inode);
    this.#delete(from);
  }

  async remove(name: string): Promise<void> {
    await this.#begin('unlink', name);
    const inode = this.#entries.get(name);
    if (inode === undefined) throw systemError('ENOENT', `unlink ${name}`);
    this.free += inode.bytes.length;
    this.#delete(name);
  }

  async syncDirectory(): Promise<void> {
    await this.#begin('fsync', '.');
    this.#synced = new Map(this.#entries);
    this.#changes = [];
  }

  #set(name: string, inode: Inode): void {
    this.#entries.set(name, inode);
    this.#changes.push({ set: name, inode });
  }

  #delete(name: string): void {
    this.#entries.delete(name);
    this.#changes.push({ remove: name });
  }
}
