import type { Client } from '../../client/client.js';
import { oneOf, parseArguments } from '../arguments.js';
import { type Command, type CommandContext, EXIT, UsageError } from '../command.js';
import { type ClusterChoice, clusterOptions, withClient } from '../connect.js';
import {
  chosenNamespace,
  findResources,
  readSelection,
  readTargets,
  type Selection,
  selectionOptions,
  type Wanted,
} from '../targets.js';
import { LineOutput } from '../terminal/line-output.js';
import { styleFor } from '../terminal/style.js';
import { SyncProgress } from '../terminal/sync-progress.js';
import { printJson, printNames, printYaml } from './object-printers.js';
import { printTables } from './print-tables.js';
import { Reader } from './reader.js';

/** `kubeflect get`: objects as the server prints them, as `kubectl get`. */
export const get: Command = {
  name: 'get',
  summary: 'Show objects, as a table, JSON, YAML or names.',
  help: `Usage: kubeflect get RESOURCE[,RESOURCE...] [NAME...] [options]
       kubeflect get RESOURCE/NAME... [options]

RESOURCE is any name of a resource: pods, po, Pod, deployments.apps, widgets.v1.example.com; or a category such as all.

Options:
  -n, --namespace NAME      Default: the namespace of the context, else 'default'.
  -A, --all-namespaces      Show the objects of all namespaces.
  -l, --selector TEXT       Only objects with these labels: app=web,tier!=cache.
      --field-selector TEXT Only objects with these fields: status.phase=Running.
  -o, --output FORM         table  the columns of the server (default)
                            wide   more of them
                            json   the object, or a List of objects; without metadata.managedFields
                            yaml   the same as YAML
                            name   resource and name: pod/web-0
      --no-headers          With -o table and -o wide: without the names of the columns.
      --kubeconfig FILE     Default: $KUBECONFIG, ~/.kube/config, or the cluster this runs in.
      --context NAME        A context of the kubeconfig. Default: its current one.
  -h, --help                Show this.

A collection is read in pages of 500 objects.

Exit codes: 0 success, also if there are no objects; 1 failed, or an object that was named does not exist; 2 wrong options.
`,
  takes: 'resources',
  async run(args, context) {
    const options = readOptions(args);
    return withClient(options, context, (client) => show(client, options, context));
  },
};

interface GetOptions extends ClusterChoice, Selection {
  readonly targets: readonly Wanted[];
  readonly output: (typeof forms)[number];
  readonly headers: boolean;
}

const forms = ['table', 'wide', 'json', 'yaml', 'name'] as const;

function readOptions(args: readonly string[]): GetOptions {
  const { values, positionals } = parseArguments({
    args: [...args],
    allowPositionals: true,
    options: {
      ...clusterOptions,
      ...selectionOptions,
      output: { type: 'string', short: 'o' },
      'no-headers': { type: 'boolean' },
    },
  });
  const { kubeconfig, context } = values;
  const targets = readTargets(positionals, 'kubeflect get pods');
  const selection = readSelection(values);
  const isNamed = targets.some(({ name }) => name !== undefined);
  if (isNamed && (selection.selector ?? selection.fieldSelector) !== undefined) {
    throw new UsageError('selectors choose objects of a collection: leave them out, or the names');
  }
  if (isNamed && selection.allNamespaces) throw new UsageError('an object has one namespace: name it with -n, not -A');
  const output = oneOf('--output', values.output ?? 'table', forms);
  return { ...selection, kubeconfig, context, targets, output, headers: values['no-headers'] !== true };
}

async function show(client: Client, options: GetOptions, context: CommandContext): Promise<number> {
  const { signal, stderr } = context;
  const found = await findResources(client, options.targets, { signal });
  const reader = new Reader(client, found, options, signal);
  const output = new LineOutput(context.stdout, client.clock);
  const progress = new SyncProgress(stderr.terminal ?? stderr, client.clock, reader.progress);
  output.beforeWrite = () => progress.clearLine();
  try {
    switch (options.output) {
      case 'json':
        await printJson(reader, output);
        break;
      case 'yaml':
        await printYaml(reader, output);
        break;
      case 'name':
        await printNames(reader, output);
        break;
      case 'table':
      case 'wide':
        await printTables(reader, output, { ...options, style: styleFor(context.stdout, context) });
    }
  } finally {
    progress.stop();
    output.flush();
  }
  for (const error of reader.missing) stderr.write(`kubeflect get: ${error.message}\n`);
  if (reader.count === 0 && reader.missing.length === 0) {
    const isNamespaced = found.some(({ resource }) => resource.namespaced);
    const namespace = isNamespaced ? chosenNamespace(options, client) : undefined;
    stderr.write(`no objects found${namespace === undefined ? '' : ` in namespace ${namespace}`}\n`);
  }
  return reader.missing.length === 0 ? EXIT.success : EXIT.failure;
}
