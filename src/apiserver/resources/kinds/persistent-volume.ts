import type { Strategy } from '../strategy.js';

export const persistentVolumes: Partial<Strategy> = {
  returnsDeleted: true,
  prepareCreate(object) {
    object['status'] = { phase: 'Pending' };
  },
};
