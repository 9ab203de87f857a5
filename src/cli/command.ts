/** What a command may use of the process it runs in; tests bring their own. */
export interface CommandContext {
  /** Where results go, and nothing else. */
  readonly stdout: { write(text: string): unknown };
  /** Where everything for people goes: progress, warnings, errors. */
  readonly stderr: { write(text: string): unknown };
  /** Aborts when the command shall end. */
  readonly signal: AbortSignal;
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
