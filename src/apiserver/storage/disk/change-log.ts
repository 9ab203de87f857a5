import type { JsonObject } from '../../../meta/json-values.js';
import type { Clock, Timer } from '../../../time/clock.js';
import type { Change, Journal } from '../collection.js';
import { StorageUnavailableError } from '../storage-unavailable.js';
import { aboutBatch, changesBatch } from './batch.js';
import { encodeChange } from './change-record.js';
import type { DataFile, DataFiles } from './data-files.js';
import { FORMAT_VERSION, LOG_END, type LogHeader, type LogPosition, logName } from './file-names.js';

/** Where a log goes on: after what was recovered. */
export interface LogTail {
  readonly directory: string;
  /** The highest number that any file has. */
  readonly number: number;
  /** The last log file; undefined if there is none. */
  readonly after: LogPosition | undefined;
  /** The resourceVersion after all changes of the log. */
  readonly version: number;
  /** The bytes and the number of all log files. */
  readonly bytes: number;
  readonly files: number;
}

/** Options of {@link ChangeLog}. */
export interface ChangeLogOptions {
  readonly files: DataFiles;
  readonly clock: Clock;
  readonly tail: LogTail;
  /** Takes changes that have become durable, in their order. */
  readonly onDurable: (changes: readonly Change[]) => void;
  /** Takes messages for the operator. */
  readonly warn: (message: string) => void;
}

/** A batch ends with the change that exceeds this size. */
const BATCH_BYTES = 4 * 1024 * 1024;
const FIRST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 1000;

/** A log file that is written. */
interface Segment {
  readonly file: DataFile;
  readonly number: number;
  /** Whether other files or changes depend on it, so that it stays even if it fails. */
  isNeeded: boolean;
  /** The bytes that are durable. */
  length: number;
  /** How many batches are durable. */
  batches: number;
}

interface Waiter {
  readonly version: number;
  readonly promise: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

interface Failure {
  readonly message: string;
  readonly recovered: Promise<void>;
  readonly recover: () => void;
}

/**
 * Writes changes to log files, with one sync for all changes that have come meanwhile (group commit).
 *
 * ```
 *   append ──▶ queue ──▶ one batch: append, sync ──▶ onDurable, waiters resolve
 *                │ fails
 *                └─▶ all waiters reject, check() throws; the file is given up; again and again a new file is tried with the same
 *                    queue, until the disk takes it
 * ```
 *
 * A file that failed once is never written again: after a failed sync nothing is known about its bytes. The next file says up
 * to which length the former one counts. Changes that were not confirmed stay in the queue: writers have seen them, so that
 * they keep their place. They take effect when the disk can be written again, or are lost with the process.
 */
export class ChangeLog implements Journal {
  readonly #options: ChangeLogOptions;
  readonly #directory: string;
  #queue: Change[] = [];
  #waiters: Waiter[] = [];
  #segment: Segment | undefined;
  /** The last file of the log and its durable length. */
  #after: LogPosition | undefined;
  #number: number;
  /** The last version that was appended, and the last that is durable. */
  #head: number;
  #durable: number;
  #bytes: number;
  #files: number;
  #running: Promise<void> | undefined;
  #rotations: { resolve(position: LogStart): void; reject(error: unknown): void }[] = [];
  #failure: Failure | undefined;
  #retryMs = FIRST_RETRY_MS;
  #timer: Timer | undefined;
  #isStopped = false;

  constructor(options: ChangeLogOptions) {
    const { tail } = options;
    this.#options = options;
    this.#directory = tail.directory;
    this.#after = tail.after;
    this.#number = tail.number;
    this.#head = tail.version;
    this.#durable = tail.version;
    this.#bytes = tail.bytes;
    this.#files = tail.files;
  }

  /** Names the data directory in its files. */
  get directory(): string {
    return this.#directory;
  }

  /** The bytes of all log files. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The number of log files. */
  get fileCount(): number {
    return this.#files;
  }

  check(): void {
    if (this.#isStopped) {
      // Another process may use the directory by now.
      throw new StorageUnavailableError('the write was refused: the server has stopped', new Promise(() => {}));
    }
    if (this.#failure === undefined) return;
    throw new StorageUnavailableError(`the write was refused: ${this.#failure.message}`, this.#failure.recovered);
  }

  append(change: Change): void {
    this.#head = change.revision.version;
    this.#queue.push(change);
    if (this.#failure === undefined) this.#start();
  }

  flushed(): Promise<void> | undefined {
    if (this.#durable === this.#head) return undefined;
    if (this.#failure !== undefined) return Promise.reject(this.#unconfirmed(this.#failure));
    const last = this.#waiters.at(-1);
    if (last?.version === this.#head) return last.promise;
    let resolve!: () => void;
    let reject!: (error: unknown) => void;
    const promise = new Promise<void>((resolvePromise, rejectPromise) => {
      resolve = resolvePromise;
      reject = rejectPromise;
    });
    this.#waiters.push({ version: this.#head, promise, resolve, reject });
    return promise;
  }

  /** Starts a new log file, for a snapshot of everything before it. */
  rotate(): Promise<LogStart> {
    return new Promise((resolve, reject) => {
      this.#rotations.push({ resolve, reject });
      this.#start();
    });
  }

  /** Takes off what the files before a snapshot have counted for, once they are removed. */
  forgetFiles(bytes: number, files: number): void {
    this.#bytes -= bytes;
    this.#files -= files;
  }

  /** Takes no more changes, writes what is left, marks the file as complete, and closes it. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.cancel();
    await this.#running;
    this.#timer?.cancel();
    if (this.#queue.length > 0) {
      this.#start();
      await this.#running;
      this.#timer?.cancel();
    }
    if (this.#queue.length > 0) {
      const { path } = this.#options.files;
      this.#options.warn(`${path}: ${this.#queue.length} changes that were not confirmed to clients are lost`);
    }
    const segment = this.#segment;
    this.#segment = undefined;
    if (segment === undefined) return;
    try {
      await segment.file.append(aboutBatch(segment.batches, LOG_END));
      await segment.file.sync();
    } catch {
      // Every change is durable without the mark.
    }
    await segment.file.close().catch(() => {});
  }

  #start(): void {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
  }

  async #run(): Promise<void> {
    // Writes of the same turn share a batch.
    await undefined;
    while (this.#queue.length > 0 || this.#rotations.length > 0) {
      if (this.#failure === undefined && this.#rotations.length > 0) await this.#rotate();
      else if (!(await this.#writeBatch())) return;
    }
  }

  /** Writes one batch; returns false if that failed. */
  async #writeBatch(): Promise<boolean> {
    const parts: Uint8Array[] = [];
    let count = 0;
    for (let bytes = 0; count < this.#queue.length && bytes < BATCH_BYTES; count++) {
      const { revision, collection } = this.#queue[count]!;
      for (const part of encodeChange(revision, collection.id)) {
        parts.push(part);
        bytes += part.length;
      }
    }
    try {
      this.#segment ??= await this.#begin();
      const batch = changesBatch(this.#segment.batches, parts);
      await this.#segment.file.append(batch);
      await this.#segment.file.sync();
      this.#segment.length += batch.length;
      this.#segment.isNeeded = true;
      this.#segment.batches++;
      this.#bytes += batch.length;
    } catch (error) {
      await this.#fail(error as Error);
      return false;
    }
    if (this.#failure !== undefined) this.#recover();
    this.#after = { number: this.#segment.number, length: this.#segment.length };
    const changes = this.#queue.slice(0, count);
    this.#queue = this.#queue.slice(count);
    this.#durable = changes.at(-1)!.revision.version;
    this.#options.onDurable(changes);
    const reached = this.#waiters.findIndex(({ version }) => version > this.#durable);
    for (const { resolve } of this.#waiters.splice(0, reached < 0 ? this.#waiters.length : reached)) resolve();
    return true;
  }

  /** Creates the next log file. It is durable, with its name, before a change is written to it. */
  async #begin(): Promise<Segment> {
    const { files } = this.#options;
    const number = ++this.#number;
    const name = logName(number);
    const header: LogHeader = {
      format: 'kubeflect-log',
      formatVersion: FORMAT_VERSION,
      directory: this.#directory,
      number,
      after: this.#after,
      version: this.#durable,
    };
    const file = await files.create(name);
    try {
      const bytes = aboutBatch(0, header as unknown as JsonObject);
      await file.append(bytes);
      await file.sync();
      await files.syncDirectory();
      this.#bytes += bytes.length;
      this.#files++;
      return { file, number, isNeeded: false, length: bytes.length, batches: 1 };
    } catch (error) {
      await this.#discard(file, name);
      throw error;
    }
  }

  async #discard(file: DataFile, name: string): Promise<void> {
    await file.close().catch(() => {});
    // If it stays, the next start ignores it: the file after it names another one as its predecessor.
    await this.#options.files.remove(name).catch(() => {});
  }

  async #rotate(): Promise<void> {
    const waiting = this.#rotations.splice(0);
    const former = this.#segment;
    try {
      this.#segment = await this.#begin();
    } catch (error) {
      // If the file of the failed attempt stays, it ends the former one where it is now: no change may be added there.
      this.#segment = undefined;
      await former?.file.close().catch(() => {});
      for (const { reject } of waiting) reject(error);
      return;
    }
    await former?.file.close().catch(() => {});
    this.#segment.isNeeded = true;
    const { number, length } = this.#segment;
    this.#after = { number, length };
    const start = { number, version: this.#durable, bytesBefore: this.#bytes - length, filesBefore: this.#files - 1 };
    for (const { resolve } of waiting) resolve(start);
  }

  async #fail(error: Error): Promise<void> {
    const { clock, files, warn } = this.#options;
    const segment = this.#segment;
    this.#segment = undefined;
    if (segment !== undefined) {
      if (segment.isNeeded) await segment.file.close().catch(() => {});
      else {
        await this.#discard(segment.file, logName(segment.number));
        this.#bytes -= segment.length;
        this.#files--;
      }
    }
    if (this.#failure === undefined) {
      const message = `${files.path} cannot be written (${error.message}); ${adviceOf(error)}`;
      let recover!: () => void;
      const recovered = new Promise<void>((resolve) => {
        recover = resolve;
      });
      this.#failure = { message, recovered, recover };
      warn(`${message}. Writes are refused until then, reads go on`);
    }
    const failure = this.#failure;
    for (const { reject } of this.#waiters.splice(0)) reject(this.#unconfirmed(failure));
    for (const { reject } of this.#rotations.splice(0)) reject(error);
    this.#timer = clock.setTimer(this.#retryMs, () => this.#start(), { keepAlive: false });
    this.#retryMs = Math.min(this.#retryMs * 2, LONGEST_RETRY_MS);
  }

  #unconfirmed({ message, recovered }: Failure): StorageUnavailableError {
    return new StorageUnavailableError(
      `the write is not confirmed: ${message}. It takes effect when the directory can be written again, unless the server ends before`,
      recovered,
    );
  }

  #recover(): void {
    const failure = this.#failure;
    this.#failure = undefined;
    this.#retryMs = FIRST_RETRY_MS;
    this.#options.warn(`${this.#options.files.path} can be written again`);
    failure?.recover();
  }
}

/** Where a new log file starts, and what is before it. */
export interface LogStart {
  readonly number: number;
  readonly version: number;
  readonly bytesBefore: number;
  readonly filesBefore: number;
}

function adviceOf(error: Error): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT') return 'free some space, and it goes on by itself';
  return 'it is tried again every second; check the disk';
}
