// Lists the files of src/ that one watch event, a first list and a write run through; docs/follow-an-event.md describes them. It
// counts calls with V8's coverage; the server runs in another process.
//
//   npm run build && node scripts/follow-event.mjs
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Session } from 'node:inspector/promises';
import { fileURLToPath } from 'node:url';
import { startApiServer } from '../build/apiserver/index.js';
import { Client, SharedInformerFactory } from '../build/index.js';

const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'default' }, data: { step: '0' } };

if (process.argv[2] === 'server') {
  const api = await startApiServer({ objects: [map] });
  const maps = api.client().core.v1.configMaps('default');
  process.on('message', (step) => maps.patch('a', { data: { step } }));
  process.on('disconnect', () => process.exit());
  process.send(api.kubeconfig);
} else {
  const server = fork(fileURLToPath(import.meta.url), ['server']);
  const [kubeconfig] = await once(server, 'message');
  await follow(kubeconfig, (step) => server.send(step));
  server.disconnect();
}

async function follow(kubeconfig, update) {
  const inspector = new Session();
  inspector.connect();
  await inspector.post('Profiler.enable');
  await inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  const root = new URL('../build/', import.meta.url).href;
  /** Prints the files with a function that was called since the last report. */
  const report = async (title) => {
    const { result } = await inspector.post('Profiler.takePreciseCoverage');
    if (title === undefined) return;
    const files = result
      .filter(({ url }) => url.startsWith(root))
      // The range that begins at 0 is the module itself, which runs when it is loaded.
      .filter(({ functions }) => functions.some(({ ranges: [{ startOffset, count }] }) => startOffset > 0 && count > 0))
      .map(({ url }) => `src/${url.slice(root.length).replace(/\.js$/, '.ts')}`)
      .sort();
    console.log(`\n${title}: ${files.length} files\n  ${files.join('\n  ')}`);
  };

  const client = await Client.fromKubeconfig({ text: kubeconfig });
  for (const useWatchList of [false, true]) {
    const factory = new SharedInformerFactory(client, { namespace: 'default', useWatchList });
    const informer = factory.core.v1.configMaps();
    let onStep = () => {};
    informer.addEventHandler({ onAdd: () => {}, onUpdate: (_old, { data }) => onStep(data.step) });
    const next = (step) => {
      const seen = new Promise((resolve) => (onStep = (got) => got === step && resolve()));
      update(step);
      return seen;
    };
    await report();
    factory.start();
    await factory.waitForCacheSync();
    await report(useWatchList ? 'first list, as a watch-list' : 'first list, in pages, and the watch that follows');
    await next(`warm ${useWatchList}`);
    await report();
    await next(`now ${useWatchList}`);
    if (useWatchList) await report('a watch event');
    await factory.stop();
  }
  const maps = client.core.v1.configMaps('default');
  await maps.patch('a', { data: { step: 'warm' } });
  await report();
  await maps.patch('a', { data: { step: 'written' } });
  await report('a write');
  await client.close();
}
