import { readFile } from 'node:fs/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { parseAllDocuments, stringify } from 'yaml';
import { TempFolder } from '../../test/support/temp-folder.js';
import { run } from './run.js';

let folder: TempFolder;
let number = 0;
beforeEach(() => {
  folder = new TempFolder();
});

async function manifests(...args: string[]): Promise<{ code: number; output: string; errors: string }> {
  let [output, errors] = ['', ''];
  const code = await run(['manifests', ...args], {
    stdout: { write: (text) => (output += text) },
    stderr: { write: (text) => (errors += text) },
    signal: new AbortController().signal,
    cwd: folder.path,
  });
  return { code, output, errors };
}

/** Writes a module with these exports, under a name of its own: Node imports each file once. */
async function module(text: string): Promise<string> {
  const name = `operator-${++number}.mjs`;
  await folder.write(name, text);
  return name;
}

const OPTIONS = "{ name: 'shop-operator', controllers: [] }";
const documents = (text: string): { kind: string; spec?: { replicas?: number }; metadata: { namespace?: string } }[] =>
  parseAllDocuments(text).map((one) => one.toJS());

describe('kubeflect manifests', () => {
  it('prints what the manager of a module needs, as YAML or JSON', async () => {
    const file = await module(`export const operator = ${OPTIONS};\nexport const other = 5;`);
    const { code, output } = await manifests(file);
    expect(code).toBe(0);
    const kinds = documents(output).map(({ kind }) => kind);
    expect(kinds).toContain('ServiceAccount');
    expect(kinds).not.toContain('Deployment');
    const json = JSON.parse((await manifests(file, '-o', 'json')).output);
    expect(json).toEqual({ apiVersion: 'v1', kind: 'List', items: documents(output) });
  });

  it('prints a Deployment with --image, --replicas and --namespace', async () => {
    const file = await module(`export const operator = ${OPTIONS};`);
    const { output } = await manifests(file, '--image', 'shop:1', '--replicas', '3', '--namespace', 'shops');
    const deployment = documents(output).find(({ kind }) => kind === 'Deployment');
    expect(deployment).toMatchObject({ metadata: { namespace: 'shops' }, spec: { replicas: 3 } });
    expect(output).toContain('image: shop:1');
  });

  it.each([
    [`export default ${OPTIONS};`, []],
    [`export const operator = () => (${OPTIONS});`, []],
    [`export const operator = async () => (${OPTIONS});`, []],
    [`export const a = ${OPTIONS}; export const b = ${OPTIONS};`, ['--export', 'b']],
    [`export function make() { return ${OPTIONS}; }`, ['--export', 'make']],
  ])('finds the options of %s %j', async (text, args) => {
    expect(await manifests(await module(text), ...args)).toMatchObject({ code: 0, errors: '' });
  });

  it.each([
    [`export const a = ${OPTIONS}; export const b = ${OPTIONS};`, [], 'it has a and b: choose one with --export'],
    ['export const a = 5;', [], 'does not export the options of a manager (name and controllers); it exports a'],
    ['', [], 'it exports nothing'],
    [`export const a = ${OPTIONS};`, ['--export', 'b'], 'does not export b; it exports a'],
    ["throw new Error('broken')", [], 'broken'],
    ["import 'a-package-that-does-not-exist';", [], 'a-package-that-does-not-exist'],
  ])('says what is wrong with %s %j', async (text, args, message) => {
    const { code, errors } = await manifests(await module(text), ...args);
    expect(code).toBe(1);
    expect(errors).toContain(message);
  });

  it('--check compares with a file or a folder, whatever their form', async () => {
    const file = await module(`export const operator = ${OPTIONS};`);
    const { output } = await manifests(file, '--image', 'shop:1');
    await folder.write('all/operator.yaml', output);
    expect(await manifests(file, '--image', 'shop:1', '--check', 'all')).toEqual({ code: 0, output: '', errors: '' });
    await folder.write('all.json', (await manifests(file, '--image', 'shop:1', '-o', 'json')).output);
    expect(await manifests(file, '--image', 'shop:1', '--check', 'all.json')).toMatchObject({ code: 0 });
  });

  it('--check names what differs', async () => {
    const file = await module(`export const operator = ${OPTIONS};`);
    const { output } = await manifests(file, '--image', 'shop:1');
    const extra = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'left' } };
    const present = documents(output).filter(({ kind }) => kind !== 'ServiceAccount');
    await folder.write('old.yaml', [...present, extra].map((one) => stringify(one)).join('---\n'));
    const { code, errors } = await manifests(file, '--image', 'shop:2', '--check', 'old.yaml');
    expect(code).toBe(1);
    expect(errors.split('\n')).toEqual([
      'kubeflect manifests: old.yaml is not up to date; print the manifests again',
      'ServiceAccount shop-operator/shop-operator (v1) is missing',
      'Deployment shop-operator/shop-operator (apps/v1) differs at spec.template.spec.containers[0].image',
      'ConfigMap left (v1) is not needed any more',
      '',
    ]);
    expect(await readFile(folder.file('old.yaml'), 'utf8')).toContain('shop:1');
  });

  it.each([
    [[], 'which module?'],
    [['a', 'b'], 'which module?'],
    [['a', '--image', ''], '--image must not be empty'],
    [['a', '--replicas', '2'], '--replicas and --namespace go with --image'],
    [['a', '--image', 'i', '--replicas', '-1'], '--replicas must be a whole number'],
    [['a', '--image', 'i', '--namespace', 'A'], '--namespace must be the name of a namespace'],
    [['a', '-o', 'xml'], "--output must be one of yaml, json, got 'xml'"],
  ])('refuses %j', async (args, message) => {
    const { code, errors } = await manifests(...args);
    expect(code).toBe(2);
    expect(errors).toContain(message);
  });

  it('says that a module is not there', async () => {
    expect(await manifests('dist/operator.js')).toMatchObject({
      code: 1,
      errors: 'kubeflect manifests: there is no module dist/operator.js; compile the project first\n',
    });
  });
});
