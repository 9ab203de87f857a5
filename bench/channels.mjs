// Measures the cost of a diagnostics channel without and with a subscriber. Run after `npm run build`.
import { channels, listen } from '../build/observe/channels.js';
import { nanoseconds } from './nanoseconds.mjs';

const TIMES = 20_000_000;
const source = { name: 'pods', group: '', version: 'v1', resource: 'pods' };

let sum = 0;
function bare(times) {
  for (let i = 0; i < times; i++) sum += i & 7;
}
function guarded(times) {
  for (let i = 0; i < times; i++) {
    sum += i & 7;
    if (channels.queueDepth.hasSubscribers) channels.queueDepth.publish({ source, length: i });
  }
}

const floor = nanoseconds(TIMES, bare);
const unheard = nanoseconds(TIMES, guarded) - floor;
let heard = 0;
const stop = listen(channels.queueDepth, ({ length }) => (heard += length & 1));
const listened = nanoseconds(TIMES, guarded) - floor;
stop();

console.log(`channel unheard   ${unheard.toFixed(2)} ns per publish (loop itself ${floor.toFixed(2)} ns)`);
console.log(`channel, 1 heard  ${listened.toFixed(2)} ns per publish`);
if (sum + heard === 0) throw new Error('nothing was measured');
