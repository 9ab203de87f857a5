/**
 * The files of a data directory, as few operations as the log needs: on a real disk, or in a test on one that crashes, is
 * full, or fails.
 *
 * A new, renamed or removed file is durable after {@link syncDirectory}; what was appended to a file after {@link DataFile.sync}.
 */
export interface DataFiles {
  /** The path of the directory, for messages. */
  readonly path: string;
  /** The names of all files. */
  list(): Promise<readonly string[]>;
  /** Creates an empty file that only its owner can read; rejects if it exists. */
  create(name: string): Promise<DataFile>;
  open(name: string): Promise<ReadableFile>;
  /** Replaces the file `to` if it exists. */
  rename(from: string, to: string): Promise<void>;
  remove(name: string): Promise<void>;
  syncDirectory(): Promise<void>;
}

/** A file that is written from its beginning to its end. */
export interface DataFile {
  /** Appends all bytes. After a rejection the file may hold any part of them. */
  append(bytes: Uint8Array): Promise<void>;
  /** Makes all bytes durable. After a rejection it is unknown which of them are, for ever: a second sync may lie. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** A file that is read. */
export interface ReadableFile {
  readonly size: number;
  /** Up to `length` bytes; fewer at the end of the file only. */
  read(position: number, length: number): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** The data of a directory cannot be used. The message says which file, where in it, and what to do. */
export class DataError extends Error {
  static {
    DataError.prototype.name = 'DataError';
  }
}
