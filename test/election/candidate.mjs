// One candidate as a child process: it leads when elected, and writes through the guarded client while it leads and for some
// time after its signal has aborted. Sends events to its parent, and blocks its event loop when the parent asks for it.
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
  // The watchdog fires half-way between 1400 and 4000, at 2700: early enough for the parent to see which came first.
  leaseDurationMs: watchdog === 'watchdog' ? 4000 : 2000,
  renewDeadlineMs: 1400,
  retryPeriodMs: 200,
  watchdog: watchdog === 'watchdog',
});
const guarded = elector.guard(client);
const report = (event) => process.send?.({ event });

async function write() {
  try {
    await guarded.core.v1.configMaps('default').create({ metadata: { generateName: 'w-' }, data: { identity } });
    report('wrote');
  } catch (error) {
    report(error.cause?.name === 'LeadershipLostError' ? 'refused' : `failed: ${error.message}`);
  }
}

process.on('message', async ({ blockMs }) => {
  report('blocked');
  // Wait until the message is sent: nothing is sent while the event loop is blocked.
  await sleep(50);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, blockMs);
  // Right after the block, before any timer fires and any response is read.
  await Promise.all([write(), write(), write()]);
  report('unblocked');
});
process.on('disconnect', () => process.exit());

for (;;) {
  const outcome = await elector.run(async (signal) => {
    report('elected');
    for (let more = 20; more > 0; ) {
      if (signal.aborted) more--;
      await write();
      await sleep(20);
    }
  });
  report(outcome);
}
