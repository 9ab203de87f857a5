/** A stream that people or programs read. `process.stdout` is one; tests bring their own. */
export interface OutputStream {
  /** False asks to wait for `drain`. */
  write(text: string): unknown;
  /** Whether somebody looks at it on a terminal. */
  readonly isTTY?: boolean | undefined;
  /** How wide that terminal is. */
  readonly columns?: number | undefined;
  /** How high that terminal is. */
  readonly rows?: number | undefined;
  /** The stream behind one that writes out control characters: for what steers the terminal on purpose. */
  readonly terminal?: OutputStream | undefined;
  once?(event: 'drain' | 'error' | 'close', listener: () => void): unknown;
  off?(event: 'drain' | 'error' | 'close', listener: () => void): unknown;
}

/** What a command may use of the process it runs in; tests bring their own. */
export interface CommandContext {
  /** Where results go, and nothing else. */
  readonly stdout: OutputStream;
  /** Where everything for people goes: progress, warnings, errors. */
  readonly stderr: OutputStream;
  /** Aborts when the command shall end. */
  readonly signal: AbortSignal;
  /** @default process.env */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/** One word after `kubeflect`. */
export interface Command {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** The whole of `kubeflect <name> --help`. */
  readonly help: string;
  /** Resolves with the exit code; throws a {@link UsageError} or {@link CommandError} that main prints. */
  run(args: readonly string[], context: CommandContext): Promise<number>;
}

/** The command line makes no sense: exit code 2, and a hint at `--help`. */
export class UsageError extends Error {}

/** The command could not do what was asked: exit code 1. The message says what to do about it. */
export class CommandError extends Error {}

/** How commands end. */
export const EXIT = { success: 0, failure: 1, usage: 2 } as const;
