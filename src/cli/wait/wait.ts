import type { Client } from '../../client/client.js';
import type { ApiResource } from '../../client/discovery-documents.js';
import { WaitTimeoutError } from '../../client/wait/wait-for.js';
import { SharedInformerFactory } from '../../informers/shared-informer-factory.js';
import { printGroupResource } from '../../meta/resource.js';
import { linkSignals } from '../../time/signals.js';
import { durationMs, parseArguments } from '../arguments.js';
import { type Command, type CommandContext, CommandError, EXIT, UsageError } from '../command.js';
import { type ClusterChoice, clusterOptions, withClient } from '../connect.js';
import { namespaceIn, readSelection, readTargets, type Selection, selectionOptions, type Wanted } from '../targets.js';
import { conditionOf, type NamedCondition } from './wait-condition.js';

/** `kubeflect wait`: waits for objects, as `kubectl wait` and `kubectl rollout status`. */
export const wait: Command = {
  name: 'wait',
  summary: 'Wait until objects have a condition, are rolled out, exist or are gone.',
  help: `Usage: kubeflect wait RESOURCE/NAME... --for CONDITION [options]
       kubeflect wait RESOURCE NAME... --for CONDITION [options]
       kubeflect wait RESOURCE[,RESOURCE...] (-l LABELS | --all) --for CONDITION [options]

Waits until all of the objects have the condition. Objects that are named need not exist yet. With -l, --field-selector or
--all, it waits for the objects that exist at the beginning, and fails if there are none, unless it waits for their creation
(then until each resource has one) or their deletion. RESOURCE is any name of a resource: pods, po, deployments.apps,
widgets.v1.example.com.

Options:
      --for CONDITION       condition=NAME[=VALUE]      a condition of the status; VALUE is True if it is left out
                            rollout                     Deployments, StatefulSets, DaemonSets: all replicas are new and
                                                        available
                            jsonpath=PATH[=VALUE]       the value at PATH, as {.status.phase}=Running; without a VALUE, any
                            create, delete              the object exists, or is gone
      --timeout TIME        Give up after this time: 30s, 5m, 1h. 0 looks once; less than 0 waits for a week. Default: 30s.
  -l, --selector TEXT       Objects with these labels: app=web,tier!=cache.
      --field-selector TEXT Objects with these fields: status.phase=Running.
      --all                 All objects of the resources.
  -n, --namespace NAME      Default: the namespace of the context, else 'default'.
  -A, --all-namespaces      With -l, --field-selector or --all: in all namespaces.
      --kubeconfig FILE     Default: $KUBECONFIG, ~/.kube/config, or the cluster this runs in.
      --context NAME        A context of the kubeconfig. Default: its current one.
  -h, --help                Show this.

Exit codes: 0 all have the condition, 1 failed or not in time, 2 wrong options.
`,
  takes: 'objects',
  async run(args, context) {
    const options = readOptions(args);
    return withClient(options, context, (client) => waitForAll(client, options, context));
  },
};

interface WaitCommandOptions extends ClusterChoice, Selection {
  readonly targets: readonly Wanted[];
  readonly condition: NamedCondition;
  readonly timeoutMs: number;
}

const example = 'kubeflect wait pods/web-0 --for create';

function readOptions(args: readonly string[]): WaitCommandOptions {
  const { values, positionals } = parseArguments({
    args: [...args],
    allowPositionals: true,
    options: {
      ...clusterOptions,
      ...selectionOptions,
      for: { type: 'string' },
      timeout: { type: 'string' },
      all: { type: 'boolean' },
    },
  });
  const { kubeconfig, context } = values;
  if (positionals.length === 0) throw new UsageError(`which object? For instance: ${example}`);
  if (values.for === undefined) throw new UsageError('--for is missing: what to wait for?');
  const selection = readSelection(values);
  const targets = readTargets(positionals, example);
  const selects = (selection.selector ?? selection.fieldSelector) !== undefined || values.all === true;
  checkTargets(targets, selects, selection);
  const timeoutMs = timeoutOf(values.timeout ?? '30s');
  return { ...selection, kubeconfig, context, targets, condition: conditionOf(values.for), timeoutMs };
}

/** Objects are either named or selected. */
function checkTargets(targets: readonly Wanted[], selects: boolean, { allNamespaces }: Selection): void {
  const unnamed = targets.find(({ name }) => name === undefined);
  if (selects && targets.some(({ name }) => name !== undefined)) {
    throw new UsageError('-l, --field-selector and --all select objects: they go with resources, not with names');
  }
  if (!selects && unnamed !== undefined) {
    throw new UsageError(`'${unnamed.word}' must be RESOURCE/NAME, or select objects with -l or --all`);
  }
  if (!selects && allNamespaces) throw new UsageError('--all-namespaces goes with -l, --field-selector or --all');
}

const WEEK_MS = 7 * 24 * 3_600_000;

/** A duration as kubectl takes it: `1m30s`, `0`, or less than 0 for a week. */
function timeoutOf(text: string): number {
  if (/^-\d/.test(text)) return WEEK_MS;
  return text === '0' ? 0 : Math.min(durationMs('--timeout', text), WEEK_MS);
}

/** An object to wait for. */
interface Awaited {
  readonly resource: ApiResource;
  readonly namespace: string | undefined;
  readonly name: string;
}

async function waitForAll(client: Client, options: WaitCommandOptions, context: CommandContext): Promise<number> {
  const { condition, timeoutMs } = options;
  const { stdout, stderr, signal } = context;
  const deadline = client.clock.monotonicNow() + timeoutMs;
  const remainingMs = (): number => (timeoutMs === 0 ? 0 : Math.max(1, deadline - client.clock.monotonicNow()));
  let code: number = EXIT.success;
  const fail = (shown: string, missing: string): void => {
    stderr.write(`kubeflect wait: timed out waiting for ${shown}: ${missing}\n`);
    code = EXIT.failure;
  };
  // One after the other: objects that are done meanwhile take no time, and the output has the order of the arguments.
  for (const { word, name } of options.targets) {
    const resource = await client.resolve(word, { signal });
    const namespace = namespaceIn(resource, options, client);
    const objects =
      name === undefined
        ? await selected(client, resource, options, remainingMs(), signal)
        : [{ resource, namespace, name }];
    if (objects === undefined) {
      fail(printGroupResource(resource), 'no object matches');
      continue;
    }
    for (const object of objects) {
      const shown = `${printGroupResource({ group: resource.group, resource: resource.singular })}/${object.name}`;
      try {
        await client.waitFor<object>(resource as never, object.name, condition.condition, {
          namespace: object.namespace,
          signal,
          timeoutMs: remainingMs(),
        });
        stdout.write(`${shown} ${condition.outcome}\n`);
      } catch (error) {
        if (!(error instanceof WaitTimeoutError)) throw error;
        fail(shown, error.missing);
      }
    }
  }
  return code;
}

/** The objects that are selected now, or the first one that comes; undefined if none came in time. */
async function selected(
  client: Client,
  resource: ApiResource,
  options: WaitCommandOptions,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<readonly Awaited[] | undefined> {
  const { selector: labelSelector, fieldSelector } = options;
  const namespace = namespaceIn(resource, options, client);
  const found: Awaited[] = [];
  for await (const { metadata } of client
    .metadata(resource, namespace)
    .listAll({ labelSelector, fieldSelector, signal })) {
    found.push({ resource, namespace: metadata.namespace, name: metadata.name });
  }
  const { ofNone } = options.condition;
  if (found.length > 0 || ofNone === 'met') return found;
  if (ofNone === 'fails') {
    throw new CommandError(
      `there are no ${printGroupResource(resource)} that match: check the selector and --namespace`,
    );
  }
  const link = linkSignals([signal], { timeoutMs, clock: client.clock });
  const factory = new SharedInformerFactory(client, { namespace, labelSelector, fieldSelector, onError: () => {} });
  try {
    const events = factory.metadata(resource).events({ signal: link.signal });
    factory.start();
    for await (const event of events) {
      if (event.type === 'add') return [{ resource, namespace: event.facts.namespace, name: event.facts.name }];
    }
    signal.throwIfAborted();
    return undefined;
  } finally {
    link.release();
    await factory.stop();
  }
}
