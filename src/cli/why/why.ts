import type { Client } from '../../client/client.js';
import { isForbidden } from '../../meta/errors/error-predicates.js';
import { escapeControls } from '../../meta/escape-controls.js';
import type { DeepReadonly, Unstructured } from '../../meta/objects.js';
import { printGroupResource } from '../../meta/resource.js';
import type { Pod } from '../../resources/types/core-v1.js';
import { parseArguments } from '../arguments.js';
import { type Command, type CommandContext, EXIT } from '../command.js';
import { type ClusterChoice, clusterOptions, withClient } from '../connect.js';
import { type Owner, ownersOf, printOwner } from '../owners.js';
import { podSelectorOf } from '../pod-selector.js';
import { namespaceIn, namespaceOption, readObject, readSelection, type Selection } from '../targets.js';
import { LineOutput } from '../terminal/line-output.js';
import { type Style, styleFor } from '../terminal/style.js';
import { summaryOf } from '../watch/summary.js';
import { followObject } from './follow-object.js';
import { type ObjectEvent, readEvents } from './object-events.js';
import { problemOf } from './problem.js';
import {
  conditionsSection,
  containersSection,
  eventsSection,
  managersSection,
  podsSection,
  sectionLines,
} from './sections.js';

/** `kubeflect why`: what is known about the state of an object, in one view. */
export const why: Command = {
  name: 'why',
  summary: 'Say what is wrong with an object: its conditions, containers, pods, last writes and events in one view.',
  help: `Usage: kubeflect why RESOURCE/NAME [options]

The first line says what is wrong, if something is. Below it are the owners of the object, its conditions, the containers of a
pod or the pods that the object selects, who wrote which fields last (from metadata.managedFields), and its events.

Options:
  -w, --watch            Then show every change of the object and every event about it, with the fields and who wrote them.
  -n, --namespace NAME   Default: the namespace of the context, else 'default'.
      --kubeconfig FILE  Default: $KUBECONFIG, ~/.kube/config, or the cluster this runs in.
      --context NAME     A context of the kubeconfig. Default: its current one.
  -h, --help             Show this.

Exit codes: 0 nothing is wrong, or ended by a signal with -w; 1 something is wrong, or it failed; 2 wrong options.
`,
  takes: 'objects',
  async run(args, context) {
    const options = readOptions(args);
    return withClient(options, context, (client) => show(client, options, context));
  },
};

interface WhyOptions extends ClusterChoice, Selection {
  readonly target: { readonly word: string; readonly name: string };
  readonly watch: boolean;
}

function readOptions(args: readonly string[]): WhyOptions {
  const { values, positionals } = parseArguments({
    args: [...args],
    allowPositionals: true,
    options: { ...clusterOptions, ...namespaceOption, watch: { type: 'boolean', short: 'w' } },
  });
  const { kubeconfig, context, watch = false } = values;
  const target = readObject(positionals, 'kubeflect why pods/web-0');
  return { ...readSelection(values), kubeconfig, context, target, watch };
}

async function show(client: Client, options: WhyOptions, context: CommandContext): Promise<number> {
  const { signal, stdout } = context;
  const { word, name } = options.target;
  const resource = await client.resolve(word, { signal });
  const namespace = namespaceIn(resource, options, client);
  const object = await client.forResource<Unstructured>(resource, namespace).get(name, { signal });
  const facts = await readFacts(client, object, signal);
  const title = `${printGroupResource({ group: resource.group, resource: resource.singular })}/${name}`;
  const problem = wholeProblem(object, facts, client.clock.now());
  const output = new LineOutput(stdout, client.clock);
  const style = styleFor(stdout, context);
  const width = stdout.isTTY === true ? stdout.columns : undefined;
  const lines = reportLines({ title, object, facts, problem, now: client.clock.now() }, style, width);
  for (const line of lines) void output.write(line);
  output.flush();
  if (options.watch) await followObject(client, resource, object, { output, style, signal, stderr: context.stderr });
  return problem === undefined || options.watch ? EXIT.success : EXIT.failure;
}

/** What is read besides the object. */
interface Facts {
  readonly owners: readonly Owner[];
  readonly events: readonly ObjectEvent[];
  /** The pods that the object selects; undefined if it selects none. */
  readonly pods: readonly DeepReadonly<Pod>[] | undefined;
  /** What may not be read. */
  readonly forbidden: readonly string[];
}

async function readFacts(client: Client, object: Unstructured, signal: AbortSignal): Promise<Facts> {
  const forbidden: string[] = [];
  const allowed = async <T>(what: string, read: Promise<T>, otherwise: T): Promise<T> => {
    try {
      return await read;
    } catch (error) {
      if (!isForbidden(error)) throw error;
      forbidden.push(what);
      return otherwise;
    }
  };
  const { namespace } = object.metadata;
  const labelSelector = object.kind === 'Pod' || namespace === undefined ? undefined : podSelectorOf(object);
  const [owners, events, pods] = await Promise.all([
    ownersOf(client, object.metadata, signal),
    allowed<readonly ObjectEvent[]>('events', readEvents(client, object, signal), []),
    labelSelector === undefined
      ? undefined
      : allowed('pods', client.core.v1.pods(namespace as string).list({ labelSelector, signal }), undefined),
  ]);
  return { owners, events, pods: pods?.items, forbidden };
}

/** What is wrong with an object; the problem of one of its pods explains that of a workload. */
function wholeProblem(object: Unstructured, { pods, owners }: Facts, now: number): string | undefined {
  const own = problemOf(object, now);
  const wanted = (object['spec'] as { readonly replicas?: unknown } | undefined)?.replicas;
  if (own === undefined && pods?.length === 0 && wanted !== 0) return 'its selector selects no pods';
  const lost = owners.find(({ problem }) => problem !== undefined && problem !== 'may not be read');
  const orphan = lost === undefined ? undefined : `its owner ${printOwner(lost)} ${lost.problem}`;
  if (own === undefined) return orphan;
  for (const pod of pods ?? []) {
    const problem = problemOf({ ...pod, kind: 'Pod', apiVersion: 'v1' } as unknown as Unstructured, now);
    if (problem !== undefined) return `${own}; pod ${pod.metadata.name}: ${problem}`;
  }
  return own;
}

interface Report {
  readonly title: string;
  readonly object: Unstructured;
  readonly facts: Facts;
  readonly problem: string | undefined;
  readonly now: number;
}

function reportLines(report: Report, style: Style, width: number | undefined): string[] {
  const { title, object, facts, problem, now } = report;
  const summary = summaryOf(object);
  const fine = `nothing is wrong that its status shows${summary === '' ? '' : `: ${summary}`}`;
  const chain = facts.owners.map((one) => `${printOwner(one)}${one.problem === undefined ? '' : ` (${one.problem})`}`);
  const sections = [
    conditionsSection(object, now),
    containersSection(object, now),
    podsSection(facts.pods ?? [], now),
    managersSection(object, now),
    eventsSection(facts.events, now),
  ];
  return [
    `${style.bold(escapeControls(title))}: ${problem === undefined ? style.green(escapeControls(fine)) : style.red(escapeControls(problem))}`,
    ...(chain.length === 0 ? [] : [escapeControls(`owned by ${chain.join(', owned by ')}`)]),
    ...sections.flatMap((section) => sectionLines(section, style, width)),
    ...facts.forbidden.map((what) => `\n${what} may not be read: your role must allow to list them`),
  ];
}
