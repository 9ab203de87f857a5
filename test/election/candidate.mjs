// One candidate as a process of its own: leads when elected, writes through the guarded client all the while, and for some
// time after it was told to stop. Tells its parent what happens, and does what the parent says.
//
//   node candidate.mjs <URL of the server, or kubeconfig> <identity> [watchdog]
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, LeaderElector } from '../../dist/index.js';

const [server, identity, watchdog] = process.argv.slice(2);
const client = server.startsWith('http') ? new Client({ server }) : await Client.fromKubeconfig({ path: server });
const elector = new LeaderElector(client, {
  namespace: 'default',
  name: 'boss',
  identity,
  // Long enough after the watchdog's hour (1400 to 4000: 2700) for the parent to see which came first.
  leaseDurationMs: watchdog === 'watchdog' ? 4000 : 2000,
  renewDeadlineMs: 1400,
  retryPeriodMs: 200,
  watchdog: watchdog === 'watchdog',
});
const guarded = elector.guard(client);
const tell = (event) => process.send?.({ event });

async function write() {
  try {
    await guarded.core.v1.configMaps('default').create({ metadata: { generateName: 'w-' }, data: { identity } });
    tell('wrote');
  } catch (error) {
    tell(error.cause?.name === 'LeadershipLostError' ? 'refused' : `failed: ${error.message}`);
  }
}

process.on('message', async ({ blockMs }) => {
  tell('blocked');
  // Until the parent has that: nothing is sent while the loop is blocked.
  await sleep(50);
  const end = performance.now() + blockMs;
  while (performance.now() < end);
  // The first thing after the block, before any timer or answer of the server had its turn.
  await Promise.all([write(), write(), write()]);
  tell('unblocked');
});
process.on('disconnect', () => process.exit());

for (;;) {
  const outcome = await elector.run(async (signal) => {
    tell('elected');
    for (let more = 20; more > 0; ) {
      if (signal.aborted) more--;
      await write();
      await sleep(20);
    }
  });
  tell(outcome);
}
