import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repository } from '../support/dist.js';
import { PackedPackage } from './packed-package.js';

/** .ci/run sets it to older versions of tsc. */
const tsc = process.env['TYPESCRIPT_COMPILER'] ?? join(repository, 'node_modules/typescript/bin/tsc');
let packed: PackedPackage;

beforeAll(() => {
  packed = new PackedPackage();
  packed.link('@types/node', 'undici-types');
});

afterAll(() => packed?.[Symbol.dispose]());

describe('the declarations, in the compiler of a user', () => {
  it('compile a program and the operator of the guide with strict checks, declarations included', () => {
    console.log(`TypeScript ${packed.node(packed.project, tsc, '--version').trim()}`);
    const program = readFileSync(join(repository, 'test/packaging/fixture/program.ts'), 'utf8');
    const guide = readFileSync(join(repository, 'docs/guide-operator.md'), 'utf8');
    const [, operator = ''] = /^```ts\n(.*?)^```$/ms.exec(guide) ?? [];
    const strict = { noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true, skipLibCheck: false };
    const files = { 'program.ts': program, 'operator.ts': operator };
    expect(complaints({ type: 'module' }, { module: 'NodeNext', ...strict }, files)).toEqual([]);
  }, 120_000);

  it('compile the website example and its test, which together have less than 120 lines, and both run', () => {
    const names = ['website.ts', 'website.test.ts'];
    const files = Object.fromEntries(
      names.map((name) => [name, readFileSync(join(packed.root, 'examples/website', name), 'utf8')]),
    );
    expect(Object.values(files).join('').split('\n').length).toBeLessThan(120);
    const strict = { noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true };
    const lib = ['ES2023', 'ESNext.Disposable'];
    const emitted = { module: 'NodeNext', lib, noEmit: false, outDir: 'website', ...strict };
    expect(complaints({ type: 'module' }, emitted, files)).toEqual([]);
    // The third test explores for half a minute: .ci/run has the time for it.
    const isWhole = process.env['TYPESCRIPT_COMPILER'] !== undefined;
    const chosen = isWhole ? [] : ['--test-name-pattern=^a site'];
    const output = packed.node(packed.project, '--test', ...chosen, 'website/website.test.js');
    expect(output).toMatch(isWhole ? /^(?:# |ℹ )pass 3$/m : /^(?:# |ℹ )pass 2$/m);
    expect(output).toMatch(/^(?:# |ℹ )fail 0$/m);
  }, 600_000);

  it('compile the sharded example, which runs: no object has two writers', () => {
    const files = { 'sharded.test.ts': readFileSync(join(packed.root, 'examples/sharded/sharded.test.ts'), 'utf8') };
    const strict = { noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true };
    const lib = ['ES2023', 'ESNext.Disposable'];
    const emitted = { module: 'NodeNext', lib, noEmit: false, outDir: 'sharded', ...strict };
    expect(complaints({ type: 'module' }, emitted, files)).toEqual([]);
    const output = packed.node(packed.project, '--test', 'sharded/sharded.test.js');
    expect(output).toMatch(/^(?:# |ℹ )pass 1$/m);
    expect(output).toMatch(/^(?:# |ℹ )fail 0$/m);
  }, 600_000);

  it('compile in a CommonJS program with import(), and fail with require under node16', () => {
    const files = {
      'static.ts': "import { WorkQueue } from 'kubeflect/workqueue';\nexport const queue = new WorkQueue<string>();",
      'dynamic.ts': "export const queue = async () => new (await import('kubeflect/workqueue')).WorkQueue<string>();",
    };
    expect(complaints({ type: 'commonjs' }, { module: 'Node16' }, files)).toEqual([
      expect.stringMatching(/^static\.ts\(1,\d+\): error TS1479: /),
    ]);
  }, 120_000);
});

/** The errors of the compiler in a program and in this package, without those in Node's declarations. */
function complaints(
  manifest: object,
  options: Readonly<Record<string, unknown>>,
  files: Readonly<Record<string, string>>,
): string[] {
  const base = { target: 'ES2022', strict: true, skipLibCheck: true, types: ['node'], noEmit: true };
  const configuration = { compilerOptions: { ...base, ...options }, files: Object.keys(files) };
  writeFileSync(join(packed.project, 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(packed.project, 'tsconfig.json'), JSON.stringify(configuration));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(packed.project, name), text);
  try {
    packed.node(packed.project, tsc, '--pretty', 'false', '-p', 'tsconfig.json');
    return [];
  } catch (error) {
    const lines = (error as { stdout: string }).stdout.split('\n');
    return lines.filter((line) => / error TS/.test(line) && !line.includes('node_modules/@types/node/'));
  }
}
