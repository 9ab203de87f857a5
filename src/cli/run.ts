import { type Command, type CommandContext, EXIT } from './command.js';
import { runCommand } from './run-command.js';
import { serve } from './serve.js';
import { packageVersion } from './version.js';
import { watch } from './watch.js';

const COMMANDS: readonly Command[] = [watch, serve];

/** Runs a command line (what follows `kubeflect`) and resolves with its exit code. */
export async function run(args: readonly string[], context: CommandContext): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined || name === '--help' || name === '-h' || name === 'help')
    return showHelp(rest[0], name, context);
  if (name === '--version' || name === '-V' || name === 'version') {
    context.stdout.write(`${packageVersion()}\n`);
    return EXIT.success;
  }
  const command = COMMANDS.find((candidate) => candidate.name === name);
  if (command === undefined) return noSuchCommand(name, context);
  return runCommand(command, `kubeflect ${name}`, rest, context);
}

function noSuchCommand(name: string, { stderr }: CommandContext): number {
  stderr.write(`kubeflect: there is no command ${JSON.stringify(name)}\nTry 'kubeflect --help'.\n`);
  return EXIT.usage;
}

function showHelp(topic: string | undefined, asked: string | undefined, context: CommandContext): number {
  const command = COMMANDS.find((candidate) => candidate.name === topic);
  if (command !== undefined) {
    context.stdout.write(command.help);
    return EXIT.success;
  }
  if (asked === 'help' && topic !== undefined) return noSuchCommand(topic, context);
  const width = Math.max(...COMMANDS.map(({ name }) => name.length));
  const lines = COMMANDS.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}\n`);
  const help = `Usage: kubeflect <command> [options]

Commands:
${lines.join('')}
Options:
  -h, --help     Show this, or with a command what that command does.
  -V, --version  Show the version.
`;
  // Asked for, it is the result; in answer to an empty command line it is an error.
  (asked === undefined ? context.stderr : context.stdout).write(help);
  return asked === undefined ? EXIT.usage : EXIT.success;
}
