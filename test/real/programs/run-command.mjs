// @ts-check
import { spawn } from 'node:child_process';

/**
 * Runs a command until it ends.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, withinMs?: number, acceptsFailure?: boolean }} [options] `acceptsFailure`: an
 *   exit code other than 0 is no error
 * @returns {Promise<{ code: number | null, output: string }>} `output` is what it prints, to both streams
 */
export function runCommand(command, args, options = {}) {
  const { cwd, env, withinMs = 1_200_000, acceptsFailure = false } = options;
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const keep = (/** @type {string} */ text) => {
      output = (output + text).slice(-4_000_000);
    };
    child.stdout.setEncoding('utf8').on('data', keep);
    child.stderr.setEncoding('utf8').on('data', keep);
    const timer = setTimeout(() => child.kill('SIGKILL'), withinMs);
    child.on('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.on('close', (code) => {
      clearTimeout(timer);
      if (code === 0 || (acceptsFailure && code !== null)) resolve({ code, output });
      else reject(new Error(`\`${command} ${args.join(' ')}\` ended with ${code}:\n${output.slice(-8000)}`));
    });
  });
}
