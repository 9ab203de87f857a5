import { fieldInvalid, fieldNotSupported, fieldRequired } from '../../meta/errors/field-cause.js';
import type { StatusCause } from '../../meta/errors/status.js';
import type { Steps } from '../../time/steps.js';

/** The causes for a 422, or undefined as a step between them. */
export type Causes = Iterable<StatusCause | undefined>;

/** Finds the causes for a 422 one by one; yields undefined as a step between them. */
export type CauseSteps = Generator<StatusCause | undefined, void, void>;

/** The most causes of one answer, and of their text: a request can have any number of them. */
const MAX_CAUSES = 100;
const MAX_CAUSE_LENGTH = 256 * 1024;

/** The first causes of several sources. If there are more, the last cause says so, and the search ends. */
export function* collectCauses(...sources: readonly Causes[]): Steps<StatusCause[]> {
  const causes: StatusCause[] = [];
  let length = 0;
  for (const source of sources) {
    for (const cause of source) {
      yield;
      if (cause === undefined) continue;
      if (causes.length === MAX_CAUSES || length > MAX_CAUSE_LENGTH) {
        causes.push({
          reason: 'FieldValueInvalid',
          message: `there are more: only the first ${causes.length} are listed`,
        });
        return causes;
      }
      causes.push(cause);
      length += cause.message?.length ?? 0;
    }
  }
  return causes;
}

/** So many items are checked or filled in one step. */
export const ITEMS_PER_STEP = 32;

/** The causes of each item of a list, whose paths are `path[0]`, `path[1]`… A missing list has none. */
export function* each<T>(
  items: readonly T[] | null | undefined,
  path: string,
  causesOf: (item: T, path: string, at: number) => Causes,
): CauseSteps {
  if (items === undefined || items === null) return;
  for (let at = 0; at < items.length; at++) {
    yield* causesOf(items[at]!, `${path}[${at}]`, at);
    if (at % ITEMS_PER_STEP === ITEMS_PER_STEP - 1) yield undefined;
  }
}

/** The causes of each entry of a map, whose paths are `path[key]`. A missing map has none. */
export function* eachEntry<T>(
  map: Readonly<Record<string, T>> | null | undefined,
  path: string,
  causesOf: (key: string, value: T, path: string) => Causes,
): CauseSteps {
  if (map === undefined || map === null) return;
  let at = 0;
  for (const key of Object.keys(map)) {
    yield* causesOf(key, map[key]!, `${path}[${key}]`);
    if (++at % ITEMS_PER_STEP === 0) yield undefined;
  }
}

/** One cause per message of a check of `value`. */
export function invalids(path: string, value: unknown, messages: readonly string[]): StatusCause[] {
  return messages.length === 0 ? [] : messages.map((message) => fieldInvalid(path, value, message));
}

/** The cause for a negative number; undefined, a missing one, is fine. */
export function* nonNegative(value: number | undefined, path: string): CauseSteps {
  if (value !== undefined && value < 0) yield fieldInvalid(path, value, 'must be greater than or equal to 0');
}

/** The causes for a value that must be one of a fixed set. */
export function* oneOf(value: string | undefined, supported: readonly string[], path: string): CauseSteps {
  if (!value) yield fieldRequired(path);
  else if (!supported.includes(value)) yield fieldNotSupported(path, value, supported);
}

/** Like {@link oneOf}; undefined, a missing value, is fine. */
export function* oneOfIfSet(value: string | undefined, supported: readonly string[], path: string): CauseSteps {
  if (value !== undefined && !supported.includes(value)) yield fieldNotSupported(path, value, supported);
}
