// The thread that generates and checks inputs. Its parent tells it what to do, and ends it if an input hangs.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { parentPort, workerData } from 'node:worker_threads';
import { type Finding, fuzz, type Slice } from './fuzz.js';
import { targets } from './targets/index.js';

/** Asks for a slice of work. */
export interface Task {
  readonly target: string;
  readonly from: number;
  readonly inputs: number;
  readonly ms: number;
}

export type Report =
  | { readonly kind: 'ready'; readonly targets: readonly { readonly name: string; readonly holds: string }[] }
  | { readonly kind: 'finding'; readonly finding: Finding }
  | { readonly kind: 'slice'; readonly slice: Slice; readonly usedBytes: number };

// Most inputs are refused, and the stack traces of refusals are not read.
Error.stackTraceLimit = 0;
setFlagsFromString('--expose-gc');
// The collections between slices would drop the code of the other targets, which had to be compiled again at their next turn.
setFlagsFromString('--no-flush-bytecode');
const collectGarbage = runInNewContext('gc') as () => void;
/** The target's index and the seed of the input under way, for the watchdog. */
const progress = new Float64Array(workerData as SharedArrayBuffer);
const report = (message: Report): void => parentPort?.postMessage(message);

parentPort?.on('message', async ({ target: name, from, inputs, ms }: Task) => {
  const target = targets.find((candidate) => candidate.name === name);
  if (target === undefined) throw new Error(`no target ${name}`);
  const end = performance.now() + ms;
  const slice = await fuzz(target, from, inputs, {
    begin: (seed) => {
      progress[0] = seed;
    },
    found: (finding) => report({ kind: 'finding', finding }),
    isOver: () => performance.now() >= end,
  });
  progress[0] = -1;
  report({ kind: 'slice', slice, usedBytes: await usedBytes() });
});
report({ kind: 'ready', targets: targets.map(({ name, holds }) => ({ name, holds })) });

/** What is in use after garbage collections. The memory of buffers is freed by another thread after one, and has been when the next one ends. */
async function usedBytes(): Promise<number> {
  for (let i = 0; i < 2; i++) {
    collectGarbage();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
