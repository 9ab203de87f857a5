import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startApiServer } from '../../apiserver/server.js';
import type { SharedIndexInformer } from '../../cache/informer/shared-informer.js';
import type { Client } from '../../client/client.js';
import { SharedInformerFactory } from '../../informers/shared-informer-factory.js';
import type { KubernetesObject } from '../../meta/objects.js';
import { Health } from '../../observe/health.js';
import { httpHandler } from '../../observe/http-handler.js';
import { informersCheck } from '../../observe/informers-check.js';
import { MetricsRegistry } from '../../observe/metrics-registry.js';
import { startMetrics } from '../../observe/start-metrics.js';
import { seededRandom } from '../../time/random.js';
import { linkSignals } from '../../time/signals.js';
import { aborted } from '../aborted.js';
import { parseArguments, secondsToMs, wholeNumber } from '../arguments.js';
import { type Command, type CommandContext, EXIT } from '../command.js';
import { type ClusterChoice, clusterOptions, connect } from '../connect.js';
import { styleFor } from '../style.js';
import { DemoObserver } from './demo-observer.js';
import { changeLine, DemoScreen, informerTable, statusLine } from './demo-view.js';
import { initialObjects, LivingCluster, nodeNames, ownDeployment } from './living-cluster.js';
import { PodAgent } from './pod-agent.js';

/** The controller to show: reconciles with the client, on informers of the factory, until the signal aborts. */
export type DemoController = (client: Client, factory: SharedInformerFactory, signal: AbortSignal) => Promise<unknown>;

const drawEveryMs = 250;
const plainStatusEveryMs = 10_000;

/** What `npm start` runs: everything there is, live, on a cluster inside this process or, reading only, on your own. */
export function demo(controller: DemoController): Command {
  return {
    name: 'start',
    summary: 'Show everything at work on a cluster inside this process.',
    help: `Usage: npm start -- [options]

Starts an API server inside this process with a small living cluster, follows it with informers, and runs the controller of
examples/controller.mjs on it: a work queue, leader election, recorded events. On a terminal it shows a live table, else
lines.

With --kubeconfig or --context it follows that cluster instead, and only reads: nothing is created, changed or deleted.

Options:
      --for SECONDS      End after so long. Default: on Ctrl-C.
      --seed N           Another story; the same number tells the same one. Default: 1.
      --kubeconfig FILE  Follow the cluster of this kubeconfig.
      --context NAME     Follow the cluster of this context.
  -h, --help             Show this.

Exit codes: 0 ended by --for or a signal, 1 failed, 2 wrong options.
`,
    async run(args, context) {
      const options = readOptions(args);
      const isReal = options.kubeconfig !== undefined || options.context !== undefined;
      return isReal ? followCluster(options, context) : runEmbedded(options, controller, context);
    },
  };
}

interface DemoOptions extends ClusterChoice {
  readonly forMs: number | undefined;
  readonly seed: number;
}

function readOptions(args: readonly string[]): DemoOptions {
  const { values } = parseArguments({
    args: [...args],
    options: { ...clusterOptions, for: { type: 'string' }, seed: { type: 'string' } },
  });
  return {
    kubeconfig: values.kubeconfig,
    context: values.context,
    forMs: secondsToMs('--for', values.for),
    seed: wholeNumber('--seed', values.seed ?? '1', 2 ** 32 - 1),
  };
}

async function runEmbedded(options: DemoOptions, controller: DemoController, context: CommandContext): Promise<number> {
  const { seed } = options;
  const api = await startApiServer({ objects: initialObjects(), seed });
  const client = api.client();
  const folder = await mkdtemp(join(tmpdir(), 'kubeflect-'));
  try {
    const kubeconfig = join(folder, 'kubeconfig');
    await writeFile(kubeconfig, api.kubeconfig, { mode: 0o600 });
    const { namespace, name } = ownDeployment;
    const lines = [
      `API server   ${api.url}, in this process. Its cluster lives by itself; ${namespace}/${name} is yours:`,
      `try          kubectl --kubeconfig ${kubeconfig} scale deployment ${name} --replicas 5`,
      'read         examples/controller.mjs is what answers',
      'next         npm start -- --context NAME follows a cluster of yours, and only reads there',
    ];
    return await present(
      client,
      options,
      context,
      { title: 'kubeflect, on a cluster of its own', lines },
      (factory, signal) => {
        const random = seededRandom(seed);
        return [
          new PodAgent({ client, factory, nodes: nodeNames, random }).run(signal),
          new LivingCluster({ client, factory, random }).run(signal),
          controller(client, factory, signal),
        ];
      },
    );
  } finally {
    await client.close();
    await api.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function followCluster(options: DemoOptions, context: CommandContext): Promise<number> {
  const client = await connect(options, context);
  try {
    const { gitVersion } = await client.apis.version({ signal: context.signal });
    const lines = [`API server   ${client.rest.transport.server}, Kubernetes ${gitVersion}; this program only reads`];
    return await present(client, options, context, { title: 'kubeflect, on your cluster', lines }, () => []);
  } finally {
    await client.close();
  }
}

/** Informers on several kinds, shown while `work` goes on; stops everything when time is up. */
async function present(
  client: Client,
  options: DemoOptions,
  context: CommandContext,
  about: { readonly title: string; readonly lines: readonly string[] },
  work: (factory: SharedInformerFactory, signal: AbortSignal) => readonly Promise<unknown>[],
): Promise<number> {
  const { clock } = client;
  const until = linkSignals([context.signal], { timeoutMs: options.forMs, clock });
  const { signal } = until;
  const factory = new SharedInformerFactory(client, { signal, onError: () => {} });
  const informers = [
    factory.core.v1.pods(),
    factory.apps.v1.deployments(),
    factory.apps.v1.replicaSets(),
    factory.core.v1.nodes(),
    factory.core.v1.events(),
  ] as unknown as SharedIndexInformer<KubernetesObject>[];
  const observer = new DemoObserver(clock, informers);
  const registry = new MetricsRegistry();
  const stopMetrics = startMetrics({ registry, clock });
  const health = new Health();
  health.addReady(informersCheck(informers));
  const server = createServer(httpHandler({ metrics: registry, health }));
  const address = await listen(server);
  const notes = {
    title: `${about.title}; Ctrl-C ends it`,
    lines: [...about.lines, `metrics      ${address}/metrics, health ${address}/readyz?verbose`],
  };
  const stopShowing = show(observer, notes, client, context);
  const working: Promise<unknown>[] = [];
  try {
    factory.start();
    working.push(...work(factory, signal));
    // Work that fails ends everything; work that ends does not.
    await Promise.race([aborted(signal), Promise.all([aborted(signal), ...working])]);
  } catch (error) {
    // Waits reject when they are called off: that is how they end.
    if (!signal.aborted) throw error;
  } finally {
    until.abort();
    await Promise.allSettled(working);
    stopShowing();
    observer.stop();
    stopMetrics();
    server.close();
    server.closeAllConnections();
    await factory.stop();
  }
  context.stdout.write(`Stopped. ${statusLine(observer)}\n`);
  return EXIT.success;
}

/** Shows what is going on until the returned function is called: on a terminal as a table, else as lines. */
function show(
  observer: DemoObserver,
  notes: { readonly title: string; readonly lines: readonly string[] },
  { clock }: Client,
  context: CommandContext,
): () => void {
  const { stdout } = context;
  const style = styleFor(stdout, context);
  const repeat = (ms: number, tell: () => void): (() => void) => {
    let timer = clock.setTimer(ms, function again() {
      tell();
      timer = clock.setTimer(ms, again, { keepAlive: false });
    });
    return () => timer.cancel();
  };
  if (stdout.isTTY === true) {
    const screen = new DemoScreen(stdout, style);
    screen.draw(observer, notes);
    const stop = repeat(drawEveryMs, () => screen.draw(observer, notes));
    return () => {
      stop();
      screen.close();
    };
  }
  stdout.write(`${[notes.title, ...notes.lines].join('\n')}\n`);
  observer.onSynced = (resource, objects) => stdout.write(`synced ${resource}: ${objects} objects\n`);
  observer.onChange = (change) => stdout.write(`${changeLine(change, style)}\n`);
  return repeat(plainStatusEveryMs, () => {
    stdout.write(`${[...informerTable(observer, style, Number.POSITIVE_INFINITY), statusLine(observer)].join('\n')}\n`);
  });
}

function listen(server: Server): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      // Nobody waits for those who read metrics.
      server.unref();
      resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    });
  });
}
