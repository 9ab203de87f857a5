import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApiServer } from '../../src/apiserver/index.js';
import { repository } from '../support/dist.js';
import { eventually } from '../support/eventually.js';
import { hubKubeconfig, Mirror, mirrorSource, playMirror } from '../support/mirror.js';
import { Program } from '../support/program.js';
import { TcpProxy } from '../support/tcp-proxy.js';
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

  it('compile the example of many clusters, which mirrors ConfigMaps to clusters that come and go', async () => {
    const strict = { noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true };
    const lib = ['ES2023', 'ESNext.Disposable'];
    const emitted = { module: 'NodeNext', lib, noEmit: false, outDir: 'clusters', ...strict };
    const example = readFileSync(join(packed.root, 'examples/clusters/mirror.ts'), 'utf8');
    expect(example.split('\n').length).toBeLessThan(70);
    expect(complaints({ type: 'module' }, emitted, { 'original.ts': example, 'mirror.ts': mirrorSource })).toEqual([]);
    await using hub = await startApiServer({ objects: [{ kind: 'Namespace', metadata: { name: 'mirror' } }] });
    await using left = await startApiServer();
    await using right = await startApiServer();
    await using proxy = await TcpProxy.start(right.url);
    const kubeconfig = join(packed.project, 'kubeconfig');
    writeFileSync(kubeconfig, hubKubeconfig(hub.kubeconfig));
    await using admin = hub.client();
    await using leftClient = left.client();
    await using rightClient = right.client();
    const script = join(packed.project, 'clusters/mirror.js');
    const program = new Program([script], { cwd: packed.project, env: { KUBECONFIG: kubeconfig } });
    const members = [
      { name: 'left', client: leftClient, kubeconfig: left.kubeconfig },
      { name: 'right', client: rightClient, kubeconfig: right.kubeconfig.replace(right.url, proxy.url) },
    ] as const;
    await playMirror(new Mirror(admin), members, program, async () => {
      expect(proxy.accepted).toBeGreaterThan(0);
      await eventually('its connections are closed', () => proxy.connections.length === 0);
    });
  }, 120_000);
  it('compile the admission example, which prints its manifests', () => {
    const names = ['website.ts', 'admission.ts'];
    const files = Object.fromEntries(
      names.map((name) => [name, readFileSync(join(packed.root, 'examples/website', name), 'utf8')]),
    );
    const strict = { noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true };
    const emitted = { module: 'NodeNext', lib: ['ES2023'], noEmit: false, outDir: 'admission', ...strict };
    expect(complaints({ type: 'module' }, emitted, files)).toEqual([]);
    const printed = packed.node(packed.project, 'admission/admission.js', '--manifests').trim().split('\n');
    expect(printed.map((line) => (JSON.parse(line) as { kind: string }).kind)).toEqual([
      'CustomResourceDefinition',
      'Namespace',
      'ServiceAccount',
      'Role',
      'RoleBinding',
      'ClusterRole',
      'ClusterRoleBinding',
      'Service',
      'MutatingWebhookConfiguration',
      'ValidatingWebhookConfiguration',
      'Deployment',
    ]);
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
