import type { Strategy } from '../strategy.js';

export const podTemplates: Partial<Strategy> = { generation: 'content', returnsDeleted: true };
