import type { Strategy } from '../strategy.js';

export const runtimeClasses: Partial<Strategy> = { createOnUpdate: true, unconditionalUpdate: false };
