import { afterAll, describe, it } from 'vitest';
import { Api } from './api.js';
import type { Area, Case } from './area.js';
import { areas as everyArea } from './areas/index.js';
import { Wire } from './http.js';
import { offers, type Target } from './target.js';

interface Tally {
  passed: number;
  failed: number;
  skipped: number;
}

/**
 * Registers the suite as tests of a running server, and prints at the end how many cases ran in each area.
 *
 * The cases of an area run concurrently, except those with `alone`; areas run one after the other.
 */
export function describeConformance(target: Target, areas: readonly Area[] = everyArea): void {
  const wire = new Wire(target);
  const tallies = new Map<string, Tally>();

  describe(`conformance of ${target.name}`, () => {
    afterAll(() => {
      wire.close();
      process.stdout.write(report(target, tallies));
    });

    for (const area of areas) {
      const tally: Tally = { passed: 0, failed: 0, skipped: 0 };
      tallies.set(area.name, tally);
      describe(area.name, () => {
        for (const one of area.cases) {
          const reason = unmetNeeds(target, one);
          const run = one.alone === true ? it.sequential : it.concurrent;
          run(one.title, async (test) => {
            if (reason !== undefined) {
              tally.skipped++;
              test.skip(reason);
            }
            const api = new Api(target, wire);
            try {
              await one.check(api);
              tally.passed++;
            } catch (error) {
              tally.failed++;
              throw error;
            } finally {
              await api.finish();
            }
          });
        }
      });
    }
  });
}

/** The reason to skip a case on a target that cannot do what it needs, for example restart the server. */
function unmetNeeds(target: Target, one: Case): string | undefined {
  const missing = one.needs?.filter((need) => !offers(target, need)) ?? [];
  return missing.length === 0 ? undefined : `the target does not offer ${missing.join(' and ')}`;
}

function report(target: Target, tallies: ReadonlyMap<string, Tally>): string {
  const total: Tally = { passed: 0, failed: 0, skipped: 0 };
  const width = Math.max(5, ...[...tallies.keys()].map((name) => name.length));
  const line = (name: string, { passed, failed, skipped }: Tally): string =>
    `  ${name.padEnd(width)} ${String(passed).padStart(4)} passed${failed > 0 ? `, ${failed} FAILED` : ''}${skipped > 0 ? `, ${skipped} skipped` : ''}\n`;
  let text = `\nConformance of ${target.name}\n`;
  for (const [name, tally] of tallies) {
    text += line(name, tally);
    total.passed += tally.passed;
    total.failed += tally.failed;
    total.skipped += tally.skipped;
  }
  return text + line('total', total);
}
