import { readFile } from 'node:fs/promises';
import type { Fault } from '../apiserver/faults/fault.js';
import { type ApiServer, startApiServer } from '../apiserver/server.js';
import type { ApiServerOptions } from '../apiserver/server-options.js';
import { DataError } from '../apiserver/storage/disk/data-files.js';
import { realClock } from '../time/real-clock.js';
import { parseArguments, wholeNumber } from './arguments.js';
import { type Command, CommandError, EXIT, UsageError } from './command.js';
import { type Manifest, readManifests } from './read-manifests.js';
import { announce, checkOverwritable, listenError } from './serving.js';

/** `kubeflect serve`: the embedded API server as a program. */
export const serve: Command = {
  name: 'serve',
  summary: 'Run a Kubernetes API server, for clients and tests.',
  help: `Usage: kubeflect serve [options]

Runs a Kubernetes API server until it is interrupted, in memory or with --data on disk. Clients connect to its URL, or
with the kubeconfig that it writes.

Options:
      --data DIR         Keep all objects, their history and the server's credentials in this directory, so that the server
                         goes on where it was, at the same port, however it ended. Created if it does not exist.
      --port N           Listen on this port. Default: the last one of --data if it is free, otherwise any free one.
      --host ADDRESS     Listen on this address. Default: 127.0.0.1. Others expose the server to your network.
      --allowed-host NAME
                         Accept this name in the Host header too. Without --tls the server accepts only loopback names
                         and --host, so that no web page can reach it by DNS rebinding. May be repeated.
      --kubeconfig FILE  Write a kubeconfig that kubectl and every client library can use.
      --tls              Serve HTTPS, with certificates generated at start.
      --rbac             Authenticate clients and authorize them by the stored roles. Implies --tls, because kubectl
                         and other clients send no credentials over plain HTTP. The kubeconfig has administrator rights.
  -f, --filename PATH    Store the objects of this manifest before the server starts: a YAML or JSON file, or a folder of
                         them. Namespaces and definitions come first; those that --data has are left as they are.
                         May be repeated.
      --controllers LIST Run only these of the server's controllers, separated by commas: garbage-collector,
                         namespace-lifecycle, resource-quota, role-aggregation, system-namespaces, volume-protection.
                         none runs none of them; system-namespaces alone is for a kube-controller-manager beside the
                         server. Default: all.
      --workloads        Let Deployments, StatefulSets, DaemonSets, Jobs and Services come alive on three simulated nodes:
                         pods are scheduled, become ready after a second, and end. Logs have a line for each start.
      --workload-options FILE
                         The same, with nodes, delays and failures from this JSON file: {"nodes": 5, "readyAfterMs": 200,
                         "failures": [{"fails": "crash", "labels": {"app": "web"}, "probability": 0.1}]}.
      --webhook NAMESPACE/NAME=URL
                         Call webhooks of this service at this https address, such as https://127.0.0.1:9443. The certificate
                         must be for NAME.NAMESPACE.svc. May be repeated.
      --enable-admission-plugins LIST
                         Switch these admission plugins on, separated by commas: LimitRanger, Priority, ResourceQuota,
                         ServiceAccount. All but ServiceAccount are on by default.
      --disable-admission-plugins LIST
                         Switch these off.
      --sharded-lists    Let shardSelector limit lists and watches, as the feature gate ShardedListAndWatch.
      --faults FILE      Inject the faults in this JSON file: an array of objects such as
                         {"verb": "watch", "resource": "pods", "times": 3, "reset": "midEvent"}.
      --seed N           Make uids, generated names and faults repeatable.
      --admin            Serve faults, compaction and restarts over HTTP, under /kubeflect/.
  -h, --help             Show this.

Exit codes: 0 stopped by a signal, 1 could not start, 2 wrong options.
`,
  async run(args, context) {
    const options = readOptions(args);
    const faults = options.faults === undefined ? [] : await readFaults(options.faults);
    if (options.kubeconfig !== undefined) await checkOverwritable(options.kubeconfig);
    const manifests = await readManifests(options.manifests);
    const workloads = await readWorkloads(options.workloads);
    const api = await start(options, manifests, workloads, (message) => context.stderr.write(`${message}\n`));
    try {
      injectAll(api, faults, options.faults ?? '');
      await announce(api, options.kubeconfig, 'namespaces', context);
    } finally {
      await api.stop();
    }
    return EXIT.success;
  },
};

interface ServeOptions {
  readonly data: string | undefined;
  readonly port: number | undefined;
  readonly host: string;
  readonly allowedHosts: readonly string[];
  readonly kubeconfig: string | undefined;
  readonly tls: boolean;
  readonly rbac: boolean;
  readonly faults: string | undefined;
  readonly manifests: readonly string[];
  readonly controllers: ApiServerOptions['controllers'];
  /** A path is that of a file with its options. */
  readonly workloads: boolean | string;
  readonly webhooks: Readonly<Record<string, string>>;
  readonly admissionPlugins: Readonly<Record<string, boolean>>;
  readonly shardedLists: boolean;
  readonly seed: number | undefined;
  readonly admin: boolean;
}

function readOptions(args: readonly string[]): ServeOptions {
  const { values } = parseArguments({
    args: [...args],
    options: {
      data: { type: 'string' },
      port: { type: 'string' },
      host: { type: 'string' },
      'allowed-host': { type: 'string', multiple: true },
      kubeconfig: { type: 'string' },
      tls: { type: 'boolean' },
      rbac: { type: 'boolean' },
      filename: { type: 'string', short: 'f', multiple: true },
      controllers: { type: 'string' },
      workloads: { type: 'boolean' },
      'workload-options': { type: 'string' },
      webhook: { type: 'string', multiple: true },
      'enable-admission-plugins': { type: 'string' },
      'disable-admission-plugins': { type: 'string' },
      'sharded-lists': { type: 'boolean' },
      faults: { type: 'string' },
      seed: { type: 'string' },
      admin: { type: 'boolean' },
    },
  });
  return {
    data: values.data,
    port: values.port === undefined ? undefined : wholeNumber('--port', values.port, 65_535),
    host: values.host ?? '127.0.0.1',
    allowedHosts: values['allowed-host'] ?? [],
    kubeconfig: values.kubeconfig,
    tls: values.tls === true || values.rbac === true,
    rbac: values.rbac ?? false,
    manifests: values.filename ?? [],
    controllers: controllersOf(values.controllers),
    workloads: values['workload-options'] ?? values.workloads ?? false,
    webhooks: webhooksOf(values.webhook ?? []),
    admissionPlugins: {
      ...switches(values['enable-admission-plugins'], true),
      ...switches(values['disable-admission-plugins'], false),
    },
    shardedLists: values['sharded-lists'] ?? false,
    faults: values.faults,
    seed: values.seed === undefined ? undefined : wholeNumber('--seed', values.seed, 2 ** 32 - 1),
    admin: values.admin ?? false,
  };
}

/** `all`, `none`, or names that the server checks. */
function controllersOf(text: string | undefined): ApiServerOptions['controllers'] {
  if (text === undefined || text === 'all' || text === 'none') return text;
  return text.split(',') as Exclude<ApiServerOptions['controllers'], string | undefined>;
}

function switches(list: string | undefined, isOn: boolean): Record<string, boolean> {
  return Object.fromEntries((list?.split(',') ?? []).map((name) => [name, isOn]));
}

/** The addresses of services, which the server checks. */
function webhooksOf(given: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    given.map((text) => {
      const at = text.indexOf('=');
      if (at < 0) throw new UsageError(`--webhook must be NAMESPACE/NAME=URL, not ${JSON.stringify(text)}`);
      return [text.slice(0, at), text.slice(at + 1)];
    }),
  );
}

async function start(
  options: ServeOptions,
  manifests: readonly Manifest[],
  workloads: ApiServerOptions['workloads'],
  onWarning: (message: string) => void,
): Promise<ApiServer> {
  const { data, host, port, allowedHosts, tls, seed, admin, rbac, controllers, shardedLists } = options;
  const { webhooks, admissionPlugins } = options;
  const authorization = rbac ? 'rbac' : 'none';
  // A server that is started again at the same port is ahead of its predecessor, unless that wrote over 100 changes a second:
  // informers then get 410 Gone and relist. With a seed every run has the same resourceVersions.
  const firstResourceVersion = seed === undefined ? Math.floor(realClock.now() / 10) : undefined;
  try {
    return await startApiServer({
      data,
      onWarning,
      host,
      port,
      allowedHosts,
      tls,
      seed,
      admin,
      authorization,
      firstResourceVersion,
      controllers,
      workloads,
      webhooks,
      admissionPlugins: admissionPlugins as ApiServerOptions['admissionPlugins'],
      shardedLists,
      objects: manifests.map(({ object }) => object) as unknown as ApiServerOptions['objects'],
    });
  } catch (error) {
    const invalid = error instanceof TypeError ? /^objects\[(\d+)\]: (.*)$/s.exec(error.message) : null;
    if (invalid !== null) throw new CommandError(`${manifests[Number(invalid[1])]?.place}: ${invalid[2]}`);
    if (error instanceof DataError) throw new CommandError(error.message);
    const refused = listenError(error, host, port);
    if (refused !== undefined) throw refused;
    if (error instanceof TypeError && typeof options.workloads === 'string' && /^workloads\b/.test(error.message)) {
      throw new CommandError(`${options.workloads}: ${error.message}`);
    }
    const wrong =
      error instanceof TypeError
        ? /^(allowedHosts|host|controllers|webhooks\S*|admissionPlugins) (must .*)$/s.exec(error.message)
        : null;
    if (wrong !== null) throw new UsageError(`--${flagOf(wrong[1]!)} ${wrong[2]}`);
    throw error;
  }
}

/** The options in a file; the server checks them. */
async function readWorkloads(option: boolean | string): Promise<ApiServerOptions['workloads']> {
  if (typeof option === 'boolean') return option;
  try {
    return JSON.parse(await readFile(option, 'utf8'));
  } catch (error) {
    throw new CommandError(`cannot read the options of workloads from ${option}: ${(error as Error).message}`);
  }
}

/** The flag of an option of the server. */
function flagOf(option: string): string {
  if (option.startsWith('webhooks')) return 'webhook';
  if (option === 'admissionPlugins') return 'enable-admission-plugins and --disable-admission-plugins';
  return option === 'allowedHosts' ? 'allowed-host' : option;
}

async function readFaults(path: string): Promise<readonly unknown[]> {
  let faults: unknown;
  try {
    faults = JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    throw new CommandError(`cannot read faults from ${path}: ${(error as Error).message}`);
  }
  if (!Array.isArray(faults)) throw new CommandError(`cannot read faults from ${path}: it must be a JSON array`);
  return faults;
}

function injectAll(api: ApiServer, faults: readonly unknown[], path: string): void {
  for (const [at, fault] of faults.entries()) {
    try {
      // `inject` validates the fault.
      api.faults.inject(fault as Fault);
    } catch (error) {
      throw new CommandError(`${path}: fault ${at + 1} of ${faults.length}: ${(error as Error).message}`);
    }
  }
}
