import { type ChildProcess, spawn } from 'node:child_process';
import { onTestFinished } from 'vitest';
import { distFile, repository, requireFreshDist } from './dist.js';

export { repository };

/** How a program is started. */
export interface ProgramOptions {
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly cwd?: string | undefined;
  /** @default this Node */
  readonly command?: string | undefined;
  /** What it reads from its standard input. @default nothing */
  readonly input?: string | undefined;
}

/** How a program ended. */
export interface ProgramEnd {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** On a loaded machine a process is not always running, so that every handler may seem slow. Nothing is tested with this warning. */
const slowHandlerWarning =
  /^\(node:\d+\) KubeflectInformerWarning: .* blocked the event loop for \d+ ms .*\n(\(Use `node --trace-warnings.*\n)?/gm;

/**
 * A program in a process of its own, of Node unless told otherwise, gone when the test ends. It sees no cluster but the
 * one it is told of. Programs of Node run `dist/`, directly or as examples do, and are not started on a stale one.
 */
export class Program {
  readonly ended: Promise<ProgramEnd>;
  readonly #child: ChildProcess;
  readonly #waiting = new Set<() => void>();
  #stdout = '';
  #stderr = '';
  #isOver = false;

  constructor(args: readonly string[], options: ProgramOptions = {}) {
    if (options.command === undefined) requireFreshDist();
    const { KUBECONFIG: _, NO_COLOR: _n, ...env } = process.env;
    this.#child = spawn(options.command ?? process.execPath, args, {
      cwd: options.cwd ?? repository,
      env: { ...env, HOME: '/nonexistent', ...options.env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    // A program may well end without having read.
    this.#child.stdin?.on('error', () => {}).end(options.input);
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => this.#hear(() => (this.#stdout += text)));
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => this.#hear(() => (this.#stderr += text)));
    this.ended = new Promise((resolve, reject) => {
      this.#child.on('error', reject);
      this.#child.on('close', (code) => {
        this.#hear(() => (this.#isOver = true));
        resolve({ code, stdout: this.#stdout, stderr: this.#stderr.replace(slowHandlerWarning, '') });
      });
    });
    onTestFinished(async () => {
      this.#child.kill('SIGKILL');
      await this.ended;
    });
  }

  get stdout(): string {
    return this.#stdout;
  }

  get stderr(): string {
    return this.#stderr;
  }

  /** The lines of the standard output that are complete. */
  get lines(): string[] {
    return this.#stdout.split('\n').slice(0, -1);
  }

  /** Resolves when the output, or what is made of it, fits; rejects if the program ends before. */
  async seen(pattern: RegExp | ((program: Program) => boolean)): Promise<void> {
    const fits = () => (typeof pattern === 'function' ? pattern(this) : pattern.test(this.#stdout));
    while (!fits()) {
      if (this.#isOver) throw new Error(`ended without ${pattern}:\n${this.#stdout}\n${this.#stderr}`);
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  /** Asks the program to end, as Ctrl-C does. */
  interrupt(): Promise<ProgramEnd> {
    this.#child.kill('SIGINT');
    return this.ended;
  }

  /** Ends the program at once, as `kill -9` does. */
  kill(): void {
    this.#child.kill('SIGKILL');
  }

  /** Closes the reading end of its output, as `head` does. */
  stopReading(): void {
    this.#child.stdout?.destroy();
  }

  #hear(take: () => void): void {
    take();
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const resolve of waiting) resolve();
  }
}

/** The built `kubeflect` command. */
export function kubeflect(args: readonly string[], options?: ProgramOptions): Program {
  return new Program([distFile('cli/main.js'), ...args], options);
}
