import { type Command, type CommandContext, CommandError, EXIT, UsageError } from './command.js';
import { explain } from './explain.js';
import { messageStream } from './message-stream.js';

/**
 * Runs a command with its arguments and resolves with its exit code. What it throws is told in words.
 *
 * @param called what was typed to get here, for messages: `kubeflect watch`
 */
export async function runCommand(
  command: Command,
  called: string,
  args: readonly string[],
  context: CommandContext,
): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    context.stdout.write(command.help);
    return EXIT.success;
  }
  const stderr = messageStream(context.stderr);
  try {
    return await command.run(args, { ...context, stderr });
  } catch (error) {
    if (error instanceof UsageError) {
      stderr.write(`${called}: ${error.message}\nTry '${called} --help'.\n`);
      return EXIT.usage;
    }
    const message = error instanceof CommandError ? error.message : explain(error);
    stderr.write(`${called}: ${message}\n`);
    return EXIT.failure;
  }
}
