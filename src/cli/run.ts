import { type Command, type CommandContext, CommandError, EXIT, UsageError } from './command.js';
import { explain } from './explain.js';
import { init } from './init.js';
import { inspect } from './inspect.js';
import { manifests } from './manifests.js';
import { messageStream } from './message-stream.js';
import { serve } from './serve.js';
import { types } from './types.js';
import { packageVersion } from './version.js';
import { wait } from './wait.js';
import { watch } from './watch.js';

/** All commands, in the order of `kubeflect --help`. */
const COMMANDS: readonly Command[] = [watch, wait, inspect, serve, init, manifests, types];

/** Runs a command line (the arguments after `kubeflect`) and resolves with its exit code. Prints errors to stderr. */
export async function run(
  args: readonly string[],
  context: CommandContext,
  commands: readonly Command[] = COMMANDS,
): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined) {
    context.stderr.write(overview(commands));
    return EXIT.usage;
  }
  if (name === '--version' || name === '-V' || name === 'version') return show(`${packageVersion()}\n`, context);
  const wantsHelp = name === '--help' || name === '-h' || name === 'help';
  if (wantsHelp && rest[0] === undefined) return show(overview(commands), context);
  const word = wantsHelp ? rest[0] : name;
  const command = commands.find((candidate) => candidate.name === word);
  if (command === undefined) {
    context.stderr.write(`kubeflect: there is no command ${JSON.stringify(word)}\nTry 'kubeflect --help'.\n`);
    return EXIT.usage;
  }
  if (wantsHelp || rest.includes('--help') || rest.includes('-h')) return show(command.help, context);
  return runCommand(command, rest, context);
}

async function runCommand(command: Command, args: readonly string[], context: CommandContext): Promise<number> {
  const called = `kubeflect ${command.name}`;
  const stderr = messageStream(context.stderr);
  try {
    return await command.run(args, { ...context, stderr });
  } catch (error) {
    if (error instanceof UsageError) {
      stderr.write(`${called}: ${error.message}\nTry '${called} --help'.\n`);
      return EXIT.usage;
    }
    stderr.write(`${called}: ${error instanceof CommandError ? error.message : explain(error)}\n`);
    return EXIT.failure;
  }
}

function show(text: string, { stdout }: CommandContext): number {
  stdout.write(text);
  return EXIT.success;
}

function overview(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  const lines = commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}\n`);
  return `Usage: kubeflect <command> [options]

Commands:
${lines.join('')}
Options:
  -h, --help     Show this list, or the options of a command.
  -V, --version  Show the version.
`;
}
