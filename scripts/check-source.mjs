// Checks rules that the linter does not have: the import table, no bare timers or random numbers outside src/time, no
// default exports, a `@default` for every optional option. Prints each offence with file and line, and exits with 1.
//
//   node scripts/check-source.mjs [folder to check instead of src/]
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { forbiddenImport, layerOf } from './layers.mjs';
import { missingDefaults } from './option-defaults.mjs';

const bareGlobals = new Set(['setTimeout', 'setInterval', 'setImmediate']);
const bareMembers = new Set(['Date.now', 'performance.now', 'Math.random', 'AbortSignal.timeout', 'process.hrtime']);
const bareModules = new Set(['node:timers', 'node:timers/promises', 'timers', 'timers/promises']);

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const source = resolve(process.argv[2] ?? join(dirname(fileURLToPath(import.meta.url)), '../src'));
  const names = readdirSync(source, { recursive: true })
    .map((file) => file.toString())
    .filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.test.ts'))
    .sort();
  const offences = offencesIn(
    Object.fromEntries(names.map((file) => [file.replaceAll(sep, '/'), readFileSync(join(source, file), 'utf8')])),
  );
  for (const offence of offences) console.error(offence);
  if (offences.length > 0) {
    console.error(`${offences.length} offence${offences.length === 1 ? '' : 's'} in ${names.length} files`);
    process.exit(1);
  }
}

/**
 * The offences in sources, each with file and line.
 *
 * @param {Readonly<Record<string, string>>} files the texts by path below src/
 */
export function offencesIn(files) {
  const offences = [];
  const trees = Object.entries(files).map(([file, text]) =>
    ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true),
  );
  const report = (node, message) => {
    const tree = node.getSourceFile();
    const { line } = tree.getLineAndCharacterOfPosition(node.getStart());
    offences.push(`src/${tree.fileName}:${line + 1}: ${message}`);
  };
  for (const tree of trees) checkFile(tree, report);
  missingDefaults(trees, report);
  return offences;
}

function checkFile(tree, report) {
  const file = tree.fileName;
  const ownsTime = layerOf(file) === 'time';
  const visit = (node) => {
    const specifier = importedFrom(node);
    if (specifier !== undefined) {
      if (specifier.startsWith('.')) {
        const reason = forbiddenImport(file, posix.join(posix.dirname(file), specifier));
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
