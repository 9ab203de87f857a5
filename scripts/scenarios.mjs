// Lists the numbered scenarios that a passing test covers: reads the titles from the runner's JSON report.
//
//   npm run scenarios [-- --missing] [-- --require 1-62,231-256,C1-46]
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { controllerScenarios, scenarios } from '../test/scenarios.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const args = process.argv.slice(2);
const reports = ['.reports/vitest.json', '.reports/vitest-real.json']
  .map((name) => join(root, name))
  .filter(existsSync);
if (reports.length === 0) {
  console.error('No report to read. Run `npm test` first: it writes .reports/vitest.json.');
  process.exit(1);
}

/** Both lists, by the letter of their numbers. */
const families = { S: scenarios, C: controllerScenarios };

/** Passed numbers with their letter: S17, C3. */
const passed = new Set();
for (const report of reports) {
  for (const file of JSON.parse(readFileSync(report, 'utf8')).testResults) {
    for (const test of file.assertionResults) {
      if (test.status !== 'passed') continue;
      for (const [, id] of test.fullName.matchAll(/\[([SC]\d+)\]/g)) passed.add(id);
    }
  }
}

let covered = 0;
let missing = 0;
let leftOut = 0;
/** The reason why a number is left out, by number with its letter; undefined for those that are not. */
const reasons = new Map();
for (const [letter, groups] of Object.entries(families)) {
  for (const { title, entries } of groups) {
    const rows = { covered: [], missing: [], leftOut: [] };
    for (const [number, words, reason] of entries) {
      const id = `${letter}${number}`;
      reasons.set(id, reason);
      rows[passed.has(id) ? 'covered' : reason ? 'leftOut' : 'missing'].push([id, words, reason]);
    }
    covered += rows.covered.length;
    missing += rows.missing.length;
    leftOut += rows.leftOut.length;
    console.log(
      `${title}: ${rows.covered.length} covered, ${rows.missing.length} missing, ${rows.leftOut.length} left out`,
    );
    if (args.includes('--missing')) {
      for (const [id, words] of rows.missing) console.log(`  missing  ${id} ${words}`);
      for (const [id, words, reason] of rows.leftOut) console.log(`  left out ${id} ${words}: ${reason}`);
    }
  }
}
const unknown = [...passed].filter((id) => !reasons.has(id));
console.log(`all: ${covered} covered, ${missing} missing, ${leftOut} left out of ${reasons.size}`);
if (unknown.length > 0) fail(`Tests name scenarios that no list has: ${unknown.join(', ')}`);

const required = args.includes('--require') ? numbers(args[args.indexOf('--require') + 1] ?? '') : [];
const owed = required.filter((id) => !passed.has(id) && reasons.get(id) === undefined);
if (owed.length > 0) fail(`Required and not covered: ${owed.join(', ')}`);

/** `1-62,C1-46` → S1 … S62, C1 … C46. */
function numbers(text) {
  return text.split(',').flatMap((part) => {
    const letter = part.startsWith('C') ? 'C' : 'S';
    const [from, to = from] = part.replace(/^[SC]/, '').split('-').map(Number);
    return Array.from({ length: to - from + 1 }, (_, i) => `${letter}${from + i}`);
  });
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
