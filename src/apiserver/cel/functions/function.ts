import type { Steps } from '../../../time/steps.js';
import type { Value } from '../eval/values.js';

/** A function: it gets values, of which none is an error, and checks their types, which dyn leaves open. */
export type CelFunction = (...args: Value[]) => Value;

/** A function whose work depends on the sizes of its arguments, so that it can be interrupted. */
export type CelStepFunction = (...args: Value[]) => Steps<Value>;
