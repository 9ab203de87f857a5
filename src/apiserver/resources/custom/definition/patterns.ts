import { compileRegexp, type Regexp, RegexpError } from '../../../../regexp/regexp.js';

const MAX_PATTERNS = 1000;
const compiled = new Map<string, Regexp>();

/** The compiled form of a pattern that {@link patternProblem} has accepted. */
export function regexpOf(pattern: string): Regexp {
  let regexp = compiled.get(pattern);
  if (regexp === undefined) {
    // Schemas have few patterns; after many definitions the old ones are compiled again when they are used.
    if (compiled.size === MAX_PATTERNS) compiled.clear();
    compiled.set(pattern, (regexp = compileRegexp(pattern)));
  }
  return regexp;
}

/** What is wrong with a pattern, in the words of Go's regexp package. */
export function patternProblem(pattern: string): string | undefined {
  try {
    regexpOf(pattern);
    return undefined;
  } catch (error) {
    if (error instanceof RegexpError) return error.message;
    throw error;
  }
}
