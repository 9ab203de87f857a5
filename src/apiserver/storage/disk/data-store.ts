import type { Clock } from '../../../time/clock.js';
import type { Storage } from '../storage.js';
import { ChangeLog } from './change-log.js';
import type { DataFiles } from './data-files.js';
import { parseName } from './file-names.js';
import { recover } from './recovery.js';
import { writeSnapshot } from './snapshot.js';

/** Options of {@link openDataStore}. */
export interface DataStoreOptions {
  readonly files: DataFiles;
  /** Empty; gets the objects of the directory, and the log as its journal. */
  readonly storage: Storage;
  readonly clock: Clock;
  /** Takes messages for the operator. */
  readonly warn: (message: string) => void;
  /** A snapshot is written when the log has so many bytes, and as many as the last snapshot. @default 33554432 */
  readonly compactBytes?: number | undefined;
}

/** The files behind a storage. */
export interface DataStore {
  /** Writes what is left, and closes the files. */
  stop(): Promise<void>;
}

const COMPACT_BYTES = 32 * 1024 * 1024;
/** Each start and each failure begins a log file. */
const COMPACT_FILES = 32;
/** A snapshot that failed is tried again after the log has grown by this part of its limit. */
const RETRY_PART = 4;

/**
 * Reads a data directory into a storage, and keeps all further commits in it.
 *
 * ```
 *   snapshot-0000000007      all objects and their history before log file 7
 *   log-0000000007           the changes since then
 *   log-0000000008           …
 * ```
 *
 * When the log has grown, a new log file begins, a snapshot of everything before it is written beside the running server, and
 * the files before it are removed. The directory is therefore bounded by the objects, their history, and the limit of the log.
 */
export async function openDataStore(options: DataStoreOptions): Promise<DataStore> {
  const { files, storage, clock, warn, compactBytes = COMPACT_BYTES } = options;
  const { tail, snapshotBytes } = await recover(files, storage, warn);
  const log = new ChangeLog({
    files,
    clock,
    tail,
    warn,
    onDurable(changes) {
      storage.publish(changes);
      compactIfDue();
    },
  });
  storage.attach(log);
  let limit = Math.max(compactBytes, snapshotBytes);
  let compacting: Promise<void> | undefined;
  const stopping = new AbortController();

  function compactIfDue(): void {
    if (compacting !== undefined || stopping.signal.aborted || (log.bytes < limit && log.fileCount < COMPACT_FILES))
      return;
    compacting = compact()
      .catch((error: Error) => {
        limit = log.bytes + Math.max(compactBytes, limit) / RETRY_PART;
        if (!stopping.signal.aborted)
          warn(`${files.path}: no snapshot could be written, the log grows on (${error.message})`);
      })
      .finally(() => {
        compacting = undefined;
      });
  }

  async function compact(): Promise<void> {
    const { number, version, bytesBefore, filesBefore } = await log.rotate();
    const written = await writeSnapshot(files, storage, clock, {
      directory: log.directory,
      number,
      version,
      signal: stopping.signal,
    });
    limit = Math.max(compactBytes, written);
    await removeBefore(number);
    log.forgetFiles(bytesBefore, filesBefore);
  }

  async function removeBefore(number: number): Promise<void> {
    for (const name of await files.list()) {
      if ((parseName(name)?.number ?? number) >= number) continue;
      // A start ignores files before the newest snapshot, and removes them.
      await files.remove(name).catch(() => {});
    }
  }

  return {
    async stop() {
      stopping.abort();
      await compacting;
      await log.stop();
    },
  };
}
