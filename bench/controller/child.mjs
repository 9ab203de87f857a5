// A controller with three owned objects for each ReplicationController, and a status. bench/controller-runtime is the same one in Go.
//
//   node bench/controller/child.mjs <kubeconfig> <namespace> <objects> <passes>
//
// It prints one line of JSON for the first pass, in which everything is created, and one for each pass over all objects after that,
// which finds everything as it should be.
import { subscribe } from 'node:diagnostics_channel';
import { createController, createManager } from '../../dist/controller/index.js';
import { Client, realClock, resources } from '../../dist/index.js';

const [kubeconfig, namespace, objects, passes] = process.argv.slice(2);
const { configMaps, secrets, serviceAccounts, replicationControllers } = resources.core.v1;

/** The clock of the process, which counts the timers that are set. */
function countingClock() {
  let pending = 0;
  const clock = Object.create(realClock, {
    setTimer: {
      value: (ms, callback, options) => {
        pending++;
        let isOver = false;
        const end = () => {
          if (!isOver) pending--;
          isOver = true;
        };
        const fire = () => {
          end();
          callback();
        };
        const timer = realClock.setTimer(ms, fire, options);
        const cancel = () => {
          end();
          timer.cancel();
        };
        return { cancel, ref: () => timer.ref(), unref: () => timer.unref() };
      },
    },
  });
  return { clock, pending: () => pending };
}

let runs = 0;
let sent = 0;
let endedAt = 0;
subscribe('kubeflect:controller:run', ({ writes, outcome, error }) => {
  runs++;
  sent += writes.length;
  endedAt = performance.now();
  if (outcome !== 'done') console.error(String(error));
});

const { clock, pending } = countingClock();
const client = await Client.fromKubeconfig({ path: kubeconfig }, { clock });
const controller = createController({
  name: 'bench',
  for: replicationControllers,
  owns: [configMaps, secrets, serviceAccounts],
  workers: 50,
  async reconcile({ metadata: { name }, spec }, { apply, status }) {
    const labels = { app: name };
    await apply(configMaps, { metadata: { name, labels }, data: { image: spec.template.spec.containers[0].image } });
    await apply(secrets, { metadata: { name, labels }, stringData: { token: name } });
    await apply(serviceAccounts, { metadata: { name, labels } });
    status({ replicas: spec.replicas });
  },
});
const manager = createManager(client, {
  name: 'bench',
  controllers: [controller],
  election: false,
  port: 0,
  cache: { namespace },
});

async function measure(begin, isOver) {
  runs = 0;
  sent = 0;
  const startedAt = performance.now();
  const before = process.cpuUsage();
  begin();
  while (!isOver()) await new Promise((resolve) => setTimeout(resolve, 2));
  const { user, system } = process.cpuUsage(before);
  const seconds = (endedAt - startedAt) / 1000;
  const line = {
    runs,
    sent,
    seconds,
    cpuS: (user + system) / 1e6,
    cpuUsPerRun: (user + system) / runs,
    runsPerSecond: runs / seconds,
    peakMb: process.resourceUsage().maxRSS / 1024,
    timers: pending(),
  };
  console.log(JSON.stringify(line));
}

const stop = new AbortController();
let ended;
await measure(
  () => {
    ended = manager.run({ signal: stop.signal });
  },
  () => runs >= Number(objects) && performance.now() - endedAt > 500,
);
for (let pass = 0; pass < Number(passes); pass++) {
  await measure(
    () => manager.controller(controller).enqueue(),
    () => runs >= Number(objects),
  );
}
stop.abort();
await ended;
await client.close();
