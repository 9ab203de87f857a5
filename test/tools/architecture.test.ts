import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { repository } from '../support/program.js';

type Imports = Readonly<Record<string, readonly string[]>>;
const { layers, rooms } = (await import(join(repository, 'scripts/layers.mjs'))) as {
  readonly layers: Imports;
  readonly rooms: Readonly<Record<string, Imports>>;
};

/** The rows of the first table with this header: the names of the first cell, and the text of the last one. */
function rowsUnder(header: string): [string, string][] {
  const text = readFileSync(join(repository, 'ARCHITECTURE.md'), 'utf8');
  const [, table = ''] = text.split(`| ${header} |`);
  const rows = table.split('\n\n', 1)[0]!.split('\n').slice(2);
  return rows.flatMap((row) => {
    const cells = row.split('|').map((cell) => cell.trim());
    const names = cells[1]!.replace(/\[([^\]]+)\]\([^)]*\)/g, '$1').split(', ');
    return names.map((name): [string, string] => [name, cells.at(-2)!]);
  });
}

const listOf = (text: string) => (text === 'nothing' ? [] : text.split(', '));

it('ARCHITECTURE.md has the import table of scripts/layers.mjs', () => {
  const described = rowsUnder('folder | what it is | may import').map(([name, text]) => {
    if (text === 'anything') return [name, ['*']];
    const allowed = listOf(text).flatMap((word) => {
      const below = word.replace(/ and below$/, '');
      return below === word ? [word] : [below, ...layers[below]!];
    });
    return [name, allowed.sort()];
  });
  const wanted = Object.entries(layers).map(([name, allowed]) => [name, [...allowed].sort()]);
  expect(Object.fromEntries(described)).toEqual(Object.fromEntries(wanted));
});

it('ARCHITECTURE.md has the sub-folders of scripts/layers.mjs', () => {
  const described = rowsUnder('sub-folder | may import of its own folder').map(([name, text]) => [name, listOf(text)]);
  const wanted = Object.entries(rooms).flatMap(([layer, open]) =>
    Object.entries(open)
      .filter(([room]) => room !== '.')
      .map(([room, allowed]) => [`${layer}/${room}`, allowed]),
  );
  expect(Object.fromEntries(described)).toEqual(Object.fromEntries(wanted));
});
