import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
// @ts-expect-error plain JavaScript, shared with run.mjs
import * as list from './mutants.mjs';
// @ts-expect-error plain JavaScript, shared with run.mjs
import { tableOf } from './table.mjs';

interface Mutant {
  readonly name: string;
  readonly file: string;
  readonly old: string;
  readonly new: string;
  readonly origin: 'by hand' | 'drawn';
  readonly why: string;
  readonly equivalent: string | undefined;
}

const repository = list.repository as string;
const mutants = list.loadMutants() as readonly Mutant[];
const results = list.loadResults() as Readonly<Record<string, { readonly outcome: string; readonly by?: string }>>;
const equivalent = list.loadEquivalent() as Readonly<Record<string, string>>;
const survivors = list.loadSurvivors() as readonly string[];
const textOf = (path: string): string => readFileSync(`${repository}/${path}`, 'utf8');

describe('the list of mutants', () => {
  it('has at least 80 bugs by hand and 80 that were drawn, each with a name of its own', () => {
    for (const origin of ['by hand', 'drawn'])
      expect(mutants.filter((mutant) => mutant.origin === origin).length).toBeGreaterThanOrEqual(80);
    expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
  });

  // If this fails because the source has changed: plant the same bug at its new place.
  it.each(mutants.map((mutant) => [mutant.name, mutant] as const))('%s can be planted', (_, mutant) => {
    expect(() => list.plant(mutant, textOf(mutant.file))).not.toThrow();
    expect(mutant.new).not.toBe(mutant.old);
    expect(mutant.why).not.toBe('');
  });

  it('names suites that exist', () => {
    const suites = mutants.flatMap((mutant) => list.suitesOf(mutant) as readonly { readonly file: string }[]);
    const missing = new Set(suites.map(({ file }) => file).filter((file) => !existsSync(`${repository}/${file}`)));
    expect([...missing]).toEqual([]);
  });
});

describe('the results of the mutants', () => {
  it('are of mutants in the list', () => {
    const names = new Set(mutants.map(({ name }) => name));
    expect([...Object.keys(results), ...Object.keys(equivalent)].filter((name) => !names.has(name))).toEqual([]);
  });

  it('have no survivor without an explanation besides the known ones, and no explanation of a bug that a test noticed', () => {
    const unexplained = Object.keys(results).filter(
      (name) => (results[name]?.outcome === 'survived') !== (equivalent[name] !== undefined),
    );
    expect(unexplained).toEqual(survivors);
  });

  it('are those of docs/reliability.md', () => {
    expect(textOf('docs/reliability.md')).toContain(tableOf(mutants, results));
  });
});
