import { constants } from 'node:fs';
import { link as hardLink, lstat, mkdir, open, realpath, rm, symlink, utimes } from 'node:fs/promises';
import { dirname, isAbsolute, join, posix, relative, resolve, sep } from 'node:path';
import { PassThrough } from 'node:stream';
import { asError } from '../../meta/errors/errors.js';
import { linkSignals } from '../../time/signals.js';
import { CopyCount, type Exec, failedTar, TextEnd } from './copy.js';
import type { CopyOptions, CopyProgress } from './pod-client.js';
import { type ReadEntry, readTar } from './tar-reader.js';

/** Copies a file or folder out of a container: `tar` there packs what is unpacked here. */
export async function copyFromPod(
  exec: Exec,
  remote: string,
  local: string,
  { container, onProgress, signal, skipLinks = false }: CopyOptions,
): Promise<CopyProgress> {
  const path = posix.normalize(remote).replace(/(?<=.)\/+$/, '');
  const [folder, name] = path === '/' ? ['/', '.'] : [posix.dirname(path), posix.basename(path)];
  const count = new CopyCount(onProgress);
  const stderr = new TextEnd();
  const archive = new PassThrough();
  using link = linkSignals([signal]);
  let failure: { readonly error: unknown } | undefined;
  const unpacking = unpack(archive, new Unpacked(resolve(local), name, skipLinks), count).catch((error: unknown) => {
    failure = { error };
    link.abort(asError(error));
  });
  // `./`: a name that begins with a hyphen is no option.
  const command = ['tar', '-cf', '-', '-C', folder, `./${name}`];
  let code = 0;
  try {
    code = await exec({ container, command, stdout: archive, stderr, signal: link.signal });
  } catch (error) {
    archive.destroy();
    await unpacking;
    if (signal?.aborted) throw signal.reason;
    // What could not be unpacked has ended the command, unless the command ended first.
    throw link.signal.aborted && failure !== undefined ? failure.error : error;
  }
  await unpacking;
  if (code !== 0) throw failedTar('pack', remote, code, stderr.text);
  if (failure !== undefined) throw failure.error;
  return count.progress;
}

async function unpack(archive: PassThrough, target: Unpacked, count: CopyCount): Promise<void> {
  for await (const entry of readTar(archive)) {
    const below = await target.write(entry);
    if (below !== undefined) count.add(below, entry.size);
  }
  await target.finish();
}

/** Writes entries below a folder, and never outside of it: what the container sends is not trusted. */
class Unpacked {
  readonly #root: string;
  readonly #name: string;
  readonly #skipLinks: boolean;
  /** Folders that exist and are no links out of the root. */
  readonly #folders = new Set<string>();
  /** Symbolic links are made last, so that no entry is written through one. */
  readonly #links: { readonly path: string; readonly link: string }[] = [];
  /** Times of folders, which change with each entry in them. */
  readonly #times: { readonly path: string; readonly mtime: number }[] = [];
  #realRoot: string | undefined;

  /** @param name the name of the copied file or folder in the archive */
  constructor(root: string, name: string, skipLinks: boolean) {
    this.#root = root;
    this.#name = name;
    this.#skipLinks = skipLinks;
  }

  /** Writes an entry. Returns its path below the root; undefined if it was left out. */
  async write(entry: ReadEntry): Promise<string | undefined> {
    const below = this.#below(entry.path);
    const path = join(this.#root, below);
    switch (entry.type) {
      case 'folder':
        await this.#makeFolder(path);
        this.#times.push({ path, mtime: entry.mtime });
        return below;
      case 'symbolicLink':
        return this.#keepLink(path, below, entry.link) ? below : undefined;
      case 'hardLink':
        await this.#makeParent(path, below);
        await rm(path, { force: true });
        await this.#linkFile(join(this.#root, this.#below(entry.link)), path);
        return below;
      default:
        await this.#makeParent(path, below);
        await writeFile(path, entry);
        return below;
    }
  }

  async finish(): Promise<void> {
    for (const { path, link } of this.#links) {
      await this.#makeParent(path, relative(this.#root, path));
      await rm(path, { force: true });
      await symlink(link, path);
    }
    for (const { path, mtime } of this.#times.reverse()) await setTime(path, mtime);
  }

  /** The path of an entry below the root; throws if it is not below the copied path. */
  #below(path: string): string {
    const clean = posix.normalize(path).replace(/\/+$/, '');
    const parts = clean.split('/');
    const isInside = this.#name === '.' ? parts[0] !== '..' && !clean.startsWith('/') : parts[0] === this.#name;
    // A backslash divides paths on Windows.
    if (!isInside || path.includes('\0') || (sep === '\\' && path.includes('\\'))) throw leadsOut(path);
    const below = this.#name === '.' ? parts.filter((part) => part !== '.') : parts.slice(1);
    return below.join('/');
  }

  #keepLink(path: string, below: string, link: string): boolean {
    const end = relative(this.#root, resolve(dirname(path), link));
    const isOutside = below === '' || isAbsolute(link) || end === '..' || end.startsWith(`..${sep}`);
    if (!isOutside) this.#links.push({ path, link });
    else if (!this.#skipLinks) {
      throw new Error(
        `the symbolic link ${below || this.#name} leads to ${link}, outside of the copied folder: pass skipLinks to leave such links out`,
      );
    }
    return !isOutside;
  }

  async #makeParent(path: string, below: string): Promise<void> {
    // The root itself may be a file, in a folder that has to exist.
    if (below !== '') await this.#makeFolder(dirname(path));
  }

  /** Makes a folder and those above it, below the root. A link on the way must not lead out of the root. */
  async #makeFolder(path: string): Promise<void> {
    if (this.#folders.has(path)) return;
    await mkdir(path, { recursive: true });
    this.#realRoot ??= await realpath(this.#root);
    const real = relative(this.#realRoot, await realpath(path));
    if (real === '..' || real.startsWith(`..${sep}`) || isAbsolute(real)) throw leadsOut(path);
    this.#folders.add(path);
  }

  /** A hard link to a file that was copied before. */
  async #linkFile(from: string, path: string): Promise<void> {
    await this.#makeParent(from, relative(this.#root, from));
    const stat = await lstat(from);
    if (!stat.isFile()) throw leadsOut(from);
    await hardLink(from, path);
  }
}

async function writeFile(path: string, entry: ReadEntry): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  // A link is replaced, not followed.
  if (found?.isSymbolicLink()) await rm(path);
  const { O_CREAT, O_TRUNC, O_WRONLY, O_NOFOLLOW = 0 } = constants;
  await using file = await open(path, O_CREAT | O_TRUNC | O_WRONLY | O_NOFOLLOW, entry.mode & 0o777);
  for await (const chunk of entry.content()) await file.writeFile(chunk);
  await file.utimes(entry.mtime, entry.mtime);
}

async function setTime(path: string, mtime: number): Promise<void> {
  // A time that the file system cannot write is no reason to fail.
  await utimes(path, mtime, mtime).catch(() => {});
}

function leadsOut(path: string): Error {
  return new Error(`the container sent ${path}, which leads out of the copied folder`);
}
