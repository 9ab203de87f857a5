// Compiles src/ to dist/ with declarations and source maps.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const out = join(root, 'dist');
const stamp = join(root, 'node_modules/.cache/tsc/build.tsbuildinfo');
// A missing dist with a surviving stamp would make an incremental build emit nothing.
if (!existsSync(out)) rmSync(stamp, { force: true });

const tsc = join(root, 'node_modules/typescript/bin/tsc');
const { status } = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' });
if (status !== 0) process.exit(status ?? 1);

// What was built from a file that is gone, or that is no longer part of the package, must not be packed.
for (const file of readdirSync(out, { recursive: true }).map(String)) {
  const built = /^(.*?)\.(?:d\.ts|js|js\.map)$/.exec(file);
  if (built !== null && !existsSync(join(root, 'src', `${built[1]}.ts`))) rmSync(join(out, file));
}

const bin = join(out, 'cli/main.js');
if (existsSync(bin)) chmodSync(bin, 0o755);
