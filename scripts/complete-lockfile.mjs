// Adds binaries of other platforms to the lockfile. `npm ci` needs those of every platform; a registry mirror without some of them
// makes npm leave them out. They are taken from the optional dependencies of the packages. Run it
// after `npm install` has changed the lockfile; it changes no existing entry. Missing hashes are read from the
// registry; packages that it does not have stay without one, and are printed.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const path = new URL('../package-lock.json', import.meta.url);
const lock = JSON.parse(readFileSync(path, 'utf8'));
const added = [];
for (const entry of Object.values(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const key = `node_modules/${name}`;
    const platform = platformOf(name);
    if (key in lock.packages || platform === undefined || !/^\d/.test(version)) continue;
    lock.packages[key] = {
      version,
      ...(entry.dev && { dev: true }),
      license: entry.license,
      optional: true,
      ...platform,
    };
    added.push(name);
  }
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
const hashed = [];
const unheld = [];
for (const [key, entry] of Object.entries(lock.packages)) {
  if (key === '' || entry.link || entry.integrity) continue;
  const name = `${key.slice(key.lastIndexOf('node_modules/') + 'node_modules/'.length)}@${entry.version}`;
  const { status, stdout } = spawnSync('npm', ['view', name, 'dist', '--json'], { encoding: 'utf8' });
  const { integrity, tarball } = status === 0 ? JSON.parse(stdout || '{}') : {};
  if (integrity === undefined) unheld.push(name);
  else {
    Object.assign(entry, { resolved: entry.resolved ?? tarball, integrity });
    hashed.push(name);
  }
}
if (added.length + hashed.length > 0) writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
console.log(added.length === 0 ? 'Nothing is missing.' : `Added ${added.length}: ${added.join(', ')}`);
if (hashed.length > 0) console.log(`Hashes of ${hashed.length}: ${hashed.join(', ')}`);
if (unheld.length > 0)
  console.log(`The registry does not hold ${unheld.length}, whose hashes stay unknown: ${unheld.join(', ')}`);

/** Platform, processor and libc in a name such as `@scope/cli-linux-arm64-musl`. */
function platformOf(name) {
  const words = name.slice(name.lastIndexOf('/') + 1).split('-');
  const os = ['android', 'darwin', 'freebsd', 'linux', 'openharmony', 'win32'].find((known) => words.includes(known));
  const cpu = ['arm64', 'arm', 'ia32', 'ppc64', 'riscv64', 's390x', 'x64', 'wasm32'].find((known) =>
    words.includes(known),
  );
  if (os === undefined || cpu === undefined) return cpu === 'wasm32' ? { cpu: ['wasm32'] } : undefined;
  const libc = words.some((word) => word.startsWith('musl'))
    ? 'musl'
    : words.some((word) => word.startsWith('gnu'))
      ? 'glibc'
      : undefined;
  return { ...(libc && { libc: [libc] }), os: [os], cpu: [cpu] };
}
