import { LruCache } from '../../../structures/lru-cache.js';
import type { Steps } from '../../../time/steps.js';
import { compileRegexp, type Regexp, RegexpError } from '../../../regexp/regexp.js';
import { ArrayList, CelError, noSuchOverload, type Value } from '../eval/values.js';
import type { CelStepFunction } from './function.js';

/** Patterns that were used lately: loops use the same ones again and again. */
const recent = new LruCache<string, Regexp>(16);

/** A pattern, or the message of its refusal. */
export function compiledPattern(pattern: string): Regexp | CelError {
  try {
    const regexp = recent.get(pattern) ?? compileRegexp(pattern);
    recent.set(pattern, regexp);
    return regexp;
  } catch (error) {
    if (error instanceof RegexpError) return new CelError(error.message);
    throw error;
  }
}

function onPattern(
  body: (text: string, regexp: Regexp, rest: readonly Value[]) => Steps<Value>,
  prefix = '',
): CelStepFunction {
  return function* (text, pattern, ...rest) {
    if (typeof text !== 'string' || typeof pattern !== 'string') return noSuchOverload;
    const regexp = compiledPattern(pattern);
    if (regexp instanceof CelError) return new CelError(prefix + regexp.message);
    return yield* body(text, regexp, rest);
  };
}

export const textMatching: Readonly<Record<string, CelStepFunction>> = {
  matches: onPattern((text, regexp) => regexp.testSteps(text)),
  find: onPattern(function* (text, regexp) {
    const found = yield* regexp.findAllSteps(text, 1);
    return found[0]?.[0] ?? '';
  }, 'Illegal regex: '),
  findAll: onPattern(function* (text, regexp, [limit = -1n]) {
    if (typeof limit !== 'bigint') return noSuchOverload;
    const found = yield* regexp.findAllSteps(text, Number(limit));
    return new ArrayList(found.map(([whole]) => whole));
  }, 'Illegal regex: '),
};
