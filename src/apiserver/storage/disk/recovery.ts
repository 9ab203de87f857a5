import { randomBytes } from 'node:crypto';
import type { Storage } from '../storage.js';
import { type Batch, type BatchesEnd, readBatches } from './batch.js';
import type { LogTail } from './change-log.js';
import { decodeChanges } from './change-record.js';
import { DataError, type DataFiles } from './data-files.js';
import {
  DRAFT_SUFFIX,
  FORMAT_VERSION,
  type LogHeader,
  logName,
  parseName,
  type SnapshotEnd,
  type SnapshotHeader,
  snapshotName,
} from './file-names.js';

/** What was found in a data directory. */
export interface Recovered {
  readonly tail: LogTail;
  /** The length of the newest snapshot; 0 if there is none. */
  readonly snapshotBytes: number;
}

/** A log file of the chain that leads to the newest one. */
interface ChainLink {
  readonly header: LogHeader;
  /** The bytes that count; undefined for the last file: up to its last complete batch. */
  length: number | undefined;
}

/**
 * Reads the newest snapshot and the log files after it into an empty storage, and removes files that are not needed.
 *
 * What a crash leaves of the last write is cut off, with a message to `warn`: it was never acknowledged. Everything else that is
 * not as it was written rejects with a {@link DataError}.
 */
export async function recover(files: DataFiles, storage: Storage, warn: (message: string) => void): Promise<Recovered> {
  const names = await files.list();
  const found = names.map(parseName).filter((name) => name !== undefined);
  const numbersOf = (kind: 'log' | 'snapshot'): number[] =>
    found.filter((file) => file.kind === kind).map(({ number }) => number);
  const snapshots = numbersOf('snapshot');
  const newest = snapshots.length === 0 ? undefined : Math.max(...snapshots);
  const logs = numbersOf('log').filter((number) => number >= (newest ?? 0));
  const recovery = new Recovery(files, storage, warn);
  const chain = await recovery.chain(logs, newest);
  const snapshotBytes = newest === undefined ? 0 : await recovery.readSnapshot(newest);
  if (newest === undefined) storage.startAt(chain[0]?.header.version ?? storage.version);
  let bytes = 0;
  let after: LogTail['after'];
  for (const link of chain) {
    after = { number: link.header.number, length: await recovery.readLog(link) };
    bytes += after.length;
  }
  await recovery.removeOthers(names, newest, chain);
  const tail: LogTail = {
    directory: recovery.directory ?? randomBytes(8).toString('hex'),
    number: Math.max(0, ...found.map(({ number }) => number)),
    after,
    version: storage.version,
    bytes,
    files: chain.length,
  };
  return { tail, snapshotBytes };
}

const COPY_NEEDED = 'Without it the objects cannot be restored';

class Recovery {
  readonly #files: DataFiles;
  readonly #storage: Storage;
  readonly #warn: (message: string) => void;
  /** The id of the data directory, once a file has it. */
  directory: string | undefined;

  constructor(files: DataFiles, storage: Storage, warn: (message: string) => void) {
    this.#files = files;
    this.#storage = storage;
    this.#warn = warn;
  }

  /** The log files that count, in their order: the newest one, and those that it follows. */
  async chain(numbers: readonly number[], snapshot: number | undefined): Promise<ChainLink[]> {
    const headers = new Map<number, LogHeader>();
    const unused = new Set<number>();
    for (const number of numbers) {
      const header = await this.#readHeader(number);
      if (header === undefined) unused.add(number);
      else headers.set(number, header);
    }
    const chain: ChainLink[] = [];
    let number = headers.size === 0 ? undefined : Math.max(...headers.keys());
    for (let length: number | undefined; number !== undefined; ) {
      const header = headers.get(number);
      if (header === undefined) throw this.#missing(number, chain[0]!.header.number);
      chain.unshift({ header, length });
      if (number === snapshot) break;
      length = header.after?.length;
      number = header.after?.number;
    }
    if (snapshot !== undefined && chain[0]?.header.number !== snapshot) {
      // A snapshot is written after the header of its log file is durable.
      if (!unused.has(snapshot)) throw this.#missing(snapshot, snapshotName(snapshot));
      throw this.#damaged(logName(snapshot), 0, 'its header is incomplete or damaged', COPY_NEEDED);
    }
    for (const one of unused) {
      this.#warn(`${this.#files.path}/${logName(one)} has no complete batch and is ignored: a crash left it`);
    }
    return chain;
  }

  #missing(number: number, after: number | string): DataError {
    const name = typeof after === 'string' ? after : logName(after);
    return new DataError(
      `${this.#files.path}/${logName(number)} is missing, but ${name} needs it; restore the directory from a copy, or choose another one`,
    );
  }

  /** The header of a log file; undefined if the file holds no batch at all, because it was never used. */
  async #readHeader(number: number): Promise<LogHeader | undefined> {
    const name = logName(number);
    const file = await this.#files.open(name);
    try {
      const batches = readBatches(file, file.size);
      const first = await batches.next();
      if (first.done === true) {
        const end = first.value;
        if (end.kind === 'broken' && !end.isTorn) throw this.#damaged(name, end.offset, end.problem);
        return undefined;
      }
      await batches.return({ kind: 'complete', offset: 0 });
      return this.#checkHeader<LogHeader>(name, number, 'kubeflect-log', first.value);
    } finally {
      await file.close();
    }
  }

  #checkHeader<T extends LogHeader | SnapshotHeader>(
    name: string,
    number: number,
    format: T['format'],
    batch: Batch,
  ): T {
    const header = batch.kind === 'about' ? (batch.about as unknown as T) : undefined;
    if (header?.format !== format || header.number !== number) {
      throw this.#damaged(name, 0, `it does not begin as ${format} ${number}`);
    }
    if (header.formatVersion !== FORMAT_VERSION) {
      throw new DataError(
        `${this.#files.path}/${name} has format version ${header.formatVersion}, this kubeflect reads ${FORMAT_VERSION}; use the kubeflect that wrote it, or choose another directory`,
      );
    }
    this.directory ??= header.directory;
    if (this.directory !== header.directory) {
      throw this.#damaged(name, 0, `it belongs to another data directory (${header.directory}, not ${this.directory})`);
    }
    return header;
  }

  async readSnapshot(number: number): Promise<number> {
    const name = snapshotName(number);
    const collections = new Set<string>();
    let header: SnapshotHeader | undefined;
    let end: SnapshotEnd | undefined;
    let changes = 0;
    const { offset } = await this.#read(name, undefined, (batch) => {
      if (header === undefined) {
        header = this.#checkHeader<SnapshotHeader>(name, number, 'kubeflect-snapshot', batch);
        this.#storage.startAt(header.version);
      } else if (end !== undefined) throw new Error('a batch follows the end of the snapshot');
      else if (batch.kind === 'about') end = batch.about as unknown as SnapshotEnd;
      else {
        for (const change of decodeChanges(batch.payload)) {
          this.#storage.collection(change.collection).restore(change);
          collections.add(change.collection);
          changes++;
        }
      }
    });
    if (end?.changes !== changes) throw this.#damaged(name, offset, 'its end is missing');
    for (const [id, oldestVersion] of Object.entries(end.oldestVersions)) {
      this.#storage.collection(id).completeRestore(oldestVersion);
      collections.delete(id);
    }
    for (const id of collections) throw this.#damaged(name, offset, `its end does not know ${id}`);
    return offset;
  }

  /** Repeats the changes of a log file; returns how many of its bytes count. */
  async readLog({ header, length }: ChainLink): Promise<number> {
    const name = logName(header.number);
    if (header.version !== this.#storage.version) {
      const problem = `it follows resourceVersion ${header.version}, but the files before it end with ${this.#storage.version}`;
      throw this.#damaged(name, 0, problem);
    }
    const end = await this.#read(name, length, (batch) => {
      if (batch.kind === 'changes') for (const change of decodeChanges(batch.payload)) this.#storage.replay(change);
    });
    return end.offset;
  }

  /** Reads a file; `limit` is its length, undefined for the last file of the log, and for a snapshot. */
  async #read(name: string, limit: number | undefined, take: (batch: Batch) => void): Promise<BatchesEnd> {
    const file = await this.#files.open(name);
    try {
      const batches = readBatches(file, limit ?? file.size);
      for (;;) {
        const next = await batches.next();
        if (next.done !== true) {
          try {
            take(next.value);
          } catch (error) {
            throw error instanceof DataError ? error : this.#damaged(name, next.value.offset, (error as Error).message);
          }
          continue;
        }
        const end = next.value;
        if (end.kind === 'complete') return end;
        const isTorn = limit === undefined && end.isTorn && parseName(name)?.kind === 'log';
        if (!isTorn) throw this.#damaged(name, end.offset, end.problem);
        const cut = `the last ${file.size - end.offset} bytes, from offset ${end.offset}, are no complete batch`;
        this.#warn(
          `${this.#files.path}/${name}: ${cut} (${end.problem}) and are ignored: a crash ended their write before it was acknowledged`,
        );
        return end;
      }
    } finally {
      await file.close();
    }
  }

  #damaged(name: string, offset: number, problem: string, given?: string): DataError {
    const path = `${this.#files.path}/${name}`;
    const cut = `To go on without everything after it, cut the file (truncate -s ${offset} ${path}) and remove the log files with higher numbers`;
    const advice = given ?? (parseName(name)?.kind === 'log' ? cut : COPY_NEEDED);
    return new DataError(
      `${path} is damaged at offset ${offset}: ${problem}. Nothing was changed. Restore the directory from a copy. ${advice}`,
    );
  }

  /** Removes drafts, and files that a newer snapshot or a newer attempt has replaced. */
  async removeOthers(
    names: readonly string[],
    snapshot: number | undefined,
    chain: readonly ChainLink[],
  ): Promise<void> {
    const needed = new Set(chain.map(({ header }) => logName(header.number)));
    if (snapshot !== undefined) needed.add(snapshotName(snapshot));
    for (const name of names) {
      const isDraft = name.endsWith(DRAFT_SUFFIX) && parseName(name.slice(0, -DRAFT_SUFFIX.length)) !== undefined;
      if (!isDraft && (parseName(name) === undefined || needed.has(name))) continue;
      // It is removed the next time if this fails.
      await this.#files.remove(name).catch(() => {});
    }
  }
}
