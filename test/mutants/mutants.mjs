/** The list of planted bugs, and the suites that should notice each of them. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { roomOf } from './rooms.mjs';

/**
 * A bug: in `file` the text `old`, which occurs there once, is replaced by `new`.
 * @typedef {object} Mutant
 * @property {string} name
 * @property {string} file
 * @property {string} old
 * @property {string} new
 * @property {'by hand' | 'drawn'} origin
 * @property {string} why what goes wrong, or the kind of a drawn bug
 * @property {string} room
 * @property {readonly string[]} suites
 * @property {string | undefined} equivalent why no test can notice it
 */

/** A test file, and the part of the titles that is run of it. @typedef {{ file: string, titles: string | undefined }} Suite */

export const repository = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
const here = join(repository, 'test/mutants');

/** @returns {Mutant[]} those by hand first, in the order of their files */
export function loadMutants() {
  const equivalent = readJson('equivalent.json');
  const complete = (mutant, origin) => ({
    name: mutant.name,
    file: mutant.file,
    old: mutant.old,
    new: mutant.new,
    origin,
    why: mutant.why ?? mutant.kind,
    room: roomOf(mutant.file).name,
    suites: mutant.suites ?? [],
    equivalent: equivalent[mutant.name],
  });
  const byHand = readdirSync(join(here, 'by-hand'))
    .sort()
    .flatMap((file) => readJson(`by-hand/${file}`));
  return [
    ...byHand.map((mutant) => complete(mutant, 'by hand')),
    ...readJson('drawn.json').mutants.map((mutant) => complete(mutant, 'drawn')),
  ];
}

/** Why each bug that no test can notice is none; by the name of the mutant. @returns {Record<string, string>} */
export function loadEquivalent() {
  return readJson('equivalent.json');
}

/** The names of bugs that no test notices yet. @returns {string[]} */
export function loadSurvivors() {
  return readJson('survivors.json');
}

/** The result of the last run of each mutant. */
export function loadResults() {
  return readJson('results.json');
}

/**
 * The text of the file with the bug.
 * @param {Pick<Mutant, 'name' | 'file' | 'old' | 'new'>} mutant
 * @param {string} text
 */
export function plant(mutant, text) {
  const at = text.indexOf(mutant.old);
  const times = text.split(mutant.old).length - 1;
  if (times !== 1) {
    throw new Error(
      `mutant '${mutant.name}': its old text occurs ${times} times in ${mutant.file}, and must occur once`,
    );
  }
  return text.slice(0, at) + mutant.new + text.slice(at + mutant.old.length);
}

/**
 * Test files in the order in which they are run: those that the mutant names, those with the name of its file, those of its
 * folder, and those of its room.
 * @param {Mutant} mutant
 * @param {string} [noticedBy] the file of these that noticed it last time, which is run first
 * @returns {Suite[]}
 */
export function suitesOf(mutant, noticedBy) {
  const folder = dirname(mutant.file);
  const subject = `${basename(mutant.file, '.ts')}.`;
  const beside = testsIn(folder, false);
  const own = beside.filter((file) => basename(file).startsWith(subject));
  const suites = new Map();
  for (const suite of [...mutant.suites, ...own, ...beside, ...roomOf(mutant.file).suites]) {
    const [path, ...words] = suite.split(' ');
    const titles = words.length === 0 ? undefined : words.join(' ');
    const files = path.endsWith('/') ? testsIn(path.slice(0, -1), true) : [path];
    for (const file of files) if (!suites.has(file)) suites.set(file, { file, titles });
  }
  const first = suites.get(noticedBy);
  return first === undefined ? [...suites.values()] : [...new Set([first, ...suites.values()])];
}

/** @param {string} folder @param {boolean} recursive */
function testsIn(folder, recursive) {
  const root = join(repository, folder);
  return readdirSync(root, { withFileTypes: true, recursive })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.test.ts') && !entry.name.endsWith('.types.test.ts'))
    .map((entry) => relative(repository, join(entry.parentPath, entry.name)))
    .sort();
}

function readJson(name) {
  const file = join(here, name);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
}
