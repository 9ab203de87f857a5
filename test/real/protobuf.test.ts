import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { protobufCodec } from '../../src/codec/protobuf/protobuf-codec.js';
import { builtinResources } from '../../src/resources/catalogue.js';
import { readGoldenLines } from '../protobuf/golden-lines.js';

const sources = fileURLToPath(new URL('./protobuf-golden/', import.meta.url));
const run = promisify(execFile);
const versions = [
  ...new Set(builtinResources.map(({ group, version }) => (group === '' ? version : `${group}/${version}`))),
];

let folder: string;
let program: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kubeflect-protobuf-'));
  program = join(folder, 'protobuf-golden');
  await run('go', ['build', '-o', program, '.'], { cwd: sources });
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** The output of the program. */
function output(args: readonly string[], input = ''): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('error', reject);
    child.on('close', (code) =>
      code === 0 ? resolve(Buffer.concat(chunks).toString()) : reject(new Error(`protobuf-golden ended with ${code}`)),
    );
    child.stdin.end(input);
  });
}

/** Without nulls: a pointer to the zero time is null in JSON, and no pointer after that. */
function withoutNulls(json: string): string {
  return JSON.stringify(JSON.parse(json), (_, member) => (member === null ? undefined : member));
}

/** Servers print an empty list of items where Go's client has none. */
function printed(json: string): unknown {
  const object = JSON.parse(json);
  return object.items === null ? { ...object, items: [] } : object;
}

describe('protobuf beside Go', () => {
  // Each round has 25 objects of each kind, and each is compared in both directions: 200 comparisons of each kind in a run.
  it.each([11, 12, 13, 14])(
    'decodes random objects to the JSON of Go, and encodes them back (seed %d)',
    async (seed) => {
      const golden = readGoldenLines(await output(['generate', String(seed), '25', ...versions]));
      expect(golden.length).toBeGreaterThan(3000);
      const encoded: string[] = [];
      for (const { document, json } of golden) {
        const object = protobufCodec.decode(document, { isStrict: () => true });
        expect(JSON.stringify(object)).toBe(JSON.stringify(printed(json)));
        encoded.push(Buffer.from(protobufCodec.encode(object)!).toString('base64'));
      }
      const answers = (await output(['print'], `${encoded.join('\n')}\n`)).split('\n');
      golden.forEach(({ json }, i) => {
        expect(withoutNulls(answers[i]!)).toBe(withoutNulls(json));
      });
    },
  );

  it('decodes the test data of k8s.io/api, of this release and of older ones', async () => {
    const { stdout } = await run('go', ['list', '-m', '-f', '{{.Dir}}', 'k8s.io/api'], { cwd: sources });
    const testdata = join(stdout.trim(), 'testdata');
    const files: { readonly name: string; readonly document: Buffer }[] = [];
    for (const release of (await readdir(testdata)).filter((name) => !name.endsWith('.md'))) {
      for (const name of await readdir(join(testdata, release))) {
        const [, group = '', version = '', kind = ''] = /^(.*)\.(v[^.]*)\.([^.]*)\.pb$/.exec(name) ?? [];
        // A WatchEvent has no kind.
        if (kind === '' || kind === 'WatchEvent') continue;
        const document = await readFile(join(testdata, release, name));
        if (!protobufCodec.knows({ group: group === 'core' ? '' : group, version, kind })) continue;
        files.push({ name: `${release}/${name}`, document });
      }
    }
    const documents = files.map(({ document }) => `${document.toString('base64')}\n`).join('');
    const answers = (await output(['print'], documents)).split('\n');
    files.forEach(({ name, document }, i) => {
      expect(JSON.stringify(protobufCodec.decode(document)), name).toBe(JSON.stringify(printed(answers[i]!)));
    });
    expect(files.filter(({ name }) => name.startsWith('HEAD/')).length).toBeGreaterThan(50);
    expect(new Set(files.map(({ name }) => name.split('/')[0])).size).toBeGreaterThan(1);
  });
});
