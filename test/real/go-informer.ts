import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const sources = fileURLToPath(new URL('./informer/', import.meta.url));

/** The client-go informer of ./informer, built into a temporary folder. */
export class GoInformerProgram implements AsyncDisposable {
  readonly #folder: string;

  static async build(): Promise<GoInformerProgram> {
    const folder = await mkdtemp(join(tmpdir(), 'kubeflect-informer-'));
    await promisify(execFile)('go', ['build', '-o', join(folder, 'informer'), '.'], { cwd: sources });
    return new GoInformerProgram(folder);
  }

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Runs it, and passes on every line that it prints. */
  run(args: readonly string[], onLine: (line: string) => void): ChildProcess {
    const child = spawn(join(this.#folder, 'informer'), args, { stdio: ['ignore', 'pipe', 'inherit'] });
    createInterface(child.stdout).on('line', onLine);
    return child;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return rm(this.#folder, { recursive: true, force: true });
  }
}
