import type { Plan } from './plan.js';

/**
 * Returns a small plan that still fails: removes steps, in ever smaller pieces, as long as the rest fails.
 *
 * @param fails runs a plan and resolves with whether it fails
 * @param most the maximum number of plans to run
 */
export async function shrink(plan: Plan, fails: (plan: Plan) => Promise<boolean>, most = 400): Promise<Plan> {
  let smallest = plan;
  let tried = 0;
  for (let size = Math.ceil(plan.steps.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < smallest.steps.length && tried < most; ) {
      const steps = [...smallest.steps.slice(0, at), ...smallest.steps.slice(at + size)];
      tried++;
      if (await fails({ ...smallest, steps })) smallest = { ...smallest, steps };
      else at += size;
    }
  }
  for (let at = 0; at < smallest.informers.length && smallest.informers.length > 1 && tried < most; tried++) {
    const informers = smallest.informers.filter((_, index) => index !== at);
    if (await fails({ ...smallest, informers })) smallest = { ...smallest, informers };
    else at++;
  }
  return smallest;
}
