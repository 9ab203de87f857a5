import { resolve } from 'node:path';
import type { Clock } from '../time/clock.js';
import { CREDENTIALS_FILE, type Credentials, loadCredentials, saveCredentials } from './credentials.js';
import { DataError, type DataFiles } from './storage/disk/data-files.js';
import { openDataStore } from './storage/disk/data-store.js';
import { type DirectoryLock, isLockName, lockDirectory } from './storage/disk/directory-lock.js';
import { DRAFT_SUFFIX, parseName } from './storage/disk/file-names.js';
import { openNodeFiles } from './storage/disk/node-files.js';
import type { Storage } from './storage/storage.js';

/** What {@link openServerData} works with. */
export interface ServerDataOptions {
  /** Empty; gets the objects of the directory. */
  readonly storage: Storage;
  readonly clock: Clock;
  /** Takes messages for the operator. */
  readonly warn: (message: string) => void;
}

/** The data directory of a running server. */
export interface ServerData {
  readonly credentials: Credentials;
  /** Keeps the port for the next start. */
  rememberPort(port: number): Promise<void>;
  /** Writes what is left, and lets other processes use the directory. */
  stop(): Promise<void>;
}

/** Opens a data directory on disk, which is created if it does not exist. Rejects with a {@link DataError} if it cannot be used. */
export async function openDirectory(given: string, options: ServerDataOptions): Promise<ServerData> {
  // The program may change its working directory.
  const path = resolve(given);
  let lock: DirectoryLock | undefined;
  try {
    const files = await openNodeFiles(path);
    await checkOwn(files);
    lock = await lockDirectory(path);
    const data = await openServerData(files, options);
    const { release } = lock;
    return { ...data, stop: () => data.stop().finally(release) };
  } catch (error) {
    await lock?.release();
    if (error instanceof DataError) throw error;
    throw new DataError(`${path} cannot be used as a data directory (${(error as Error).message})`, { cause: error });
  }
}

/** Opens a data directory whose files are given. */
export async function openServerData(files: DataFiles, options: ServerDataOptions): Promise<ServerData> {
  const store = await openDataStore({ files, ...options });
  let credentials: Credentials;
  try {
    credentials = await loadCredentials(files, options.clock);
  } catch (error) {
    await store.stop();
    throw error;
  }
  return {
    credentials,
    async rememberPort(port) {
      if (port === credentials.port) return;
      await saveCredentials(files, { ...credentials, port }).catch((error: Error) => {
        options.warn(`${files.path}: the port ${port} could not be kept for the next start (${error.message})`);
      });
    },
    stop: () => store.stop(),
  };
}

/** Throws if a directory holds files, but none of a server: it may be the wrong one. */
async function checkOwn(files: DataFiles): Promise<void> {
  const names = (await files.list()).filter((name) => !name.startsWith('.') && name !== 'lost+found');
  if (names.length === 0 || names.some(isOwn)) return;
  throw new DataError(`${files.path} holds other files (${names[0]}); choose an empty directory, or one of kubeflect`);
}

function isOwn(name: string): boolean {
  const whole = name.endsWith(DRAFT_SUFFIX) ? name.slice(0, -DRAFT_SUFFIX.length) : name;
  return whole === CREDENTIALS_FILE || isLockName(name) || parseName(whole) !== undefined;
}
