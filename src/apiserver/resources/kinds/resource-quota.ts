import type { Strategy } from '../strategy.js';

export const resourceQuotas: Partial<Strategy> = { returnsDeleted: true };
