// Builds the package: tsc compiles src/ to build/, file by file, and bundle.mjs joins these modules to the files of dist/;
// bundle-page.mjs makes the inspector's page.
//
//   npm run build [-- --if-stale]     --if-stale: nothing if dist/ was built from the current sources
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { markBuilt, sourceHash, whyStale } from './built-from.mjs';
import { bundle } from './bundle.mjs';
import { bundlePage } from './bundle-page.mjs';

// The package is the one in the current folder; tools are those of this repository.
const root = process.cwd();
const modules = join(root, 'build');
const out = join(root, 'dist');

if (process.argv.includes('--if-stale') && whyStale(root) === undefined) process.exit(0);
const hash = sourceHash(root);
const tsc = join(dirname(fileURLToPath(import.meta.url)), '../node_modules/typescript-native/bin/tsc');
const { status } = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' });
if (status !== 0) process.exit(status ?? 1);

// An incremental build leaves the output of sources that no longer exist.
for (const file of readdirSync(modules, { recursive: true }).map(String)) {
  const built = /^(.*?)\.(?:d\.ts|js|js\.map)$/.exec(file);
  if (built !== null && !existsSync(join(root, 'src', `${built[1]}.ts`))) rmSync(join(modules, file));
}

rmSync(out, { recursive: true, force: true });
await bundle(root, modules, out);
await bundlePage(root, out);
chmodSync(join(out, 'cli/main.js'), 0o755);
markBuilt(hash, root);
