import { randomBytes } from 'node:crypto';
import { readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import type { Fault } from '../apiserver/faults/fault.js';
import { type ApiServer, startApiServer } from '../apiserver/server.js';
import { aborted } from './aborted.js';
import { parseArguments, wholeNumber } from './arguments.js';
import { type Command, CommandError, EXIT, UsageError } from './command.js';

/** What makes a file ours to overwrite: nobody shall lose the kubeconfig of a real cluster. */
const MARK = '# Written by kubeflect serve; overwritten the next time.\n';

/** `kubeflect serve`: the embedded API server as a program. */
export const serve: Command = {
  name: 'serve',
  summary: 'Run a Kubernetes API server in memory, for clients and tests.',
  help: `Usage: kubeflect serve [options]

Runs a Kubernetes API server in memory until it is interrupted. Clients reach it by its URL or by the
kubeconfig that it writes.

Options:
      --port N           Listen on this port. Default: any free one.
      --host ADDRESS     Listen on this address. Default: 127.0.0.1. Others expose the server to your network.
      --allowed-host NAME
                         Answer to this host name too. Without --tls the server answers only to loopback names and to
                         --host, so that no web page can reach it under a name of its own. May be repeated.
      --kubeconfig FILE  Write a kubeconfig that kubectl and every client library can use.
      --tls              Encrypt connections, with certificates made for the occasion.
      --rbac             Ask who clients are and let stored roles decide; implies --tls, because kubectl and other
                         clients keep credentials to themselves on plain connections. The kubeconfig is an
                         administrator's.
      --faults FILE      Inject the faults in this JSON file: an array of objects such as
                         {"verb": "watch", "resource": "pods", "times": 3, "reset": "midEvent"}.
      --seed N           Make uids, generated names and faults repeatable.
      --admin            Take faults, compaction and restarts over HTTP, under /kubeflect/.
  -h, --help             Show this.

Exit codes: 0 stopped by a signal, 1 could not start, 2 wrong options.
`,
  async run(args, context) {
    const options = readOptions(args);
    const faults = options.faults === undefined ? [] : await readFaults(options.faults);
    if (options.kubeconfig !== undefined) await checkOverwritable(options.kubeconfig);
    const api = await start(options);
    try {
      injectAll(api, faults, options.faults ?? '');
      if (options.kubeconfig !== undefined) await write(options.kubeconfig, `${MARK}${api.kubeconfig}`);
      context.stdout.write(`Serving the Kubernetes API at ${api.url}\n`);
      if (options.kubeconfig !== undefined) {
        context.stdout.write(`Try: kubectl --kubeconfig ${quote(options.kubeconfig)} get namespaces\n`);
      }
      await aborted(context.signal);
    } finally {
      await api.stop();
    }
    return EXIT.success;
  },
};

interface ServeOptions {
  readonly port: number;
  readonly host: string;
  readonly allowedHosts: readonly string[];
  readonly kubeconfig: string | undefined;
  readonly tls: boolean;
  readonly rbac: boolean;
  readonly faults: string | undefined;
  readonly seed: number | undefined;
  readonly admin: boolean;
}

function readOptions(args: readonly string[]): ServeOptions {
  const { values } = parseArguments({
    args: [...args],
    options: {
      port: { type: 'string' },
      host: { type: 'string' },
      'allowed-host': { type: 'string', multiple: true },
      kubeconfig: { type: 'string' },
      tls: { type: 'boolean' },
      rbac: { type: 'boolean' },
      faults: { type: 'string' },
      seed: { type: 'string' },
      admin: { type: 'boolean' },
    },
  });
  return {
    port: wholeNumber('--port', values.port ?? '0', 65_535),
    host: values.host ?? '127.0.0.1',
    allowedHosts: values['allowed-host'] ?? [],
    kubeconfig: values.kubeconfig,
    tls: values.tls === true || values.rbac === true,
    rbac: values.rbac ?? false,
    faults: values.faults,
    seed: values.seed === undefined ? undefined : wholeNumber('--seed', values.seed, 2 ** 32 - 1),
    admin: values.admin ?? false,
  };
}

async function start(options: ServeOptions): Promise<ApiServer> {
  const { host, port, allowedHosts, tls, seed, admin, rbac } = options;
  try {
    return await startApiServer({ host, port, allowedHosts, tls, seed, admin, authorization: rbac ? 'rbac' : 'none' });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'EADDRINUSE') throw new CommandError(`${host}:${port} is in use; choose another --port, or none`);
    if (code === 'EACCES')
      throw new CommandError(`not allowed to listen on ${host}:${port}; choose a --port above 1023`);
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
      throw new CommandError(`this machine has no address ${host}; choose another --host`);
    }
    const wrong = error instanceof TypeError ? /^(allowedHosts|host) (must .*)$/s.exec(error.message) : null;
    if (wrong !== null) throw new UsageError(`--${wrong[1] === 'host' ? 'host' : 'allowed-host'} ${wrong[2]}`);
    throw error;
  }
}

async function readFaults(path: string): Promise<readonly unknown[]> {
  let faults: unknown;
  try {
    faults = JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    throw new CommandError(`cannot read faults from ${path}: ${(error as Error).message}`);
  }
  if (!Array.isArray(faults)) throw new CommandError(`cannot read faults from ${path}: it must be a JSON array`);
  return faults;
}

function injectAll(api: ApiServer, faults: readonly unknown[], path: string): void {
  for (const [at, fault] of faults.entries()) {
    try {
      // Faults are checked where they are injected, whoever wrote them.
      api.faults.inject(fault as Fault);
    } catch (error) {
      throw new CommandError(`${path}: fault ${at + 1} of ${faults.length}: ${(error as Error).message}`);
    }
  }
}

async function checkOverwritable(path: string): Promise<void> {
  let present: string;
  try {
    present = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw new CommandError(`cannot write ${path}: ${(error as Error).message}`);
  }
  if (present === '' || present.startsWith(MARK)) return;
  throw new CommandError(`${path} is there already and not ours to overwrite; choose another --kubeconfig`);
}

/**
 * Replaces a file as a whole by one of mode 0600. Writing into a file that is there would keep its mode, and a process
 * that has it open would read the key.
 */
async function write(path: string, text: string): Promise<void> {
  let draft: string | undefined;
  try {
    // What a link leads to is replaced, and not the link.
    const target = await realpath(path).catch(() => path);
    draft = `${target}.${randomBytes(6).toString('hex')}`;
    await writeFile(draft, text, { mode: 0o600, flag: 'wx' });
    await rename(draft, target);
  } catch (error) {
    if (draft !== undefined) await rm(draft, { force: true });
    throw new CommandError(`cannot write ${path}: ${(error as Error).message}`);
  }
}

function quote(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
