import type { Strategy } from '../strategy.js';

export const daemonSets: Partial<Strategy> = { generation: 'content' };
