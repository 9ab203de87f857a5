import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** Runs the check on a made-up src/ of these files. */
function check(files: Record<string, string>): { status: number | null; output: string } {
  const source = mkdtempSync(join(tmpdir(), 'kubeflect-layers-'));
  folders.push(source);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(source, name)), { recursive: true });
    writeFileSync(join(source, name), text);
  }
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/check-source.mjs', source], {
    encoding: 'utf8',
  });
  return { status, output: stdout + stderr };
}

describe('the layer check', () => {
  it('accepts what the table allows', () => {
    const { status, output } = check({
      'meta/key.ts': 'export const key = 1;',
      'rest/request/request.ts': "import { key } from '../../meta/key.js';\nexport const request: number = key;",
      'apiserver/server.ts':
        "import { request } from '../rest/request/request.js';\nexport const server: number = request;",
      'index.ts': "export { server } from './apiserver/server.js';",
    });
    expect(output).toBe('');
    expect(status).toBe(0);
  });

  it.each([
    ['an import', "import { up } from '../rest/up.js';\nexport const down: number = up;"],
    ['a type import', "import type { Up } from '../rest/up.js';\nexport type Down = Up;"],
    ['a re-export', "export { up } from '../rest/up.js';"],
    ['a dynamic import', "export const later = (): Promise<unknown> => import('../rest/up.js');"],
    ['an import type', "export type Down = import('../rest/up.js').Up;"],
  ])('names %s that climbs', (_, text) => {
    const { status, output } = check({
      'rest/up.ts': 'export const up = 1; export type Up = 1;',
      'meta/down.ts': text,
    });
    expect(status).toBe(1);
    expect(output).toContain(
      'src/meta/down.ts:1: src/meta/down.ts imports src/rest/up.js: meta may import nothing else of ours, not rest',
    );
  });

  it('checks the sub-folders of a layer too', () => {
    const { status, output } = check({
      'cache/store/indexer.ts':
        "import { informer } from '../informer/informer.js';\nexport const i: number = informer;",
      'cache/informer/informer.ts': 'export const informer = 1;',
      'cache/index.ts': "export { informer } from './informer/informer.js';",
      'cache/elsewhere/x.ts': "export { informer } from '../informer/informer.js';",
    });
    expect(status).toBe(1);
    expect(output).toContain(
      'src/cache/store/indexer.ts imports src/cache/informer/informer.js: cache/store may import nothing else of ours, not cache/informer',
    );
    expect(output).toContain('src/cache/elsewhere/x.ts is in no sub-folder of cache');
    expect(output).toContain('2 offences');
  });

  it('keeps the core of the server away from clients', () => {
    const { output } = check({
      'client/client.ts': 'export const c = 1;',
      'apiserver/storage/watch.ts': "import { c } from '../../client/client.js';\nexport const w: number = c;",
    });
    expect(output).toContain('apiserver may import meta, structures, time, resources, codec, not client');
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
    expect(check({ 'cache/x.ts': text }).output).toMatch(/src\/cache\/x\.ts:1: .* belongs in src\/time/);
    expect(check({ 'time/x.ts': text }).status).toBe(0);
  });

  it('finds default exports', () => {
    expect(
      check({ 'meta/a.ts': 'export default 1;', 'meta/b.ts': 'export default function b() {}' }).output.match(
        /no default exports/g,
      ),
    ).toHaveLength(2);
  });

  it('refuses a folder that the table does not know', () => {
    expect(check({ 'elsewhere/x.ts': "import '../meta/y.js';", 'meta/y.ts': '' }).output).toContain('is in no layer');
  });
});
