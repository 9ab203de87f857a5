// Writes docs/api.md: every public name, entry by entry, with its kind and the first sentence of its doc comment, from the
// built declarations. A test compares the page, so that the diff shows each change of the public surface.
//
//   npm run api
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const repository = join(dirname(fileURLToPath(import.meta.url)), '..');

/** Entries that do not count: the types of Kubernetes, and the exports of the official client. */
const aside = ['kubeflect/types', 'kubeflect/compat'];

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { text, counts } = apiPage();
  writeFileSync(join(repository, 'docs/api.md'), text);
  for (const [entry, count] of counts) console.log(`${String(count).padStart(5)} ${entry}`);
}

/**
 * Returns the page: the number of names of each entry, two sums, and the names.
 *
 * @param {string} root the folder of a package.json with `exports`
 */
export function apiPage(root = repository) {
  const entries = entriesOf(root);
  const counted = entries.filter(({ specifier }) => !aside.includes(specifier));
  const counts = entries.map(({ specifier, names }) => [specifier, names.length]);
  const total = counted.reduce((sum, { names }) => sum + names.length, 0);
  const distinct = new Set(counted.flatMap(({ names }) => names.map(({ symbol }) => symbol))).size;
  counts.push(['all entries, types and compat aside', total], ['of them distinct', distinct]);
  const text = [
    '# Public names',
    '',
    'What each entry of the package exports: its name, its kind, and the first sentence of its doc comment. `npm run api` writes',
    'this page from the declarations, and a test compares it.',
    '',
    table(['entry', 'names'], counts),
    ...entries.flatMap((entry) => ['', `## ${entry.specifier}`, '', ...sectionOf(entry)]),
  ];
  return { text: `${text.join('\n')}\n`, counts };
}

function sectionOf({ specifier, names }) {
  if (specifier === 'kubeflect/types')
    return [`${names.length} names, generated from Kubernetes' own description of its API; see [types](types.md).`];
  const models = names.filter(({ sentence }) => sentence.startsWith('The model of `'));
  const more =
    models.length === 0
      ? []
      : ['', `And ${models.length} models of the official client: \`V1Pod\`, \`V1PodList\`, \`V1PodSpec\`, …`];
  return [
    table(
      ['name', 'kind', 'what it is'],
      names
        .filter((one) => !models.includes(one))
        .map(({ name, kind, sentence }) => [`\`${name}\``, kind, sentence.replaceAll('|', '\\|')]),
    ),
    ...more,
  ];
}

function table(head, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`.replace(/ {2}\|/g, ' |');
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** The entries in the order of `exports`, each with its names sorted. */
function entriesOf(root) {
  const { name, exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const entries = Object.entries(exports)
    .filter(([, target]) => target.types !== undefined)
    .map(([path, { types }]) => ({ specifier: `${name}${path.slice(1)}`, file: join(root, types) }));
  const program = ts.createProgram({
    rootNames: entries.map(({ file }) => file),
    options: { module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2023, types: [], noLib: true, noEmit: true },
  });
  const checker = program.getTypeChecker();
  return entries.map(({ specifier, file }) => {
    const source = program.getSourceFile(file);
    if (source === undefined) throw new Error(`${file} is not there: run \`npm run build\``);
    const names = checker
      .getExportsOfModule(checker.getSymbolAtLocation(source))
      .map((exported) => {
        const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
        const comment = ts.displayPartsToString(symbol.getDocumentationComment(checker));
        return { name: exported.name, symbol, kind: kindOf(symbol), sentence: firstSentence(comment) };
      })
      .sort((a, b) => (a.name < b.name ? -1 : 1));
    return { specifier, names };
  });
}

function kindOf({ flags }) {
  const kinds = [
    ['class', ts.SymbolFlags.Class],
    ['function', ts.SymbolFlags.Function],
    ['constant', ts.SymbolFlags.Variable],
    ['enum', ts.SymbolFlags.Enum],
    ['interface', ts.SymbolFlags.Interface],
    ['type', ts.SymbolFlags.TypeAlias],
    ['namespace', ts.SymbolFlags.ValueModule],
  ];
  return kinds.flatMap(([kind, flag]) => (flags & flag ? [kind] : [])).join(', ');
}

/** The text up to the full stop of a sentence, or to the end of the paragraph. */
function firstSentence(comment) {
  const [paragraph = ''] = comment.trim().split(/\n\s*\n/);
  const line = paragraph.replace(/\{@link(?:code|plain)?\s+([^}|\s]+)[^}]*\}/g, '`$1`').replace(/\s+/g, ' ');
  return (/^(.*?[.!?])(?: (?=[A-Z`'"])|$)/.exec(line)?.[1] ?? line).replace(/:$/, '.');
}
