import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { open, readdir, rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { DataError } from './data-files.js';

/** A lock on a data directory. */
export interface DirectoryLock {
  release(): Promise<void>;
}

/** Whether a file of a data directory is a lock. */
export function isLockName(name: string): boolean {
  return /^lock-[0-9a-f]{16}$/.test(name);
}

/** The longest path of a socket that all systems take. */
const LONGEST_PATH = 100;
const ANSWER_MS = 1000;

/**
 * Locks a directory, so that no other process uses it at the same time. Rejects if one does.
 *
 * The lock is a listening socket in the directory. The system closes it with the process, however that ends, so that it is
 * never stuck: a socket that refuses connections has no owner, and is removed. Each process first listens on a socket of its
 * own and then looks for others. Of two that start together each sees the other, so that at most one goes on.
 */
export async function lockDirectory(path: string): Promise<DirectoryLock> {
  const name = `lock-${randomBytes(8).toString('hex')}`;
  // On Linux a path by descriptor is short, however long the path of the directory is.
  const folder = process.platform === 'linux' ? await open(path, 'r') : undefined;
  const pathOf = (file: string): string =>
    folder === undefined ? join(path, file) : `/proc/self/fd/${folder.fd}/${file}`;
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.end(String(process.pid));
  });
  const release = async (): Promise<void> => {
    if (server.listening) await new Promise((resolve) => server.close(resolve));
    await rm(join(path, name), { force: true }).catch(() => {});
    await folder?.close();
  };
  try {
    await listen(server, pathOf(name), path);
    for (const file of await readdir(path)) {
      if (file === name || !isLockName(file)) continue;
      const owner = await ownerOf(pathOf(file));
      if (owner !== undefined) {
        throw new DataError(`${path} is in use by ${owner}; stop it, or choose another directory`);
      }
      await rm(join(path, file), { force: true });
    }
  } catch (error) {
    await release();
    throw error;
  }
  return { release };
}

async function listen(server: Server, socket: string, path: string): Promise<void> {
  if (socket.length > LONGEST_PATH) throw new DataError(`${path} is too long a path for a lock; choose a shorter one`);
  try {
    server.listen(socket);
    await once(server, 'listening');
    // It must not keep the process alive.
    server.unref();
  } catch (error) {
    const { message } = error as Error;
    throw new DataError(`${path} cannot be locked (${message}); choose a directory on a local file system`);
  }
}

/** The process that listens on a socket; undefined if none does. */
function ownerOf(socket: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const connection = connect(socket);
    let pid = '';
    const done = (owner: string | undefined): void => {
      connection.destroy();
      resolve(owner);
    };
    // A process that is stopped listens, but does not answer.
    connection.setTimeout(ANSWER_MS, () => done('another process'));
    connection.on('data', (bytes) => {
      pid += bytes.toString('latin1');
    });
    connection.on('end', () => done(`process ${pid}`));
    connection.on('error', (error: NodeJS.ErrnoException) => {
      const isFree = error.code === 'ECONNREFUSED' || error.code === 'ENOENT' || error.code === 'ENOTSOCK';
      done(isFree ? undefined : 'another process');
    });
  });
}
