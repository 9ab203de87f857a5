import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { repository, requireFreshDist } from '../support/dist.js';

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly bin: Readonly<Record<string, string>>;
}

/** One entry of the package. */
export interface EntryPoint {
  /** The specifier, such as `kubeflect/cache`. */
  readonly specifier: string;
  /** The file of its declarations, and of its code. */
  readonly types: string;
  readonly code: string;
}

/**
 * The package as npm packs it, unpacked into empty projects. Its dependencies are linked from this
 * repository, so that no registry is needed.
 */
export class PackedPackage implements Disposable {
  readonly #folder = mkdtempSync(join(tmpdir(), 'kubeflect-pack-'));
  readonly tarball: string;
  /** A project with the package and its dependencies. */
  readonly project: string;
  /** A project with the package alone. */
  readonly bareProject: string;

  constructor() {
    requireFreshDist();
    const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
    const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', this.#folder];
    execFileSync(npm, args, { cwd: repository, stdio: 'pipe', shell: process.platform === 'win32' });
    const [name] = readdirSync(this.#folder);
    this.tarball = join(this.#folder, name!);
    this.project = this.#install('project');
    this.bareProject = this.#install('bare');
    this.link(...Object.keys(this.manifest.dependencies ?? {}));
  }

  /** The folder of the package in {@link project}. */
  get root(): string {
    return join(this.project, 'node_modules/kubeflect');
  }

  get manifest(): Manifest {
    return JSON.parse(readFileSync(join(this.root, 'package.json'), 'utf8'));
  }

  get entryPoints(): EntryPoint[] {
    return Object.entries(this.manifest.exports).flatMap(([path, target]) =>
      typeof target === 'string'
        ? []
        : [
            {
              specifier: `kubeflect${path.slice(1)}`,
              types: join(this.root, target.types),
              code: join(this.root, target.default),
            },
          ],
    );
  }

  /** Every file in the tarball. */
  get files(): string[] {
    return readdirSync(this.root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(this.root.length + 1));
  }

  /** Links packages of this repository into {@link project}. */
  link(...names: readonly string[]): void {
    for (const name of names) {
      const target = join(this.project, 'node_modules', name);
      mkdirSync(dirname(target), { recursive: true });
      symlinkSync(join(repository, 'node_modules', name), target, 'junction');
    }
  }

  /** Runs a Node program in a folder and returns its output. */
  node(folder: string, ...args: readonly string[]): string {
    return execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  }

  #install(name: string): string {
    const project = join(this.#folder, name);
    const target = join(project, 'node_modules/kubeflect');
    mkdirSync(target, { recursive: true });
    execFileSync('tar', ['-xzf', this.tarball, '--strip-components=1', '-C', target]);
    return project;
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
