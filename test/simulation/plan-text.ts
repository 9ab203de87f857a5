import type { Plan, Step } from './plan.js';

/** JSON has no infinity; a stalled response is never continued. */
const INFINITY = 'Infinity';

function replacer(_key: string, value: unknown): unknown {
  return value === Number.POSITIVE_INFINITY ? INFINITY : value;
}

/** A plan as JSON, one step a line, so that files of plans can be read and compared. */
export function printPlan(plan: Plan): string {
  const { steps, ...head } = plan;
  const lines = steps.map((step) => `    ${printStep(step)}`).join(',\n');
  return `${JSON.stringify(head).slice(0, -1)},\n  "steps": [\n${lines}\n  ]\n}\n`;
}

export function printStep(step: Step): string {
  return JSON.stringify(step, replacer);
}

/** Reads what {@link printPlan} wrote. */
export function readPlan(text: string): Plan {
  return JSON.parse(text, (_key, value) => (value === INFINITY ? Number.POSITIVE_INFINITY : value)) as Plan;
}
