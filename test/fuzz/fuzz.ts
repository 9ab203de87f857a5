import { Random } from './random.js';
import { literal, shrink } from './shrink.js';
import type { Target } from './target.js';

/** An input that broke a rule of its target. */
export interface Finding {
  readonly target: string;
  readonly seed: number;
  readonly problem: string;
  /** The smallest input that was found to fail, as TypeScript. */
  readonly input: string;
}

/** Calls that the loop makes to the outside. */
export interface FuzzObserver {
  /** An input begins. */
  begin(seed: number): void;
  found(finding: Finding): void;
  /** Asked between inputs, and while an input is made smaller. */
  isOver(): boolean;
}

export interface Slice {
  readonly inputs: number;
  readonly accepted: number;
  /** The seed of the next input. */
  readonly next: number;
}

/** After so many findings a slice ends: more of the same say little. */
const MOST_FINDINGS = 3;
/** How long a failing input is made smaller. */
const SHRINK_MS = 10_000;

/** Checks the inputs of consecutive seeds, at most `limit` of them. */
export async function fuzz(target: Target, from: number, limit: number, observer: FuzzObserver): Promise<Slice> {
  let accepted = 0;
  let findings = 0;
  let seed = from;
  for (; seed < from + limit && findings < MOST_FINDINGS && !observer.isOver(); seed++) {
    observer.begin(seed);
    const input = target.generate(new Random(seed));
    try {
      const outcome = target.check(input);
      if (outcome === true || (outcome !== false && (await outcome))) accepted++;
    } catch (error) {
      findings++;
      observer.found(await findingOf(target, seed, input, error));
    }
  }
  return { inputs: seed - from, accepted, next: seed };
}

async function findingOf(target: Target, seed: number, input: unknown, error: unknown): Promise<Finding> {
  const end = performance.now() + SHRINK_MS;
  let last = error;
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 10;
  const smallest = await shrink(
    input,
    async (candidate) => {
      try {
        await target.check(candidate);
        return false;
      } catch (failure) {
        // Another failure may be of an input that is none; it must be of the same kind.
        if (kindOf(failure) !== kindOf(error)) return false;
        last = failure;
        return true;
      }
    },
    () => performance.now() > end,
  );
  Error.stackTraceLimit = stackTraceLimit;
  return { target: target.name, seed, problem: describe(last), input: literal(smallest) };
}

function kindOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const place = error.stack?.split('\n').find((line) => line.includes('    at ')) ?? '';
  return `${error.name}: ${error.message.slice(0, 600)}${place === '' ? '' : `\n${place}`}`;
}

/** A finding as a test, with the command that replays it. */
export function printFinding({ target, seed, problem, input }: Finding): string {
  const comment = problem.replaceAll('\n', '\n  // ');
  return `  // npm run fuzz -- --only ${target} --from ${seed} --inputs 1
  // ${comment}
  it('${target}: seed ${seed}', () => checked('${target}', ${input}));`;
}
