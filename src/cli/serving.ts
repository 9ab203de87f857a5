import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { ApiServer } from '../apiserver/server.js';
import { replaceFile } from '../rest/config/replace-file.js';
import { type CommandContext, CommandError } from './command.js';

/** Marks files that `serve` and `replay` may overwrite, so that they never replace the kubeconfig of a real cluster. */
const MARK = '# Written by kubeflect serve; overwritten the next time.\n';

/** Throws if the file exists and was written by something else. */
export async function checkOverwritable(path: string): Promise<void> {
  let present: string;
  try {
    present = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw new CommandError(`cannot write ${path}: ${(error as Error).message}`);
  }
  if (present === '' || present.startsWith(MARK)) return;
  throw new CommandError(`${path} exists and was not written by kubeflect serve; choose another --kubeconfig`);
}

/**
 * Writes the kubeconfig of a server if there is a path for it, prints its address, and waits until the command is to end.
 *
 * @param example a resource that it has
 */
export async function announce(
  api: ApiServer,
  kubeconfig: string | undefined,
  example: string,
  { stdout, signal }: Pick<CommandContext, 'stdout' | 'signal'>,
): Promise<void> {
  if (kubeconfig !== undefined) await write(kubeconfig, `${MARK}${api.kubeconfig}`);
  stdout.write(`Serving the Kubernetes API at ${api.url}\n`);
  if (kubeconfig !== undefined) stdout.write(`Try: kubectl --kubeconfig ${quote(kubeconfig)} get ${example}\n`);
  if (!signal.aborted) await once(signal, 'abort');
}

/** What to do about an address that cannot be used; undefined for other errors. */
export function listenError(error: unknown, host: string, port: number | undefined): CommandError | undefined {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE':
      return new CommandError(`${host}:${port} is in use; choose another --port, or none`);
    case 'EACCES':
      return new CommandError(`not allowed to listen on ${host}:${port}; choose a --port above 1023`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new CommandError(`this machine has no address ${host}; choose another --host`);
    default:
      return undefined;
  }
}

async function write(path: string, text: string): Promise<void> {
  try {
    await replaceFile(path, text);
  } catch (error) {
    throw new CommandError(`cannot write ${path}: ${(error as Error).message}`);
  }
}

/** A path as an argument of a shell. */
function quote(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
