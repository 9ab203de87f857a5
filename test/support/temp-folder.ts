import { mkdtempSync, rmSync } from 'node:fs';
import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A folder of one test, gone when that ends. */
export class TempFolder {
  readonly path: string;
  #writes = 0;

  constructor() {
    this.path = mkdtempSync(join(tmpdir(), 'kubeflect-'));
    onTestFinished(() => rmSync(this.path, { recursive: true, force: true }));
  }

  file(name: string): string {
    return join(this.path, name);
  }

  /** Writes a file. Each write sets another modification time, so that code that compares times sees every change. */
  async write(name: string, text: string, options: { readonly mode?: number } = {}): Promise<string> {
    const path = this.file(name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text, options);
    const seconds = 1_700_000_000 + ++this.#writes;
    await utimes(path, seconds, seconds);
    return path;
  }
}
