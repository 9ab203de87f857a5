import { execFileSync } from 'node:child_process';
import { kubeflect, Program, type ProgramEnd } from '../support/program.js';
import { TempFolder } from '../support/temp-folder.js';

/** `KUBECTL` names another one than the machine's. */
const command = process.env['KUBECTL'] ?? 'kubectl';

/** Says which kubectl is tried; throws what to do when there is none. */
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

/** `kubeflect serve` in a process of its own, and a kubectl that talks to it. */
export class Serving {
  readonly #folder: TempFolder;
  readonly #kubeconfig: string;

  private constructor(folder: TempFolder, kubeconfig: string) {
    this.#folder = folder;
    this.#kubeconfig = kubeconfig;
  }

  /** Ready to be asked; gone when the test ends. */
  static async start(...options: string[]): Promise<Serving> {
    const folder = new TempFolder();
    const kubeconfig = folder.file('kubeconfig');
    const program = kubeflect(['serve', '--kubeconfig', kubeconfig, ...options]);
    await program.seen(/^Try: kubectl /m);
    return new Serving(folder, kubeconfig);
  }

  /** Runs kubectl until it ends by itself or with the test. What it remembers of the server it keeps in the test's folder. */
  run(args: readonly string[], input?: string): Program {
    const env = { HOME: this.#folder.path, KUBECONFIG: this.#kubeconfig };
    return new Program(args, { command, env, input });
  }

  end(args: readonly string[], input?: string): Promise<ProgramEnd> {
    return this.run(args, input).ended;
  }

  /** What a kubectl prints that succeeds. */
  async kubectl(...args: string[]): Promise<string> {
    return printed(args, await this.end(args));
  }

  async json<T>(...args: string[]): Promise<T> {
    return JSON.parse(await this.kubectl(...args, '-o', 'json'));
  }

  /** `kubectl create -f` of one object; the server has no schemas to validate it with. */
  async create(object: object): Promise<string> {
    const args = ['create', '--validate=false', '-f', '-'];
    return printed(args, await this.end(args, JSON.stringify(object)));
  }
}

function printed(args: readonly string[], { code, stdout, stderr }: ProgramEnd): string {
  if (code !== 0) throw new Error(`kubectl ${args.join(' ')} ended with ${code}:\n${stdout}\n${stderr}`);
  return stdout;
}
