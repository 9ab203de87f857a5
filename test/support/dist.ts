import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
// @ts-expect-error plain JavaScript, shared with scripts/build.mjs
import { whyStale } from '../../scripts/built-from.mjs';

/** The root of the repository. */
export const repository: string = fileURLToPath(new URL('../..', import.meta.url));

let stale: string | undefined | null = null;

/** Throws if `dist/` was not built from the sources that are here. Call it before starting a program that runs `dist/`. */
export function requireFreshDist(): void {
  if (stale === null) stale = whyStale() as string | undefined;
  if (stale !== undefined) throw new Error(stale);
}

/** The path of a built file. Throws if `dist/` is stale. */
export function distFile(file: string): string {
  requireFreshDist();
  return join(repository, 'dist', file);
}

/** A built file as an import specifier in quotes, for scripts that tests write. Throws if `dist/` is stale. */
export function distImport(file: string): string {
  return JSON.stringify(pathToFileURL(distFile(file)).href);
}

/** The same of a module that is not public, from `build/`: `dist/` has it as a part of a larger file. */
export function moduleImport(file: string): string {
  requireFreshDist();
  return JSON.stringify(pathToFileURL(join(repository, 'build', file)).href);
}
