// Starts the measured programs, each in its own process.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const execute = promisify(execFile);
const here = fileURLToPath(new URL('.', import.meta.url));
/** A timeout, long enough for the slowest peer on a busy machine. */
const timeout = 600_000;

const nodeFlags = ['--expose-gc', '--max-old-space-size=12000', '--no-warnings'];
const lastLine = (text) => JSON.parse(text.trim().split('\n').at(-1));

/** Runs a script of this folder and reads the JSON it prints last. */
export async function measure(script, ...args) {
  const { stdout } = await execute(process.execPath, [...nodeFlags, join(here, script), ...args.map(String)], {
    timeout,
  });
  return lastLine(stdout);
}

/**
 * How the measured programs reach a server, beside its URL.
 *
 * @param {{ caFile?: string, token?: string }} server
 */
const environmentOf = ({ caFile = '', token = '' }) => ({
  ...process.env,
  BENCH_CA: caFile,
  BENCH_TOKEN: token,
  // For the programs that know no other way.
  ...(caFile === '' ? {} : { NODE_EXTRA_CA_CERTS: caFile }),
});

/** Runs a script of this folder on a server. */
export async function scriptOn(server, script, ...args) {
  const all = [...nodeFlags, join(here, script), ...args.map(String)];
  const { stdout } = await execute(process.execPath, all, { timeout, env: environmentOf(server) });
  return lastLine(stdout);
}

/** Runs bench/informer/child.mjs on a server. */
export const measureOn = (server, what, subject, ...args) =>
  scriptOn(server, 'informer/child.mjs', what, subject, server.url, ...args);

/** Runs bench/informer/hold-child.mjs on a server. */
export const measureHoldsOn = (server, ...args) => scriptOn(server, 'informer/hold-child.mjs', server.url, ...args);

/** Runs a subject in the mode `follow`, and `onReady` when it has synced; returns what the subject prints at its end. */
async function follow(command, args, server, onReady) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'], env: environmentOf(server) });
  const exit = once(child, 'exit');
  let last = '';
  for await (const line of createInterface(child.stdout)) {
    if (line === 'ready') await onReady();
    else last = line;
  }
  await exit;
  return JSON.parse(last);
}

/** The same for bench/informer/child.mjs. */
export function followOn(server, subject, onReady, ...args) {
  const all = [...nodeFlags, join(here, 'informer/child.mjs'), 'follow', subject, server.url, ...args.map(String)];
  return follow(process.execPath, all, server, onReady);
}

const goFolder = join(here, 'client-go');
const goBinary = join(here, '../node_modules/.cache/client-go-bench');

/** Builds bench/client-go; undefined if that is not possible. */
export async function buildClientGo({ onlyIfBuilt = false } = {}) {
  if (onlyIfBuilt && !existsSync(goBinary)) return undefined;
  mkdirSync(join(here, '../node_modules/.cache'), { recursive: true });
  try {
    await execute('go', ['build', '-o', goBinary, '.'], { cwd: goFolder, timeout });
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
  return {
    async measure(...args) {
      const { stdout } = await execute(goBinary, args.map(String), { timeout });
      return JSON.parse(stdout);
    },
    /** `what`, then the arguments before and after the URL of the server. */
    async measureOn(server, what, before, ...after) {
      const args = [what, ...before, server.url, ...after.map(String)];
      const { stdout } = await execute(goBinary, args, { timeout, env: environmentOf(server) });
      return JSON.parse(stdout);
    },
    followOn: (server, kind, onReady, ...args) =>
      follow(goBinary, ['follow', kind, server.url, ...args.map(String)], server, onReady),
    /** The objects of a load server, in protobuf and in JSON, over TLS with HTTP/2 and over plain HTTP/1.1. */
    async serve(url) {
      const child = spawn(goBinary, ['serve', url], { stdio: ['pipe', 'pipe', 'inherit'] });
      const [line] = await once(createInterface(child.stdout), 'line');
      const { http, https, ca } = JSON.parse(line);
      const folder = mkdtempSync(join(tmpdir(), 'kubeflect-bench-'));
      const caFile = join(folder, 'ca.crt');
      writeFileSync(caFile, ca);
      return {
        plain: { url: http },
        tls: { url: https, caFile },
        async stop() {
          const exit = once(child, 'exit');
          child.stdin.end();
          await exit;
          rmSync(folder, { recursive: true });
        },
      };
    },
  };
}

/** The version of Go, or undefined. */
export async function goVersion() {
  try {
    return (await execute('go', ['env', 'GOVERSION'])).stdout.trim();
  } catch {
    return undefined;
  }
}
