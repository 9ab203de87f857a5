import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { beforeEach, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { TempFolder } from '../../test/support/temp-folder.js';
import { run } from './run.js';

let folder: TempFolder;
beforeEach(() => {
  folder = new TempFolder();
});

/** Runs the command in the folder of the test. */
async function init(...args: string[]): Promise<{ code: number; output: string; errors: string }> {
  let [output, errors] = ['', ''];
  const code = await run(['init', ...args], {
    stdout: { write: (text) => (output += text) },
    stderr: { write: (text) => (errors += text) },
    signal: new AbortController().signal,
    cwd: folder.path,
  });
  return { code, output, errors };
}

const read = (path: string): string => readFileSync(folder.file(path), 'utf8');

describe('kubeflect init', () => {
  it('writes a project and lists its files', async () => {
    const { code, output, errors } = await init('website-operator');
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
    const files = [...output.matchAll(/^ {2}(\S+)$/gm)].map(([, path]) => path as string);
    expect(files).toContain(join('website-operator', 'src/controller.ts'));
    for (const file of files) expect(existsSync(folder.file(file)), file).toBe(true);
    expect(read('website-operator/src/resource.ts')).toContain("kind: 'Website'");
    const kinds = parseAllDocuments(read('website-operator/manifests/operator.yaml')).map((one) => one.toJS().kind);
    expect(kinds[0]).toBe('CustomResourceDefinition');
    expect(kinds.at(-1)).toBe('Deployment');
    expect(output).toMatch(/Next: cd website-operator && npm install && npm test && npm run dev\n$/);
  });

  it.each([
    ['shop', [], 'Shop', 'shops'],
    ['resource-operator', [], 'Resource', 'resources2'],
    ['web-shop-controller', ['--group', 'shop.example.org'], 'WebShop', 'webShops'],
    ['x', ['--kind', 'Clas'], 'Clas', 'class2'],
    ['test-operator', ['--kind', 'Test'], 'Test', 'tests'],
  ])('gives %s %j sources that can be parsed', async (name, args, kind, variable) => {
    expect((await init(name, ...args)).errors).toBe('');
    for (const file of ['resource', 'controller', 'operator', 'main', 'dev', 'operator.test']) {
      const text = read(`${name}/src/${file}.ts`);
      const { diagnostics } = ts.transpileModule(text, {
        reportDiagnostics: true,
        compilerOptions: { module: ts.ModuleKind.ESNext },
      });
      expect(diagnostics, file).toEqual([]);
    }
    expect(read(`${name}/src/resource.ts`)).toContain(`export type ${kind} = ObjectOf<typeof ${variable}>`);
  });

  it('never overwrites anything', async () => {
    mkdirSync(folder.file('full'));
    writeFileSync(folder.file('full/mine.txt'), 'mine');
    expect(await init('full')).toMatchObject({
      code: 1,
      errors: 'kubeflect init: the folder full exists and is not empty; choose another NAME\n',
    });
    expect(execFileSync('ls', ['-A', folder.file('full')], { encoding: 'utf8' })).toBe('mine.txt\n');
    writeFileSync(folder.file('file'), 'mine');
    expect(await init('file')).toMatchObject({ code: 1, errors: 'kubeflect init: file exists and is no folder\n' });
    mkdirSync(folder.file('empty'));
    expect((await init('empty')).code).toBe(0);
  });

  it.each([
    [[], 'which name?'],
    [['a', 'b'], 'which name?'],
    [['Upper'], 'NAME must have at most 50 lower-case letters'],
    [['../up'], 'NAME must have'],
    [['1st'], 'NAME must have'],
    [['a'.repeat(51)], 'NAME must have'],
    [['a', '--group', 'nodot'], '--group must be a DNS name with a dot'],
    [['a', '--group', "x.y'"], '--group must be a DNS name'],
    [['a', '--group', 'x.k8s.io'], '--group must be your own'],
    [['a', '--kind', 'lower'], '--kind must be a word such as Website'],
    [['a', '--kind', "A'"], '--kind must be a word'],
    [['a', '--kind', 'Record'], '--kind must be a word'],
  ])('refuses %j', async (args, message) => {
    const { code, errors } = await init(...args);
    expect(code).toBe(2);
    expect(errors).toContain(message);
    expect(execFileSync('ls', ['-A', folder.path], { encoding: 'utf8' })).toBe('');
  });
});
