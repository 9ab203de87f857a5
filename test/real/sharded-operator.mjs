// A replica of a sharded operator as a child process: each run of an object writes a Secret twice, with the number of the run.
//
//   node sharded-operator.mjs <kubeconfig>
import { createController, createManager } from '../../dist/controller/index.js';
import { Client, resources, terminationSignal } from '../../dist/index.js';

export const sharding = {
  shards: 32,
  leaseDurationMs: 6000,
  renewDeadlineMs: 4000,
  retryPeriodMs: 800,
  rebalanceAfterMs: 3000,
};
export const manager = 'sharded-operator';
export const label = 'sharded=yes';

const { configMaps } = resources.core.v1;

if (import.meta.url === `file://${process.argv[1]}`) {
  const client = await Client.fromKubeconfig({ path: process.argv[2] });
  const controller = createController({
    name: 'marks',
    for: configMaps,
    cache: { labelSelector: label },
    workers: 8,
    async reconcile({ metadata: { name, namespace }, data }, context) {
      const secrets = context.client.core.v1.secrets(namespace);
      for (const step of ['1', '2']) {
        const run = `${running.identity}/${context.id}`;
        await secrets.apply(
          { metadata: { name }, stringData: { run, step, round: data?.round ?? '' } },
          { force: true },
        );
        if (step === '1') await context.clock.sleep(5 + context.clock.random() * 40, { signal: context.signal });
      }
    },
  });
  const options = {
    name: manager,
    namespace: 'default',
    controllers: [controller],
    sharding,
    port: false,
    drainMs: 3000,
  };
  const running = createManager(client, { ...options, onError: () => {} });
  process.stdout.write(`identity ${running.identity}\n`);
  await running.run({ signal: terminationSignal() });
  await client.close();
}
