// Checks that every package of the lockfile has a hash: without one npm installs any bytes that the registry sends.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * Binaries of other platforms that the registry did not have when the lockfile was completed; complete-lockfile.mjs
 * fills in their hashes when it finds them.
 */
function isUnheldBinary({ optional, resolved, os, cpu }) {
  return optional === true && resolved === undefined && (os !== undefined || cpu !== undefined);
}

/** The problems of a lockfile, one line each. */
export function problemsOf(lock) {
  return Object.entries(lock.packages)
    .filter(([path, entry]) => path !== '' && !entry.link && !entry.integrity && !isUnheldBinary(entry))
    .map(([path, { version }]) => `${path}@${version} has no integrity: run node scripts/complete-lockfile.mjs`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const problems = problemsOf(JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8')));
  for (const problem of problems) console.error(problem);
  process.exit(problems.length === 0 ? 0 : 1);
}
