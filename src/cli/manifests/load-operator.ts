import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { type ManagerOptions, manifests } from '../../controller/index.js';
import { CommandError } from '../command.js';

/** The manager of a module, and the function that makes its manifests. */
export interface Operator {
  readonly options: ManagerOptions;
  readonly manifests: typeof manifests;
}

/**
 * Imports a module and finds the options of its manager: the export of that name, else the only export that looks like them, or
 * the function `operator`. A function is called without arguments.
 *
 * @param path the file as the user wrote it, for messages
 */
export async function loadOperator(file: string, path: string, name: string | undefined): Promise<Operator> {
  let exported: Readonly<Record<string, unknown>>;
  try {
    exported = await import(pathToFileURL(file).href);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ERR_MODULE_NOT_FOUND' && message.includes(file)) {
      throw new CommandError(`there is no module ${path}; compile the project first`);
    }
    throw new CommandError(`cannot import ${path}: ${(error as Error)?.stack ?? error}`);
  }
  const found = await optionsOf(exported, path, name);
  return { options: found, manifests: await manifestsFor(file) };
}

async function optionsOf(
  exported: Readonly<Record<string, unknown>>,
  path: string,
  name: string | undefined,
): Promise<ManagerOptions> {
  const names = Object.keys(exported);
  const listed = names.length === 0 ? 'nothing' : names.join(', ');
  if (name !== undefined && !names.includes(name)) {
    throw new CommandError(`${path} does not export ${name}; it exports ${listed}`);
  }
  const candidates = names.filter((one) => isOptions(exported[one]));
  const chosen = name ?? (candidates.length === 1 ? candidates[0] : 'operator');
  const value = exported[chosen as string];
  const options: unknown = typeof value === 'function' ? await value() : value;
  if (isOptions(options)) return options;
  const hint =
    candidates.length > 1 ? `it has ${candidates.join(' and ')}: choose one with --export` : `it exports ${listed}`;
  throw new CommandError(`${path} does not export the options of a manager (name and controllers); ${hint}`);
}

function isOptions(value: unknown): value is ManagerOptions {
  const { name, controllers } = (value ?? {}) as Partial<ManagerOptions>;
  return typeof name === 'string' && Array.isArray(controllers);
}

/** The function of the package that the module itself uses: a command that was installed elsewhere has other controllers. */
async function manifestsFor(file: string): Promise<typeof manifests> {
  let entry: string;
  try {
    entry = createRequire(file).resolve('kubeflect/controller');
  } catch {
    return manifests;
  }
  return ((await import(pathToFileURL(entry).href)) as { manifests: typeof manifests }).manifests;
}
