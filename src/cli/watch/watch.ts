import type { SharedIndexInformer } from '../../cache/informer/shared-informer.js';
import type { Client } from '../../client/client.js';
import type { ApiResource } from '../../client/discovery-documents.js';
import { SharedInformerFactory } from '../../informers/shared-informer-factory.js';
import { isNotFound } from '../../meta/errors/error-predicates.js';
import type { Unstructured } from '../../meta/objects.js';
import { printGroupResource, printResource } from '../../meta/resource.js';
import { linkSignals } from '../../time/signals.js';
import { oneOf, parseArguments, secondsToMs } from '../arguments.js';
import { type Command, type CommandContext, CommandError, EXIT, UsageError } from '../command.js';
import { type ClusterChoice, clusterOptions, withClient } from '../connect.js';
import { explain } from '../explain.js';
import { TableCells } from '../table/table-cells.js';
import { tableInformer } from '../table/table-informer.js';
import {
  chosenNamespace,
  type Found,
  fieldsOf,
  namespaceIn,
  readSelection,
  type Selection,
  selectionOptions,
  type Wanted,
  wantedOf,
  withoutRepetitions,
} from '../targets.js';
import { LineOutput } from '../terminal/line-output.js';
import { Outages } from '../terminal/outages.js';
import { styleFor } from '../terminal/style.js';
import { SyncProgress } from '../terminal/sync-progress.js';
import { ChangesPrinter } from './changes-printer.js';
import { JsonPrinter } from './json-printer.js';
import { NamePrinter } from './name-printer.js';
import type { Printer } from './printer.js';
import { RowPrinter } from './row-printer.js';
import { YamlPrinter } from './yaml-printer.js';

/** `kubeflect watch`: informers on the command line. */
export const watch: Command = {
  name: 'watch',
  summary: 'Follow the objects of one or more resources, whatever happens to the connection.',
  help: `Usage: kubeflect watch RESOURCE[/NAME]... [options]

Lists the objects of each resource and then shows every change, until it is interrupted. After a restart of the server,
a broken connection or an expired resourceVersion it relists, and shows the changes it missed.

RESOURCE is any name of a resource: pods, po, Pod, deployments.apps, widgets.v1.example.com. Separate several by spaces or
commas. RESOURCE/NAME, such as pods/web-0, follows one object.

Options:
  -n, --namespace NAME      Watch this namespace. Default: the namespace of the context, else 'default'.
  -A, --all-namespaces      Watch all namespaces.
  -l, --selector TEXT       Only objects with these labels: app=web,tier!=cache.
      --field-selector TEXT Only objects with these fields: status.phase=Running.
  -o, --output FORM         table    a line per event with the columns of 'kubectl get'; cells that changed are coloured
                                     (default)
                            wide     the same, with more columns
                            changes  a line per event with a summary of the object and the fields that changed
                            json     a JSON object per line, for scripts; see below
                            yaml     a YAML document per event
                            name     the key of each changed object; with several resources, the resource before it
      --no-objects          With -o json: leave the objects out.
      --for SECONDS         End after this time.
      --kubeconfig FILE     Default: $KUBECONFIG, ~/.kube/config, or the cluster this runs in.
      --context NAME        A context of the kubeconfig. Default: its current one.
  -h, --help                Show this.

-o json prints these lines and no others to the standard output:
  {"type":"add","resource":"pods","key":"ns/name","resourceVersion":"12","isInInitialList":true,"object":{...}}
  {"type":"update",...,"oldResourceVersion":"12","object":{...}}
  {"type":"delete",...,"finalStateKnown":true,"object":{...}}   false: a relist found it gone, the object may be older
  {"type":"synced","resource":"pods","count":17,"resourceVersion":"40"}   once, after the initial list
  {"type":"final","resource":"pods","key":"ns/name","resourceVersion":"51"}   at the end, for each object that is left

Colours appear on a terminal only, and not if NO_COLOR is set.

Exit codes: 0 ended by --for, a signal or a closed pipe, 1 failed, 2 wrong options.
`,
  takes: 'resources',
  async run(args, context) {
    const options = readOptions(args);
    return withClient(options, context, (client) => follow(client, options, context));
  },
};

interface WatchOptions extends ClusterChoice, Selection {
  readonly resources: readonly Wanted[];
  readonly output: OutputForm;
  readonly objects: boolean;
  readonly forMs: number | undefined;
}

const forms = ['table', 'wide', 'changes', 'json', 'yaml', 'name'] as const;
type OutputForm = (typeof forms)[number];

function readOptions(args: readonly string[]): WatchOptions {
  const { values, positionals } = parseArguments({
    args: [...args],
    allowPositionals: true,
    options: {
      ...clusterOptions,
      ...selectionOptions,
      output: { type: 'string', short: 'o' },
      'no-objects': { type: 'boolean' },
      for: { type: 'string' },
    },
  });
  const resources = positionals
    .flatMap((word) => word.split(','))
    .filter((word) => word !== '')
    .map(wantedOf);
  if (resources.length === 0) throw new UsageError('which resource? For instance: kubeflect watch pods');
  const output = oneOf('--output', values.output ?? 'table', forms);
  if (values['no-objects'] === true && output !== 'json') throw new UsageError('--no-objects goes with -o json only');
  return {
    ...readSelection(values),
    resources,
    kubeconfig: values.kubeconfig,
    context: values.context,
    output,
    objects: values['no-objects'] !== true,
    forMs: secondsToMs('--for', values.for),
  };
}

/** The informer of each resource, by the name of the resource in the output. */
type Informers = ReadonlyMap<string, SharedIndexInformer<Unstructured>>;

async function follow(client: Client, options: WatchOptions, context: CommandContext): Promise<number> {
  const { clock } = client;
  const until = linkSignals([context.signal], { timeoutMs: options.forMs, clock });
  const { signal } = until;
  try {
    const found = await resolveAll(client, options.resources, signal);
    if (found === undefined) return notSynced(options, context);
    const resources = found.map(({ resource }) => resource);
    const output = new LineOutput(context.stdout, clock);
    const cells = new Map(resources.map((one) => [printGroupResource(one), cellsOf(one, resources, options)]));
    const printer = printerOf(options, resources, cells, output, context, client);
    const outages = new Outages(context.stderr, clock, (name) => {
      const resource = resources.find((one) => printResource(one) === name);
      return resource === undefined ? undefined : informers.get(printGroupResource(resource));
    });
    const factory = factoryOf(client, options, outages);
    const informers: Informers = new Map(
      found.map((one) => {
        const key = printGroupResource(one.resource);
        const source = { client, factory, outages, cells: cells.get(key) as TableCells };
        return [key, informerOf(one, options, source)];
      }),
    );
    const progress = new SyncProgress(context.stderr.terminal ?? context.stderr, clock, informers);
    output.beforeWrite = () => progress.clearLine();
    try {
      // `json` and `yaml` print a line when a resource has synced.
      const isSilent = options.output !== 'json' && options.output !== 'yaml';
      const onEmpty = (name: string) => {
        if (isSilent) context.stderr.write(`${name}: there are none yet, waiting for the first\n`);
      };
      const shown = [...informers].map(([name, informer]) => show(name, informer, printer, signal, onEmpty));
      const failed = synced(factory, signal);
      await Promise.race([Promise.all(shown), failed]);
      const isComplete = [...informers.values()].every(({ hasSynced }) => hasSynced);
      await factory.stop();
      await printFinal(informers, printer);
      output.flush();
      return isComplete || options.forMs === undefined || context.signal.aborted
        ? EXIT.success
        : notSynced(options, context, informers);
    } finally {
      progress.stop();
      outages.stop();
      await factory.stop();
      output.flush();
    }
  } finally {
    until.release();
  }
}

/** Resolves with undefined on abort. */
async function resolveAll(
  client: Client,
  wanted: readonly Wanted[],
  signal: AbortSignal,
): Promise<readonly Found[] | undefined> {
  try {
    const found = await Promise.all(
      wanted.map(async ({ word, name }) => ({ name, resource: await client.resolve(word, { signal }) })),
    );
    for (const { resource } of found) {
      const missing = ['list', 'watch'].filter((verb) => !resource.verbs.includes(verb));
      if (missing.length > 0) {
        throw new CommandError(
          `${printGroupResource(resource)} cannot be watched: the server has no ${missing.join(' and no ')} for it`,
        );
      }
    }
    // `pods` and `po` are the same resource and share one informer.
    return withoutRepetitions(found, 'follow');
  } catch (error) {
    if (signal.aborted) return undefined;
    if (isNotFound(error)) throw new CommandError(`${error.document.message ?? error.message}${nameHint(wanted)}`);
    throw error;
  }
}

/** Suggests `pods/web-0` to users who typed `pods web-0` as for `kubectl get`: here every argument is a resource. */
function nameHint(wanted: readonly Wanted[]): string {
  const [first, second] = wanted;
  if (first === undefined || second === undefined || second.name !== undefined) return '';
  return `\nTo follow one object, type ${first.word}/${second.word}.`;
}

/** What the informers of a command have in common, and the cells of one of them. */
interface InformerSource {
  readonly client: Client;
  readonly factory: SharedInformerFactory;
  readonly outages: Outages;
  readonly cells: TableCells;
}

function informerOf(
  { resource, name }: Found,
  options: WatchOptions,
  { client, factory, outages, cells }: InformerSource,
): SharedIndexInformer<Unstructured> {
  const fieldSelector = fieldsOf(name, options);
  if (!hasRows(options)) return factory.forResource<Unstructured>(resource, { fieldSelector });
  const namespace = namespaceIn(resource, options, client);
  const rows = tableInformer(client, resource, {
    namespace,
    labelSelector: options.selector,
    fieldSelector,
    onError: (error, { reason }) => outages.tell(printResource(resource), error, reason),
    onTable: (table) => cells.learn(table),
  });
  return factory.adopt(rows, namespace) as unknown as SharedIndexInformer<Unstructured>;
}

function hasRows({ output }: WatchOptions): boolean {
  return output === 'table' || output === 'wide';
}

function cellsOf(resource: ApiResource, all: readonly ApiResource[], options: WatchOptions): TableCells {
  return new TableCells({
    wide: options.output === 'wide',
    withNamespace: options.allNamespaces && resource.namespaced,
    kind: all.length > 1 ? printGroupResource({ group: resource.group, resource: resource.singular }) : undefined,
  });
}

function factoryOf(client: Client, options: WatchOptions, outages: Outages): SharedInformerFactory {
  return new SharedInformerFactory(client, {
    namespace: chosenNamespace(options, client),
    labelSelector: options.selector,
    onError: (error, { resource, reason }) => outages.tell(resource, error, reason),
  });
}

function printerOf(
  options: WatchOptions,
  resources: readonly ApiResource[],
  cells: ReadonlyMap<string, TableCells>,
  output: LineOutput,
  context: CommandContext,
  { clock }: Client,
): Printer {
  const isOne = resources.length === 1;
  switch (options.output) {
    case 'json':
      return new JsonPrinter(output, options);
    case 'yaml':
      return new YamlPrinter(output);
    case 'name':
      return new NamePrinter(output, { withResource: !isOne });
    case 'table':
    case 'wide':
      return new RowPrinter(output, styleFor(context.stdout, context), cells);
    case 'changes': {
      const withNamespace = options.allNamespaces && resources.some(({ namespaced }) => namespaced);
      const style = styleFor(context.stdout, context);
      const width = () => (context.stdout.isTTY === true ? context.stdout.columns : undefined);
      const names = isOne ? undefined : resources.map(printGroupResource);
      return new ChangesPrinter(output, { resources: names, withNamespace, style, width, clock });
    }
  }
}

/** Shows the events of one resource until the signal aborts. */
async function show(
  name: string,
  informer: SharedIndexInformer<Unstructured>,
  printer: Printer,
  signal: AbortSignal,
  onEmpty: (name: string) => void,
): Promise<void> {
  let count = 0;
  const events = informer.events({
    signal,
    // A relist that finds an object unchanged is not shown.
    filter: (event) => event.type !== 'update' || !event.isResync,
    maxPending: 10_000,
  });
  for await (const event of events) {
    if (event.type === 'synced') {
      if (count === 0) onEmpty(name);
      await printer.synced(name, { count, resourceVersion: event.resourceVersion });
      continue;
    }
    if (event.type === 'add' && event.isInInitialList) count++;
    const behind = printer.event(name, event);
    if (behind !== undefined) await behind;
  }
}

/** Starts the informers. Rejects if the server refuses a list or watch, and otherwise never settles. */
async function synced(factory: SharedInformerFactory, signal: AbortSignal): Promise<never> {
  factory.start();
  try {
    await factory.waitForCacheSync({ signal });
  } catch (error) {
    if (!signal.aborted) throw new CommandError(explain(error));
  }
  return new Promise(() => {});
}

async function printFinal(informers: Informers, printer: Printer): Promise<void> {
  if (printer.final === undefined) return;
  for (const [name, { lister }] of informers) {
    for (const { key, facts } of [...lister.entries()].sort((a, b) => (a.key < b.key ? -1 : 1))) {
      await printer.final(name, { key, resourceVersion: facts.resourceVersion });
    }
  }
}

function notSynced(options: WatchOptions, context: CommandContext, informers?: Informers): number {
  if (context.signal.aborted) return EXIT.success;
  const missing = [...(informers ?? [])].filter(([, { hasSynced }]) => !hasSynced);
  const what =
    missing.length === 0
      ? options.resources.map(({ word }) => word).join(', ')
      : missing.map(([name]) => name).join(', ');
  const causes = missing.map(([, { status }]) =>
    status.lastError === undefined ? '' : `: ${status.lastError.message}`,
  );
  context.stderr.write(
    `kubeflect watch: ${what} could not be listed within ${(options.forMs ?? 0) / 1000} s${causes.join('')}\n`,
  );
  return EXIT.failure;
}
