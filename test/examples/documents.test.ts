import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { startApiServer } from '../../src/apiserver/server.js';
import { Program, repository } from '../support/program.js';
import { makeRecording, recorded } from '../support/recordings.js';
import { TempFolder } from '../support/temp-folder.js';

const read = (path: string) => readFileSync(join(repository, path), 'utf8');

/** The blocks of code of a page. */
const blocksOf = (path: string, language: 'js' | 'ts' = 'js') =>
  [...read(path).matchAll(/^```(\w+)\n(.*?)^```$/gms)]
    .filter(([, tag]) => tag === language)
    .map(([, , code]) => code as string);

/** Runs code as if it were a file in a folder of the repository. */
const runCode = (code: string, folder = '.', env: Record<string, string> = {}) =>
  new Program(['--input-type=module', '--eval', code], {
    cwd: join(repository, folder),
    env,
  });

const moduleUrl = (code: string) => `data:text/javascript,${encodeURIComponent(code)}`;

describe('README.md', () => {
  const [first = '', second = ''] = blocksOf('README.md');

  it('has a first example of twenty lines that runs as written', async () => {
    expect(first.split('\n').filter((line) => line !== '').length).toBeLessThanOrEqual(20);
    const program = runCode(first);
    await program.seen(/^default\/hello says hello to world$/m);
    const { code, stderr } = await program.interrupt();
    expect(stderr).toBe('');
    expect(code).toBe(0);
  });

  it('shows the controller of examples/, which has sixty lines at most', () => {
    expect(second).toBe(read('examples/controller.mjs'));
    expect(second.split('\n').length - 1).toBeLessThanOrEqual(60);
  });
});

describe('docs/', () => {
  it('your first controller: the steps are part of the whole program, and it runs', async () => {
    const blocks = blocksOf('docs/guide-first-controller.md');
    const whole = blocks.pop() as string;
    for (const line of blocks.join('\n').split('\n')) expect(whole).toContain(line);
    const program = runCode(whole);
    await program.seen(/^add shop\/team red$/m);
    await program.seen(/^add default\/team blue$/m);
    const { code, stderr } = await program.interrupt();
    expect(stderr).toBe('');
    expect(code).toBe(0);
  });

  it('an operator for a custom resource: it runs', async () => {
    const [typed = ''] = blocksOf('docs/guide-operator.md', 'ts');
    const options = { target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.ESNext };
    const program = runCode(ts.transpileModule(typed, { compilerOptions: options }).outputText);
    await program.seen(/^default\/photos has 5 GiB$/m);
    await program.seen(/^default\/photos is cleared away$/m);
    const { code, stderr } = await program.interrupt();
    expect(stderr).toBe('');
    expect(code).toBe(0);
  });

  it('testing a controller: the test passes', async () => {
    const [code = ''] = blocksOf('docs/guide-testing.md');
    const { code: exit, stdout } = await runCode(code, 'examples').ended;
    expect(stdout).toMatch(/^ok 1 - a Deployment gets its pods/m);
    expect(exit).toBe(0);
  });

  it('testing a controller: the test passes although modules are loaded slowly', async () => {
    const slowly = `export async function load(url, context, next) {
      if (url.includes('/dist/')) await new Promise((done) => setTimeout(done, 200));
      return next(url, context);
    }`;
    const hooks = `import { register } from 'node:module'; register(${JSON.stringify(moduleUrl(slowly))});`;
    const [code = ''] = blocksOf('docs/guide-testing.md');
    const program = new Program(['--import', moduleUrl(hooks), '--input-type=module', '--eval', code], {
      cwd: join(repository, 'examples'),
    });
    const { stdout, stderr } = await program.ended;
    expect(stdout).toMatch(/^ok 1 - a Deployment gets its pods/m);
    expect(stderr).not.toContain('took more than');
  });

  it('testing a controller: an incident becomes a test', async () => {
    const { bytes } = await makeRecording([recorded('pods')], async ({ clock, client }) => {
      const pods = client.core.v1.pods('default');
      for (const name of ['web-0', 'web-1', 'web-2']) {
        await pods.create({ metadata: { name }, spec: { containers: [{ name: 'web', image: 'web:1' }] } });
        await clock.advance(60_000);
      }
      for (const name of ['web-1', 'web-2']) {
        await pods.patchStatus(name, { phase: 'Failed' });
        await clock.advance(1_500_000);
      }
    });
    const folder = new TempFolder();
    mkdirSync(folder.file('node_modules'));
    symlinkSync(repository, folder.file('node_modules/kubeflect'), 'junction');
    writeFileSync(folder.file('incident.kfr'), bytes);
    const [, code = ''] = blocksOf('docs/guide-testing.md');
    const program = new Program(['--input-type=module', '--eval', code], { cwd: folder.path });
    const { code: exit, stdout } = await program.ended;
    expect(stdout).toMatch(/^ok 1 - the incident of 24 July/m);
    expect(exit).toBe(0);
  });

  it('simulating a controller: the steps are part of the whole test, which finds the bug with the story that is shown', async () => {
    const blocks = blocksOf('docs/guide-simulation.md');
    const whole = blocks.pop() as string;
    for (const line of blocks.slice(0, 3).join('\n').split('\n')) expect(whole).toContain(line);
    const { code: exit, stdout } = await runCode(whole, 'examples').ended;
    const [, story = ''] = /^```text\n(.*?)^```$/ms.exec(read('docs/guide-simulation.md')) ?? [];
    expect(stdout).toContain(story);
    expect(stdout).toMatch(/^ok 2 - a reservation is given once/m);
    expect(exit).toBe(0);
  });

  it('informers: the program that reads once ends', async () => {
    await using api = await startApiServer();
    await using client = api.client();
    await client.core.v1.pods('default').create({
      metadata: { name: 'a' },
      spec: { containers: [{ name: 'main', image: 'web' }] },
    });
    const KUBECONFIG = await new TempFolder().write('kubeconfig', api.kubeconfig);
    const [code = ''] = blocksOf('docs/informers.md');
    const end = await runCode(code, '.', { KUBECONFIG }).ended;
    expect(end).toEqual({ code: 0, stdout: 'default/a Pending\n', stderr: '' });
  });

  it('every page of the index exists, and every page of the package is in the index', () => {
    const index = read('docs/README.md');
    const linked = [...index.matchAll(/\]\(([\w-]+\.md)\)/g)].map(([, page]) => page as string);
    for (const page of linked) expect(read(`docs/${page}`)).toMatch(/^# /);
    const { files } = JSON.parse(read('package.json')) as { files: readonly string[] };
    const pages = readdirSync(join(repository, 'docs')).filter(
      (file) => file.endsWith('.md') && file !== 'README.md' && !files.includes(`!docs/${file}`),
    );
    expect(linked.sort()).toEqual(pages.sort());
  });
});
