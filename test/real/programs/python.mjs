// @ts-check
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheFolder } from '../build.mjs';
import { checkClient } from './check-client.mjs';
import { runCommand } from './run-command.mjs';

/** @import { TargetName } from './target.mjs' */

/** The release for Kubernetes 1.36. */
const version = '36.0.3';

/**
 * Runs python/check.py with the official Python client.
 *
 * @param {readonly TargetName[]} targets
 * @param {(line: string) => void} log
 */
export async function runPython(targets, log) {
  const folder = cacheFolder(`python-client-${version}`);
  const python = join(folder, 'bin', 'python');
  if (!(await stat(join(folder, 'installed')).catch(() => undefined))) {
    log(`Installing the Python client ${version} (once) …`);
    await runCommand('python3', ['-m', 'venv', folder]);
    await runCommand(python, ['-m', 'pip', 'install', '--quiet', `kubernetes==${version}`]);
    await runCommand(python, ['-c', `open(${JSON.stringify(join(folder, 'installed'))}, 'w')`]);
  }
  const script = fileURLToPath(new URL('python/check.py', import.meta.url));
  await checkClient(`python client ${version}`, [python, script], targets, log);
}
