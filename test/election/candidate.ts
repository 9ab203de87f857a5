import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { requireFreshDist } from '../support/dist.js';

const program = fileURLToPath(new URL('./candidate.mjs', import.meta.url));

/** A candidate in a child process. */
export class Candidate {
  readonly identity: string;
  readonly events: string[] = [];
  stderr = '';
  /** How the process ended: by which signal, or with which code. */
  readonly ended: Promise<string>;
  readonly #process: ChildProcess;
  readonly #listeners = new Set<() => void>();

  /** @param server a URL, or the path of a kubeconfig */
  constructor(server: string, identity: string, watchdog = false) {
    requireFreshDist();
    this.identity = identity;
    const args = [server, identity, ...(watchdog ? ['watchdog'] : [])];
    this.#process = fork(program, args, { stdio: ['ignore', 'inherit', 'pipe', 'ipc'], execArgv: [] });
    this.#process.stderr?.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
    this.#process.on('message', ({ event }: { event: string }) => {
      this.events.push(event);
      for (const listener of this.#listeners) listener();
    });
    this.ended = new Promise((resolve) => {
      this.#process.on('close', (code, signal) => resolve(signal ?? String(code)));
    });
  }

  count(event: string): number {
    return this.events.filter((one) => one === event).length;
  }

  /** Resolves when the event has happened `times` times. */
  until(event: string, times = 1): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (this.count(event) < times) return;
        this.#listeners.delete(look);
        resolve();
      };
      this.#listeners.add(look);
      look();
    });
  }

  block(blockMs: number): void {
    this.#process.send({ blockMs });
  }

  kill(): void {
    this.#process.kill('SIGKILL');
  }
}

/** The first candidate that is elected from now on. */
export function nextLeader(among: readonly Candidate[]): Promise<Candidate> {
  return Promise.race(
    among.map(async (candidate) => {
      await candidate.until('elected', candidate.count('elected') + 1);
      return candidate;
    }),
  );
}
