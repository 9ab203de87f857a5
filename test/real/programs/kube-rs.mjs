// @ts-check
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheFolder } from '../build.mjs';
import { checkClient } from './check-client.mjs';
import { runCommand } from './run-command.mjs';

/** @import { TargetName } from './target.mjs' */

/**
 * Builds and runs kube-rs/, a Rust program with kube-rs: clients, watchers and a Controller.
 *
 * @param {readonly TargetName[]} targets
 * @param {(line: string) => void} log
 */
export async function runKubeRs(targets, log) {
  const folder = cacheFolder('kube-rs');
  const cwd = fileURLToPath(new URL('kube-rs/', import.meta.url));
  log('Building the Rust program (minutes once) …');
  await runCommand('cargo', ['build', '--quiet'], {
    cwd,
    env: { ...process.env, CARGO_TARGET_DIR: folder },
  });
  await checkClient('kube-rs 5', [join(folder, 'debug', 'kube-rs-check')], targets, log);
}
