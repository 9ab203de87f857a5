import { onTestFinished } from 'vitest';
import { type ApiServer, type ApiServerOptions, startApiServer } from '../../src/apiserver/index.js';
import { run } from '../../src/cli/run.js';
import type { Client } from '../../src/client/client.js';
import { FakeClock } from '../../src/time/fake-clock.js';

/** How a command ended. */
interface CommandEnd {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

/** How a command is run. */
export interface CommandRunOptions {
  /** Whether its output is a terminal. @default false */
  readonly isTTY?: boolean | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Makes the client of the command. @default one of the server's administrator */
  readonly connect?: (() => Promise<Client>) | undefined;
}

/** A command that runs in this process, and what it has printed. */
export class RunningCommand {
  output = '';
  errors = '';
  code: number | undefined;
  /** Resolves when the command has ended, for one that waits for files, which the clock does not know. */
  readonly finished: Promise<CommandEnd>;
  readonly #clock: FakeClock;
  readonly #stop = new AbortController();

  constructor(args: readonly string[], clock: FakeClock, options: CommandRunOptions) {
    const { isTTY = false, env = {}, connect } = options;
    this.#clock = clock;
    this.finished = run(args, {
      stdout: { write: (text) => void (this.output += text), isTTY },
      stderr: { write: (text) => void (this.errors += text), isTTY },
      signal: this.#stop.signal,
      env,
      connect,
    }).then((code) => {
      this.code = code;
      return { code, output: this.output, errors: this.errors };
    });
  }

  /** The lines of the output that are complete. */
  get lines(): string[] {
    return this.output.split('\n').slice(0, -1);
  }

  /** Resolves when the output, or what is made of it, fits. */
  async seen(pattern: RegExp | ((command: RunningCommand) => boolean)): Promise<void> {
    const fits = () => (typeof pattern === 'function' ? pattern(this) : pattern.test(this.output));
    await this.#clock
      .until(() => fits() || this.code !== undefined)
      .catch((error: Error) => Promise.reject(new Error(`${error.message}\n${this.output}\n${this.errors}`)));
    if (!fits()) throw new Error(`ended without ${pattern}:\n${this.output}\n${this.errors}`);
  }

  /** Resolves when the command has ended. */
  async ended(withinMs = 600_000): Promise<CommandEnd> {
    await this.#clock.until(() => this.code !== undefined, { withinMs });
    return this.finished;
  }

  /** Asks it to end, as Ctrl-C does. */
  interrupt(): Promise<CommandEnd> {
    this.#stop.abort(new Error('interrupted'));
    return this.ended();
  }
}

/** Runs commands on a server in memory, in virtual time. */
export interface CommandRig {
  readonly clock: FakeClock;
  readonly api: ApiServer;
  readonly client: Client;
  start(args: readonly string[], options?: CommandRunOptions): RunningCommand;
  /** Runs a command to its end. */
  run(...args: string[]): Promise<CommandEnd>;
}

/** Starts a server that stops at the end of the test. */
export async function commandRig(options: ApiServerOptions = {}): Promise<CommandRig> {
  const clock = new FakeClock();
  const api = await startApiServer({ clock, listen: false, ...options });
  const client = api.client();
  onTestFinished(async () => {
    await client.close();
    await api.stop();
  });
  const start = (args: readonly string[], own: CommandRunOptions = {}) =>
    new RunningCommand(args, clock, { connect: async () => api.client(), ...own });
  return { clock, api, client, start, run: (...args) => start(args).ended() };
}
