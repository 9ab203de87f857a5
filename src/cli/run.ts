import { type Command, type CommandContext, CommandError, EXIT, UsageError } from './command.js';
import { candidatesFor } from './completion/candidates.js';
import { completion } from './completion/completion.js';
import { doctor } from './doctor/doctor.js';
import { explain } from './explain.js';
import { get } from './get/get.js';
import { init } from './init.js';
import { inspect } from './inspect.js';
import { logs } from './logs/logs.js';
import { manifests } from './manifests.js';
import { record } from './recordings/record.js';
import { replay } from './recordings/replay.js';
import { serve } from './serve.js';
import { messageStream } from './terminal/message-stream.js';
import { tree } from './tree/tree.js';
import { types } from './types.js';
import { packageVersion } from './version.js';
import { wait } from './wait/wait.js';
import { watch } from './watch/watch.js';
import { why } from './why/why.js';

/** All commands, in the order of `kubeflect --help`. */
const COMMANDS: readonly Command[] = [
  get,
  watch,
  wait,
  logs,
  why,
  tree,
  doctor,
  record,
  replay,
  inspect,
  serve,
  init,
  manifests,
  types,
  completion,
];

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
  // Called by the programs of `kubeflect completion`, whose words may be options.
  if (name === '__complete') {
    const candidates = await candidatesFor(rest, commands, { ...context, stderr: messageStream(context.stderr) });
    return show(candidates.map((one) => `${one}\n`).join(''), context);
  }
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
    // Interrupted, or nothing reads the output any more, as after \`| head\`.
    if (context.signal.aborted) return isBrokenPipe(context.signal.reason) ? EXIT.success : EXIT.failure;
    stderr.write(`${called}: ${error instanceof CommandError ? error.message : explain(error)}\n`);
    return EXIT.failure;
  }
}

function isBrokenPipe(reason: unknown): boolean {
  return (reason as { readonly code?: unknown } | undefined)?.code === 'EPIPE';
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
