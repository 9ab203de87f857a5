import { chmodSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiServer, startApiServer } from '../../src/apiserver/index.js';
import { Program } from '../support/program.js';
import { buildKubectl, isSince } from './build.mjs';
import { type KubectlStep, kubectlCases } from './kubectl-cases.js';
import { type RealApiServer, startRealApiServer } from './real-api-server.mjs';

let kubectl: string;
let real: RealApiServer;
let embedded: ApiServer;
let folder: string;

beforeAll(async () => {
  kubectl = await buildKubectl();
  // Without its controller a ServiceAccount is missing, and with it no pod can be created.
  real = await startRealApiServer({ flags: ['--disable-admission-plugins=ServiceAccount'] });
  // kubectl sends a token only over TLS.
  embedded = await startApiServer({ tls: true, controllers: ['system-namespaces'], authorization: 'rbac' });
  folder = await mkdtemp(join(tmpdir(), 'kubeflect-kubectl-'));
  writeFileSync(join(folder, 'embedded'), embedded.kubeconfig);
});
afterAll(async () => {
  await embedded.stop();
  await real.stop();
  await rm(folder, { recursive: true, force: true });
});

function start(args: readonly string[], server: 'real' | 'embedded', namespace: string, input?: string): Program {
  const env = {
    HOME: join(folder, `home-${server}`),
    KUBECONFIG: server === 'real' ? real.kubeconfigPath : join(folder, 'embedded'),
    EDITOR: join(folder, 'editor'),
  };
  return new Program([`--namespace=${namespace}`, ...args], { command: kubectl, env, cwd: folder, input });
}

/** What kubectl printed, and how it ended, after the parts that differ from run to run were replaced. */
async function run(step: KubectlStep, server: 'real' | 'embedded', namespace: string): Promise<string> {
  const given = typeof step.args === 'string' ? step.args.split(' ') : step.args;
  const args = given.map((arg) => arg.replace('NS', namespace));
  const editor = join(folder, 'editor');
  if (step.editor !== undefined) {
    writeFileSync(editor, `#!/bin/sh\n${step.editor}\n`);
    chmodSync(editor, 0o755);
  }
  const program = start(args, server, namespace, step.input);
  const { code, stdout, stderr } = await program.ended;
  return `${normalized(step.compared?.(stdout) ?? stdout)}\n${normalized(stderr)}\nended with ${code}`;
}

const REPLACED: readonly (readonly [RegExp, string])[] = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uid>'],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '<time>'],
  [/\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d \+0000/g, '<time>'],
  [/\b10\.\d+\.\d+\.\d+\b/g, '<ip>'],
  [/(resourceVersion"?: ?)"\d+"/g, '$1"<version>"'],
  [/\b(\d+[smhd])+\b/g, '<age>'],
  [/https?:\/\/(127|192)[^\s"]*/g, '<url>'],
  [/\b3\d{4}\/(TCP|UDP)/g, '<port>/$1'],
  [/[EWI]\d{4} .*\] /g, ''],
  // The width of a column depends on the ages in it.
  [/ {2,}/g, '  '],
  [/ +$/gm, ''],
  // kube-apiserver checks addresses every few minutes, and reports those of Services that it is just creating.
  [/^Events:\n {2}Type .*\n {2}---- .*\n(?: {2}Warning {2}ClusterIPNotAllocated .*\n)+/gm, 'Events:  <none>\n'],
];

function normalized(output: string): string {
  let text = output.replaceAll(folder, '<folder>').replace(/\/tmp\/[\w.-]+/g, '<file>');
  for (const [pattern, replacement] of REPLACED) text = text.replace(pattern, replacement);
  return text;
}

/** The lines of `get -w` after a change, with the ages of a watch that lasts replaced. */
function watchLines(program: Program): string[] {
  return program.lines.map(normalized);
}

describe('kubectl of the same version', () => {
  it.each(kubectlCases.map((one, index) => ({ ...one, index })))(
    'prints the same on both servers: $title',
    async ({ steps, index }) => {
      const namespace = `kubectl-${index}`;
      const input = JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
      const all: readonly (string | KubectlStep)[] = [{ args: 'create -f -', input }, ...steps];
      for (const one of all) {
        const step: KubectlStep = typeof one === 'string' ? { args: one } : one;
        if (step.since !== undefined && !isSince(step.since)) continue;
        const [expected, answered] = await Promise.all([
          run(step, 'real', namespace),
          run(step, 'embedded', namespace),
        ]);
        expect(answered, `kubectl ${String(step.args)}`).toBe(expected);
      }
    },
  );

  it.each([
    ['get configmap -w', /^b /m],
    ['get configmap -w --output-watch-events', /^ADDED +b /m],
    ['get configmap -w -o name', /^configmap\/b$/m],
    ['get configmap --watch-only -o wide', /^b /m],
  ])('prints the same changes on both servers: %s', async (args, isThere) => {
    const namespace = `watched-${args.replace(/[^a-z]+/g, '-')}`;
    const make = (kind: string, name: string): string =>
      JSON.stringify({
        apiVersion: 'v1',
        kind,
        metadata: { name },
        ...(kind === 'ConfigMap' ? { data: { x: '1' } } : {}),
      });
    const steps: KubectlStep[] = [
      { args: 'create -f -', input: make('ConfigMap', 'b') },
      { args: 'label configmap b x=y' },
      { args: 'delete configmap a' },
      { args: 'create -f -', input: make('ConfigMap', 'c') },
    ];
    const printed = async (server: 'real' | 'embedded'): Promise<string[]> => {
      await run({ args: 'create -f -', input: make('Namespace', namespace) }, server, namespace);
      await run({ args: 'create -f -', input: make('ConfigMap', 'a') }, server, namespace);
      const watch = start(args.split(' '), server, namespace);
      // A watch that has begun tells of each further object.
      for (let i = 0; !/probe/.test(watch.stdout); i++) {
        await run({ args: 'create -f -', input: make('ConfigMap', `probe-${i}`) }, server, namespace);
      }
      for (const step of steps) await run(step, server, namespace);
      await watch.seen(isThere);
      await watch.seen(/\bc\b/);
      return watchLines(watch).filter((line) => !line.includes('probe'));
    };
    expect(await printed('embedded')).toEqual(await printed('real'));
  });
});
