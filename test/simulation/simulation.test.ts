import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { runs } from '../support/runs.js';
import * as informers from './informers.js';
import { type Plan, planOf, type Step } from './plan.js';
import { printPlan, readPlan } from './plan-text.js';
import { shrink } from './shrink.js';
import { simulate } from './simulation.js';
import type { Subject } from './subject.js';
import { varied } from './vary.js';

const { explainPlan } = informers;
const { runSeed, explain } = informers satisfies Subject;
const seeds = runs(100);
const seedsPerTest = 50;
const corpus = fileURLToPath(new URL('corpus', import.meta.url));
/** A simulation takes some milliseconds; a failing one is run a few hundred times to shrink it. */
const timeoutMs = 240_000;

// Faults of the server cause warnings all the time.
beforeAll(() => void vi.spyOn(process, 'emitWarning').mockImplementation(() => {}));
afterAll(() => void vi.restoreAllMocks());

describe('informers keep their contract, whatever the server does', () => {
  for (let first = 1; first <= seeds; first += seedsPerTest) {
    const last = Math.min(first + seedsPerTest - 1, seeds);
    it(`in the simulations ${first} to ${last}`, { timeout: timeoutMs }, async () => {
      for (let seed = first; seed <= last; seed++) {
        const { problems } = await runSeed(seed);
        if (problems.length > 0) expect.fail((await explain(seed)).text);
      }
    });
  }

  it('in the plans of the corpus', { timeout: timeoutMs }, async () => {
    for (const file of readdirSync(corpus).filter((name) => name.endsWith('.json'))) {
      const plan = readPlan(readFileSync(`${corpus}/${file}`, 'utf8'));
      const problems = await simulate(plan);
      if (problems.length > 0) expect.fail((await explainPlan(plan, file)).text);
    }
  });
});

describe('plans', () => {
  it('are the same for the same seed', () => {
    expect(planOf(7)).toEqual(planOf(7));
    expect(planOf(7)).not.toEqual(planOf(8));
  });

  it('give the same figures in each run', async () => {
    expect(await runSeed(7)).toEqual(await runSeed(7));
  });

  it('are read as they were printed', () => {
    const fault = { verb: 'watch', times: 1, after: 0, stallMs: Number.POSITIVE_INFINITY } as const;
    const plan: Plan = { ...planOf(3), steps: [...planOf(3).steps, { do: 'fault', fault }] };
    expect(readPlan(printPlan(plan))).toEqual(plan);
  });

  it('are varied in the same way for the same seed', () => {
    const plans = [planOf(1), planOf(2)];
    const variations = Array.from({ length: 50 }, (_, seed) => varied(plans, seed));
    expect(variations).toEqual(Array.from({ length: 50 }, (_, seed) => varied(plans, seed)));
    expect(new Set(variations.map(printPlan)).size).toBe(50);
  });

  it('are shrunk when they fail', async () => {
    const plan = planWith(['plain', 'objects'], [1, 2, 3, 4, 5, 6, 7].map(passing));
    const fails = async ({ steps, informers }: Plan) =>
      informers.includes('objects') && [3, 6].every((ms) => steps.some((step) => step.do === 'pass' && step.ms === ms));
    expect(await shrink(plan, fails)).toEqual(planWith(['objects'], [3, 6].map(passing)));
  });
});

function planWith(informers: Plan['informers'], steps: readonly Step[]): Plan {
  return { seed: 1, sharding: 'off', informers, steps, ends: 'at rest' };
}

function passing(ms: number): Step {
  return { do: 'pass', ms };
}
