// @ts-check
import { runCommand } from './run-command.mjs';
import { startTarget } from './target.mjs';

/** @import { TargetName } from './target.mjs' */

/**
 * Runs a program that checks a client library: it reads `KUBECONFIG`, prints a line for each step that holds, and ends with 0.
 *
 * @param {string} title
 * @param {readonly [command: string, ...args: string[]]} command
 * @param {readonly TargetName[]} targets
 * @param {(line: string) => void} log
 */
export async function checkClient(title, [command, ...args], targets, log) {
  for (const name of targets) {
    const target = await startTarget(name);
    try {
      const env = { ...process.env, KUBECONFIG: await target.kubeconfig() };
      const started = performance.now();
      const { output } = await runCommand(command, args, { env, withinMs: 300_000 });
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      const steps = output.trim().split('\n');
      log(`${title}, ${name}: ${steps.length} steps in ${seconds} s`);
    } finally {
      await target.stop();
    }
  }
}
