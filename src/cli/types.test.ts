import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { repository } from '../../test/support/dist.js';
import { TempFolder } from '../../test/support/temp-folder.js';
import { startApiServer } from '../apiserver/server.js';
import { run } from './run.js';

const fixture = (name: string): string => join(repository, 'test/cli/definitions', name);

interface End {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

async function types(args: readonly string[], stdin: readonly string[] = []): Promise<End> {
  let [output, errors] = ['', ''];
  const code = await run(['types', ...args], {
    stdout: { write: (text) => (output += text) },
    stderr: { write: (text) => (errors += text) },
    stdin: (async function* () {
      yield* stdin;
    })(),
    signal: new AbortController().signal,
  });
  return { code, output, errors };
}

const options: ts.CompilerOptions = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUnusedLocals: true,
  isolatedDeclarations: true,
  declaration: true,
  noEmit: true,
  skipLibCheck: true,
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  types: [],
};
/** Only what the written modules import, so that the compiler reads two files of this repository and not all. */
const entries: Readonly<Record<string, string>> = {
  kubeflect:
    "export * from '../../src/meta/objects.js';\nexport { defineResource, type Resource } from '../../src/meta/resource.js';",
  'kubeflect/types': "export type { ObjectMeta } from '../../src/meta/objects.js';",
};

/** Files of the repository and of the compiler, parsed once. */
const parsed = new Map<string, ts.SourceFile | undefined>();

/** The complaints of the compiler about a module and a program that imports it from `./written.js`. */
function complaints(written: string, program: string): string[] {
  const folder = join(repository, 'test/cli');
  const files = new Map([
    [join(folder, 'written.ts'), written],
    [join(folder, 'program.ts'), program],
    ...Object.entries(entries).map(([name, text]): [string, string] => [
      join(folder, `${name.replace('/', '-')}.ts`),
      text,
    ]),
  ]);
  const host = ts.createCompilerHost(options);
  const { readFile, fileExists, getSourceFile } = host;
  host.getSourceFile = (name, ...rest) => {
    if (files.has(name)) return getSourceFile(name, ...rest);
    if (!parsed.has(name)) parsed.set(name, getSourceFile(name, ...rest));
    return parsed.get(name);
  };
  host.fileExists = (name) => files.has(name) || fileExists(name);
  host.readFile = (name) => files.get(name) ?? readFile(name);
  host.resolveModuleNameLiterals = (literals, from) =>
    literals.map(({ text }) => {
      const virtual = text in entries ? join(folder, `${text.replace('/', '-')}.ts`) : undefined;
      if (virtual === undefined)
        return ts.resolveModuleName(text, from, options, host, undefined, undefined, ts.ModuleKind.ESNext);
      return { resolvedModule: { resolvedFileName: virtual, extension: ts.Extension.Ts } };
    });
  const compiled = ts.createProgram([join(folder, 'program.ts')], options, host);
  return ts.getPreEmitDiagnostics(compiled).map(({ messageText, file, start }) => {
    const line = file === undefined ? 0 : file.getLineAndCharacterOfPosition(start ?? 0).line + 1;
    return `${file?.fileName.slice(folder.length + 1)}:${line}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
  });
}

describe('kubeflect types', () => {
  it('writes readable types of a definition and resources for them', async () => {
    const { code, output, errors } = await types(['-f', fixture('certificates.yaml')]);
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
    await expect(output).toMatchFileSnapshot(fixture('certificates.ts.txt'));
    const program = `
      import type { New } from 'kubeflect';
      import { type Certificate, type CertificateV1beta1, certificates, certificatesV1beta1, clusterissuers } from './written.js';
      export const resources: string[] = [certificates.resource, certificatesV1beta1.version, clusterissuers.group];
      export const one: New<Certificate> = {
        metadata: { name: 'a' },
        spec: { secretName: 's', issuerRef: { name: 'i', kind: 'Issuer' }, usages: ['server auth'], privateKey: null, labels: { a: 'b' } },
      };
      export const days = (object: Certificate): string | undefined => object.status?.conditions?.[0]?.status;
      export const old: New<CertificateV1beta1> = { metadata: {}, spec: { secret: 's' } };
      // @ts-expect-error the issuer is required
      export const none: New<Certificate> = { metadata: {}, spec: { secretName: 's' } };
      // @ts-expect-error none of the values
      export const wrong: New<Certificate> = { metadata: {}, spec: { secretName: 's', issuerRef: { name: 'i', kind: 'X' } } };
    `;
    expect(complaints(output, program)).toEqual([]);
  });

  it('writes types of whole objects, maps, unions and untyped parts', async () => {
    const { output } = await types(['-f', fixture('workflows.yaml')]);
    const program = `
      import type { New } from 'kubeflect';
      import { type Workflow, workflows } from './written.js';
      export const version: string = workflows.version;
      const parameters = [{ name: 'p', value: { any: ['thing'] }, port: 'http' }, { name: 'q', value: 5, port: 80 }];
      export const flow: New<Workflow> = {
        metadata: { generateName: 'flow-' },
        spec: {
          entrypoint: 'main',
          arguments: { parameters },
          templates: [
            { name: 'main', inputs: { parameters }, container: { image: 'i', command: ['c'] }, steps: [[{ template: 't' }]] },
            { name: 'make', resource: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: {} } },
          ],
          volumes: [{ name: 'v', emptyDir: {} }],
          metadata: { labels: { a: 'b' } },
        },
      };
      export const progress = (object: Workflow): number | null | undefined => object.status?.progress;
      export const unknown = (object: Workflow): unknown => object.status?.['outputs'];
      export const child = (object: Workflow): string | undefined => object.status?.nodes?.['n']?.children?.[0];
      // @ts-expect-error a step is an object
      flow.spec.templates[0]!.steps = ['t'];
    `;
    expect(complaints(output, program)).toEqual([]);
    expect(output.match(/export interface \w*Parameters\w* /g), 'equal objects share a type').toHaveLength(1);
  });

  it('gives safe and unique names, whatever the definitions have', async () => {
    const { output } = await types(['-f', fixture('odd.yaml')]);
    expect([...output.matchAll(/^export (?:interface|const) (\w+)/gm)].map(([, name]) => name)).toEqual([
      'Record2',
      'Record2Spec',
      'Record2SpecAB',
      'Record2SpecAB2',
      'Record2SpecAB3',
      'Record2SpecClass',
      'Record2SpecClassEnumValue',
      'records',
      'RecordV1',
      'recordsV1',
      'Record3',
      'records2',
      'KubernetesObject2',
      'KubernetesObject2Spec',
      'KubernetesObject2SpecUnstructured',
      'new2',
    ]);
    const program = `
      import { type Record2, new2, records, records2, recordsV1 } from './written.js';
      export const resources: unknown[] = [new2, records, records2, recordsV1];
      export const values = ({ spec }: Record2): unknown[] => [spec?.['a-b'].x, spec?.['a.b'].w, spec?.aB?.z, spec?.['']];
      export const mixed = ({ spec }: Record2): 1 | 'two' | true | null | undefined => spec?.mixed;
      // @ts-expect-error a comment cannot be ended by a default
      import { injected } from './written.js';
    `;
    expect(complaints(output, program)).toEqual([]);
  });

  it('survives schemas that are deep or wide', async () => {
    let deep: unknown = { type: 'string' };
    for (let i = 0; i < 2000; i++) deep = { type: 'object', properties: { a: deep } };
    const wide = Object.fromEntries(
      Array.from({ length: 5000 }, (_, i) => [
        `f${i}`,
        { type: 'object', properties: { [`g${i}`]: { type: 'string' } } },
      ]),
    );
    const definition = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      spec: {
        group: 'example.com',
        scope: 'Cluster',
        names: { kind: 'Deep', plural: 'deeps' },
        versions: [
          {
            name: 'v1',
            served: true,
            schema: {
              openAPIV3Schema: { type: 'object', properties: { deep, wide: { type: 'object', properties: wide } } },
            },
          },
        ],
      },
    };
    const { code, output, errors } = await types(['-f', '-'], [JSON.stringify(definition)]);
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
    expect(output).toContain('a?: unknown;');
    expect(output).toContain('export interface DeepWideF4999 {');
  });

  it('reads schemas of the wrong shape as unknown, and never throws', async () => {
    const wrong = [
      5,
      null,
      [],
      'x',
      { type: 5 },
      { type: 'object', properties: [] },
      { type: 'array', items: [] },
      { enum: {} },
      { type: 'null' },
    ];
    const properties = Object.fromEntries(wrong.map((schema, at) => [`p${at}`, schema]));
    const spec = {
      group: 'example.com',
      names: { kind: 'Wrong', plural: 'wrongs' },
      versions: [
        { name: 'v1', served: true, schema: { openAPIV3Schema: { type: 'object', required: 5, properties } } },
      ],
    };
    const object = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', spec };
    const { code, output } = await types(['-f', '-'], [JSON.stringify(object)]);
    expect(code).toBe(0);
    const program = "import { wrongs } from './written.js';\nexport const kind: string | undefined = wrongs.kind;";
    expect(complaints(output, program)).toEqual([]);
  });

  it.each([
    [
      { apiVersion: 'apiextensions.k8s.io/v1beta1' },
      'its apiVersion must be apiextensions.k8s.io/v1, not "apiextensions.k8s.io/v1beta1"',
    ],
    [{ spec: 5 }, 'spec must be an object'],
    [{ spec: { names: {} } }, 'spec.versions must be a list'],
    [{ spec: { names: {}, versions: [{ name: 'v1', served: false }] } }, 'it serves no version'],
    [
      { spec: { group: 'a"b', names: {}, versions: [{ name: 'v1', served: true }] } },
      'group must be a name, not "a\\"b"',
    ],
  ])('refuses %j', async (wrong, message) => {
    const object = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', ...wrong };
    const { code, errors } = await types(['-f', '-'], [JSON.stringify(object)]);
    expect(code).toBe(1);
    expect(errors).toBe(`kubeflect types: the standard input, document 1 (line 1): ${message}\n`);
  });

  it('says what is missing', async () => {
    expect(await types([])).toMatchObject({ code: 2, errors: expect.stringContaining('which definition?') });
    expect(await types(['-f', 'x', 'y'])).toMatchObject({ code: 2, errors: expect.stringContaining('contradict') });
    expect(await types(['-f', 'x', '--context', 'y'])).toMatchObject({ code: 2 });
    const none = await types(['-f', '-'], ['apiVersion: v1\nkind: Namespace\n']);
    expect(none).toMatchObject({ code: 1, errors: 'kubeflect types: there is no CustomResourceDefinition in -\n' });
  });

  it('reads definitions of a cluster by any of their names', async () => {
    await using api = await startApiServer();
    const folder = new TempFolder();
    const kubeconfig = await folder.write('kubeconfig', api.kubeconfig);
    await using client = api.client();
    const text = await readFile(fixture('workflows.yaml'), 'utf8');
    const { parse } = await import('yaml');
    await client.apiextensions.v1.customResourceDefinitions().create(parse(text));
    const fromFile = await types(['-f', fixture('workflows.yaml')]);
    for (const name of ['workflows.flow.example.com', 'workflow']) {
      expect(sortedLines((await types([name, '--kubeconfig', kubeconfig])).output)).toEqual(
        sortedLines(fromFile.output),
      );
    }
    expect(await types(['pods', '--kubeconfig', kubeconfig])).toMatchObject({
      code: 1,
      errors: expect.stringContaining(
        'pods has no CustomResourceDefinition: kubeflect/types has the types of built-in kinds',
      ),
    });
  });
});

/** A server sorts the fields of a definition. */
function sortedLines(text: string): string[] {
  return text.split('\n').sort();
}
