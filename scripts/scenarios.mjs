// Lists the numbered scenarios that a passing test covers: reads the titles from the runner's JSON report.
//
//   npm run scenarios [-- --missing] [-- --require 1-62,231-256]
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { scenarios } from '../test/scenarios.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const args = process.argv.slice(2);
const reports = ['.reports/vitest.json', '.reports/vitest-real.json']
  .map((name) => join(root, name))
  .filter(existsSync);
if (reports.length === 0) {
  console.error('No report to read. Run `npm test` first: it writes .reports/vitest.json.');
  process.exit(1);
}

const passed = new Set();
for (const report of reports) {
  for (const file of JSON.parse(readFileSync(report, 'utf8')).testResults) {
    for (const test of file.assertionResults) {
      if (test.status !== 'passed') continue;
      for (const [, number] of test.fullName.matchAll(/\[S(\d+)\]/g)) passed.add(Number(number));
    }
  }
}

let covered = 0;
let missing = 0;
let leftOut = 0;
for (const { title, entries } of scenarios) {
  const rows = { covered: [], missing: [], leftOut: [] };
  for (const entry of entries) rows[passed.has(entry[0]) ? 'covered' : entry[2] ? 'leftOut' : 'missing'].push(entry);
  covered += rows.covered.length;
  missing += rows.missing.length;
  leftOut += rows.leftOut.length;
  console.log(
    `${title}: ${rows.covered.length} covered, ${rows.missing.length} missing, ${rows.leftOut.length} left out`,
  );
  if (args.includes('--missing')) {
    for (const [number, words] of rows.missing) console.log(`  missing  S${number} ${words}`);
    for (const [number, words, reason] of rows.leftOut) console.log(`  left out S${number} ${words}: ${reason}`);
  }
}
const known = new Set(scenarios.flatMap(({ entries }) => entries.map(([number]) => number)));
const unknown = [...passed].filter((number) => !known.has(number));
console.log(`all: ${covered} covered, ${missing} missing, ${leftOut} left out of ${known.size}`);
if (unknown.length > 0) fail(`Tests name scenarios that no list has: ${unknown.join(', ')}`);

const required = args.includes('--require') ? numbers(args[args.indexOf('--require') + 1] ?? '') : [];
const reasons = new Map(scenarios.flatMap(({ entries }) => entries.map(([number, , reason]) => [number, reason])));
const owed = required.filter((number) => !passed.has(number) && reasons.get(number) === undefined);
if (owed.length > 0) fail(`Required and not covered: ${owed.join(', ')}`);

function numbers(text) {
  return text.split(',').flatMap((part) => {
    const [from, to = from] = part.split('-').map(Number);
    return Array.from({ length: to - from + 1 }, (_, i) => from + i);
  });
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
