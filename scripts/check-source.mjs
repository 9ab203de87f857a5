// The rules of this repository that no linter knows: the import table, no bare time or chance outside src/time, no
// default exports. Prints each offence with its place and exits 1 if there is any.
//
//   node scripts/check-source.mjs [folder that stands for src/]
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { forbiddenImport, layerOf } from './layers.mjs';

const repository = join(dirname(fileURLToPath(import.meta.url)), '..');
const source = resolve(process.argv[2] ?? join(repository, 'src'));

const bareGlobals = new Set(['setTimeout', 'setInterval', 'setImmediate']);
const bareMembers = new Set(['Date.now', 'performance.now', 'Math.random', 'AbortSignal.timeout', 'process.hrtime']);
const bareModules = new Set(['node:timers', 'node:timers/promises', 'timers', 'timers/promises']);

const offences = [];
const files = readdirSync(source, { recursive: true })
  .map((file) => file.toString())
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  .sort();
for (const file of files) checkFile(file);

for (const offence of offences) console.error(offence);
if (offences.length > 0) {
  console.error(`${offences.length} offence${offences.length === 1 ? '' : 's'} in ${files.length} files`);
  process.exit(1);
}

function checkFile(file) {
  const path = join(source, file);
  const tree = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
  const ownsTime = layerOf(file) === 'time';
  const report = (node, message) => {
    const { line } = tree.getLineAndCharacterOfPosition(node.getStart());
    offences.push(`src/${file}:${line + 1}: ${message}`);
  };
  const visit = (node) => {
    const specifier = importedFrom(node);
    if (specifier !== undefined) {
      if (specifier.startsWith('.')) {
        const target = relative(source, resolve(dirname(path), specifier));
        const reason = forbiddenImport(file, target);
        if (reason !== undefined) report(node, reason);
      } else if (bareModules.has(specifier) && !ownsTime)
        report(node, `${specifier} belongs in src/time; take a Clock`);
    }
    if (!ownsTime) {
      const bare = bareTime(node);
      if (bare !== undefined) report(node, `${bare} belongs in src/time; take a Clock`);
    }
    if (isDefaultExport(node)) report(node, 'no default exports; give it a name');
    ts.forEachChild(node, visit);
  };
  visit(tree);
}

function importedFrom(node) {
  if ((ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier)
    return node.moduleSpecifier.text;
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) return node.arguments[0]?.text;
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) return node.argument.literal.text;
  return undefined;
}

function bareTime(node) {
  if (ts.isCallExpression(node) && ts.isIdentifier(node.expression) && bareGlobals.has(node.expression.text))
    return node.expression.text;
  if (ts.isPropertyAccessExpression(node)) {
    const name = node.getText();
    const member = name.startsWith('globalThis.') ? name.slice('globalThis.'.length) : name;
    if (bareMembers.has(member) || bareGlobals.has(member)) return member;
  }
  if (ts.isNewExpression(node) && node.expression.getText() === 'Date' && (node.arguments?.length ?? 0) === 0)
    return 'new Date()';
  return undefined;
}

function isDefaultExport(node) {
  if (ts.isExportAssignment(node)) return true;
  return (
    ts.canHaveModifiers(node) && (ts.getModifiers(node)?.some((m) => m.kind === ts.SyntaxKind.DefaultKeyword) ?? false)
  );
}
