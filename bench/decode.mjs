// Measures the cost of turning bytes into handles, as ratios to the floor on the same bytes in the same run.
//
//   npm run build && node bench/decode.mjs [--runs 3] [--quick]
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { startLoadServer } from './load-server/start.mjs';

const { values } = parseArgs({ options: { runs: { type: 'string', default: '3' }, quick: { type: 'boolean' } } });
const runs = Number(values.runs);
const scale = values.quick ? 0.2 : 1;
const child = fileURLToPath(new URL('./decode-child.mjs', import.meta.url));
const execute = promisify(execFile);

async function measure(what, count, ...rest) {
  const args = ['--max-old-space-size=12000', child, what, `${count}`, ...rest];
  const { stdout } = await execute(process.execPath, args, { maxBuffer: 1 << 20 });
  return JSON.parse(stdout);
}

const median = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1];

/** Runs all alternately, several times, so that a slow minute of the machine affects all of them. */
async function compare(names, count) {
  const results = new Map(names.map((name) => [name, []]));
  for (let run = 0; run < runs; run++) {
    for (const name of names) results.get(name).push(await measure(name, count));
  }
  // The least disturbed run of each: other processes can only make a run slower.
  return (name) => Math.min(...results.get(name).map(({ micros }) => micros));
}

let failed = false;
function line(text, ratio, wanted, most = false) {
  const good = wanted === undefined || (most ? ratio <= wanted : ratio >= wanted);
  if (!good) failed = true;
  const goal =
    wanted === undefined ? '' : `  (wanted ${most ? 'at most' : 'at least'} ${wanted}) ${good ? 'ok' : 'MISSED'}`;
  console.log(`${text.padEnd(66)} ${ratio.toFixed(2)}${goal}`);
}

const events = Math.round(100_000 * scale);
const watch = await compare(
  [
    ...['watch-floor', 'watch-raw', 'watch-raw-js', 'watch-raw-kept', 'watch-raw-indexed'],
    ...['watch-decoded', 'watch-decoded-kept', 'watch-read'],
    ...['watch-protobuf', 'watch-protobuf-read', 'watch-protobuf-decoded'],
  ],
  events,
);
const perEvent = (name) => `${watch(name).toFixed(1)} µs`;
console.log(
  `\n${events} watch events of 10,000 pods; split + JSON.parse + Map.set takes ${perEvent('watch-floor')} each`,
);
const times = (name) => watch('watch-floor') / watch(name);
line(`to handles (${perEvent('watch-raw')}), times as fast`, times('watch-raw'), 5);
line(`  with the plain JavaScript scanner (${perEvent('watch-raw-js')})`, times('watch-raw-js'));
line(`  with managedFields kept (${perEvent('watch-raw-kept')})`, times('watch-raw-kept'));
line(`  with three paths read for indexes (${perEvent('watch-raw-indexed')})`, times('watch-raw-indexed'));
line(`everything decoded and kept (${perEvent('watch-decoded')})`, times('watch-decoded'), 0.9);
line(`  with managedFields kept (${perEvent('watch-decoded-kept')})`, times('watch-decoded-kept'));
line(`everything decoded and not kept (${perEvent('watch-read')})`, times('watch-read'));
line(`protobuf to handles (${perEvent('watch-protobuf')})`, times('watch-protobuf'));
line(`protobuf decoded and not kept (${perEvent('watch-protobuf-read')})`, times('watch-protobuf-read'));
line(`protobuf decoded and kept (${perEvent('watch-protobuf-decoded')})`, times('watch-protobuf-decoded'));

const items = Math.round(20_000 * scale);
const list = await compare(['list-floor', 'list-raw', 'list-raw-js'], items);
const perItem = (name) => `${list(name).toFixed(1)} µs`;
console.log(`\n${items} pods in a list; JSON.parse of the whole body takes ${perItem('list-floor')} a pod`);
line(`to handles (${perItem('list-raw')}), times as fast`, list('list-floor') / list('list-raw'), 3.5);
line(`  with the plain JavaScript scanner (${perItem('list-raw-js')})`, list('list-floor') / list('list-raw-js'));

const half = Math.round(50_000 * scale);
const server = await startLoadServer({ pods: half });
const floor = await measure('list-server-floor', half, server.url);
const raw = await measure('list-server-raw', half, server.url);
await server.stop();
console.log(
  `\n${half} pods over the network; whole body: ${floor.ms.toFixed(0)} ms, peak ${floor.maxRssMb.toFixed(0)} MB`,
);
line(`peak memory (${raw.maxRssMb.toFixed(0)} MB), of the floor's`, raw.maxRssMb / floor.maxRssMb, 0.3, true);
line(`time (${raw.ms.toFixed(0)} ms), times as fast`, floor.ms / raw.ms);

const all = Math.round(100_000 * scale);
const larger = await startLoadServer({ pods: all });
const holds = [];
let last;
for (let run = 0; run < runs; run++) {
  last = await measure('list-server-raw', all, larger.url);
  holds.push(last);
}
await larger.stop();
console.log(`\n${all} pods over the network: ${last.ms.toFixed(0)} ms, peak ${last.maxRssMb.toFixed(0)} MB`);
const own = holds.map(({ ownHoldMs }) => ownHoldMs);
line('longest hold of the event loop, ms (median of the runs)', median(own), 25, true);
line('  the worst of all runs', Math.max(...own));
line('  the same with the time that other processes took', Math.max(...holds.map(({ holdMs }) => holdMs)));
process.exit(failed ? 1 : 0);
