import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { repository } from '../support/program.js';

const { page, withFigures } = (await import(join(repository, 'bench/report.mjs'))) as {
  page(data: object, notes: string): string;
  withFigures(readme: string, real: object): string;
};

const read = (path: string): string => readFileSync(join(repository, path), 'utf8');
const stored = (name: string) => {
  const path = `bench/results/${name}.json`;
  return existsSync(join(repository, path)) ? JSON.parse(read(path)) : undefined;
};

it('docs/benchmarks.md and the table of the README are written from the stored figures', () => {
  const figures = { load: stored('load'), real: stored('real'), controller: stored('controller') };
  expect(read('docs/benchmarks.md')).toBe(page(figures, read('bench/notes.md')));
  const readme = read('README.md');
  expect(readme).toContain('<!-- figures -->');
  expect(withFigures(readme, stored('real'))).toBe(readme);
});

it('docs/scale.md has the tables of the stored figures', async () => {
  const { withTables } = (await import(join(repository, 'bench/scale/tables.mjs'))) as {
    withTables(page: string, results: object): string;
  };
  const written = read('docs/scale.md');
  expect(withTables(written, stored('scale'))).toBe(written);
});
