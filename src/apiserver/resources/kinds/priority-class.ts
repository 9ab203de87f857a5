import type { Strategy } from '../strategy.js';

export const priorityClasses: Partial<Strategy> = { generation: 'content' };
