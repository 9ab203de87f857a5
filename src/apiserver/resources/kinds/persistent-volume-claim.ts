import type { Strategy } from '../strategy.js';

export const persistentVolumeClaims: Partial<Strategy> = {
  returnsDeleted: true,
  prepareCreate(object) {
    object['status'] = { phase: 'Pending' };
  },
};
