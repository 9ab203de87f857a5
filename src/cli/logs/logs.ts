import type { Client } from '../../client/client.js';
import type { LogLine } from '../../client/streams/pod-client.js';
import { printGroupResource } from '../../meta/resource.js';
import { durationMs, parseArguments, wholeNumber } from '../arguments.js';
import { type Command, type CommandContext, CommandError, EXIT, UsageError } from '../command.js';
import { type ClusterChoice, clusterOptions, withClient } from '../connect.js';
import { podSelectorOf } from '../pod-selector.js';
import { namespaceOption, readObject, readSelection, type Wanted } from '../targets.js';
import { LineOutput } from '../terminal/line-output.js';
import { type Style, styleFor } from '../terminal/style.js';
import { containerNames } from './log-containers.js';
import { type LogPods, LogReader, type LogReaderOptions } from './log-reader.js';
import { terminalText } from './log-text.js';

/** `kubeflect logs`: the logs of pods, also of those that come later. */
export const logs: Command = {
  name: 'logs',
  summary: 'Show the logs of pods, and follow those of new pods too.',
  help: `Usage: kubeflect logs POD [options]
       kubeflect logs RESOURCE/NAME [options]
       kubeflect logs -l LABELS [options]

Shows the log of a pod, of all pods of a Deployment, StatefulSet, DaemonSet, ReplicaSet, Job or Service, or of all pods with
labels. The lines of several logs are merged in the order of their times, each after the name of its pod and container.

With -f, a log is opened again when its connection broke and when its container restarts, without repeated lines, and the pods of
-l and of a workload that are created later are added.

Options:
  -f, --follow              Wait for new lines: of a pod until it ends, otherwise until interrupted.
  -c, --container NAME      Default: the pod's default container, else its first one.
      --all-containers      All containers of each pod, with init containers.
  -p, --previous            The log of the container before its last restart.
      --since TIME          Only lines of the last 30s, 5m, 1h.
      --since-time TIME     Only lines since this time, as 2026-01-01T00:00:00Z.
      --tail N              Only the last N lines of each log; -1 shows all. Default: all; 10 with -l or a workload.
      --timestamps          Put its time before each line.
      --prefix, --no-prefix Whether pod and container come before each line. Default: with several logs.
      --max-log-requests N  The most logs that are open at once. Default: 50.
  -l, --selector TEXT       The pods with these labels: app=web,tier!=cache.
  -n, --namespace NAME      Default: the namespace of the context, else 'default'.
      --kubeconfig FILE     Default: $KUBECONFIG, ~/.kube/config, or the cluster this runs in.
      --context NAME        A context of the kubeconfig. Default: its current one.
  -h, --help                Show this.

On a terminal, control characters in logs are escaped, except colours. In a pipe, lines are as they were written.

Exit codes: 0 all logs were read, 1 failed, or a log could not be read, 2 wrong options. With -f: 0 when it is interrupted.
`,
  takes: 'pods',
  async run(args, context) {
    const options = readOptions(args);
    return withClient(options, context, (client) => show(client, options, context));
  },
};

interface LogsCommandOptions
  extends ClusterChoice,
    Pick<LogReaderOptions, 'container' | 'all' | 'follow' | 'maxRequests' | 'lines'> {
  readonly namespace: string | undefined;
  readonly target: Wanted | { readonly labelSelector: string };
  readonly timestamps: boolean;
  readonly prefix: boolean | undefined;
}

function readOptions(args: readonly string[]): LogsCommandOptions {
  const { values, positionals } = parseArguments({
    args: [...args],
    allowPositionals: true,
    options: {
      ...clusterOptions,
      ...namespaceOption,
      selector: { type: 'string', short: 'l' },
      follow: { type: 'boolean', short: 'f' },
      container: { type: 'string', short: 'c' },
      'all-containers': { type: 'boolean' },
      previous: { type: 'boolean', short: 'p' },
      since: { type: 'string' },
      'since-time': { type: 'string' },
      tail: { type: 'string' },
      timestamps: { type: 'boolean' },
      prefix: { type: 'boolean' },
      'no-prefix': { type: 'boolean' },
      'max-log-requests': { type: 'string' },
    },
  });
  const { kubeconfig, context, container, follow = false, timestamps = false } = values;
  const { namespace, selector } = readSelection(values);
  const all = values['all-containers'] ?? false;
  if (all && container !== undefined) throw new UsageError('--container and --all-containers contradict each other');
  if (values.prefix === true && values['no-prefix'] === true) {
    throw new UsageError('--prefix and --no-prefix contradict each other');
  }
  if (follow && values.previous === true)
    throw new UsageError('--follow goes with logs that grow, not with --previous');
  const target = targetOf(positionals, selector);
  return {
    kubeconfig,
    context,
    namespace,
    container,
    all,
    follow,
    timestamps,
    target,
    prefix: values.prefix ?? (values['no-prefix'] === true ? false : undefined),
    maxRequests: wholeNumber('--max-log-requests', values['max-log-requests'] ?? '50', 10_000),
    lines: {
      previous: values.previous,
      tailLines: tailOf(values.tail, isPod(target) ? undefined : 10),
      ...sinceOf(values.since, values['since-time']),
    },
  };
}

function targetOf(positionals: readonly string[], selector: string | undefined): LogsCommandOptions['target'] {
  const example = 'kubeflect logs web-0';
  if (selector !== undefined) {
    if (positionals.length > 0) throw new UsageError('-l selects pods: leave it out, or the name');
    return { labelSelector: selector };
  }
  const [only, another] = positionals;
  if (only === undefined) throw new UsageError(`which pod? For instance: ${example}`);
  if (another === undefined && !only.includes('/')) return readObject(['pods', only], example);
  return readObject(positionals, example);
}

function isPod(target: LogsCommandOptions['target']): boolean {
  return 'word' in target && /^(?:po|pods?)$/i.test(target.word);
}

function tailOf(text: string | undefined, preset: number | undefined): number | undefined {
  if (text === undefined) return preset;
  return text === '-1' ? undefined : wholeNumber('--tail', text, Number.MAX_SAFE_INTEGER);
}

function sinceOf(since: string | undefined, time: string | undefined): LogReaderOptions['lines'] {
  if (since !== undefined && time !== undefined) throw new UsageError('--since and --since-time contradict each other');
  if (time !== undefined && !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/.test(time)) {
    throw new UsageError(`--since-time must be a time such as 2026-01-01T00:00:00Z, got '${time}'`);
  }
  // Servers refuse 0.
  const sinceSeconds = since === undefined ? undefined : Math.max(1, Math.ceil(durationMs('--since', since) / 1000));
  return { sinceSeconds, sinceTime: time };
}

async function show(client: Client, options: LogsCommandOptions, context: CommandContext): Promise<number> {
  const { signal, stdout, stderr } = context;
  const namespace = options.namespace ?? client.namespace ?? 'default';
  const pods = await podsOf(client, options.target, namespace, signal);
  const reader = new LogReader(client, {
    ...options,
    namespace,
    stderr,
    onProblem: (message) => void stderr.write(`kubeflect logs: ${message}\n`),
    onDefault: (pod, container) => {
      const others = containerNames(pod).filter((name) => name !== container);
      stderr.write(`container ${container} of ${pod.metadata.name}; it also has ${others.join(', ')}, see -c\n`);
    },
  });
  const output = new LineOutput(stdout, client.clock);
  const withPrefix = options.prefix ?? !('name' in pods && !options.all);
  const style = styleFor(stdout, context);
  try {
    for await (const line of reader.lines(pods, signal)) {
      const text = textOf(line, { ...options, withPrefix, style });
      await output.write(stdout.isTTY === true ? terminalText(text) : text);
    }
  } catch (error) {
    if (!(options.follow && signal.aborted)) throw error;
  } finally {
    output.flush();
  }
  return reader.failed > 0 && !signal.aborted ? EXIT.failure : EXIT.success;
}

function textOf(
  { prefix, time, text }: LogLine,
  { withPrefix, timestamps, style }: { withPrefix: boolean; timestamps: boolean; style: Style },
): string {
  const before = [withPrefix ? style.cyan(prefix) : '', timestamps ? time : ''].filter((part) => part !== '');
  return [...before, text].join(' ');
}

/** The pods of a workload are those of its selector. */
async function podsOf(
  client: Client,
  target: LogsCommandOptions['target'],
  namespace: string,
  signal: AbortSignal,
): Promise<LogPods> {
  if ('labelSelector' in target) return target;
  const { word, name = '' } = target;
  if (isPod(target)) return { name };
  const resource = await client.resolve(word, { signal });
  if (resource.group === '' && resource.resource === 'pods') return { name };
  const shown = `${printGroupResource(resource)}/${name}`;
  const object = resource.namespaced ? await client.forResource(resource, namespace).get(name, { signal }) : {};
  const labelSelector = podSelectorOf(object);
  if (labelSelector === undefined) {
    throw new CommandError(`${shown} has no selector of pods: name a pod, or choose pods with -l`);
  }
  return { labelSelector };
}
