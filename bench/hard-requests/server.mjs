// A process with an embedded API server. The first message has its options; `start` and `stop` measure the longest hold of its
// event loop and its memory.
//
//   node --expose-gc server.mjs <dist folder>
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { holdMeter } from '../hold-meter.mjs';

const { startApiServer } = await import(pathToFileURL(join(process.argv[2], 'apiserver/index.js')).href);
let api;
let meter;

process.on('message', async (message) => {
  if (message === 'start') {
    collect();
    meter = holdMeter();
    process.send({ memoryMb: keptMb() });
  } else if (message === 'stop') {
    const { ownHoldMs } = meter.stop();
    collect();
    process.send({ holdMs: ownHoldMs, memoryMb: keptMb() });
  } else {
    api = await startApiServer(message);
    process.send({ url: api.url });
  }
});

function collect() {
  globalThis.gc();
  globalThis.gc();
}

/** The memory in use after a garbage collection. */
function keptMb() {
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 2 ** 20;
}
