import { JsonPathError, parseJsonPath } from '../apiserver/resources/custom/definition/json-path.js';
import type { Client } from '../client/client.js';
import { conditions, type WaitCondition } from '../client/wait/conditions.js';
import { WaitTimeoutError } from '../client/wait/wait-for.js';
import { pathSegmentErrors } from '../meta/names.js';
import { printGroupResource } from '../meta/resource.js';
import { parseArguments } from './arguments.js';
import { type Command, type CommandContext, CommandError, EXIT, UsageError } from './command.js';
import { type ClusterChoice, clusterOptions, connect } from './connect.js';

/** `kubeflect wait`: waits for objects, as `kubectl wait` and `kubectl rollout status`. */
export const wait: Command = {
  name: 'wait',
  summary: 'Wait until objects have a condition, are rolled out, exist or are gone.',
  help: `Usage: kubeflect wait RESOURCE/NAME... --for CONDITION [options]
       kubeflect wait RESOURCE NAME... --for CONDITION [options]

Waits until all of the objects have the condition. They need not exist yet. RESOURCE is any name of a resource: pods, po,
deployments.apps, widgets.v1.example.com.

Options:
      --for CONDITION       condition=NAME[=VALUE]      a condition of the status; VALUE is True if it is left out
                            rollout                     Deployments, StatefulSets, DaemonSets: all replicas are new and
                                                        available
                            jsonpath=PATH[=VALUE]       the value at PATH, as {.status.phase}=Running; without a VALUE, any
                            create, delete              the object exists, or is gone
      --timeout TIME        Give up after this time: 30s, 5m, 1h. 0 looks once; less than 0 waits for a week. Default: 30s.
  -n, --namespace NAME      Default: the namespace of the context, else 'default'.
      --kubeconfig FILE     Default: $KUBECONFIG, ~/.kube/config, or the cluster this runs in.
      --context NAME        A context of the kubeconfig. Default: its current one.
  -h, --help                Show this.

Exit codes: 0 all have the condition, 1 failed or not in time, 2 wrong options.
`,
  async run(args, context) {
    const options = readOptions(args);
    const client = await connect(options, context);
    try {
      return await waitForAll(client, options, context);
    } finally {
      await client.close();
    }
  },
};

interface WaitCommandOptions extends ClusterChoice {
  readonly objects: readonly { readonly word: string; readonly name: string }[];
  readonly condition: WaitCondition<object>;
  /** What is printed of an object in the end. */
  readonly outcome: string;
  readonly namespace: string | undefined;
  readonly timeoutMs: number;
}

function readOptions(args: readonly string[]): WaitCommandOptions {
  const { values, positionals } = parseArguments({
    args: [...args],
    allowPositionals: true,
    options: {
      ...clusterOptions,
      for: { type: 'string' },
      timeout: { type: 'string' },
      namespace: { type: 'string', short: 'n' },
    },
  });
  const { kubeconfig, context, namespace } = values;
  if (values.for === undefined) throw new UsageError('--for is missing: what to wait for?');
  if (namespace !== undefined && pathSegmentErrors(namespace).length > 0) {
    throw new UsageError(`--namespace must be a name, got '${namespace}'`);
  }
  return {
    kubeconfig,
    context,
    namespace,
    objects: objectsOf(positionals),
    ...conditionOf(values.for),
    timeoutMs: timeoutOf(values.timeout ?? '30s'),
  };
}

function objectsOf(positionals: readonly string[]): WaitCommandOptions['objects'] {
  const [first, ...rest] = positionals;
  if (first === undefined) throw new UsageError('which object? For instance: kubeflect wait pods/web-0 --for create');
  const objects =
    first.includes('/') || rest.length === 0
      ? positionals.map((text) => {
          const [word = '', name = '', ...more] = text.split('/');
          if (word === '' || name === '' || more.length > 0) throw new UsageError(`'${text}' must be RESOURCE/NAME`);
          return { word, name };
        })
      : rest.map((name) => ({ word: first, name }));
  for (const { name } of objects) {
    if (pathSegmentErrors(name).length > 0) throw new UsageError(`'${name}' is no name of an object`);
  }
  return objects;
}

function conditionOf(text: string): Pick<WaitCommandOptions, 'condition' | 'outcome'> {
  const met = 'condition met';
  if (text === 'delete') return { condition: conditions.deleted, outcome: 'deleted' };
  if (text === 'create') return { condition: conditions.exists, outcome: met };
  if (text === 'rollout') return { condition: conditions.rolledOut as WaitCondition<object>, outcome: 'rolled out' };
  const [, kind, rest = ''] = /^(condition|jsonpath)=(.+)$/s.exec(text) ?? [];
  if (kind === 'condition') {
    const [, type = '', status] = /^([^=]+)(?:=(.+))?$/.exec(rest) ?? [];
    if (type !== '') return { condition: conditions.has(type, status), outcome: met };
  }
  if (kind === 'jsonpath') return { condition: jsonPathCondition(rest), outcome: met };
  throw new UsageError(
    `--for must be condition=NAME, jsonpath=PATH, rollout, create or delete, got '${text}'; see kubeflect wait --help`,
  );
}

/** Holds if the path finds one value, and this one if it is given. */
function jsonPathCondition(text: string): WaitCondition<object> {
  // The braces are part of kubectl's form, and may be left out; a shell may have left the quotes around them.
  const [, , braced, bare, value] = /^(?:(['"]?)\{(.*)\}\1|([^=]*))(?:=(.*))?$/s.exec(text) ?? [];
  const path = braced ?? bare ?? '';
  const wanted = value?.replace(/^(['"])(.*)\1$/s, '$2');
  if (path === '') throw new UsageError(`--for=jsonpath needs a path such as {.status.phase}, got '${text}'`);
  try {
    const find = parseJsonPath(path);
    return (object) => {
      if (object === undefined) return 'it does not exist';
      const found = valuesAt(find, object);
      if (found.length === 0) return `it has nothing at ${path}`;
      if (found.length > 1) throw new CommandError(`${path} finds ${found.length} values: it must find one`);
      if (typeof found[0] === 'object' && found[0] !== null && wanted !== undefined) {
        throw new CommandError(`${path} finds an object or a list, which has no value to compare`);
      }
      return wanted === undefined || String(found[0]) === wanted || `${path} is ${String(found[0])}, not ${wanted}`;
    };
  } catch (error) {
    if (error instanceof JsonPathError) throw new UsageError(`--for=jsonpath: ${error.message}`);
    throw error;
  }
}

/** A path that does not fit the object yet, as an index beyond the end of a list, finds nothing. */
function valuesAt(find: (document: unknown) => unknown[], object: object): unknown[] {
  try {
    return find(object);
  } catch (error) {
    if (error instanceof JsonPathError) return [];
    throw error;
  }
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
const WEEK_MS = 7 * 24 * 3_600_000;

/** A duration as kubectl takes it: `1m30s`, `0`, or less than 0 for a week. */
function timeoutOf(text: string): number {
  if (/^-\d/.test(text)) return WEEK_MS;
  if (text === '0') return 0;
  if (!/^(?:\d+(?:\.\d+)?(?:ms|s|m|h))+$/.test(text)) {
    throw new UsageError(`--timeout must be a time such as 30s or 5m, got '${text}'`);
  }
  const parts = text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g);
  return Math.min(
    [...parts].reduce((sum, [, amount, unit]) => sum + Number(amount) * UNITS[unit as string]!, 0),
    WEEK_MS,
  );
}

async function waitForAll(client: Client, options: WaitCommandOptions, context: CommandContext): Promise<number> {
  const { condition, outcome, timeoutMs } = options;
  const { stdout, stderr, signal } = context;
  const deadline = client.clock.monotonicNow() + timeoutMs;
  let code: number = EXIT.success;
  // One after the other: objects that are done meanwhile take no time, and the output has the order of the arguments.
  for (const { word, name } of options.objects) {
    const resource = await client.resolve(word, { signal });
    const shown = `${printGroupResource({ group: resource.group, resource: resource.singular })}/${name}`;
    const namespace = resource.namespaced ? (options.namespace ?? client.namespace ?? 'default') : undefined;
    try {
      await client.waitFor<object>(resource as never, name, condition, {
        namespace,
        signal,
        timeoutMs: timeoutMs === 0 ? 0 : Math.max(1, deadline - client.clock.monotonicNow()),
      });
      stdout.write(`${shown} ${outcome}\n`);
    } catch (error) {
      if (!(error instanceof WaitTimeoutError)) throw error;
      stderr.write(`kubeflect wait: timed out waiting for ${shown}: ${error.missing}\n`);
      code = EXIT.failure;
    }
  }
  return code;
}
