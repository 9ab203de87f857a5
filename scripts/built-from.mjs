// Says whether dist/ was built from the sources that are here. scripts/build.mjs leaves a hash of them in dist/; tests that
// run dist/ compare it (test/support/dist.ts), so that they never pass or fail because of an older build.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const repository = join(dirname(fileURLToPath(import.meta.url)), '..');

/** Notes in dist/ which sources it was built from: the hash of them when the build began. */
export function markBuilt(hash, root = repository) {
  writeFileSync(markOf(root), hash);
}

/** Whether a build has ended here. */
export function isBuilt(root = repository) {
  return existsSync(markOf(root));
}

/** Why dist/ cannot be used and what to do about it, or undefined if it was built from the sources that are here. */
export function whyStale(root = repository) {
  if (!isBuilt(root)) return 'dist/ is missing or incomplete: run `npm run build`';
  return readFileSync(markOf(root), 'utf8') === sourceHash(root)
    ? undefined
    : 'dist/ was built from other sources than src/ has now: run `npm run build`';
}

const markOf = (root) => join(root, 'dist/.built-from');

/** A hash of what the compiler reads. The contents count, not the times, which a checkout changes. */
export function sourceHash(root = repository) {
  const sources = readdirSync(join(root, 'src'), { recursive: true })
    .map((file) => join('src', file.toString()))
    .filter((file) => file.endsWith('.ts') && !/\.test(?:-d)?\.ts$/.test(file))
    .sort();
  const hash = createHash('sha256');
  for (const file of [...sources, 'tsconfig.json', 'tsconfig.build.json']) {
    hash
      .update(file)
      .update('\0')
      .update(readFileSync(join(root, file)))
      .update('\0');
  }
  return hash.digest('hex');
}
