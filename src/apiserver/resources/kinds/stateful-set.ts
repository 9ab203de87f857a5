import type { Strategy } from '../strategy.js';

export const statefulSets: Partial<Strategy> = { generation: 'content' };
