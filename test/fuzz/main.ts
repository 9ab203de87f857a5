// Runs the targets in a thread, in slices of time, until the time or the inputs are over. See run.mjs.
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { type Finding, printFinding } from './fuzz.js';
import { MemoryWatch } from './memory-watch.js';
import { Results } from './results.js';
import { leastChecked } from './turns.js';
import { Watchdog } from './watchdog.js';
import type { Report, Task } from './worker.js';

/** How long a target runs before another one has its turn. */
const SLICE_MS = 3000;
/** A target with so many findings is not continued. */
const MOST_FINDINGS = 20;
const PROGRESS_MS = 60_000;
/** Without `--most`: cheap parsers have checked so many within seconds, and leave the time to the others. */
const MOST_INPUTS = 5_000_000;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string' },
    inputs: { type: 'string' },
    most: { type: 'string' },
    only: { type: 'string', multiple: true },
    from: { type: 'string' },
    results: { type: 'string' },
    list: { type: 'boolean' },
  },
});

function numberOf(name: 'minutes' | 'inputs' | 'most' | 'from'): number | undefined {
  const text = values[name];
  if (text === undefined) return undefined;
  if (/^\d+(?:\.\d+)?$/.test(text)) return Number(text);
  console.error(`--${name} must be a number, got ${text}`);
  process.exit(2);
}

const inputs = numberOf('inputs') ?? Number.POSITIVE_INFINITY;
const minutes = numberOf('minutes') ?? (inputs === Number.POSITIVE_INFINITY ? 1 : Number.POSITIVE_INFINITY);
const most = numberOf('most') ?? MOST_INPUTS;
const from = numberOf('from');
if (from !== undefined && values.results !== undefined) {
  console.error('--from checks chosen seeds again, and --results counts each seed once: use one of them');
  process.exit(2);
}
const end = performance.now() + minutes * 60_000;
const results = new Results(values.results);

/** The thread, which is replaced when an input has ended it or hangs. */
class Thread {
  readonly #progress = new Float64Array(new SharedArrayBuffer(8));
  readonly #worker = new Worker(new URL('worker.js', import.meta.url), {
    workerData: this.#progress.buffer,
    // As much as the main thread has, where programs parse.
    resourceLimits: { stackSizeMb: 1 },
  });
  readonly #onFinding: (finding: Finding) => void;

  constructor(onFinding: (finding: Finding) => void) {
    this.#onFinding = onFinding;
  }

  ready(): Promise<Extract<Report, { kind: 'ready' }>> {
    return this.#answer('ready');
  }

  async run(task: Task): Promise<Extract<Report, { kind: 'slice' }>> {
    const watchdog = new Watchdog();
    let stop: (problem: Error) => void = () => {};
    const stopped = new Promise<never>((_, reject) => {
      stop = reject;
    });
    const timer = setInterval(() => {
      const { user, system } = process.cpuUsage();
      const seed = this.#progress[0] as number;
      const problem = seed < 0 ? undefined : watchdog.see(seed, (user + system) / 1000, performance.now());
      if (problem !== undefined) stop(new Error(problem));
    }, 100);
    this.#worker.postMessage(task);
    try {
      return await Promise.race([this.#answer('slice'), stopped]);
    } catch (error) {
      throw new LostThread(this.#progress[0] as number, error);
    } finally {
      clearInterval(timer);
    }
  }

  end(): Promise<number> {
    return this.#worker.terminate();
  }

  #answer<K extends Report['kind']>(kind: K): Promise<Extract<Report, { kind: K }>> {
    return new Promise((resolve, reject) => {
      const settle = (action: () => void): void => {
        this.#worker.off('message', onMessage).off('error', onError);
        action();
      };
      const onError = (error: unknown): void => settle(() => reject(error));
      const onMessage = (report: Report): void => {
        if (report.kind === 'finding') this.#onFinding(report.finding);
        else if (report.kind === kind) settle(() => resolve(report as Extract<Report, { kind: K }>));
      };
      this.#worker.on('message', onMessage).on('error', onError);
    });
  }
}

/** The thread ended or hangs during an input. */
class LostThread extends Error {
  readonly seed: number;

  constructor(seed: number, cause: unknown) {
    super(cause instanceof Error ? (cause.stack ?? cause.message) : String(cause));
    this.seed = seed;
  }
}

let findings = 0;
const found = (finding: Finding): void => {
  findings++;
  results.of(finding.target).findings++;
  console.log(printFinding(finding));
};

let thread = new Thread(found);
const known = (await thread.ready()).targets;
if (values.list) {
  for (const { name, holds } of known) console.log(`${name}: ${holds}`);
  process.exit(0);
}
const names = known
  .map(({ name }) => name)
  .filter((name) => values.only?.some((part) => name.startsWith(part)) ?? true);
if (names.length === 0) {
  console.error(`no target ${values.only?.join(', ')}; there are ${known.map(({ name }) => name).join(', ')}`);
  process.exit(2);
}

/** The inputs that each target may still check in this run. */
const left = new Map(names.map((name) => [name, Math.min(inputs, most - results.of(name).inputs)]));
let memory = new MemoryWatch();
if (from !== undefined) for (const name of names) results.of(name).next = from;
let toldAt = performance.now();
while (performance.now() < end) {
  const open = names.filter((name) => (left.get(name) as number) > 0 && results.of(name).findings < MOST_FINDINGS);
  const name = leastChecked(open, (one) => results.of(one).cpuSeconds);
  if (name === undefined) break;
  await runSlice(name, left.get(name) as number);
  results.save();
  if (performance.now() - toldAt > PROGRESS_MS) {
    toldAt = performance.now();
    const sum = names.reduce((total, one) => total + results.of(one).inputs, 0);
    console.log(`${new Date().toISOString()}: ${sum.toLocaleString('en')} inputs, ${findings} findings in this run`);
  }
}

async function runSlice(name: string, limit: number): Promise<void> {
  const figures = results.of(name);
  const cpu = process.cpuUsage();
  try {
    const task = { target: name, from: figures.next, inputs: limit, ms: Math.min(SLICE_MS, end - performance.now()) };
    const { slice, usedBytes } = await thread.run(task);
    figures.accepted += slice.accepted;
    figures.inputs += slice.inputs;
    figures.next = slice.next;
    left.set(name, limit - slice.inputs);
    const problem = memory.see(name, usedBytes);
    if (problem !== undefined) found({ target: name, seed: slice.next, problem, input: '/* not one input */' });
  } catch (error) {
    if (!(error instanceof LostThread)) throw error;
    found({ target: name, seed: error.seed, problem: error.message, input: '/* see the seed */' });
    const checked = Math.max(error.seed - figures.next + 1, 1);
    figures.inputs += checked;
    left.set(name, limit - checked);
    figures.next = error.seed + 1;
    await thread.end();
    thread = new Thread(found);
    memory = new MemoryWatch();
    await thread.ready();
  } finally {
    const { user, system } = process.cpuUsage(cpu);
    figures.cpuSeconds += (user + system) / 1e6;
  }
}

await thread.end();
console.log(results.table(names));
process.exit(findings === 0 ? 0 : 1);
