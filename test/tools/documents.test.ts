import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repository } from '../support/program.js';

const folders = readdirSync(join(repository, 'src'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name);

const pagesIn = (folder: string) =>
  readdirSync(join(repository, folder))
    .filter((file) => file.endsWith('.md'))
    .map((file) => join(folder, file));

/** The files that a page links to, and those it names with a path such as `scripts/layers.mjs`, from the repository's root. */
function filesNamedIn(page: string): string[] {
  const text = readFileSync(join(repository, page), 'utf8').replace(/^```.*?^```$/gms, '');
  const links = [...text.matchAll(/\]\((?!\w+:)([^)#\s]+)(?:#[^)]*)?\)/g)].map(([, link]) =>
    join(dirname(page), link!),
  );
  const paths = [...text.matchAll(/`((?:src|docs|scripts|test|examples|bench)\/[\w./-]+\.(?:ts|mjs|md))`/g)];
  return [...links, ...paths.map(([, path]) => path!)];
}

describe('documents of this repository', () => {
  it('every folder of src/ begins with a README of about ten lines', () => {
    for (const folder of folders) {
      const page = join(repository, 'src', folder, 'README.md');
      expect(existsSync(page), `src/${folder}/README.md: what the folder is, its contract, its files in order`).toBe(
        true,
      );
      const text = readFileSync(page, 'utf8');
      expect(text).toMatch(new RegExp(`^# ${folder}\n`));
      for (const part of ['**Contract:**', '**Read in this order:**', '**I want to add ']) expect(text).toContain(part);
      expect(text.split('\n').length, `lines of src/${folder}/README.md`).toBeLessThanOrEqual(22);
    }
  });

  const pages = [
    ...pagesIn('.'),
    ...pagesIn('docs'),
    ...pagesIn('docs/decisions'),
    ...folders.map((folder) => `src/${folder}/README.md`),
  ];

  it.each(pages)('every file that %s names exists', (page) => {
    const missing = filesNamedIn(page).filter((file) => !existsSync(join(repository, file)));
    expect(missing.map((file) => relative('.', file))).toEqual([]);
  });
});
