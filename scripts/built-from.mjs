// Tells whether dist/ was built from the current sources. scripts/build.mjs writes their hash to dist/; tests that
// run dist/ compare it (test/support/dist.ts), so that they never pass or fail because of an older build.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const repository = join(dirname(fileURLToPath(import.meta.url)), '..');

/** Writes the hash of the sources to dist/; take it before the build begins. */
export function markBuilt(hash, root = repository) {
  writeFileSync(markOf(root), hash);
}

/** Whether dist/ has a complete build. */
export function isBuilt(root = repository) {
  return existsSync(markOf(root));
}

/** The reason why dist/ cannot be used, with the remedy; undefined if it was built from the current sources. */
export function whyStale(root = repository) {
  if (!isBuilt(root)) return 'dist/ is missing or incomplete: run `npm run build`';
  return readFileSync(markOf(root), 'utf8') === sourceHash(root)
    ? undefined
    : 'dist/ was built from other sources than src/ has now: run `npm run build`';
}

const markOf = (root) => join(root, 'dist/.built-from');

/** A hash of the contents of all files that the compiler and the bundler read. Times do not count, because a checkout changes them. */
export function sourceHash(root = repository) {
  const sources = readdirSync(join(root, 'src'), { recursive: true })
    .map((file) => join('src', file.toString()))
    .filter((file) => /\.(?:tsx?|css|html)$/.test(file) && !/\.test(?:-d)?\.ts$/.test(file))
    .sort();
  const hash = createHash('sha256');
  for (const file of [
    ...sources,
    'tsconfig.json',
    'tsconfig.build.json',
    'scripts/bundle.mjs',
    'scripts/bundle-page.mjs',
  ]) {
    hash
      .update(file)
      .update('\0')
      .update(readFileSync(join(root, file)))
      .update('\0');
  }
  return hash.digest('hex');
}
