import type { Area } from '../area.js';
import { area as get } from './get.js';

/** Every area, in the order in which the suite runs them. One line each, so that two can be added side by side. */
export const areas: readonly Area[] = [get];
