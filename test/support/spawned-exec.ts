import { spawn } from 'node:child_process';
import type { ExecCall } from '../../src/apiserver/index.js';

/** Runs the command of an exec on this machine, in a folder that stands in for the container's. */
export function spawnedExec(call: ExecCall, cwd?: string): Promise<number> {
  const { command, stdin, stdout, stderr, signal } = call;
  const [name = '', ...args] = command;
  const child = spawn(name, args, { signal, ...(cwd === undefined ? {} : { cwd }) });
  child.stdin.on('error', () => {});
  if (stdin === undefined) child.stdin.end();
  else stdin.pipe(child.stdin);
  if (stdout !== undefined) child.stdout.pipe(stdout, { end: false });
  if (stderr !== undefined) child.stderr.pipe(stderr, { end: false });
  return new Promise((resolve, reject) => {
    child.once('error', (error: NodeJS.ErrnoException) => (error.code === 'ENOENT' ? resolve(127) : reject(error)));
    child.once('close', (code) => resolve(code ?? 1));
  });
}
