// Measures holds of the event loop by operations on a large cache, in its own process:
//
//   node bench/informer/hold-child.mjs <url> <pods> [informers]
//
// With one informer: first sync, a late handler, indexes added while running, relist, resync, one after the other. With
// several: their first sync at once.
import { get as getPlain } from 'node:http';
import { get as getOverTls } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { holdMeter } from '../hold-meter.mjs';
import { factoryFor } from './subjects.mjs';

const [, , url, podsText, informersText = '1'] = process.argv;
const pods = Number(podsText);
const informers = Number(informersText);

const ask = (path) =>
  new Promise((resolve) =>
    (url.startsWith('https:') ? getOverTls : getPlain)(`${url}${path}`, { agent: false }, (r) =>
      r.resume().on('end', resolve),
    ),
  );

async function until(condition) {
  for (const deadline = performance.now() + 120_000; !condition(); ) {
    if (performance.now() > deadline) throw new Error(`gave up waiting until ${condition}`);
    await sleep(5);
  }
}

async function held(work) {
  await sleep(200);
  const meter = holdMeter();
  await work();
  return meter.stop();
}

const results = {};
if (informers > 1) {
  const factory = await factoryFor(url);
  let calls = 0;
  for (let i = 0; i < informers; i++) factory.core.v1.pods({ name: `pods ${i}` }).enqueueInto({ add: () => calls++ });
  results[`first sync of ${informers} informers`] = await held(async () => {
    factory.start();
    await until(() => calls >= pods * informers);
  });
} else {
  // Late enough for all operations before it.
  const resyncMs = pods > 50_000 ? 60_000 : 15_000;
  const factory = await factoryFor(url, { resyncMs });
  const informer = factory.core.v1.pods();
  let calls = 0;
  informer.enqueueInto({ add: () => calls++ });
  results['first sync'] = await held(async () => {
    factory.start();
    await until(() => calls >= pods);
  });
  results['late handler'] = await held(async () => {
    let late = 0;
    const subscription = informer.subscribe(() => late++);
    await until(() => late >= pods);
    await subscription.remove();
  });
  results['index of a path, added'] = await held(() => informer.addIndex('node', ['spec', 'nodeName']).whenReady());
  results['index function, added'] = await held(() =>
    informer.addIndex('phase', (pod) => [pod.status?.phase ?? '']).whenReady(),
  );
  results.relist = await held(async () => {
    // Before its first resync a handler is called for every object of a list.
    const before = calls;
    await ask('/bench/expire');
    await until(() => calls >= before + pods);
  });
  // The resync starts by its timer.
  const before = calls;
  results.resync = await held(() => until(() => calls >= before + pods));
}
process.stdout.write(`${JSON.stringify(results)}\n`, () => process.exit(0));
