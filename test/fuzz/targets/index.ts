import type { Target } from '../target.js';
import { jsonTargets } from './json.js';
import { regexpTargets } from './regexps.js';
import { scalarTargets } from './scalars.js';
import { selectorTargets } from './selectors.js';

/** Every target, in the order of the tables. A parser of foreign bytes that is new gets an entry here. */
export const targets: readonly Target[] = [...jsonTargets, ...selectorTargets, ...scalarTargets, ...regexpTargets];
