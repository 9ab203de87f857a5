import { messageOf } from '../../rest/http/request-errors.js';
import type { Run } from './types.js';

/** How many keys an error describes. */
const MAX_KEYS = 3;
/** A key that runs more often than this within {@link HOT_MS} of virtual time is in a loop: retries back off before that. */
const HOT_RUNS = 50;
const HOT_MS = 10_000;

/** Describes the keys that run most: for the error of a `settle` that does not end. */
export function describeRuns(runs: readonly Run[]): string {
  const byKey = new Map<string, Run[]>();
  for (const run of runs) {
    const name = `${run.controller} ${run.key}`;
    byKey.set(name, [...(byKey.get(name) ?? []), run]);
  }
  const most = [...byKey].sort(([, a], [, b]) => b.length - a.length).slice(0, MAX_KEYS);
  return most.map(([name, of]) => describeKey(name, of)).join('');
}

function describeKey(name: string, runs: readonly Run[]): string {
  const last = runs.at(-1) as Run;
  const recent = runs.slice(-10);
  const times = runs.length === 1 ? 'once' : `${runs.length} times`;
  const causes = [...new Set(recent.flatMap((run) => run.causes))].join(', ') || 'nothing known';
  const writes = [...new Set(recent.flatMap((run) => run.writes.filter(({ changed }) => changed).map(describeWrite)))];
  const lines = [
    `${name} ran ${times}, last as ${last.what}: ${last.outcome}`,
    `woken by: ${causes}`,
    ...(writes.length === 0 ? [] : [`it keeps writing: ${writes.join(', ')}`]),
    ...(last.error === undefined ? [] : [`its last error: ${messageOf(last.error)}`]),
  ];
  return `\n  ${lines.join('\n    ')}`;
}

function describeWrite({ verb, resource, key }: Run['writes'][number]): string {
  return `${verb} ${resource} ${key}`;
}

/** Finds a key that runs without end while a world settles. */
export class HotLoopDetector {
  readonly #startedAt = new Map<string, number[]>();

  /** Notes a run; returns true if its key has run too often. */
  note(run: Run): boolean {
    const name = `${run.replica} ${run.controller} ${run.key}`;
    const times = (this.#startedAt.get(name) ?? []).filter((at) => run.startedAt - at <= HOT_MS);
    times.push(run.startedAt);
    this.#startedAt.set(name, times);
    return times.length > HOT_RUNS;
  }
}
