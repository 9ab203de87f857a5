// What a diagnostics channel costs when nobody hears it, and when somebody does. Run after `npm run build`.
import { channels, listen } from '../dist/observe/channels.js';

const ROUNDS = 7;
const TIMES = 20_000_000;
const source = { name: 'pods', group: '', version: 'v1', resource: 'pods' };

/** Nanoseconds per call, the median of several rounds. */
function measure(work) {
  work(TIMES / 10);
  const rounds = Array.from({ length: ROUNDS }, () => {
    const begin = process.hrtime.bigint();
    work(TIMES);
    return Number(process.hrtime.bigint() - begin) / TIMES;
  });
  return rounds.sort((a, b) => a - b)[ROUNDS >> 1];
}

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

const floor = measure(bare);
const unheard = measure(guarded) - floor;
let heard = 0;
const stop = listen(channels.queueDepth, ({ length }) => (heard += length & 1));
const listened = measure(guarded) - floor;
stop();

console.log(`channel unheard   ${unheard.toFixed(2)} ns per publish (loop itself ${floor.toFixed(2)} ns)`);
console.log(`channel, 1 heard  ${listened.toFixed(2)} ns per publish`);
if (sum + heard === 0) throw new Error('nothing was measured');
