import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApiServer } from '../../src/apiserver/index.js';
import { PackedPackage } from '../packaging/packed-package.js';
import { repository } from '../support/dist.js';
import { eventually } from '../support/eventually.js';
import { hubKubeconfig, Mirror, mirrorSource, playMirror } from '../support/mirror.js';
import { Program } from '../support/program.js';
import { TcpProxy } from '../support/tcp-proxy.js';

const require = createRequire(import.meta.url);
/** The compiler in Go; .ci/run sets it to older versions. */
const tsc = process.env['TYPESCRIPT_COMPILER'] ?? join(repository, 'node_modules/typescript-native/bin/tsc');
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

  it('compile in a CommonJS program with import(), and fail with require under node16', () => {
    const files = {
      'static.ts': "import { WorkQueue } from 'kubeflect/workqueue';\nexport const queue = new WorkQueue<string>();",
      'dynamic.ts': "export const queue = async () => new (await import('kubeflect/workqueue')).WorkQueue<string>();",
    };
    expect(complaints({ type: 'commonjs' }, { module: 'Node16' }, files)).toEqual([
      expect.stringMatching(/^static\.ts\(1,\d+\): error TS1479: /),
    ]);
  }, 120_000);

  it('compile the examples, all with strict checks', () => {
    const names = ['website/website.ts', 'website/website.test.ts', 'website/admission.ts', 'sharded/sharded.test.ts'];
    const files = Object.fromEntries(names.map((name) => [name.split('/')[1]!, example(name)]));
    const strict = { noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true };
    const lib = ['ES2023', 'ESNext.Disposable'];
    const options = { module: 'NodeNext', lib, noEmit: false, outDir: 'examples', ...strict };
    const mirrors = { 'original.ts': example('clusters/mirror.ts'), 'mirror.ts': mirrorSource };
    expect(complaints({ type: 'module' }, options, { ...files, ...mirrors })).toEqual([]);
  }, 600_000);

  it('resolve with every moduleResolution that can load the package', () => {
    const attw = join(dirname(require.resolve('@arethetypeswrong/cli/package.json')), 'dist/index.js');
    const args = [attw, packed.tarball, '--profile', 'esm-only', '--format', 'json'];
    const { analysis } = JSON.parse(packed.node(packed.project, ...args));
    const cannotLoadIt = ['node10', 'node16-cjs'];
    const problems = analysis.problems.filter(
      ({ resolutionKind }: { resolutionKind?: string }) => !cannotLoadIt.includes(resolutionKind ?? ''),
    );
    expect(problems).toEqual([]);
    expect(Object.keys(analysis.entrypoints)).toContain('./cache');
  }, 600_000);
});

describe('the examples, compiled by a user', () => {
  it('the website and its test have less than 120 lines together, and run', () => {
    const text = example('website/website.ts') + example('website/website.test.ts');
    expect(text.split('\n').length).toBeLessThan(120);
    const output = packed.node(packed.project, '--test', 'examples/website.test.js');
    expect(output).toMatch(/^(?:# |ℹ )pass 3$/m);
    expect(output).toMatch(/^(?:# |ℹ )fail 0$/m);
  }, 600_000);

  it('sharded replicas run: no object has two writers', () => {
    const output = packed.node(packed.project, '--test', 'examples/sharded.test.js');
    expect(output).toMatch(/^(?:# |ℹ )pass 1$/m);
    expect(output).toMatch(/^(?:# |ℹ )fail 0$/m);
  }, 600_000);

  it('many clusters: ConfigMaps are mirrored to clusters that come and go', async () => {
    expect(example('clusters/mirror.ts').split('\n').length).toBeLessThan(70);
    await using hub = await startApiServer({ objects: [{ kind: 'Namespace', metadata: { name: 'mirror' } }] });
    await using left = await startApiServer();
    await using right = await startApiServer();
    await using proxy = await TcpProxy.start(right.url);
    const kubeconfig = join(packed.project, 'kubeconfig');
    writeFileSync(kubeconfig, hubKubeconfig(hub.kubeconfig));
    await using admin = hub.client();
    await using leftClient = left.client();
    await using rightClient = right.client();
    const script = join(packed.project, 'examples/mirror.js');
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

  it('admission prints its manifests', () => {
    const printed = packed.node(packed.project, 'examples/admission.js', '--manifests').trim().split('\n');
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
});

function example(name: string): string {
  return readFileSync(join(packed.root, 'examples', name), 'utf8');
}

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
