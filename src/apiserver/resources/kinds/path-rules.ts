import { fieldInvalid } from '../../../meta/errors/field-cause.js';
import type { CauseSteps } from '../causes.js';

/** Causes for a path of a file with a step upwards. */
export function* backstepCauses(target: string, path: string): CauseSteps {
  if (target.split('/').includes('..')) yield fieldInvalid(path, target, "must not contain '..'");
}

/** Causes for a path of a file that is not below the place where it starts. */
export function* descendingPathCauses(target: string, path: string): CauseSteps {
  if (target.startsWith('/')) yield fieldInvalid(path, target, 'must be a relative path');
  yield* backstepCauses(target, path);
}

/** Like {@link descendingPathCauses}; names that start with two dots are reserved too. */
export function* localPathCauses(target: string, path: string): CauseSteps {
  yield* descendingPathCauses(target, path);
  if (target.startsWith('..') && !target.startsWith('../')) {
    yield fieldInvalid(path, target, "must not start with '..'");
  }
}

/** Causes for permissions of a file that are no three octal digits. */
export function* fileModeCauses(mode: number | undefined, path: string): CauseSteps {
  if (mode === undefined || (mode >= 0 && mode <= 0o777)) return;
  yield fieldInvalid(path, mode, 'must be a number between 0 and 0777 (octal), both inclusive');
}
