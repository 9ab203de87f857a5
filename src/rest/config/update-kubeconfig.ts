import { mkdir, open, readFile, realpath, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { isJsonObject, type JsonObject } from '../../meta/json-values.js';
import { requireFunction, requireObject, requireString } from '../../meta/options/validate.js';
import { realClock } from '../../time/real-clock.js';
import { ConfigError, describeFileError, isMissingFile } from '../credentials/config-errors.js';
import { parseKubeconfig, parseKubeconfigYaml } from './kubeconfig-parse.js';
import { type KubeconfigFilesOptions, kubeconfigPaths } from './read-kubeconfig.js';
import { replaceFile } from './replace-file.js';

/** Fields of an entry by their names in the file; null removes one, others stay. */
type EntryFields = Readonly<Record<string, unknown>>;

/**
 * Changes the entries of kubeconfig files. An entry is changed in the first file that has it; a new one goes to the first file
 * that exists, and if there is none to the last, as with kubectl.
 */
export interface KubeconfigEditor {
  /** The current context; undefined clears it. */
  currentContext: string | undefined;
  /** Sets fields of a cluster, such as `server` and `certificate-authority-data`. */
  setCluster(name: string, fields: EntryFields): void;
  /** Sets fields of a user, such as `token`. */
  setUser(name: string, fields: EntryFields): void;
  setContext(
    name: string,
    fields: { readonly cluster?: string | null; readonly user?: string | null; readonly namespace?: string | null },
  ): void;
  /** Removes an entry; false if there is none. */
  remove(kind: 'cluster' | 'user' | 'context', name: string): boolean;
}

/** How long another program may hold the lock of a file. */
const LOCK_MS = 5_000;
const LOCK_POLL_MS = 50;

type EntryKind = 'cluster' | 'user' | 'context';

/**
 * Changes kubeconfig files: `edit` changes the entries, then each file that changed is replaced at once, with mode 0600. The files
 * are locked meanwhile as kubectl locks them. Fields that are not known are kept; comments are not. What would make an entry
 * invalid rejects with a ConfigError, and so does what `edit` throws; nothing is written then.
 *
 * @example
 * await updateKubeconfig((config) => {
 *   config.setContext('dev', { namespace: 'web' });
 *   config.currentContext = 'dev';
 * });
 */
export async function updateKubeconfig(
  edit: (config: KubeconfigEditor) => void,
  options: KubeconfigFilesOptions = {},
): Promise<void> {
  requireFunction('edit', edit);
  const paths = kubeconfigPaths('updateKubeconfig', options);
  const locks: string[] = [];
  try {
    // In one order in all programs, so that two of them do not wait for each other.
    for (const path of [...paths].sort()) locks.push(await lock(path));
    const files = await Promise.all(paths.map(readKubeconfigFile));
    const editor = new FilesEditor(files);
    edit(editor);
    const changed = await Promise.all(files.filter((file) => file.isChanged).map(printed));
    for (const { file, text } of changed) await write(file.path, text);
  } finally {
    await Promise.all(locks.map((path) => rm(path, { force: true })));
  }
}

/** A file that is being edited. */
interface EditedFile {
  readonly path: string;
  readonly exists: boolean;
  readonly document: JsonObject;
  isChanged: boolean;
  /** The entries that were set, to be checked. */
  readonly touched: { readonly kind: EntryKind; readonly name: string }[];
}

async function lock(path: string): Promise<string> {
  const target = await realpath(path).catch(() => path);
  const lockPath = `${target}.lock`;
  const deadline = realClock.monotonicNow() + LOCK_MS;
  for (;;) {
    try {
      await mkdir(dirname(resolve(target)), { recursive: true, mode: 0o700 });
      await (await open(lockPath, 'wx', 0o600)).close();
      return lockPath;
    } catch (error) {
      const isHeld = (error as NodeJS.ErrnoException).code === 'EEXIST';
      if (!isHeld) throw fileError(path, `cannot lock it: ${describeFileError(error)}`, error);
      if (realClock.monotonicNow() > deadline) {
        throw fileError(path, `another program holds ${lockPath}; remove that file if none does`, error);
      }
    }
    await realClock.sleep(LOCK_POLL_MS);
  }
}

async function readKubeconfigFile(path: string): Promise<EditedFile> {
  let text: string | undefined;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (!isMissingFile(error)) throw fileError(path, `cannot read it: ${describeFileError(error)}`, error);
  }
  // Refuses what is no kubeconfig.
  if (text !== undefined) await parseKubeconfig(text, { file: path, directory: dirname(resolve(path)) });
  const parsed = text === undefined ? undefined : await parseKubeconfigYaml(text, path);
  const document = isJsonObject(parsed) ? parsed : { apiVersion: 'v1', kind: 'Config' };
  return { path, exists: text !== undefined, document, isChanged: false, touched: [] };
}

/** The text of a changed file, which is a valid kubeconfig. */
async function printed(file: EditedFile): Promise<{ readonly file: EditedFile; readonly text: string }> {
  const { stringify } = await import('yaml');
  // Quotes texts that only YAML 1.1, which kubectl reads, takes for something else, such as `yes`.
  const text = stringify(file.document, { version: '1.1', lineWidth: 0 });
  const config = await parseKubeconfig(text, { file: file.path, directory: dirname(resolve(file.path)) });
  for (const { kind, name } of file.touched) {
    const trouble = config[`${kind}s`].get(name)?.trouble;
    if (trouble !== undefined) throw trouble;
  }
  return { file, text };
}

async function write(path: string, text: string): Promise<void> {
  try {
    await replaceFile(path, text);
  } catch (error) {
    throw fileError(path, `cannot write it: ${describeFileError(error)}`, error);
  }
}

function fileError(path: string, why: string, cause: unknown): ConfigError {
  return new ConfigError(`kubeconfig ${path}: ${why}`, { file: path, cause });
}

class FilesEditor implements KubeconfigEditor {
  readonly #files: readonly EditedFile[];

  constructor(files: readonly EditedFile[]) {
    this.#files = files;
  }

  get currentContext(): string | undefined {
    for (const { document } of this.#files) {
      const current = document['current-context'];
      if (typeof current === 'string' && current !== '') return current;
    }
    return undefined;
  }

  set currentContext(name: string | undefined) {
    if (name === this.currentContext) return;
    if (name !== undefined) {
      const known = this.#files.some(({ document }) => entriesOf(document, 'context').some((one) => one.name === name));
      if (!known) throw new ConfigError(`there is no context ${JSON.stringify(name)}: set it first`, {});
    }
    for (const file of this.#files) {
      if (name !== undefined && file !== this.#default) continue;
      if (name === undefined && !('current-context' in file.document)) continue;
      if (name === undefined) delete file.document['current-context'];
      else file.document['current-context'] = name;
      file.isChanged = true;
    }
  }

  setCluster(name: string, fields: EntryFields): void {
    this.#set('cluster', name, fields);
  }

  setUser(name: string, fields: EntryFields): void {
    this.#set('user', name, fields);
  }

  setContext(name: string, fields: EntryFields): void {
    this.#set('context', name, fields);
  }

  remove(kind: EntryKind, name: string): boolean {
    let isFound = false;
    for (const file of this.#files) {
      const entries = entriesOf(file.document, kind);
      const kept = entries.filter((one) => one.name !== name);
      if (kept.length === entries.length) continue;
      file.document[`${kind}s`] = kept;
      file.isChanged = true;
      isFound = true;
    }
    return isFound;
  }

  get #default(): EditedFile {
    return this.#files.find((file) => file.exists) ?? (this.#files.at(-1) as EditedFile);
  }

  #set(kind: EntryKind, name: string, fields: EntryFields): void {
    requireString('name', name);
    requireObject('fields', fields, 'an object');
    const has = (file: EditedFile): boolean => entriesOf(file.document, kind).some((one) => one.name === name);
    const file = this.#files.find(has) ?? this.#default;
    const entries = [...entriesOf(file.document, kind)];
    const at = entries.findIndex((one) => one.name === name);
    const present = at < 0 ? { name } : (entries[at] as JsonObject);
    const old = isJsonObject(present[kind]) ? present[kind] : {};
    const merged = Object.entries({ ...old, ...fields }).filter(([, value]) => value !== null && value !== undefined);
    entries[at < 0 ? entries.length : at] = { ...present, [kind]: Object.fromEntries(merged) };
    file.document[`${kind}s`] = entries;
    file.isChanged = true;
    file.touched.push({ kind, name });
  }
}

/** The entries of one kind; the file was checked, so that each is an object with a name. */
function entriesOf(document: JsonObject, kind: EntryKind): readonly JsonObject[] {
  const entries = document[`${kind}s`];
  return Array.isArray(entries) ? entries : [];
}
