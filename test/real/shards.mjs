// Replicas of a sharded operator as processes on a real kube-apiserver, which are killed (SIGKILL), stopped and continued at random
// while objects change. Checks that no write of a former holder is stored after the next one's first, that no change is lost, and how
// long takeovers take; prints memory and traffic of each replica.
//
//   node test/real/shards.mjs [--minutes 10] [--objects 20000] [--replicas 5] [--gate on|off]
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Client, SharedInformerFactory } from '../../dist/index.js';
import { startRealApiServer } from './real-api-server.mjs';
import { label, manager, sharding } from './sharded-operator.mjs';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    objects: { type: 'string', default: '20000' },
    replicas: { type: 'string', default: '5' },
    gate: { type: 'string', default: 'on' },
  },
});
const objects = Number(values.objects);
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const random = (most) => Math.floor(Math.random() * most);
const problems = [];
const program = fileURLToPath(new URL('sharded-operator.mjs', import.meta.url));

const server = await startRealApiServer({ featureGates: { ShardedListAndWatch: values.gate === 'on' } });
const admin = await Client.fromKubeconfig({ path: server.kubeconfigPath });
const maps = admin.core.v1.configMaps('default');
const leases = admin.coordination.v1.leases('default');

/** Calls the function for each number, some at a time. */
async function each(count, call) {
  let next = 0;
  await Promise.all(
    Array.from({ length: 32 }, async () => {
      while (next < count) await call(next++);
    }),
  );
}

const [key, value] = label.split('=');
await each(objects, (i) =>
  maps.create({ metadata: { name: `o-${i}`, labels: { [key]: value } }, data: { round: '0' } }),
);

// The writes of all runs, in the order in which the server stored them.
const last = new Map();
const over = new Map();
const factory = new SharedInformerFactory(admin);
factory.core.v1.secrets({ namespace: 'default' }).subscribe(({ type, object }) => {
  if (type === 'delete' || object.data?.run === undefined) return;
  const { name } = object.metadata;
  const [run, round] = [object.data.run, object.data.round].map((text) => Buffer.from(text, 'base64').toString());
  const before = last.get(name);
  last.set(name, { run, round });
  if (before === undefined || before.run === run) return;
  const runs = over.get(name) ?? new Set();
  over.set(name, runs.add(before.run));
  if (runs.has(run)) problems.push(`${name}: a write of ${run} was stored after one of ${before.run}`);
});
factory.start();
await factory.waitForCacheSync();

const replicas = [];
async function start() {
  const child = spawn(process.execPath, [program, server.kubeconfigPath], { stdio: ['ignore', 'pipe', 'inherit'] });
  const replica = { child, identity: '' };
  replicas.push(replica);
  for await (const chunk of child.stdout) {
    const found = /^identity (.*)$/m.exec(String(chunk));
    if (found !== null) {
      replica.identity = found[1];
      break;
    }
  }
  return replica;
}

/** The identities of the replicas that hold shards, each as often as it holds one. */
async function holders() {
  const { items } = await leases.list({ labelSelector: `kubeflect.dev/shards-of=${manager}` });
  const identities = new Map(items.map(({ metadata, spec }) => [metadata.name, spec?.holderIdentity]));
  const shared = items.find(({ metadata }) => metadata.name === `${manager}-shards`);
  const text = shared?.metadata.annotations?.['kubeflect.dev/shard-assignment'];
  if (text === undefined) return [];
  const { sessions, holders: places } = JSON.parse(text);
  return places.map((place) => (place < 0 ? undefined : (identities.get(sessions[place].split('#')[0]) ?? 'unknown')));
}

async function until(what, withinMs, condition) {
  const since = performance.now();
  while (!(await condition())) {
    if (performance.now() - since > withinMs) {
      problems.push(`${what} after ${withinMs} ms`);
      return Number.POSITIVE_INFINITY;
    }
    await sleep(50);
  }
  return performance.now() - since;
}

for (let i = 0; i < Number(values.replicas); i++) await start();
await until('not all replicas have shards', 60_000, async () => {
  const held = new Set(await holders());
  return replicas.every(({ identity }) => held.has(identity));
});

const rounds = new Map();
const end = performance.now() + Number(values.minutes) * 60_000;
const takeovers = [];
let stops = 0;
async function churn() {
  for (let round = 1; performance.now() < end; round++) {
    const name = `o-${random(objects)}`;
    await maps.patch(name, { data: { round: `${round}` } });
    rounds.set(name, `${round}`);
    await sleep(10);
  }
}
const { leaseDurationMs, retryPeriodMs } = sharding;
const takeoverMs = leaseDurationMs + 2.2 * retryPeriodMs + 2000;
async function disturb() {
  while (performance.now() < end) {
    await sleep(4000 + random(8000));
    const replica = replicas[random(replicas.length)];
    if (Math.random() < 0.5) {
      replica.child.kill('SIGKILL');
      replicas.splice(replicas.indexOf(replica), 1);
      takeovers.push(
        await until(`${replica.identity} was killed and still holds shards`, takeoverMs, async () => {
          const held = await holders();
          return held.length > 0 && !held.includes(replica.identity) && !held.includes(undefined);
        }),
      );
      await start();
    } else {
      stops++;
      replica.child.kill('SIGSTOP');
      await sleep(500 + random(2 * leaseDurationMs));
      replica.child.kill('SIGCONT');
    }
  }
}
await Promise.all([churn(), disturb()]);
await until('changes are not handled', 120_000, () =>
  [...rounds].every(([name, round]) => last.get(name)?.round === round),
);
await until('objects have not been handled', 120_000, () => last.size === objects);

const measured = replicas.map(({ child, identity }) => {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  const io = readFileSync(`/proc/${child.pid}/io`, 'utf8');
  const rssMb = Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024);
  const peakMb = Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024);
  return { identity, rssMb, peakMb, readMb: Math.round(Number(/rchar: (\d+)/.exec(io)?.[1]) / 2 ** 20) };
});
// One after the other: of replicas that leave at the same moment one may give a shard to another that has just left.
for (const { child } of replicas) {
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await gone;
}
const left = await holders();
if (left.some((holder) => holder !== undefined))
  problems.push(`shards are held after all replicas have left: ${[...new Set(left)]}`);
await factory.stop();
await admin.close();
await server.stop();
const stats = { gate: values.gate, objects, changes: rounds.size, kills: takeovers.length, stops };
console.log(JSON.stringify({ ...stats, takeoversMs: takeovers.map(Math.round), measured, problems }, null, 1));
process.exit(problems.length === 0 ? 0 : 1);
