import type { Strategy } from '../strategy.js';

export const limitRanges: Partial<Strategy> = { createOnUpdate: true };
