import { createReadStream } from 'node:fs';
import { lstat, readdir, readlink } from 'node:fs/promises';
import { dirname, join, posix, relative, resolve, sep } from 'node:path';
import { asError } from '../../meta/errors/errors.js';
import { linkSignals } from '../../time/signals.js';
import { CopyCount, type Exec, failedTar, TextEnd } from './copy.js';
import type { CopyOptions, CopyProgress } from './pod-client.js';
import { TAR_END, type TarEntry, tarHead, tarPadding } from './tar-writer.js';

/** Copies a local file or folder into a container: `tar` there unpacks what is packed here. */
export async function copyToPod(
  exec: Exec,
  local: string,
  remote: string,
  { container, onProgress, signal, skipLinks = false }: CopyOptions,
): Promise<CopyProgress> {
  const root = resolve(local);
  // Before a process is started for nothing.
  await lstat(root);
  const count = new CopyCount(onProgress);
  const stderr = new TextEnd();
  using link = linkSignals([signal]);
  let failure: { readonly error: unknown } | undefined;
  const archive = async function* (): AsyncGenerator<Buffer, void> {
    try {
      yield* pack(root, remotePath(remote), count, skipLinks);
    } catch (error) {
      failure = { error };
      link.abort(asError(error));
    }
  };
  // An absolute path is unpacked below `/`, so that folders above it are made where they are missing.
  const command = ['tar', '-xmf', '-', ...(remote.startsWith('/') ? ['-C', '/'] : [])];
  try {
    const code = await exec({ container, command, stdin: archive(), stderr, signal: link.signal });
    if (code !== 0) throw failedTar('unpack', remote, code, stderr.text);
  } catch (error) {
    throw failure === undefined ? error : failure.error;
  }
  return count.progress;
}

/** The path of an entry: relative, without parts that lead upwards. */
function remotePath(remote: string): string {
  const path = posix.normalize(remote).replace(/^\/+|\/+$/g, '');
  if (path === '..' || path.startsWith('../')) {
    throw new TypeError(`remote must not lead out of the working directory of the container, got ${remote}`);
  }
  return path === '' ? '.' : path;
}

async function* pack(root: string, remote: string, count: CopyCount, skipLinks: boolean): AsyncGenerator<Buffer, void> {
  // Depth first, with folders before their contents; a stack, because folders may be deep.
  const waiting = [root];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const below = relative(root, path).split(sep).join('/');
    const stat = await lstat(path);
    const entry = { path: below === '' ? remote : `${remote}/${below}`, mode: stat.mode, mtime: stat.mtimeMs / 1000 };
    if (stat.isDirectory()) {
      yield tarHead({ ...entry, type: 'folder', path: `${entry.path}/`, size: 0, link: '' });
      const names = (await readdir(path)).sort().reverse();
      for (const name of names) waiting.push(join(path, name));
      count.add(below, 0);
    } else if (stat.isSymbolicLink()) {
      const link = await readlink(path);
      if (leadsOut(root, path, link)) {
        if (skipLinks) continue;
        throw new Error(
          `${path} is a symbolic link to ${link}, outside of ${root}: pass skipLinks to leave such links out`,
        );
      }
      yield tarHead({ ...entry, type: 'symbolicLink', size: 0, link: link.split(sep).join('/') });
      count.add(below, 0);
    } else if (stat.isFile()) {
      yield* packFile(path, { ...entry, type: 'file', size: stat.size, link: '' });
      count.add(below, stat.size);
    }
  }
  yield TAR_END;
}

/** Whether a link leads out of the folder that is copied; every link does if it is the copied path itself. */
function leadsOut(root: string, path: string, link: string): boolean {
  if (path === root) return true;
  const below = relative(root, resolve(dirname(path), link));
  return below === '..' || below.startsWith(`..${sep}`) || resolve(link) === link;
}

/** The size was announced in front: a file that grows is cut, one that shrinks rejects. */
async function* packFile(path: string, entry: TarEntry): AsyncGenerator<Buffer, void> {
  yield tarHead(entry);
  let left = entry.size;
  if (left > 0) {
    for await (const chunk of createReadStream(path, { end: left - 1, highWaterMark: 256 * 1024 })) {
      left -= chunk.length;
      yield chunk;
    }
  }
  if (left > 0) throw new Error(`${path} became shorter while it was copied`);
  yield tarPadding(entry.size);
}
