import type { Strategy } from '../strategy.js';

export const podDisruptionBudgets: Partial<Strategy> = { generation: 'content', unconditionalUpdate: false };
