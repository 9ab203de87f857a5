import { execFileSync } from 'node:child_process';
import { kubeflect, Program, type ProgramEnd } from '../support/program.js';
import { TempFolder } from '../support/temp-folder.js';

/** The kubectl to test; `KUBECTL` sets another one than that of the machine. */
const command = process.env['KUBECTL'] ?? 'kubectl';

/** Prints the version of kubectl; throws an error with the remedy if there is none. */
export function kubectlVersion(): string {
  try {
    const answer = execFileSync(command, ['version', '--client', '-o', 'json'], { encoding: 'utf8' });
    return JSON.parse(answer).clientVersion.gitVersion;
  } catch (error) {
    throw new Error(
      `these tests need kubectl, and ${command} cannot be run: install it (Debian: apt-get install kubernetes-client), or name one with KUBECTL=path`,
      { cause: error },
    );
  }
}

/** `kubeflect serve` in its own process, and a kubectl for it. */
export class Serving {
  readonly #folder: TempFolder;
  readonly #kubeconfig: string;

  private constructor(folder: TempFolder, kubeconfig: string) {
    this.#folder = folder;
    this.#kubeconfig = kubeconfig;
  }

  /** Starts the server and waits until it is ready; it stops when the test ends. */
  static async start(...options: string[]): Promise<Serving> {
    const folder = new TempFolder();
    const kubeconfig = folder.file('kubeconfig');
    const program = kubeflect(['serve', '--kubeconfig', kubeconfig, ...options]);
    await program.seen(/^Try: kubectl /m);
    return new Serving(folder, kubeconfig);
  }

  /** Runs kubectl until it ends by itself or with the test. Its discovery cache is in the folder of the test. */
  run(args: readonly string[], input?: string): Program {
    const env = { HOME: this.#folder.path, KUBECONFIG: this.#kubeconfig };
    return new Program(args, { command, env, input });
  }

  end(args: readonly string[], input?: string): Promise<ProgramEnd> {
    return this.run(args, input).ended;
  }

  /** The output of a kubectl that succeeds. */
  async kubectl(...args: string[]): Promise<string> {
    return printed(args, await this.end(args));
  }

  async json<T>(...args: string[]): Promise<T> {
    return JSON.parse(await this.kubectl(...args, '-o', 'json'));
  }

  /** `kubectl create -f` of one object. */
  async create(object: object): Promise<string> {
    const args = ['create', '-f', '-'];
    return printed(args, await this.end(args, JSON.stringify(object)));
  }
}

function printed(args: readonly string[], { code, stdout, stderr }: ProgramEnd): string {
  if (code !== 0) throw new Error(`kubectl ${args.join(' ')} ended with ${code}:\n${stdout}\n${stderr}`);
  return stdout;
}
