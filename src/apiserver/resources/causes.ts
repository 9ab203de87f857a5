import type { StatusCause } from '../../meta/status.js';
import type { Steps } from '../../time/steps.js';

/** What is wrong with an object, found one by one; undefined is a place to leave and go on. */
export type CauseSteps = Generator<StatusCause | undefined, void, void>;

/** An answer names so many causes, and so much text of them: nobody reads more, and a request can bring on any number. */
const MAX_CAUSES = 100;
const MAX_CAUSE_LENGTH = 256 * 1024;

/** The first causes of several sources. Where there are more, the last one says so, and no more are looked for. */
export function* collectCauses(...sources: readonly Iterable<StatusCause | undefined>[]): Steps<StatusCause[]> {
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
