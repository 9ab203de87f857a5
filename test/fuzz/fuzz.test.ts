import { describe, expect, it } from 'vitest';
import { runs } from '../support/runs.js';
import { type Finding, type FuzzObserver, fuzz, printFinding } from './fuzz.js';
import { MemoryWatch } from './memory-watch.js';
import { Random } from './random.js';
import { target } from './target.js';
import { targets } from './targets/index.js';
import { leastChecked } from './turns.js';
import { Watchdog } from './watchdog.js';

/** An observer that keeps what is found. @param isOver when to end before the last input */
function collector(isOver: () => boolean = () => false): FuzzObserver & { readonly findings: Finding[] } {
  const findings: Finding[] = [];
  return { findings, begin() {}, found: (finding) => void findings.push(finding), isOver };
}

/** The inputs of each target here: all of them for fast parsers, as many as the time allows for slow ones. */
const INPUTS = runs(300);
const TIME_MS = runs(40);

// `npm run fuzz` checks millions of inputs; these few show that each target works, and find what breaks it at once.
describe('the parsers of foreign bytes', () => {
  it.each(targets.map((one) => [one.name, one.holds, one] as const))('%s: %s', async (_name, _holds, one) => {
    const end = performance.now() + TIME_MS;
    const observer = collector(() => performance.now() > end);
    await fuzz(one, 1, INPUTS, observer);
    expect(observer.findings.map(printFinding)).toEqual([]);
  });
});

describe('fuzz', () => {
  const words = target<string>(
    'words',
    'has no x',
    (random) => random.text(5, 20, ['a', 'b', 'x', 'c']),
    (text) => {
      if (text.includes('x')) throw new Error('an x');
      return text.includes('a');
    },
  );

  it('makes the same inputs of the same seeds', () => {
    for (const one of targets) expect(one.generate(new Random(7))).toEqual(one.generate(new Random(7)));
  });

  it('finds an input that fails, makes it smaller, and prints it as a test with its seed', async () => {
    const observer = collector();
    const slice = await fuzz(words, 100, 1000, observer);
    const [first] = observer.findings;
    expect(first).toMatchObject({ target: 'words', input: '"x"', problem: expect.stringContaining('an x') });
    expect(printFinding(first as Finding)).toContain(`--only words --from ${first?.seed} --inputs 1`);
    expect(slice.next).toBe(100 + slice.inputs);
    // The seed alone gives the input again.
    const again = collector();
    await fuzz(words, first?.seed as number, 1, again);
    expect(again.findings).toHaveLength(1);
  });

  it('counts inputs that were accepted', async () => {
    const letters = target<number>(
      'numbers',
      'any',
      (random) => random.below(4),
      (number) => number === 0,
    );
    const { inputs, accepted } = await fuzz(letters, 1, 4000, collector());
    expect(inputs).toBe(4000);
    expect(accepted / inputs).toBeCloseTo(0.25, 1);
  });
});

describe('leastChecked', () => {
  it('gives the same CPU time to all targets, whatever the time that a slice took', () => {
    const seconds = new Map([
      ['slow', 0],
      ['fast', 0],
      ['old', 20],
    ]);
    const cost: Readonly<Record<string, number>> = { slow: 3, fast: 1, old: 2 };
    for (let slices = 0; slices < 60; slices++) {
      const next = leastChecked([...seconds.keys()], (name) => seconds.get(name) as number) as string;
      seconds.set(next, (seconds.get(next) as number) + (cost[next] as number));
    }
    const all = [...seconds.values()];
    expect(Math.max(...all) - Math.min(...all)).toBeLessThanOrEqual(3);
    expect(leastChecked([], () => 0)).toBeUndefined();
  });
});

describe('Watchdog', () => {
  it('reports an input that uses more than a second of CPU time, or waits for minutes', () => {
    const watchdog = new Watchdog();
    expect(watchdog.see(1, 0, 0)).toBeUndefined();
    expect(watchdog.see(1, 1000, 50_000)).toBeUndefined();
    expect(watchdog.see(1, 1001, 50_000)).toContain('hangs');
    expect(watchdog.see(2, 2000, 60_000)).toBeUndefined();
    expect(watchdog.see(2, 2100, 200_000)).toContain('waits');
  });
});

describe('MemoryWatch', () => {
  it('reports growth after the first slices of a target, not what a slice frees again', () => {
    const watch = new MemoryWatch();
    const mb = (megabytes: number): string | undefined => watch.see('a', megabytes * 1024 * 1024);
    for (const used of [10, 90, 100, 100, 125, 100, 130]) expect(mb(used)).toBeUndefined();
    expect(mb(140)).toContain('grew by 40 MB');
  });
});
