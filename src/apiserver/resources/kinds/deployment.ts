import type { Strategy } from '../strategy.js';

export const deployments: Partial<Strategy> = {
  generation: 'contentAndAnnotations',
  statusWrites: 'metadataButLabels',
};
