import { once } from 'node:events';
import type { Client } from '../client/client.js';
import { SharedInformerFactory } from '../informers/shared-informer-factory.js';
import { isForbidden, isNotFound } from '../meta/errors/error-predicates.js';
import { dns1123LabelErrors } from '../meta/names.js';
import { printGroupResource, type Resource } from '../meta/resource.js';
import { resources as builtin } from '../resources/resources.js';
import { parseArguments, wholeNumber } from './arguments.js';
import { type Command, type CommandContext, CommandError, EXIT, UsageError } from './command.js';
import { type ClusterChoice, clusterOptions, withClient } from './connect.js';
import { explain } from './explain.js';

const { core, apps, batch } = builtin;

/** What is shown without arguments: what most clusters have and most people look for. */
const usual: readonly Resource<unknown>[] = [
  core.v1.pods,
  core.v1.services,
  core.v1.nodes,
  core.v1.namespaces,
  core.v1.events,
  apps.v1.deployments,
  apps.v1.replicaSets,
  apps.v1.statefulSets,
  apps.v1.daemonSets,
  batch.v1.jobs,
];

/** `kubeflect inspect`: informers of a cluster, and the inspector's page about them. */
export const inspect: Command = {
  name: 'inspect',
  summary: 'Show the objects of a cluster and their changes on a page in the browser.',
  help: `Usage: kubeflect inspect [RESOURCE...] [options]

Follows each resource with an informer and serves a page that shows them: rates and lags, every change of an object with
the fields that differ and who made it, and the memory that each cache takes. It only reads. Values of Secrets are
never shown. The page prints nothing to the terminal; Ctrl-C ends it.

RESOURCE is any name of a resource: pods, po, Pod, deployments.apps, widgets.v1.example.com. Separate several by spaces or
commas. Default: pods, services, nodes, namespaces, events, workloads and jobs, as far as you may list them.

Options:
  -n, --namespace NAME      Only this namespace. Default: all of them.
      --port N              Listen on this port. Default: any free one.
      --host ADDRESS        Listen on this address. Default: 127.0.0.1. For any other one, the page asks for a token, which is
                            part of the address that is printed.
      --allowed-host NAME   Accept this name in the page's address too, as of a proxy. May be repeated.
      --kubeconfig FILE     Default: $KUBECONFIG, ~/.kube/config, or the cluster this runs in.
      --context NAME        A context of the kubeconfig. Default: its current one.
  -h, --help                Show this.

Exit codes: 0 stopped by a signal, 1 could not start, 2 wrong options.
`,
  async run(args, context) {
    const options = readOptions(args);
    return withClient(options, context, (client) => show(client, options, context));
  },
};

interface InspectOptions extends ClusterChoice {
  readonly words: readonly string[];
  readonly namespace: string | undefined;
  readonly port: number;
  readonly host: string;
  readonly allowedHosts: readonly string[];
}

function readOptions(args: readonly string[]): InspectOptions {
  const { values, positionals } = parseArguments({
    args: [...args],
    allowPositionals: true,
    options: {
      ...clusterOptions,
      namespace: { type: 'string', short: 'n' },
      port: { type: 'string' },
      host: { type: 'string' },
      'allowed-host': { type: 'string', multiple: true },
    },
  });
  const { namespace, kubeconfig, context } = values;
  if (namespace !== undefined && dns1123LabelErrors(namespace).length > 0)
    throw new UsageError(`--namespace must be a name, got '${namespace}'`);
  return {
    words: positionals.flatMap((word) => word.split(',')).filter((word) => word !== ''),
    namespace,
    port: values.port === undefined ? 0 : wholeNumber('--port', values.port, 65_535),
    host: values.host ?? '127.0.0.1',
    allowedHosts: values['allowed-host'] ?? [],
    kubeconfig,
    context,
  };
}

async function show(client: Client, options: InspectOptions, context: CommandContext): Promise<number> {
  const { namespace, port, host, allowedHosts } = options;
  const { signal } = context;
  const wanted =
    options.words.length > 0 ? await named(client, options, signal) : await listable(client, options, context);
  // No other command needs it.
  const { startInspector } = await import('../inspector/index.js');
  // The page shows what fails.
  const factory = new SharedInformerFactory(client, { namespace, onError: () => {} });
  for (const resource of wanted) factory.forResource(resource);
  try {
    const inspector = await startInspector({ factory, port, host, allowedHosts }).catch((error: unknown) => {
      throw error instanceof TypeError ? new UsageError(error.message) : new CommandError(explain(error));
    });
    try {
      factory.start();
      context.stdout.write(`Inspecting ${client.rest.host} at ${inspector.url}\n`);
      if (!signal.aborted) await once(signal, 'abort');
    } finally {
      await inspector.stop();
    }
  } finally {
    await factory.stop();
  }
  return EXIT.success;
}

async function named(
  client: Client,
  { words }: InspectOptions,
  signal: AbortSignal,
): Promise<readonly Resource<unknown>[]> {
  const found = new Map<string, Resource<unknown>>();
  for (const word of words) {
    try {
      const resource = await client.resolve(word, { signal });
      found.set(printGroupResource(resource), resource);
    } catch (error) {
      throw isNotFound(error) ? new UsageError(explain(error)) : error;
    }
  }
  return [...found.values()];
}

/** The usual resources that the user may list; says which are left out. */
async function listable(
  client: Client,
  { namespace }: InspectOptions,
  { signal, stderr }: CommandContext,
): Promise<readonly Resource<unknown>[]> {
  const refused: string[] = [];
  const checked = await Promise.all(
    usual.map(async (resource) => {
      const where = resource.namespaced === false ? undefined : namespace;
      try {
        await client.metadata(resource, where).list({ limit: 1, signal });
        return [resource];
      } catch (error) {
        if (!isForbidden(error) && !isNotFound(error)) throw error;
        refused.push(printGroupResource(resource));
        return [];
      }
    }),
  );
  const allowed = checked.flat();
  if (allowed.length === 0) {
    const where = namespace === undefined ? 'in all namespaces: try --namespace' : `in the namespace ${namespace}`;
    throw new CommandError(`you may list none of ${refused.join(', ')} ${where}`);
  }
  if (refused.length > 0) stderr.write(`Left out, because you may not list them: ${refused.join(', ')}\n`);
  return allowed;
}
