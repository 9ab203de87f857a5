// Starts the measured programs, each in its own process.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const execute = promisify(execFile);
const here = fileURLToPath(new URL('.', import.meta.url));
/** A timeout, long enough for the slowest peer on a busy machine. */
const timeout = 600_000;

/** Runs a script of this folder and reads the JSON it prints last. */
export async function measure(script, ...args) {
  const flags = ['--expose-gc', '--max-old-space-size=12000', '--no-warnings'];
  const { stdout } = await execute(process.execPath, [...flags, join(here, script), ...args.map(String)], { timeout });
  return JSON.parse(stdout.trim().split('\n').at(-1));
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
    /** Watches of the objects of a load server, in protobuf and in JSON. */
    async serve(url) {
      const child = spawn(goBinary, ['serve', url], { stdio: ['pipe', 'pipe', 'inherit'] });
      const [address] = await once(createInterface(child.stdout), 'line');
      return {
        url: address,
        async stop() {
          const exit = once(child, 'exit');
          child.stdin.end();
          await exit;
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
