import type { Client } from '../client/client.js';
import type { ClusterChoice } from './connect.js';

/** An output stream: `process.stdout`, `process.stderr`, or a recorder in tests. */
export interface OutputStream {
  /** Returns false when the buffer is full: wait for `drain`. */
  write(text: string): unknown;
  /** Whether it is a terminal. */
  readonly isTTY?: boolean | undefined;
  /** The width of the terminal in characters. */
  readonly columns?: number | undefined;
  /** The height of the terminal in lines. */
  readonly rows?: number | undefined;
  /** The stream behind one that escapes control characters, for intended ones such as clearing a line. */
  readonly terminal?: OutputStream | undefined;
  once?(event: 'drain' | 'error' | 'close', listener: () => void): unknown;
  off?(event: 'drain' | 'error' | 'close', listener: () => void): unknown;
}

/** The parts of the process that a command uses; tests pass their own. */
export interface CommandContext {
  /** For results only. */
  readonly stdout: OutputStream;
  /** For messages to the user: progress, warnings, errors. */
  readonly stderr: OutputStream;
  /** @default process.stdin */
  readonly stdin?: AsyncIterable<Uint8Array | string> | undefined;
  /** The folder that relative paths of `init` and `manifests` start from. @default process.cwd() */
  readonly cwd?: string | undefined;
  /** Aborts on SIGINT and SIGTERM, and when the reader of stdout is gone: the command ends. */
  readonly signal: AbortSignal;
  /** @default process.env */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Makes the client of the command, which closes it. @default from the kubeconfig that the options and `env` choose */
  readonly connect?: ((choice: ClusterChoice) => Promise<Client>) | undefined;
}

/** A command of `kubeflect`, such as `serve`. */
export interface Command {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** The output of `kubeflect <name> --help`. */
  readonly help: string;
  /** What its arguments are, for `kubeflect completion`. @default nothing that can be completed */
  readonly takes?: 'resources' | 'objects' | 'pods' | undefined;
  /** Resolves with the exit code, or throws: `run` prints the error and chooses the exit code. */
  run(args: readonly string[], context: CommandContext): Promise<number>;
}

/** Wrong arguments: exit code 2, and a hint at `--help`. */
export class UsageError extends Error {}

/** The command failed: exit code 1. The message says what to do about it. */
export class CommandError extends Error {}

/** Exit codes. */
export const EXIT = { success: 0, failure: 1, usage: 2 } as const;
