import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { startApiServer } from '../../src/apiserver/server.js';
import { Client } from '../../src/client/client.js';
import { defineResource } from '../../src/kinds/define-resource.js';
import { isNotFound } from '../../src/meta/errors/error-predicates.js';
import type { KubernetesObject } from '../../src/meta/objects.js';
import { PackedPackage } from '../packaging/packed-package.js';
import { eventually } from '../support/eventually.js';
import { Program, repository } from '../support/program.js';

interface Website extends KubernetesObject {
  spec: { image: string; replicas?: number };
}
const websites = defineResource<Website>({
  group: 'example.com',
  version: 'v1alpha1',
  resource: 'websites',
  kind: 'Website',
  namespaced: true,
});
const site = { metadata: { name: 'shop' }, spec: { image: 'shop:1' } };

let packed: PackedPackage;
let folder: string;
let project: string;

beforeAll(() => {
  packed = new PackedPackage();
  folder = mkdtempSync(join(tmpdir(), 'kubeflect-init-'));
  packed.node(folder, join(packed.root, 'dist/cli/main.js'), 'init', 'website-operator');
  project = join(folder, 'website-operator');
  takePackagesFrom(packed.tarball);
  npm('install');
});

afterAll(() => {
  packed?.[Symbol.dispose]();
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});

/** Lets the project install this package from its tarball, and the others from this repository: no registry is needed. */
function takePackagesFrom(tarball: string): void {
  const path = join(project, 'package.json');
  const manifest = JSON.parse(readFileSync(path, 'utf8'));
  const local = (name: string): string => `file:${join(repository, 'node_modules', name)}`;
  manifest.dependencies = { kubeflect: `file:${tarball}`, yaml: local('yaml') };
  manifest.overrides = { yaml: '$yaml' };
  for (const name of Object.keys(manifest.devDependencies)) manifest.devDependencies[name] = local(name);
  writeFileSync(path, JSON.stringify(manifest, undefined, 2));
}

const offline = { npm_config_offline: 'true', npm_config_audit: 'false', npm_config_fund: 'false' };

function npm(...args: string[]): string {
  return execFileSync('npm', args, {
    cwd: project,
    env: { ...process.env, ...offline },
    encoding: 'utf8',
    stdio: 'pipe',
  });
}

/** Runs a script of the project, and returns how it ended. */
function script(name: string): { readonly code: number | null; readonly output: string } {
  const { status, stdout, stderr } = spawnSync('npm', ['run', '--silent', name], {
    cwd: project,
    env: { ...process.env, ...offline },
    encoding: 'utf8',
  });
  return { code: status, output: `${stdout}${stderr}` };
}

describe('the project of kubeflect init', () => {
  it('compiles, and its own tests pass as generated', () => {
    const { code, output } = script('test');
    expect(output).toMatch(/^# pass 2$/m);
    expect(code, output).toBe(0);
  });

  it('has manifests that are up to date, and the check of its CI fails when they are not', () => {
    expect(script('check-manifests')).toEqual({ code: 0, output: '' });
    const manifests = join(project, 'manifests/operator.yaml');
    const committed = readFileSync(manifests, 'utf8');
    const resource = join(project, 'src/resource.ts');
    const source = readFileSync(resource, 'utf8');
    try {
      writeFileSync(resource, source.replace('maximum: 100', 'maximum: 99'));
      const { code, output } = script('check-manifests');
      expect(code).not.toBe(0);
      expect(output).toContain(
        'CustomResourceDefinition websites.example.com (apiextensions.k8s.io/v1) differs at spec.versions[0]',
      );
      expect(script('manifests')).toEqual({ code: 0, output: '' });
      expect(readFileSync(manifests, 'utf8')).toBe(committed.replace('maximum: 100', 'maximum: 99'));
      expect(script('check-manifests')).toEqual({ code: 0, output: '' });
    } finally {
      writeFileSync(resource, source);
      writeFileSync(manifests, committed);
    }
    const workflow = readFileSync(join(project, '.github/workflows/ci.yaml'), 'utf8');
    expect(workflow).toContain('- run: npm run check-manifests');
  });

  it('runs on an API server inside the program with npm run dev', async () => {
    script('build');
    const program = new Program(['dist/dev.js'], { cwd: project });
    await program.seen(/^Try: kubectl --kubeconfig \.kubeconfig get websites\.example\.com$/m);
    const client = await Client.fromKubeconfig({ path: join(project, '.kubeconfig') });
    try {
      await makesDeployment(client);
    } finally {
      await client.close();
    }
    expect((await program.interrupt()).code).toBe(0);
  });

  it('has a Dockerfile whose build works in an empty folder, and whose program runs with the manifests', async () => {
    const { image, command } = build(readFileSync(join(project, 'Dockerfile'), 'utf8'));
    expect(existsSync(join(image, 'node_modules/typescript')), 'no compiler in the image').toBe(false);
    await using api = await startApiServer();
    await using client = api.client();
    for (const document of parseAllDocuments(readFileSync(join(project, 'manifests/operator.yaml'), 'utf8'))) {
      const object = document.toJS();
      const { group, version, resource, namespaced } = await client.apis.resourceOf(groupKind(object));
      const target = client.forResource({ group, version, resource, namespaced }, object.metadata.namespace);
      await target.apply(object, { fieldManager: 'test' });
    }
    const kubeconfig = join(folder, 'kubeconfig');
    writeFileSync(kubeconfig, api.kubeconfig);
    const [, ...args] = command;
    const program = new Program(args, { cwd: image, env: { KUBECONFIG: kubeconfig } });
    const failed = program.ended.then(({ stderr }) => Promise.reject(new Error(stderr)));
    await Promise.race([makesDeployment(client), failed]);
    failed.catch(() => {});
    const { code, stderr } = await program.interrupt();
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });
});

function groupKind({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }) {
  const slash = apiVersion.indexOf('/');
  return { group: slash < 0 ? '' : apiVersion.slice(0, slash), kind };
}

/** Creates a Website and waits for its Deployment. */
async function makesDeployment(client: Client): Promise<void> {
  const objects = client.forResource(websites, 'default');
  await eventually('the definition is there', () => objects.list().then(() => true, isMissing));
  await objects.create(site);
  const deployments = client.apps.v1.deployments('default');
  await eventually('the Deployment is there', () => deployments.get('shop').then(() => true, isMissing));
}

function isMissing(error: unknown): false {
  if (!isNotFound(error)) throw error;
  return false;
}

interface Image {
  /** The folder of the last stage. */
  readonly image: string;
  readonly command: readonly string[];
}

/** Runs the instructions of a Dockerfile in empty folders, one for each stage. */
function build(dockerfile: string): Image {
  const stages = new Map<string, string>();
  let stage = '';
  let command: readonly string[] = [];
  for (const [at, line] of dockerfile.split('\n').entries()) {
    const [instruction = '', ...words] = line.split(' ');
    if (instruction === 'FROM') {
      stage = join(folder, `stage-${at}`);
      mkdirSync(stage);
      if (words[1] === 'AS') stages.set(words[2]!, stage);
    } else if (instruction === 'COPY') {
      const from = words[0]?.startsWith('--from=') ? stages.get(words.shift()!.slice('--from='.length))! : project;
      const target = words.pop()!;
      for (const word of words) {
        const source = word.replace(/^\/app\//, '');
        const into = target.endsWith('/') ? join(target, source) : target;
        cpSync(join(from, source), join(stage, into), { recursive: true, verbatimSymlinks: true });
      }
    } else if (instruction === 'RUN') {
      execFileSync('sh', ['-c', words.join(' ')], { cwd: stage, env: { ...process.env, ...offline }, stdio: 'pipe' });
    } else if (instruction === 'CMD') command = JSON.parse(words.join(' '));
    else if (!['WORKDIR', 'ENV', 'USER', '#', ''].includes(instruction)) throw new Error(`what is ${instruction}?`);
  }
  return { image: stage, command };
}
