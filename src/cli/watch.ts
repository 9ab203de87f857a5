import type { SharedIndexInformer } from '../cache/informer/shared-informer.js';
import type { Client } from '../client/client.js';
import { SharedInformerFactory } from '../informers/shared-informer-factory.js';
import { isNotFound } from '../meta/errors/error-predicates.js';
import { dns1123LabelErrors, pathSegmentErrors } from '../meta/names.js';
import type { Unstructured } from '../meta/objects.js';
import { printGroupResource, printResource, type Resource } from '../meta/resource.js';
import { escapeFieldValue, parseFieldSelector } from '../meta/selectors/field-selector.js';
import { parseLabelSelector } from '../meta/selectors/label-selector.js';
import { linkSignals } from '../time/signals.js';
import { parseArguments, secondsToMs } from './arguments.js';
import { type Command, type CommandContext, CommandError, EXIT, UsageError } from './command.js';
import { type ClusterChoice, clusterOptions, connect } from './connect.js';
import { explain } from './explain.js';
import { LineOutput } from './line-output.js';
import { styleFor } from './style.js';
import { JsonPrinter } from './watch/json-printer.js';
import { NamePrinter } from './watch/name-printer.js';
import { Outages } from './watch/outages.js';
import type { Printer } from './watch/printer.js';
import { SyncProgress } from './watch/sync-progress.js';
import { TablePrinter } from './watch/table-printer.js';
import { YamlPrinter } from './watch/yaml-printer.js';

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
  -o, --output FORM         table  a line per event, with status and changes (default)
                            json   a JSON object per line, for scripts; see below
                            yaml   a YAML document per event
                            name   the key of each changed object; with several resources, the resource before it
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
  async run(args, context) {
    const options = readOptions(args);
    const client = await connect(options, context);
    try {
      return await follow(client, options, context);
    } finally {
      await client.close();
    }
  },
};

interface WatchOptions extends ClusterChoice {
  readonly resources: readonly Wanted[];
  readonly namespace: string | undefined;
  readonly allNamespaces: boolean;
  readonly selector: string | undefined;
  readonly fieldSelector: string | undefined;
  readonly output: OutputForm;
  readonly objects: boolean;
  readonly forMs: number | undefined;
}

/** An argument: a resource, or one object of it. */
interface Wanted {
  readonly word: string;
  readonly name: string | undefined;
}

const forms = ['table', 'json', 'yaml', 'name'] as const;
type OutputForm = (typeof forms)[number];

function readOptions(args: readonly string[]): WatchOptions {
  const { values, positionals } = parseArguments({
    args: [...args],
    allowPositionals: true,
    options: {
      ...clusterOptions,
      namespace: { type: 'string', short: 'n' },
      'all-namespaces': { type: 'boolean', short: 'A' },
      selector: { type: 'string', short: 'l' },
      'field-selector': { type: 'string' },
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
  if (values.namespace !== undefined && values['all-namespaces'] === true) {
    throw new UsageError('--namespace and --all-namespaces contradict each other');
  }
  checkNamespace(values.namespace);
  const output = forms.find((form) => form === (values.output ?? 'table'));
  if (output === undefined) throw new UsageError(`--output must be one of ${forms.join(', ')}, got '${values.output}'`);
  if (values['no-objects'] === true && output !== 'json') throw new UsageError('--no-objects goes with -o json only');
  checkSelector('--selector', values.selector, parseLabelSelector);
  checkSelector('--field-selector', values['field-selector'], parseFieldSelector);
  return {
    resources,
    kubeconfig: values.kubeconfig,
    context: values.context,
    namespace: values.namespace,
    allNamespaces: values['all-namespaces'] ?? false,
    selector: values.selector,
    fieldSelector: values['field-selector'],
    output,
    objects: values['no-objects'] !== true,
    forMs: secondsToMs('--for', values.for),
  };
}

function wantedOf(text: string): Wanted {
  const [word = '', name, ...more] = text.split('/');
  if (name === undefined) return { word, name };
  if (word === '' || name === '' || more.length > 0 || pathSegmentErrors(name).length > 0) {
    throw new UsageError(`'${text}' is neither a resource nor RESOURCE/NAME, as in pods/web-0; namespaces go with -n`);
  }
  return { word, name };
}

function checkNamespace(name: string | undefined): void {
  // An empty name is refused: an unset shell variable must not select all namespaces.
  if (name !== undefined && dns1123LabelErrors(name).length > 0) {
    throw new UsageError(`--namespace must be the name of a namespace, got '${name}'`);
  }
}

function checkSelector(option: string, text: string | undefined, parse: (text: string) => unknown): void {
  try {
    if (text !== undefined) parse(text);
  } catch (error) {
    throw new UsageError(`${option}: ${(error as Error).message}`);
  }
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
    const printer = printerOf(options, resources, output, context, client);
    const outages = new Outages(context.stderr, clock, (name) => {
      const resource = resources.find((one) => printResource(one) === name);
      return resource === undefined ? undefined : informers.get(printGroupResource(resource));
    });
    const factory = factoryOf(client, options, outages);
    const informers: Informers = new Map(
      found.map(({ resource, name }) => [printGroupResource(resource), informerOf(factory, resource, name, options)]),
    );
    const progress = new SyncProgress(context.stderr.terminal ?? context.stderr, clock, informers);
    output.beforeWrite = () => progress.clearLine();
    try {
      // `json` and `yaml` print a line when a resource has synced.
      const isSilent = options.output === 'table' || options.output === 'name';
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

interface Found {
  readonly resource: Resource;
  readonly name: string | undefined;
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
    return withoutRepetitions(found);
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

function withoutRepetitions(found: readonly Found[]): readonly Found[] {
  const byResource = new Map<string, Found>();
  for (const one of found) {
    const key = printGroupResource(one.resource);
    const before = byResource.get(key);
    if (before !== undefined && before.name !== one.name) {
      throw new UsageError(
        `${key} is there twice: follow all of them, or one object, or those with -l or --field-selector`,
      );
    }
    byResource.set(key, one);
  }
  return [...byResource.values()];
}

function informerOf(
  factory: SharedInformerFactory,
  resource: Resource,
  name: string | undefined,
  { fieldSelector }: WatchOptions,
): SharedIndexInformer<Unstructured> {
  if (name === undefined) return factory.forResource<Unstructured>(resource);
  const selectors = [`metadata.name=${escapeFieldValue(name)}`, fieldSelector].filter((one) => one !== undefined);
  return factory.forResource<Unstructured>(resource, { fieldSelector: selectors.join(',') });
}

/** Undefined for all namespaces. */
function namespaceOf({ allNamespaces, namespace }: WatchOptions, client: Client): string | undefined {
  return allNamespaces ? undefined : (namespace ?? client.namespace ?? 'default');
}

function factoryOf(client: Client, options: WatchOptions, outages: Outages): SharedInformerFactory {
  return new SharedInformerFactory(client, {
    namespace: namespaceOf(options, client),
    labelSelector: options.selector,
    fieldSelector: options.fieldSelector,
    onError: (error, { resource, reason }) => outages.tell(resource, error, reason),
  });
}

function printerOf(
  options: WatchOptions,
  resources: readonly Resource[],
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
    case 'table': {
      const withNamespace = options.allNamespaces && resources.some(({ namespaced }) => namespaced !== false);
      const style = styleFor(context.stdout, context);
      const width = () => (context.stdout.isTTY === true ? context.stdout.columns : undefined);
      const names = isOne ? undefined : resources.map(printGroupResource);
      return new TablePrinter(output, { resources: names, withNamespace, style, width, clock });
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
