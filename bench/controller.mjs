// What a controller costs: an event of an owned object until its owner is woken, and runs of a controller with three owned objects for each of
// its own, beside the same controller written with controller-runtime.
//
//   node bench/controller.mjs [--objects 50000] [--passes 5] [--subject kubeflect|controller-runtime|wakes]
//
// Each subject is a process of its own, on an embedded server of its own, over TLS. Without Go controller-runtime is left out. With 50,000 objects the
// figures of the subjects are stored in bench/results/, from which `node bench/index.mjs --page` writes docs/benchmarks.md.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { Client } from '../dist/index.js';
import { machineFacts, moduleVersion } from './machine.mjs';
import { goVersion } from './processes.mjs';

const { values } = parseArgs({
  options: {
    objects: { type: 'string', default: '50000' },
    passes: { type: 'string', default: '5' },
    subject: { type: 'string', multiple: true, default: ['wakes', 'kubeflect', 'controller-runtime'] },
  },
});
const objects = Number(values.objects);
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const log = (line) => process.stderr.write(`${line}\n`);
const execute = promisify(execFile);
const namespace = 'default';

/** An embedded server in a process of its own. */
async function startServer(folder) {
  const kubeconfig = join(folder, 'kubeconfig');
  const args = ['serve', '--tls', '--controllers', 'system-namespaces', '--kubeconfig', kubeconfig];
  const server = spawn(process.execPath, ['--max-old-space-size=12000', here('../dist/cli/main.js'), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = once(server, 'exit');
  for await (const line of createInterface(server.stdout)) if (line.startsWith('Try')) break;
  const stop = async () => {
    server.kill();
    await exit;
  };
  return { kubeconfig, stop };
}

/** Creates the objects that the controllers reconcile. */
async function fill(kubeconfig) {
  log(`  creating ${objects} objects`);
  const client = await Client.fromKubeconfig({ path: kubeconfig });
  const own = client.core.v1.replicationControllers(namespace);
  for (let i = 0; i < objects; i += 100) {
    const batch = Array.from({ length: Math.min(100, objects - i) }, (_, j) => `rc-${i + j}`);
    await Promise.all(batch.map((name) => own.create(replicationController(name))));
  }
  await client.close();
}

function replicationController(name) {
  const labels = { app: name };
  const spec = { containers: [{ name: 'web', image: 'web:1' }] };
  return {
    metadata: { name, labels },
    spec: { replicas: 2, selector: labels, template: { metadata: { labels }, spec } },
  };
}

/** Runs a controller until it ends, on a server of its own; returns the figures of its first pass and of those after it. */
async function measureRuns(command, args) {
  const folder = mkdtempSync(join(tmpdir(), 'kubeflect-bench-'));
  const server = await startServer(folder);
  try {
    await fill(server.kubeconfig);
    const all = [...args, server.kubeconfig, namespace, String(objects), values.passes];
    const child = spawn(command, all, { stdio: ['ignore', 'pipe', 'inherit'] });
    const exit = once(child, 'exit');
    const lines = [];
    for await (const line of createInterface(child.stdout)) {
      log(`  ${line}`);
      lines.push(JSON.parse(line));
    }
    const [code] = await exit;
    if (code !== 0) throw new Error(`${command} ended with ${code}`);
    const [first, ...passes] = lines;
    return { first, passes };
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true });
  }
}

/** Builds bench/controller-runtime in a folder; undefined if there is no Go. */
async function buildControllerRuntime(folder) {
  const binary = join(folder, 'controller-runtime');
  try {
    await execute('go', ['build', '-o', binary, '.'], { cwd: here('controller-runtime'), timeout: 600_000 });
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
  return binary;
}

const subjects = {
  async wakes() {
    const { stdout } = await execute(process.execPath, [here('controller/wakes.mjs'), '40000']);
    log(`  ${stdout.trim()}`);
    return JSON.parse(stdout);
  },
  kubeflect: () => measureRuns(process.execPath, [...process.execArgv, here('controller/child.mjs')]),
  async 'controller-runtime'() {
    const folder = mkdtempSync(join(tmpdir(), 'kubeflect-bench-'));
    try {
      const binary = await buildControllerRuntime(folder);
      if (binary === undefined) log('  left out: Go is not installed');
      return binary === undefined ? undefined : await measureRuns(binary, []);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};

const figures = {};
for (const name of values.subject) {
  log(name);
  figures[name] = await subjects[name]();
}
console.log(JSON.stringify(figures, null, 1));
if (objects === 50_000) {
  const results = new URL('results/controller.json', import.meta.url);
  const before = existsSync(results) ? JSON.parse(readFileSync(results, 'utf8')) : {};
  const machine = {
    ...machineFacts(),
    go: await goVersion(),
    controllerRuntime: moduleVersion('controller-runtime', 'controller-runtime'),
  };
  const all = { ...before, machine, objects, passes: Number(values.passes), ...figures };
  writeFileSync(results, `${JSON.stringify(all, null, 1)}\n`);
}
