import type { StatusCause } from '../../meta/errors/status.js';
import type { Steps } from '../../time/steps.js';

/** Finds the causes for a 422 one by one; yields undefined as a step between them. */
export type CauseSteps = Generator<StatusCause | undefined, void, void>;

/** The most causes of one answer, and of their text: a request can have any number of them. */
const MAX_CAUSES = 100;
const MAX_CAUSE_LENGTH = 256 * 1024;

/** The first causes of several sources. If there are more, the last cause says so, and the search ends. */
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
