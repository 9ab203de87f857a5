// @ts-check
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/**
 * The releases that the server is built from. The newest has its modules in `server/go.mod`, others in `server/versions/`.
 *
 * @type {Readonly<Record<string, string>>}
 */
const serverVersions = { 1.36: 'v1.36.3', 1.35: 'v1.35.4', 1.33: 'v1.33.13' };

const newest = '1.36';

/** The release of the servers that are started: `KUBEFLECT_SERVER`, which `npm run test:real -- --server 1.35` sets. */
const serverRelease = process.env.KUBEFLECT_SERVER || newest;
if (!(serverRelease in serverVersions)) {
  throw new Error(`KUBEFLECT_SERVER is ${serverRelease}, not one of ${Object.keys(serverVersions).join(', ')}`);
}

/** The Kubernetes version of the servers that are started. */
export const kubernetesVersion = serverVersions[serverRelease] ?? '';

/** Whether that is the version of the catalogue, the schema and the conformance suite. */
export const isNewest = serverRelease === newest;

/**
 * Whether the servers that are started are of this release or a newer one.
 *
 * @param {`1.${number}`} release
 */
export function isSince(release) {
  return Number(serverRelease.slice(2)) >= Number(release.slice(2));
}

/**
 * A program that is built: the folder of its Go module, beside this file, and the package in it. `version` is the version that
 * it says it has: kubectl refuses servers that call themselves v0.0.0. `modfile` replaces the `go.mod` of the folder.
 *
 * @typedef {{ name: string, title: string, sources: string, package: string, version: string, modfile?: string }} Program
 */

/** @type {Program} */
const server = {
  name: 'real-api-server',
  title: 'kube-apiserver',
  sources: moduleFolder('server'),
  package: '.',
  version: kubernetesVersion,
  ...(isNewest ? {} : { modfile: `versions/${serverRelease}.mod` }),
};

/** @type {Program} */
const kubectl = {
  name: 'kubectl',
  title: 'kubectl',
  sources: moduleFolder('kubectl'),
  package: 'k8s.io/kubernetes/cmd/kubectl',
  version: serverVersions[newest] ?? '',
};

/**
 * A command of Kubernetes, of the version of kubectl: `kube-controller-manager` or `kube-scheduler`.
 *
 * @param {string} name
 * @returns {Program}
 */
function command(name) {
  return {
    name,
    title: name,
    sources: moduleFolder('programs/kubernetes'),
    package: `k8s.io/kubernetes/cmd/${name}`,
    version: serverVersions[newest] ?? '',
  };
}

/** @param {string} name */
function moduleFolder(name) {
  return fileURLToPath(new URL(`./${name}/`, import.meta.url));
}

/** Thrown if Go is not installed: the message says what to install. */
export class GoMissingError extends Error {
  /** @override */
  name = 'GoMissingError';
}

/** @typedef {{ onProgress?: ((line: string) => void) | undefined }} BuildOptions `onProgress` is called with the progress of a build. */

/**
 * The path of the executable of kube-apiserver.
 *
 * @param {BuildOptions} [options]
 * @returns {Promise<string>}
 */
export function buildRealApiServer(options) {
  return buildOnce(server, options);
}

/**
 * The path of the executable of kubectl, of the server's version.
 *
 * @param {BuildOptions} [options]
 * @returns {Promise<string>}
 */
export function buildKubectl(options) {
  return buildOnce(kubectl, options);
}

/**
 * The path of the executable of a command of Kubernetes, of the server's version.
 *
 * @param {'kube-controller-manager' | 'kube-scheduler'} name
 * @param {BuildOptions} [options]
 * @returns {Promise<string>}
 */
export function buildCommand(name, options) {
  return buildOnce(command(name), options);
}

/**
 * Builds a program once per version of its sources and of Go, into the user's cache folder. Of several processes that need
 * the same build at the same time one builds, and the others wait.
 *
 * @param {Program} program
 * @param {BuildOptions} [options]
 */
async function buildOnce(program, options = {}) {
  const onProgress = options.onProgress ?? ((line) => process.stderr.write(`${line}\n`));
  const folder = join(cacheFolder(program.name), await fingerprint(program, await goVersion(program)));
  const binary = join(folder, process.platform === 'win32' ? `${program.name}.exe` : program.name);
  await mkdir(folder, { recursive: true });
  while (!(await exists(binary))) {
    const release = await tryLock(join(folder, 'lock'));
    if (release === undefined) {
      await sleep(500);
      continue;
    }
    try {
      if (!(await exists(binary))) await build(program, binary, onProgress);
    } finally {
      await release();
    }
  }
  return binary;
}

/**
 * The folder in the user's cache for what is built or installed under this name.
 *
 * @param {string} name
 */
export function cacheFolder(name) {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'kubeflect', name);
}

/**
 * @param {Program} program
 * @param {string} go
 */
async function fingerprint({ sources, version, modfile }, go) {
  const hash = createHash('sha256').update(version).update(go);
  const files = (await readdir(sources, { withFileTypes: true }))
    .filter((file) => file.isFile())
    .map(({ name }) => name);
  if (modfile !== undefined) files.push(modfile, modfile.replace(/mod$/, 'sum'));
  for (const file of files.sort()) hash.update(file).update(await readFile(join(sources, file)));
  return hash.digest('hex').slice(0, 16);
}

/** @param {Program} program */
async function goVersion({ sources, title }) {
  try {
    return (await run(sources, 'go', ['env', 'GOVERSION', 'GOOS', 'GOARCH'])).trim().replaceAll('\n', ' ');
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ENOENT') throw error;
    throw new GoMissingError(
      `The real ${title} is built from source, and there is no \`go\` on PATH. ` +
        'Install Go 1.26 or newer (https://go.dev/dl/) and try again.',
      { cause: error },
    );
  }
}

/**
 * @param {Program} program
 * @param {string} binary
 * @param {(line: string) => void} onProgress
 */
async function build(program, binary, onProgress) {
  const { sources, title, version } = program;
  const modules = program.modfile === undefined ? [] : [`-modfile=${program.modfile}`];
  const started = performance.now();
  const seconds = () => Math.round((performance.now() - started) / 1000);
  onProgress(`Building ${title} ${version} (once; minutes when cold, seconds when Go has it in its cache) …`);
  const packages =
    (await run(sources, 'go', ['list', ...modules, '-deps', program.package], onProgress)).split('\n').length - 1;
  const [major, minor] = version.slice(1).split('.');
  const names = 'k8s.io/component-base/version';
  const linkerFlags = `-s -w -X ${names}.gitVersion=${version} -X ${names}.gitMajor=${major} -X ${names}.gitMinor=${minor}`;
  const unfinished = `${binary}.${process.pid}`;
  let compiled = 0;
  const ticker = setInterval(
    () => onProgress(`… ${seconds()} s, ${compiled} packages compiled (of ${packages}, less what was cached)`),
    10_000,
  );
  try {
    const flags = [...modules, '-v', '-trimpath', '-ldflags', linkerFlags];
    await run(sources, 'go', ['build', ...flags, '-o', unfinished, program.package], () => compiled++);
    await rename(unfinished, binary);
  } finally {
    clearInterval(ticker);
    await rm(unfinished, { force: true });
  }
  onProgress(`Built in ${seconds()} s: ${binary}`);
}

/**
 * A lock is a file with the process id of its holder; one whose holder died is taken over.
 *
 * @param {string} path
 * @returns {Promise<(() => Promise<void>) | undefined>}
 */
async function tryLock(path) {
  try {
    const file = await open(path, 'wx');
    await file.write(String(process.pid));
    await file.close();
    return () => rm(path, { force: true });
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error;
  }
  const holder = Number(await readFile(path, 'utf8').catch(() => ''));
  // An empty lock: its process is about to write its id, or died before.
  const isStale = holder > 0 ? !isAlive(holder) : await isOlderThan(path, 10_000);
  if (isStale) await rm(path, { force: true });
  return undefined;
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM';
  }
}

/**
 * @param {string} path
 * @param {number} ms
 */
async function isOlderThan(path, ms) {
  return stat(path).then(
    ({ mtimeMs }) => Date.now() - mtimeMs > ms,
    () => false,
  );
}

/** @param {string} path */
async function exists(path) {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/**
 * @param {string} folder
 * @param {string} command
 * @param {readonly string[]} args
 * @param {(line: string) => void} [onErrorLine]
 * @returns {Promise<string>}
 */
function run(folder, command, args, onErrorLine) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    let errors = '';
    let unread = '';
    child.stdout.setEncoding('utf8').on('data', (/** @type {string} */ text) => {
      output += text;
    });
    child.stderr.setEncoding('utf8').on('data', (/** @type {string} */ text) => {
      errors = (errors + text).slice(-8192);
      const lines = (unread + text).split('\n');
      unread = lines.pop() ?? '';
      if (onErrorLine !== undefined) for (const line of lines) onErrorLine(line);
    });
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve(output);
      else reject(new Error(`\`${command} ${args.join(' ')}\` in ${folder} ended with ${code}:\n${errors}`));
    });
  });
}
