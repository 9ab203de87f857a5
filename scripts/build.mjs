// Compiles src/ to dist/ with declarations and source maps. The embedded server, the command, the codecs and the generated tables
// have no source maps: with the sources in them they would be half of the package, and users do not step through these.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isBuilt, markBuilt, sourceHash } from './built-from.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const out = join(root, 'dist');
const stamp = join(root, 'node_modules/.cache/tsc/build.tsbuildinfo');
// An incremental build emits changed files only, so that it needs a complete dist.
if (!isBuilt(root)) rmSync(stamp, { force: true });

const hash = sourceHash(root);
const tsc = join(root, 'node_modules/typescript/bin/tsc');
const { status } = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' });
if (status !== 0) process.exit(status ?? 1);

// Removes output of files that no longer exist or no longer belong to the package, so that it is not packed.
for (const file of readdirSync(out, { recursive: true }).map(String)) {
  const built = /^(.*?)\.(?:d\.ts|js|js\.map)$/.exec(file);
  if (built !== null && !existsSync(join(root, 'src', `${built[1]}.ts`))) rmSync(join(out, file));
  else if (/^(?:apiserver|cli|codec|regexp|resources)[/\\]/.test(file) && file.endsWith('.js.map')) {
    const script = join(out, file.slice(0, -4));
    writeFileSync(script, readFileSync(script, 'utf8').replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n'));
    rmSync(join(out, file));
  }
}

markBuilt(hash, root);
const bin = join(out, 'cli/main.js');
if (existsSync(bin)) chmodSync(bin, 0o755);
