import type { JsonObject } from '../../../meta/json-values.js';
import type { Clock } from '../../../time/clock.js';
import { abortable } from '../../../time/signals.js';
import { promptlyInSlices, type Steps } from '../../../time/steps.js';
import type { Revision } from '../revision.js';
import type { Storage } from '../storage.js';
import { aboutBatch, changesBatch } from './batch.js';
import { encodeChange } from './change-record.js';
import type { DataFile, DataFiles } from './data-files.js';
import { DRAFT_SUFFIX, FORMAT_VERSION, type SnapshotEnd, type SnapshotHeader, snapshotName } from './file-names.js';

/** A batch ends with the change that exceeds this size. */
const BATCH_BYTES = 1024 * 1024;
/** The file is synced after so many bytes, so that the log's syncs never wait for all of it. */
const SYNC_BYTES = 8 * 1024 * 1024;

/** What a snapshot is about: the state at `version`, before the log file `number`. */
export interface SnapshotOptions {
  /** Gives the snapshot up. */
  readonly signal: AbortSignal;
  readonly directory: string;
  readonly number: number;
  readonly version: number;
}

/**
 * Writes all objects and their history up to a version to a file, in slices, while commits go on. The file has its name once
 * it is complete and durable. Returns its length.
 */
export async function writeSnapshot(
  files: DataFiles,
  storage: Storage,
  clock: Clock,
  { directory, number, version, signal }: SnapshotOptions,
): Promise<number> {
  const name = snapshotName(number);
  const draft = `${name}${DRAFT_SUFFIX}`;
  const file = await files.create(draft);
  const writer = new SnapshotWriter(file);
  try {
    const header: SnapshotHeader = {
      format: 'kubeflect-snapshot',
      formatVersion: FORMAT_VERSION,
      directory,
      number,
      version,
    };
    await writer.about(header as unknown as JsonObject);
    const oldestVersions: Record<string, number> = {};
    let changes = 0;
    // A collection that begins meanwhile has all its changes in the log.
    for (const collection of [...storage.collections()]) {
      let parts: Uint8Array[] = [];
      let bytes = 0;
      const visit = (revision: Revision): void => {
        changes++;
        for (const part of encodeChange(revision, collection.id)) {
          parts.push(part);
          bytes += part.length;
        }
      };
      const kept = collection.keptInSteps(version, visit);
      for (let isDone = false; !isDone; ) {
        const slices = promptlyInSlices(
          clock,
          'snapshot',
          untilFull(kept, () => bytes >= BATCH_BYTES),
        );
        isDone = await abortable(slices, signal);
        if (parts.length > 0) await writer.changes(parts);
        parts = [];
        bytes = 0;
      }
      oldestVersions[collection.id] = collection.oldestVersion;
    }
    const end: SnapshotEnd = { changes, oldestVersions };
    await writer.about(end as unknown as JsonObject);
    await file.sync();
    await file.close();
    signal.throwIfAborted();
    await files.rename(draft, name);
    await files.syncDirectory();
    return writer.length;
  } catch (error) {
    await file.close().catch(() => {});
    await files.remove(draft).catch(() => {});
    throw error;
  }
}

/** Runs steps until a batch is full; returns whether they are done. */
function* untilFull(steps: Steps<void>, isFull: () => boolean): Steps<boolean> {
  while (!isFull()) {
    if (steps.next().done === true) return true;
    yield;
  }
  return false;
}

/** Writes the batches of a snapshot. */
class SnapshotWriter {
  readonly #file: DataFile;
  #sequence = 0;
  #unsynced = 0;
  length = 0;

  constructor(file: DataFile) {
    this.#file = file;
  }

  about(about: JsonObject): Promise<void> {
    return this.#append(aboutBatch(this.#sequence++, about));
  }

  changes(parts: readonly Uint8Array[]): Promise<void> {
    return this.#append(changesBatch(this.#sequence++, parts));
  }

  async #append(bytes: Uint8Array): Promise<void> {
    await this.#file.append(bytes);
    this.length += bytes.length;
    this.#unsynced += bytes.length;
    if (this.#unsynced < SYNC_BYTES) return;
    this.#unsynced = 0;
    await this.#file.sync();
  }
}
