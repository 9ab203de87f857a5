import { mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
// @ts-expect-error plain JavaScript, shared with scripts/build.mjs
import { markBuilt, sourceHash, whyStale } from '../../scripts/built-from.mjs';
import { TempFolder } from '../support/temp-folder.js';

const stale = 'dist/ was built from other sources than src/ has now: run `npm run build`';

/** A repository that was just built. */
function built(): { readonly root: string; write(file: string, text: string): void } {
  const { path: root } = new TempFolder();
  const write = (file: string, text: string): void => {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  };
  const scripts = ['scripts/bundle.mjs', 'scripts/bundle-page.mjs'];
  const files = ['tsconfig.json', 'tsconfig.build.json', ...scripts, 'src/index.ts', 'src/meta/key.ts'];
  for (const file of [...files, 'dist/index.js']) write(file, '{}');
  markBuilt(sourceHash(root), root);
  return { root, write };
}

describe('dist/', () => {
  it('is fresh after a build, also after changes of times and of tests', () => {
    const { root, write } = built();
    utimesSync(join(root, 'src/index.ts'), new Date(), new Date(Date.now() + 60_000));
    write('src/meta/key.test.ts', 'a test');
    expect(whyStale(root)).toBeUndefined();
  });

  it.each<[string, (repository: ReturnType<typeof built>) => void]>([
    ['a source has changed', ({ write }) => write('src/meta/key.ts', 'new')],
    ['a source was added', ({ write }) => write('src/meta/more.ts', '')],
    ['a source is gone', ({ root }) => rmSync(join(root, 'src/meta/key.ts'))],
    ['the configuration of the compiler has changed', ({ write }) => write('tsconfig.build.json', '')],
    ['the bundler has changed', ({ write }) => write('scripts/bundle.mjs', '')],
  ])('is stale when %s', (_, change) => {
    const repository = built();
    change(repository);
    expect(whyStale(repository.root)).toBe(stale);
  });

  it('is fresh again when a change was reverted', () => {
    const { root, write } = built();
    const before = readFileSync(join(root, 'src/index.ts'), 'utf8');
    write('src/index.ts', 'new');
    write('src/index.ts', before);
    expect(whyStale(root)).toBeUndefined();
  });

  it('is stale in a new clone, and after a build that did not end', () => {
    const { root } = built();
    rmSync(join(root, 'dist/.built-from'));
    expect(whyStale(root)).toBe('dist/ is missing or incomplete: run `npm run build`');
    rmSync(join(root, 'dist'), { recursive: true });
    expect(whyStale(root)).toBe('dist/ is missing or incomplete: run `npm run build`');
  });
});
