import { notSupported, type Strategy } from '../strategy.js';
import { replicaFields } from './replica-set.js';

export const replicationControllers: Partial<Strategy> = {
  fields: replicaFields,
  unknownField: notSupported,
  generation: 'content',
  dependents: 'orphan',
};
