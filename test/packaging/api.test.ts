import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
// @ts-expect-error plain JavaScript, which `npm run api` runs
import { apiPage } from '../../scripts/api.mjs';
import { repository, requireFreshDist } from '../support/dist.js';
import { TempFolder } from '../support/temp-folder.js';

describe('docs/api.md', () => {
  it('has every public name of the declarations; `npm run api` writes it again', () => {
    requireFreshDist();
    const { text } = apiPage(repository) as { text: string };
    expect(readFileSync(join(repository, 'docs/api.md'), 'utf8').split('\n')).toEqual(text.split('\n'));
  });

  it('has name, kind and first sentence of each entry, and counts a name of two entries once', () => {
    const { path } = new TempFolder();
    mkdirSync(join(path, 'dist'));
    const exports = {
      '.': { types: './dist/index.d.ts' },
      './more': { types: './dist/more.d.ts' },
      './package.json': './package.json',
    };
    writeFileSync(join(path, 'package.json'), JSON.stringify({ name: 'kubeflect', type: 'module', exports }));
    writeFileSync(
      join(path, 'dist/more.d.ts'),
      `/** Reads a | b, e.g. by {@link read}. Second sentence. */
      export declare class Reader {}
      /**
       * Options of a {@link Reader}:
       *
       * more.
       */
      export interface ReaderOptions {}`,
    );
    writeFileSync(
      join(path, 'dist/index.d.ts'),
      `export { Reader as Renamed } from './more.js';
      /** Reads. */
      export declare function read(): void;
      export declare const silent: number;`,
    );
    const { text, counts } = apiPage(path) as { text: string; counts: [string, number][] };
    expect(counts).toEqual([
      ['kubeflect', 3],
      ['kubeflect/more', 2],
      ['all entries, types and compat aside', 5],
      ['of them distinct', 4],
    ]);
    expect(text.slice(text.indexOf('## kubeflect'))).toBe(`## kubeflect

| name | kind | what it is |
| --- | --- | --- |
| \`Renamed\` | class | Reads a \\| b, e.g. by \`read\`. |
| \`read\` | function | Reads. |
| \`silent\` | constant | |

## kubeflect/more

| name | kind | what it is |
| --- | --- | --- |
| \`Reader\` | class | Reads a \\| b, e.g. by \`read\`. |
| \`ReaderOptions\` | interface | Options of a \`Reader\`. |
`);
  });
});
