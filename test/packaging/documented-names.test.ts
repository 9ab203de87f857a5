import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { distFile, repository as root } from '../support/dist.js';

const entries = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).exports as Record<
  string,
  { readonly types?: string }
>;

/** The exports of each entry, types included, by specifier: `kubeflect/cache`. */
function exportedNames(): Map<string, Set<string>> {
  const sources = Object.entries(entries).flatMap(([path, { types }]) =>
    types === undefined ? [] : [[join('kubeflect', path), distFile(relative('dist', types))] as const],
  );
  const program = ts.createProgram({
    rootNames: sources.map(([, file]) => file),
    options: { module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext, types: [] },
  });
  const checker = program.getTypeChecker();
  return new Map(
    sources.map(([specifier, file]) => {
      const module = checker.getSymbolAtLocation(program.getSourceFile(file)!)!;
      return [specifier, new Set(checker.getExportsOfModule(module).map(({ name }) => name))];
    }),
  );
}

/** The imports of the code on a page: `[specifier, name]`. */
function importsOf(page: string): [string, string][] {
  const blocks = [...page.matchAll(/^```(?:ts|js|mjs|typescript|javascript)\n(.*?)^```$/gms)].map(([, code]) => code);
  return blocks.flatMap((code) => {
    const { statements } = ts.createSourceFile('page.ts', code as string, ts.ScriptTarget.ESNext);
    return statements.flatMap((statement): [string, string][] => {
      if (!ts.isImportDeclaration(statement)) return [];
      const from = (statement.moduleSpecifier as ts.StringLiteral).text;
      const bindings = statement.importClause?.namedBindings;
      if (bindings === undefined || !ts.isNamedImports(bindings)) return [];
      return bindings.elements.map(({ name, propertyName }) => [from, (propertyName ?? name).text]);
    });
  });
}

it('names that pages import and list are exported', () => {
  const exported = exportedNames();
  const pages = [
    'README.md',
    ...readdirSync(join(root, 'docs')).flatMap((name) => (name.endsWith('.md') ? [`docs/${name}`] : [])),
  ];
  const wrong: string[] = [];
  for (const page of pages) {
    for (const [from, name] of importsOf(readFileSync(join(root, page), 'utf8'))) {
      if (/^kubeflect(\/|$)/.test(from) && exported.get(from)?.has(name) !== true) {
        wrong.push(`${page}: ${name} of ${from}`);
      }
    }
  }
  // The tables of parts: the first cell of a row has names of kubeflect/cache.
  const [, small = ''] = readFileSync(join(root, 'docs/stores.md'), 'utf8').split('## Small stores');
  const listed = [...(small.split('## In tests')[0] ?? '').matchAll(/^\| (`.*?`) \|/gm)].flatMap(([, cell]) =>
    [...(cell as string).matchAll(/`(\w+)/g)].map(([, name]) => name as string),
  );
  wrong.push(...listed.filter((name) => exported.get('kubeflect/cache')?.has(name) !== true));
  expect(wrong).toEqual([]);
}, 60_000);
