import type { Client } from '../../client/client.js';
import { escapeControls } from '../../meta/escape-controls.js';
import { parseArguments } from '../arguments.js';
import { type Command, type CommandContext, EXIT, UsageError } from '../command.js';
import { type ClusterChoice, clusterOptions, withClient } from '../connect.js';
import { namespaceIn, namespaceOption, readSelection, type Selection } from '../targets.js';
import { type Style, styleFor } from '../terminal/style.js';
import { checkConnection } from './connection-checks.js';
import { type Finding, failure, type Patient } from './finding.js';
import { checkPermissions } from './permission-checks.js';
import { checkReachable, checkServer } from './server-checks.js';
import { checkWatches } from './watch-checks.js';

/** `kubeflect doctor`: checks a cluster, and the way to it. */
export const doctor: Command = {
  name: 'doctor',
  summary: 'Check the connection to a cluster, its certificates, your permissions and what informers can use.',
  help: `Usage: kubeflect doctor [RESOURCE...] [options]

Checks configuration, proxies, tokens and certificates with their expiry, whether the server answers and is healthy, its version,
who you are, latency and clocks, API groups, watch-lists and shards; and for each RESOURCE whether you have the permissions that
informers need. Every line begins with ok, warn or fail; below it is what to do. It changes nothing.

Options:
      --verbs LIST       The permissions to check for each RESOURCE. Default: get,list,watch.
  -n, --namespace NAME   Permissions in this namespace. Default: the namespace of the context, else 'default'.
  -A, --all-namespaces   Permissions in all namespaces.
      --bookmarks        Measure how often bookmarks come, which takes up to two and a half minutes.
      --kubeconfig FILE  Default: $KUBECONFIG, ~/.kube/config, or the cluster this runs in.
      --context NAME     A context of the kubeconfig. Default: its current one.
  -h, --help             Show this.

Exit codes: 0 no line begins with fail, 1 at least one does, 2 wrong options.
`,
  takes: 'resources',
  async run(args, context) {
    const options = readOptions(args);
    return withClient(options, context, (client) => show(client, options, context));
  },
};

interface DoctorOptions extends ClusterChoice, Selection {
  readonly words: readonly string[];
  readonly verbs: readonly string[];
  readonly bookmarks: boolean;
}

function readOptions(args: readonly string[]): DoctorOptions {
  const { values, positionals } = parseArguments({
    args: [...args],
    allowPositionals: true,
    options: {
      ...clusterOptions,
      ...namespaceOption,
      'all-namespaces': { type: 'boolean', short: 'A' },
      verbs: { type: 'string' },
      bookmarks: { type: 'boolean' },
    },
  });
  const { kubeconfig, context, bookmarks = false } = values;
  const words = positionals.flatMap((word) => word.split(',')).filter((word) => word !== '');
  const named = words.find((word) => word.includes('/'));
  if (named !== undefined) throw new UsageError(`permissions are those of resources, as in pods, got '${named}'`);
  const verbs = (values.verbs ?? 'get,list,watch').split(',').map((verb) => verb.trim());
  if (verbs.some((verb) => !/^[a-z]+$/.test(verb))) {
    throw new UsageError(`--verbs must be verbs separated by commas, as get,list,watch, got '${values.verbs}'`);
  }
  return { ...readSelection(values), kubeconfig, context, words, verbs, bookmarks };
}

async function show(client: Client, options: DoctorOptions, context: CommandContext): Promise<number> {
  const { stdout, signal } = context;
  const style = styleFor(stdout, context);
  let hasFailed = false;
  for await (const finding of findings({ client, signal }, options)) {
    hasFailed ||= finding.level === 'fail';
    stdout.write(`${linesOf(finding, style).join('\n')}\n`);
  }
  return hasFailed ? EXIT.failure : EXIT.success;
}

async function* findings(patient: Patient, options: DoctorOptions): AsyncGenerator<Finding, void> {
  yield* checkConnection(patient);
  const reachable = await checkReachable(patient);
  yield reachable;
  if (reachable.level === 'fail') return;
  yield* checkServer(patient);
  for (const word of options.words) yield* checkResource(patient, word, options);
  yield* checkWatches(patient, options.bookmarks);
}

async function* checkResource(patient: Patient, word: string, options: DoctorOptions): AsyncGenerator<Finding, void> {
  const { client, signal } = patient;
  try {
    const resource = await client.resolve(word, { signal });
    const namespace = namespaceIn(resource, options, client);
    yield await checkPermissions(patient, { resource, namespace, verbs: options.verbs });
  } catch (error) {
    signal.throwIfAborted();
    yield failure('permissions', error);
  }
}

const colours = { ok: 'green', warn: 'yellow', fail: 'red' } as const;
const checkWidth = 12;

function linesOf({ level, check, message, fix }: Finding, style: Style): string[] {
  const first = `${style[colours[level]](level)}${' '.repeat(6 - level.length)}${check.padEnd(checkWidth)} ${escapeControls(message)}`;
  return fix === undefined ? [first] : [first, `${' '.repeat(6 + checkWidth + 1)}${escapeControls(fix)}`];
}
