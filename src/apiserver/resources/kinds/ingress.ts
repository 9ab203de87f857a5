import type { Strategy } from '../strategy.js';

export const ingresses: Partial<Strategy> = {
  generation: 'content',
  prepareCreate(object) {
    object['status'] = { loadBalancer: {} };
  },
};
