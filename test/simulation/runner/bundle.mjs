// Joins a subject and everything that it imports to one file: Node reads it in a tenth of a second, and no loader is in the way.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { rolldown } from 'rolldown';

/** Bundles a TypeScript module of this repository; returns the path of the bundle. */
export async function bundleSubject(root, name, source) {
  const file = join(root, '.reports', 'simulation', `${name}.mjs`);
  const build = await rolldown({
    input: join(root, source),
    platform: 'node',
    external: [/^node:/],
    // Node 20 has no `using`.
    transform: { target: 'es2023' },
    onLog: (level, log) => {
      if (level === 'warn') throw new Error(log.message);
    },
  });
  await build.write({ file, format: 'es', codeSplitting: false, sourcemap: true });
  await build.close();
  return file;
}

/** The commit that is simulated, with `-dirty` if a source differs from it. */
export function commitOf(root) {
  const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  const isDirty = git('status', '--porcelain', '--', 'src', 'test/simulation', 'test/support') !== '';
  return `${git('rev-parse', '--short', 'HEAD')}${isDirty ? '-dirty' : ''}`;
}
