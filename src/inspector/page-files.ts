import { readFile } from 'node:fs/promises';

/** A file of the page. */
export interface PageFile {
  readonly type: string;
  readonly body: Buffer;
}

const types: Readonly<Record<string, string>> = {
  'index.html': 'text/html; charset=utf-8',
  'page.js': 'text/javascript; charset=utf-8',
  'page.css': 'text/css; charset=utf-8',
};

/**
 * The files of the page, read from the package when they are first asked for. `scripts/build.mjs` writes them to `dist/inspector/page/`.
 * This module is one folder below `dist/`, whether it is joined to an entry or to a chunk.
 */
export class PageFiles {
  readonly #folder: URL;
  readonly #read = new Map<string, Promise<PageFile | undefined>>();

  /** @param folder where the files are; that of the package by default */
  constructor(folder: URL = new URL('../inspector/page/', import.meta.url)) {
    this.#folder = folder;
  }

  /** @param path below the page; '' is the page itself. Undefined if there is no such file. */
  get(path: string): Promise<PageFile | undefined> {
    const name = path === '' ? 'index.html' : path;
    if (!Object.hasOwn(types, name)) return Promise.resolve(undefined);
    let file = this.#read.get(name);
    if (file === undefined) {
      file = this.#load(name, types[name] as string);
      this.#read.set(name, file);
    }
    return file;
  }

  async #load(name: string, type: string): Promise<PageFile | undefined> {
    try {
      return { type, body: await readFile(new URL(name, this.#folder)) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      // Not kept: a build may write it.
      this.#read.delete(name);
      return undefined;
    }
  }
}
