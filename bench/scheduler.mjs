// Measures thirty tasks with endless work: the overhead per item, the holds of the event loop, and how
// evenly the scheduler shares time. Overhead is CPU time, so that a busy machine affects the holds only. Run after `npm run build`.
import { performance } from 'node:perf_hooks';
import { realClock } from '../build/time/real-clock.js';
import { Scheduler } from '../build/time/scheduler.js';

const TASKS = 30;
const RUN_MS = 3000;

/** Work of about the length of a real item. */
function spin(iterations, seed) {
  let value = seed;
  for (let i = 0; i < iterations; i++) value = (Math.imul(value, 31) + i) | 0;
  return value;
}

/**
 * Three functions with the same body, as informers have several stages: with only one, V8 would inline all work
 * into the loop of the scheduler, which happens in no real program.
 */
function stepOf(index, work, counts) {
  const kinds = [
    (budget) => {
      while (budget.take()) {
        counts[index]++;
        work();
      }
      return true;
    },
    (budget) => {
      for (; budget.take(); work()) counts[index]++;
      return true;
    },
    (budget) => {
      for (;;) {
        if (!budget.take()) return true;
        counts[index]++;
        work();
      }
    },
  ];
  return kinds[index % kinds.length];
}

async function compete(label, iterations) {
  const scheduler = new Scheduler(realClock);
  const counts = new Array(TASKS).fill(0);
  let sink = 0;
  const steps = counts.map((_, index) => stepOf(index, () => (sink ^= spin(iterations, index)), counts));
  const alone = measureAlone(steps, Math.ceil(2e8 / (iterations + 10)));
  counts.fill(0);

  const holds = [];
  let last = performance.now();
  const end = last + RUN_MS;
  const tick = () => {
    const now = performance.now();
    holds.push(now - last);
    last = now;
    if (now < end) setImmediate(tick);
  };
  const cpu = process.cpuUsage();
  const tasks = steps.map((step, index) => scheduler.add(`task ${index}`, step));
  for (const task of tasks) task.wake();
  setImmediate(tick);
  await realClock.sleep(RUN_MS);
  for (const task of tasks) task.remove();
  await realClock.yield();
  const spent = nanoseconds(cpu);

  const items = counts.reduce((sum, count) => sum + count, 0);
  holds.sort((a, b) => a - b);
  console.log(
    `${label}: ${items} items in ${holds.length} turns, ${(spent / items).toFixed(1)} ns per item (alone ${alone.toFixed(1)}), ` +
      `hold p50 ${holds[holds.length >> 1].toFixed(1)} p99 ${holds[Math.floor(holds.length * 0.99)].toFixed(1)} max ${holds.at(-1).toFixed(1)} ms, ` +
      `least/most ${(Math.min(...counts) / Math.max(...counts)).toFixed(3)}`,
  );
  return sink;
}

/** The same steps with a counter as budget: the difference is the overhead of the scheduler. */
function measureAlone(steps, times) {
  const cpu = process.cpuUsage();
  let left = 0;
  const budget = { take: () => left-- > 0 };
  for (const step of steps) {
    left = times / steps.length;
    step(budget);
  }
  return nanoseconds(cpu) / times;
}

/** CPU time since `cpu` was read. */
function nanoseconds(cpu) {
  const { user, system } = process.cpuUsage(cpu);
  return (user + system) * 1000;
}

await compete('tiny items ', 20);
await compete('small items', 1000);
await compete('large items', 100_000);
