// The demo of `npm start`: options, the cluster to follow, the informers, and their display.
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Client, KubeflectError, SharedInformerFactory } from 'kubeflect';
import { startApiServer } from 'kubeflect/apiserver';
import { startInspector } from 'kubeflect/inspector';
import { Health, httpHandler, informersCheck, MetricsRegistry, startMetrics } from 'kubeflect/observe';
import { initialObjects, live, ownDeployment, workloads } from './living-cluster.mjs';
import { Observer } from './observer.mjs';
import { printLines, Screen, statusLine, styleFor } from './view.mjs';

const help = `Usage: npm start -- [options]

Starts an API server in this process with a small cluster that keeps changing, follows it with informers, and runs the
controller of examples/controller.mjs on it, with leader election and recorded events. On a terminal it shows a live table,
else lines.

With --kubeconfig or --context it follows that cluster instead, and only reads: nothing is created, changed or deleted.

Options:
      --for SECONDS      End after this time. Default: on Ctrl-C.
      --seed N           The seed of the changes; the same seed makes the same ones. Default: 1.
      --kubeconfig FILE  Follow the cluster of this kubeconfig.
      --context NAME     Follow the cluster of this context.
      --no-inspector     Do not serve the inspector's page.
  -h, --help             Show this.

Exit codes: 0 ended by --for or a signal, 1 failed, 2 wrong options.
`;

/**
 * @typedef {object} DemoContext the parts of the process that the demo uses; tests pass their own
 * @property {(client: Client) => import('kubeflect/controller').Manager} manager of the controllers that it runs
 * @property {{ write(text: string): unknown, isTTY?: boolean, columns?: number, rows?: number }} stdout
 * @property {{ write(text: string): unknown }} stderr
 * @property {Record<string, string | undefined>} env
 * @property {AbortSignal} signal ends the demo
 */

/**
 * Runs the demo and resolves with its exit code.
 *
 * @param {string[]} args
 * @param {DemoContext} context
 */
export async function demo(args, context) {
  const { stdout, stderr } = context;
  let options;
  try {
    options = readOptions(args);
  } catch (error) {
    stderr.write(`npm start --: ${error.message}\nTry 'npm start -- --help'.\n`);
    return 2;
  }
  if (options.help) {
    stdout.write(help);
    return 0;
  }
  try {
    const isReal = options.kubeconfig !== undefined || options.context !== undefined;
    stdout.write(`Stopped. ${await (isReal ? followCluster : runEmbedded)(options, context)}\n`);
    return 0;
  } catch (error) {
    stderr.write(`npm start --: ${error instanceof KubeflectError ? error.message : error.stack}\n`);
    return 1;
  }
}

function readOptions(args) {
  const text = { type: 'string' };
  const { values } = parseArgs({
    args,
    options: {
      for: text,
      seed: text,
      kubeconfig: text,
      context: text,
      'no-inspector': { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  const seconds = values.for === undefined ? undefined : Number(values.for);
  if (seconds !== undefined && !(seconds > 0 && seconds < 1e9))
    throw new Error(`--for must be a number of seconds above 0, got '${values.for}'`);
  const seed = Number(values.seed ?? 1);
  if (!Number.isInteger(seed) || seed < 0)
    throw new Error(`--seed must be a whole number from 0, got '${values.seed}'`);
  return { ...values, forMs: seconds && seconds * 1000, seed, hasInspector: values['no-inspector'] !== true };
}

async function runEmbedded({ seed, forMs, hasInspector }, context) {
  const api = await startApiServer({ objects: initialObjects(), seed, workloads });
  const client = api.client();
  const folder = await mkdtemp(join(tmpdir(), 'kubeflect-'));
  try {
    const kubeconfig = join(folder, 'kubeconfig');
    await writeFile(kubeconfig, api.kubeconfig, { mode: 0o600 });
    const { namespace, name } = ownDeployment;
    const notes = [
      'kubeflect, on a cluster of its own; Ctrl-C ends it',
      `API server   ${api.url}, in this process. Its cluster keeps changing, except ${namespace}/${name}:`,
      `try          kubectl --kubeconfig ${kubeconfig} scale deployment ${name} --replicas 5`,
      'read         examples/controller.mjs is the controller that creates and deletes the pods',
      'next         npm start -- --context NAME follows a cluster of yours; it only reads there',
    ];
    const random = seededRandom(seed);
    const manager = context.manager(client);
    return await present(client, { forMs, notes, context, hasInspector, manager }, (factory, signal) => [
      live({ client, factory, random }, signal),
      manager.run({ signal }),
    ]);
  } finally {
    await client.close();
    await api.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function followCluster({ kubeconfig, context: name, forMs, hasInspector }, context) {
  const { env, signal } = context;
  const options = { context: name, env };
  const client =
    kubeconfig === undefined
      ? await Client.fromDefault(options)
      : await Client.fromKubeconfig({ path: kubeconfig }, options);
  try {
    const { gitVersion } = await client.apis.version({ signal });
    const notes = [
      'kubeflect, on your cluster; Ctrl-C ends it',
      `API server   ${client.rest.transport.server}, Kubernetes ${gitVersion}; this program only reads`,
    ];
    return await present(client, { forMs, notes, context, hasInspector }, () => []);
  } finally {
    await client.close();
  }
}

/**
 * Shows informers of several kinds while `work` runs, until `forMs` is over, the signal aborts or a promise of `work`
 * rejects. Resolves with the last status line.
 */
async function present(client, { forMs, notes, context, hasInspector, manager }, work) {
  const { clock } = client;
  const until = new AbortController();
  const { signal } = until;
  const end = () => until.abort();
  if (context.signal.aborted) end();
  context.signal.addEventListener('abort', end, { once: true });
  const timer = forMs === undefined ? undefined : clock.setTimer(forMs, end);
  const factory = new SharedInformerFactory(client, { signal, onError: () => {} });
  const { core, apps } = factory;
  const informers = [core.v1.pods(), apps.v1.deployments(), apps.v1.replicaSets(), core.v1.nodes(), core.v1.events()];
  const observer = new Observer(clock, informers);
  const metrics = new MetricsRegistry();
  const stopMetrics = startMetrics({ registry: metrics, clock });
  const health = new Health();
  health.addReady(informersCheck(informers));
  const server = createServer(httpHandler({ metrics, health }));
  const working = [];
  let stopShowing = () => {};
  try {
    if (hasInspector) {
      const { url } = await startInspector({ factory, manager, signal });
      notes.push(`inspector    ${url} shows all of it in a browser`);
    }
    const address = await listenOnLoopback(server);
    notes.push(`metrics      ${address}/metrics, health ${address}/readyz?verbose`);
    stopShowing = show(observer, notes, clock, context);
    factory.start();
    working.push(...work(factory, signal));
    const ended = signal.aborted ? undefined : once(signal, 'abort');
    // Ends when a promise of `work` rejects, not when one resolves.
    await Promise.race([ended, Promise.all([ended, ...working])]);
  } catch (error) {
    // Waits reject when their signal aborts: that is the normal end.
    if (!signal.aborted) throw error;
  } finally {
    end();
    timer?.cancel();
    context.signal.removeEventListener('abort', end);
    await Promise.allSettled(working);
    stopShowing();
    observer.stop();
    stopMetrics();
    server.close();
    server.closeAllConnections();
    await factory.stop();
  }
  return statusLine(observer);
}

/** Shows the observer's data, on a terminal as a table, else as lines. Returns a function that ends it. */
function show(observer, notes, clock, { stdout, env }) {
  const style = styleFor(stdout, env);
  const view = stdout.isTTY ? new Screen(stdout, style, observer, notes) : printLines(stdout, style, observer, notes);
  let timer;
  const tick = () => {
    view.refresh();
    timer = clock.setTimer(view.everyMs, tick, { keepAlive: false });
  };
  timer = clock.setTimer(view.everyMs, tick, { keepAlive: false });
  return () => {
    timer.cancel();
    view.close();
  };
}

async function listenOnLoopback(server) {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  server.unref(); // the metrics endpoint does not keep the process alive
  return `http://127.0.0.1:${server.address().port}`;
}

/** Pseudo-random numbers from 0 to 1 (mulberry32). */
function seededRandom(seed) {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
