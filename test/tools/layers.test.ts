import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
// @ts-expect-error plain JavaScript, which `npm run check` runs
import { offencesIn } from '../../scripts/check-source.mjs';
import { repository } from '../support/dist.js';
import { TempFolder } from '../support/temp-folder.js';

/** The offences in a src/ with these files. */
const check = (files: Record<string, string>): string[] => offencesIn(files);

describe('the layer check', () => {
  it('accepts imports that the table allows', () => {
    const offences = check({
      'meta/key.ts': 'export const key = 1;',
      'rest/request/request.ts': "import { key } from '../../meta/key.js';\nexport const request: number = key;",
      'apiserver/server.ts':
        "import { request } from '../rest/request/request.js';\nexport const server: number = request;",
      'index.ts': "export { server } from './apiserver/server.js';",
    });
    expect(offences).toEqual([]);
  });

  it.each([
    ['an import', "import { up } from '../rest/up.js';\nexport const down: number = up;"],
    ['a type import', "import type { Up } from '../rest/up.js';\nexport type Down = Up;"],
    ['a re-export', "export { up } from '../rest/up.js';"],
    ['a dynamic import', "export const later = (): Promise<unknown> => import('../rest/up.js');"],
    ['an import type', "export type Down = import('../rest/up.js').Up;"],
  ])('names %s of a folder above', (_, text) => {
    const offences = check({
      'rest/up.ts': 'export const up = 1; export type Up = 1;',
      'meta/down.ts': text,
    });
    expect(offences).toContain(
      'src/meta/down.ts:1: src/meta/down.ts imports src/rest/up.js: meta may import no other folder, not rest',
    );
  });

  it('checks the sub-folders of a layer too', () => {
    const offences = check({
      'cache/store/indexer.ts':
        "import { informer } from '../informer/informer.js';\nexport const i: number = informer;",
      'cache/informer/informer.ts': 'export const informer = 1;',
      'cache/index.ts': "export { informer } from './informer/informer.js';",
      'cache/elsewhere/x.ts': "export { informer } from '../informer/informer.js';",
    });
    expect(offences).toEqual([
      expect.stringContaining(
        'src/cache/store/indexer.ts imports src/cache/informer/informer.js: cache/store may import no other folder, not cache/informer',
      ),
      expect.stringContaining('src/cache/elsewhere/x.ts is in no sub-folder of cache'),
    ]);
  });

  it('refuses imports of clients in the core of the server', () => {
    const offences = check({
      'client/client.ts': 'export const c = 1;',
      'apiserver/storage/watch.ts': "import { c } from '../../client/client.js';\nexport const w: number = c;",
    });
    expect(offences.join()).toContain(
      'apiserver may import meta, structures, time, resources, regexp, codec, streams, certificates, not client',
    );
  });

  it.each([
    'setTimeout(() => {}, 1);',
    'Date.now();',
    'performance.now();',
    'Math.random();',
    'new Date();',
    'globalThis.setTimeout;',
    'AbortSignal.timeout(1);',
  ])('finds %s outside src/time, and allows it inside', (text) => {
    expect(check({ 'cache/x.ts': text }).join()).toMatch(/src\/cache\/x\.ts:1: .* belongs in src\/time/);
    expect(check({ 'time/x.ts': text })).toEqual([]);
  });

  it('finds default exports', () => {
    const offences = check({ 'meta/a.ts': 'export default 1;', 'meta/b.ts': 'export default function b() {}' });
    expect(offences.join().match(/no default exports/g)).toHaveLength(2);
  });

  it('refuses a folder that is not in the table', () => {
    const offences = check({ 'elsewhere/x.ts': "import '../meta/y.js';", 'meta/y.ts': '' });
    expect(offences.join()).toContain('is in no layer');
  });

  it('reads a folder, prints offences and fails', async () => {
    const folder = new TempFolder();
    await folder.write('meta/a.ts', 'export default 1;');
    await folder.write('meta/a.test.ts', 'export default 1;');
    const script = join(repository, 'scripts/check-source.mjs');
    const { status, stderr } = spawnSync(process.execPath, [script, folder.path], { encoding: 'utf8' });
    expect(stderr).toBe('src/meta/a.ts:1: no default exports; give it a name\n1 offence in 1 files\n');
    expect(status).toBe(1);
  });
});
