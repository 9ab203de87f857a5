import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { repository } from '../support/dist.js';
import { TempFolder } from '../support/temp-folder.js';

/** Runs steps of `npm run check` on a project with the configuration of this one and a single source. */
function check(
  source: string,
  ...steps: readonly string[]
): { readonly status: number | null; readonly output: string } {
  const { path } = new TempFolder();
  mkdirSync(join(path, 'scripts'));
  const scripts = ['scripts/bundle.mjs', 'scripts/bundle-page.mjs'];
  for (const file of ['package.json', 'tsconfig.json', 'tsconfig.build.json', 'biome.json', ...scripts]) {
    copyFileSync(join(repository, file), join(path, file));
  }
  mkdirSync(join(path, 'node_modules'));
  symlinkSync(join(repository, 'node_modules/@types'), join(path, 'node_modules/@types'), 'junction');
  mkdirSync(join(path, 'src'));
  writeFileSync(join(path, 'src/index.ts'), source);
  const script = join(repository, 'scripts/check.mjs');
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...steps], { cwd: path, encoding: 'utf8' });
  return { status, output: stdout + stderr };
}

it('npm run check fails where npm run build would', () => {
  const { status, output } = check('export const doubled = [1, 2].map((n) => n * 2);\n', 'build');
  expect(output).toContain('error TS9010: Variable must have an explicit type annotation');
  expect(output).toContain('build: fix the errors of `npm run build`');
  expect(status).toBe(1);
});

it('npm run check names the command that fixes format and lint', () => {
  const { status, output } = check('export const   spaced = 1', 'lint');
  expect(output).toContain('lint: run `npm run lint:fix`');
  expect(status).toBe(1);
});

it('npm run check refuses an unknown step', () => {
  const { status, output } = check('', 'everything');
  expect(output).toContain(
    'no step everything; there are types, build, types of the page, lint, source, unused, unused in production',
  );
  expect(status).toBe(2);
});
